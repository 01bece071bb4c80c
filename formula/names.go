package formula

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/agnivade/levenshtein"
)

// Type is a PBS resource's type.
type Type string

// The types of PBS. Only the first four can stand in a formula.
const (
	Long        Type = "long"
	Float64     Type = "float"
	Size        Type = "size"
	Duration    Type = "duration" // in seconds; PBS calls it long, too
	Boolean     Type = "boolean"
	String      Type = "string"
	StringArray Type = "string_array"
)

// Numeric reports whether a formula may use a resource of the type.
func (t Type) Numeric() bool {
	return t == Long || t == Float64 || t == Size || t == Duration
}

// Origin is where a variable's value comes from.
type Origin uint8

// The origins.
const (
	FromJob    Origin = iota // what the job requests, or another of its attributes
	FromQueue                // the job's queue
	FromTree                 // the job's entity in the fairshare tree
	Additional               // the program that uses this package; PBS does not know the variable
)

// Variable describes a name that PBS gives a value in a formula.
type Variable struct {
	Name     string
	Type     Type
	Unit     string // such as "kB", may be empty
	Meaning  string
	Origin   Origin
	Decimals int // with which PBS prints the value into the formula; 0 is Amount's rule
}

// Bounds of a job's own priority (qsub -p).
const (
	MinJobPriority = -1024
	MaxJobPriority = 1023
)

// Keywords are the names of job_sort_formula that are no resources.
var Keywords = []Variable{
	{Name: "eligible_time", Type: Duration, Unit: "s", Meaning: "how long the job has been eligible to run"},
	{Name: "queue_priority", Type: Long, Origin: FromQueue, Meaning: "the priority of the job's queue, 0 when unset"},
	{Name: "job_priority", Type: Long,
		Meaning: fmt.Sprintf("the job's own priority (qsub -p), from %d to %d", MinJobPriority, MaxJobPriority)},
	{Name: "fairshare_perc", Type: Float64, Unit: "fraction", Origin: FromTree, Decimals: 6,
		Meaning: "the entity's part of the whole tree's shares, six decimals"},
	{Name: "fair_share_perc", Type: Float64, Unit: "fraction", Origin: FromTree, Decimals: 6,
		Meaning: "the old name of fairshare_perc, deprecated"},
	{Name: "fairshare_tree_usage", Type: Float64, Unit: "fraction", Origin: FromTree, Decimals: 6,
		Meaning: "the entity's usage mixed with that of its groups, six decimals"},
	{Name: "fairshare_factor", Type: Float64, Unit: "0 to 1", Origin: FromTree, Decimals: 6,
		Meaning: "2^-(fairshare_tree_usage/fairshare_perc), 0.5 on target, six decimals"},
	{Name: "accrue_type", Type: Long, Meaning: "what time the job accrues: 0 initial, 1 ineligible, 2 eligible, 3 running, 4 exiting"},
}

// Resources are PBS's own. A job that does not request one has 0 of it.
var Resources = []Variable{
	{Name: "arch", Type: String, Meaning: "system architecture"},
	{Name: "cpupercent", Type: Long, Unit: "%", Meaning: "CPU use"},
	{Name: "cput", Type: Duration, Unit: "s", Meaning: "CPU time of all processes"},
	{Name: "energy", Type: Float64, Unit: "kWh", Meaning: "energy used"},
	{Name: "exec_vnode", Type: String, Meaning: "vnodes that the job runs on"},
	{Name: "file", Type: Size, Unit: "kB", Meaning: "size of any file created"},
	{Name: "hbmem", Type: Size, Unit: "kB", Meaning: "high-bandwidth memory"},
	{Name: "host", Type: String, Meaning: "execution host"},
	{Name: "hpm", Type: Long, Meaning: "hardware performance monitors"},
	{Name: "max_walltime", Type: Duration, Unit: "s", Meaning: "longest walltime of a shrink-to-fit job"},
	{Name: "mem", Type: Size, Unit: "kB", Meaning: "physical memory"},
	{Name: "min_walltime", Type: Duration, Unit: "s", Meaning: "shortest walltime of a shrink-to-fit job"},
	{Name: "mpiprocs", Type: Long, Meaning: "MPI processes"},
	{Name: "ncpus", Type: Long, Meaning: "processors"},
	{Name: "nice", Type: Long, Meaning: "nice value"},
	{Name: "nodect", Type: Long, Meaning: "chunks"},
	{Name: "nodemask", Type: String, Meaning: "node mask"},
	{Name: "nodes", Type: String, Meaning: "nodes, the old way of asking"},
	{Name: "ompthreads", Type: Long, Meaning: "OpenMP threads"},
	{Name: "partition", Type: String, Meaning: "partition"},
	{Name: "pcput", Type: Duration, Unit: "s", Meaning: "CPU time of any one process"},
	{Name: "place", Type: String, Meaning: "placement of chunks"},
	{Name: "pmem", Type: Size, Unit: "kB", Meaning: "physical memory of any one process"},
	{Name: "preempt_targets", Type: StringArray, Meaning: "what may be preempted"},
	{Name: "pvmem", Type: Size, Unit: "kB", Meaning: "virtual memory of any one process"},
	{Name: "resc", Type: String, Meaning: "resource expression"},
	{Name: "select", Type: String, Meaning: "chunks asked for"},
	{Name: "site", Type: String, Meaning: "site-specific"},
	{Name: "soft_walltime", Type: Duration, Unit: "s", Meaning: "walltime that may be exceeded"},
	{Name: "software", Type: String, Meaning: "software"},
	{Name: "ssinodes", Type: Long, Meaning: "single system image nodes"},
	{Name: "start_time", Type: Long, Unit: "s", Meaning: "start time, Unix time"},
	{Name: "vmem", Type: Size, Unit: "kB", Meaning: "virtual memory of all processes"},
	{Name: "vnode", Type: String, Meaning: "vnode"},
	{Name: "walltime", Type: Duration, Unit: "s", Meaning: "how long the job may run"},
}

// Symbols are the variables that a formula can use at a site. They never
// change and may be shared. The zero Symbols, and nil, are PBS's own.
type Symbols struct {
	variables map[string]Variable
}

// NewSymbols returns PBS's keywords and resources together with a site's own
// resources, by their types, and additional variables that PBS does not know.
// A resource of the site hides an additional variable of its name.
func NewSymbols(site map[string]Type, additional ...Variable) *Symbols {
	s := &Symbols{variables: map[string]Variable{}}
	for _, v := range additional {
		v.Origin = Additional
		s.variables[v.Name] = v
	}
	for _, list := range [][]Variable{Keywords, Resources} {
		for _, v := range list {
			s.variables[v.Name] = v
		}
	}
	s.addSite(site)
	return s
}

func (s *Symbols) addSite(site map[string]Type) {
	for name, t := range site {
		v, known := s.variables[name]
		if !known || v.Origin == Additional {
			v = Variable{Name: name, Meaning: "the site's own"}
		}
		v.Type = t
		s.variables[name] = v
	}
}

// ofPBS are PBS's own keywords and resources.
var ofPBS = sync.OnceValue(func() map[string]Variable { return NewSymbols(nil).variables })

// known returns the variables: PBS's own where nothing else was said.
func (s *Symbols) known() map[string]Variable {
	if s == nil || s.variables == nil {
		return ofPBS()
	}
	return s.variables
}

// With returns the symbols and further resources of the site.
func (s *Symbols) With(site map[string]Type) *Symbols {
	both := &Symbols{variables: maps.Clone(s.known())}
	both.addSite(site)
	return both
}

// Lookup returns what is known of a variable. ok is false for a name that is
// none.
func (s *Symbols) Lookup(name string) (v Variable, ok bool) {
	v, ok = s.known()[name]
	return v, ok
}

// Type returns the type of a variable of PBS's, "" if PBS does not know the
// name.
func (s *Symbols) Type(name string) Type {
	v := s.known()[name]
	if v.Origin == Additional {
		return ""
	}
	return v.Type
}

// Resolve returns what a name means in a formula at the site. A resource that is
// no number is not a variable there.
func (s *Symbols) Resolve(name string) NameKind {
	v, known := s.known()[name]
	return resolve(name, known && (v.Type.Numeric() || v.Origin == Additional))
}

// isKeyword reports whether a name is a keyword of job_sort_formula and no
// resource.
func isKeyword(name string) bool {
	return slices.ContainsFunc(Keywords, func(v Variable) bool { return v.Name == name })
}

// nearest returns the name that is most like an unknown one, "" if none is
// alike: most letters are the same, or it is the only one that begins so.
func (s *Symbols) nearest(name string) string {
	if strings.ReplaceAll(strings.ToLower(name), "_", "") == "fairshare" { // as sched_config calls another thing
		return "fairshare_factor"
	}
	const least = 4 // letters of a beginning that tells
	var begun []string
	best, distance := "", min(len(name)/3+2, (len(name)+1)/2)
	consider := func(candidate string) {
		if len(name) >= least && strings.HasPrefix(candidate, strings.ToLower(name)) {
			begun = append(begun, candidate)
		}
		d := levenshtein.ComputeDistance(strings.ToLower(name), candidate)
		if d < distance || d == distance && best != "" && candidate < best {
			best, distance = candidate, d
		}
	}
	for candidate := range s.known() {
		if s.Type(candidate).Numeric() && candidate != "fair_share_perc" {
			consider(candidate)
		}
	}
	for candidate := range mathNames {
		consider(candidate)
	}
	for candidate := range builtinNames {
		consider(candidate)
	}
	if best == "" && len(begun) == 1 {
		return begun[0]
	}
	return best
}
