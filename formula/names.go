package formula

import (
	"slices"
	"strings"
)

// Type is a PBS resource's type.
type Type string

// The types of PBS. Only the first four can stand in a formula.
const (
	Long        Type = "long"
	FloatType   Type = "float"
	Size        Type = "size"
	Duration    Type = "duration" // PBS calls it long, too; in seconds
	Boolean     Type = "boolean"
	String      Type = "string"
	StringArray Type = "string_array"
)

// Numeric tells whether a formula may use a resource of the type.
func (t Type) Numeric() bool {
	return t == Long || t == FloatType || t == Size || t == Duration
}

// Variable describes a name that PBS gives a value in a formula.
type Variable struct {
	Name    string
	Type    Type
	Unit    string
	Meaning string
}

// Keywords are the names of job_sort_formula that are no resources.
var Keywords = []Variable{
	{"eligible_time", Duration, "s", "how long the job has been eligible to run"},
	{"queue_priority", Long, "", "the priority of the job's queue, 0 when unset"},
	{"job_priority", Long, "", "the job's own priority (qsub -p), from -1024 to 1023"},
	{"fairshare_perc", FloatType, "fraction", "the entity's part of the whole tree's shares, six decimals"},
	{"fair_share_perc", FloatType, "fraction", "the old name of fairshare_perc, deprecated"},
	{"fairshare_tree_usage", FloatType, "fraction", "the entity's usage with its groups' drawn in, six decimals"},
	{"fairshare_factor", FloatType, "0 to 1", "2^-(fairshare_tree_usage/fairshare_perc), 0.5 on target, six decimals"},
	{"accrue_type", Long, "", "what time the job accrues: 0 initial, 1 ineligible, 2 eligible, 3 running, 4 exiting"},
}

// Resources are PBS's own. A job that does not request one has 0 of it.
var Resources = []Variable{
	{"arch", String, "", "system architecture"},
	{"cpupercent", Long, "%", "CPU use"},
	{"cput", Duration, "s", "CPU time of all processes"},
	{"energy", FloatType, "kWh", "energy used"},
	{"file", Size, "kB", "size of any file created"},
	{"hbmem", Size, "kB", "high-bandwidth memory"},
	{"host", String, "", "execution host"},
	{"hpm", Long, "", "hardware performance monitors"},
	{"max_walltime", Duration, "s", "longest walltime of a shrink-to-fit job"},
	{"mem", Size, "kB", "physical memory"},
	{"min_walltime", Duration, "s", "shortest walltime of a shrink-to-fit job"},
	{"mpiprocs", Long, "", "MPI processes"},
	{"ncpus", Long, "", "processors"},
	{"nice", Long, "", "nice value"},
	{"nodect", Long, "", "chunks"},
	{"nodemask", String, "", "node mask"},
	{"nodes", String, "", "nodes, the old way of asking"},
	{"ompthreads", Long, "", "OpenMP threads"},
	{"partition", String, "", "partition"},
	{"pcput", Duration, "s", "CPU time of any one process"},
	{"place", String, "", "placement of chunks"},
	{"pmem", Size, "kB", "physical memory of any one process"},
	{"preempt_targets", StringArray, "", "what may be preempted"},
	{"pvmem", Size, "kB", "virtual memory of any one process"},
	{"resc", String, "", "resource expression"},
	{"select", String, "", "chunks asked for"},
	{"site", String, "", "site-specific"},
	{"soft_walltime", Duration, "s", "walltime that may be exceeded"},
	{"software", String, "", "software"},
	{"ssinodes", Long, "", "single system image nodes"},
	{"start_time", Long, "s", "start time, Unix time"},
	{"vmem", Size, "kB", "virtual memory of all processes"},
	{"vnode", String, "", "vnode"},
	{"walltime", Duration, "s", "how long the job may run"},
}

// OtherFairshare are results of other schedulers' fairshare algorithms on PBS's
// tree. PBS does not know them: they are for trying what they would do.
var OtherFairshare = []Variable{
	{"fair_tree", FloatType, "0 to 1", "Slurm's Fair Tree as documented: the entity's rank / number of entities"},
	{"level_fs", FloatType, "0 to inf", "Slurm's level FS: due / used within the resgroup, above 1 is under-served"},
	{"depth_oblivious_factor", FloatType, "0 to 1", "Slurm's depth-oblivious factor, 0.5 on target"},
	{"classic_factor", FloatType, "0 to 1", "Slurm's classic fairshare factor, 0.5 on target"},
	{"weighted_walk", FloatType, "0 to 1", "flux-accounting's fairshare: the entity's rank / number of entities"},
}

// IsOtherFairshare tells whether a name is one of OtherFairshare.
func IsOtherFairshare(name string) bool {
	return slices.ContainsFunc(OtherFairshare, func(v Variable) bool { return v.Name == name })
}

// Symbols are the names that a formula can use at a site.
type Symbols struct {
	types map[string]Type
}

// NewSymbols returns PBS's names and a site's resources, by their types.
func NewSymbols(site map[string]Type) *Symbols {
	s := &Symbols{types: map[string]Type{}}
	for _, list := range [][]Variable{Keywords, Resources} {
		for _, v := range list {
			s.types[v.Name] = v.Type
		}
	}
	for name, t := range site {
		s.types[name] = t
	}
	return s
}

// Type is a name's type, "" when it is unknown.
func (s *Symbols) Type(name string) Type { return s.types[name] }

// isKeyword tells whether a name is no resource.
func isKeyword(name string) bool {
	return slices.ContainsFunc(Keywords, func(v Variable) bool { return v.Name == name })
}

// Nearest is the name most like one that is unknown, or "".
func (s *Symbols) Nearest(name string) string {
	best, distance := "", len(name)/3+2
	consider := func(candidate string) {
		d := editDistance(strings.ToLower(name), candidate)
		if d < distance || d == distance && best != "" && candidate < best {
			best, distance = candidate, d
		}
	}
	for candidate, t := range s.types {
		if t.Numeric() && candidate != "fair_share_perc" {
			consider(candidate)
		}
	}
	for candidate := range mathNames {
		consider(candidate)
	}
	for candidate := range builtinNames {
		consider(candidate)
	}
	return best
}

// editDistance is Levenshtein's, of short names.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(diagonal+cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// Functions lists the functions and constants of formulas by name: Python's
// own, and those of its math module.
func Functions() (builtins, math, constants []string) {
	for name := range builtinNames {
		builtins = append(builtins, name)
	}
	for name, v := range mathNames {
		if v.kind == kFunction {
			math = append(math, name)
		} else {
			constants = append(constants, name)
		}
	}
	slices.Sort(builtins)
	slices.Sort(math)
	slices.Sort(constants)
	return builtins, math, constants
}

// pythonNames are Python's builtins that a formula cannot use here but PBS's
// interpreter, which runs without the site module, knows.
var pythonNames = func() map[string]bool {
	m := map[string]bool{}
	for _, name := range strings.Fields(`
ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError
BrokenPipeError BufferError BytesWarning ChildProcessError ConnectionAbortedError ConnectionError
ConnectionRefusedError ConnectionResetError DeprecationWarning EOFError Ellipsis EncodingWarning
EnvironmentError Exception ExceptionGroup FileExistsError FileNotFoundError FloatingPointError
FutureWarning GeneratorExit IOError ImportError ImportWarning IndentationError IndexError
InterruptedError IsADirectoryError KeyError KeyboardInterrupt LookupError MemoryError
ModuleNotFoundError NameError NotADirectoryError NotImplemented NotImplementedError OSError
OverflowError PendingDeprecationWarning PermissionError ProcessLookupError RecursionError
ReferenceError ResourceWarning RuntimeError RuntimeWarning StopAsyncIteration StopIteration
SyntaxError SyntaxWarning SystemError SystemExit TabError TimeoutError TypeError UnboundLocalError
UnicodeDecodeError UnicodeEncodeError UnicodeError UnicodeTranslateError UnicodeWarning UserWarning
ValueError Warning ZeroDivisionError __build_class__ __debug__ __doc__ __import__ __loader__
__name__ __package__ __spec__ aiter anext ascii bin breakpoint bytearray bytes callable chr
classmethod compile complex delattr dict dir enumerate eval exec filter format frozenset getattr
globals hasattr hash hex id input isinstance issubclass iter list locals map memoryview next object
oct open ord pow print property range repr reversed set setattr slice staticmethod str super tuple
type vars zip
`) {
		if _, hidden := mathNames[name]; !hidden {
			m[name] = true
		}
	}
	return m
}()

// IsMathName tells whether a name belongs to Python's math module, which hides
// a resource of that name.
func IsMathName(name string) bool {
	_, ok := mathNames[name]
	return ok
}

// IsBuiltin tells whether a name is one of Python's own functions, which a
// resource of that name would hide.
func IsBuiltin(name string) bool {
	_, ok := builtinNames[name]
	return ok || pythonNames[name]
}
