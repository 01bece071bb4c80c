package pbs

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pattern"
	"fairshare/cmd/internal/report"
	"fairshare/formula"
	"fairshare/fstree"
)

// DefaultProject is the project of a job that names none (PBS's PBS_DFLT_PROJECT).
const DefaultProject = "_pbs_project_default"

// Limit is what one attribute of the server or of a queue allows to run.
type Limit struct {
	Queue    string // "" for the server
	Kind     byte   // u, g and p for users, groups and projects, o for all
	Name     string // GenericLimit for those without a limit of their own
	Resource string // "" for a number of jobs
	Most     float64
	Amount   string // Most as it was written

	// IsDynamic is whether a script of server_dyn_res tells how much there is. To the scheduler there is no more in all
	// than is free, so that who asks for more can never run now.
	IsDynamic bool

	Setting     string // what it is set by: max_run_res.ncpus, or of what is queued max_queued and the like
	IsOfWaiting bool   // of those of what is queued: whether jobs that run are not counted
}

// Where returns what the limit is of in words: "the server", or "queue workq".
func (l Limit) Where() string {
	if l.Queue == "" {
		return "the server"
	}
	return "queue " + l.Queue
}

// available is what there is of a resource at the server or in a queue.
const available = "resources_available"

// Names that stand for more than one.
const (
	GenericLimit = "PBS_GENERIC"
	OverallLimit = "PBS_ALL"
)

// LimitedKinds are what limits call those by whose names they hold.
var LimitedKinds = map[byte]string{'u': "user", 'g': "group", 'p': "project"}

// LimitError is a limit that cannot be read.
type LimitError struct{ Where, Name, Value string }

func (e *LimitError) Error() string {
	return fmt.Sprintf("%s: %s = %s is not a limit, such as [u:PBS_GENERIC=3]", e.Where, e.Name, e.Value)
}

// limitSettings are the limits on what runs, of the server and of queues.
var limitSettings = func() []Setting {
	var rows []Setting
	for _, isSoft := range []bool{false, true} {
		suffix, acts, idle := "", OnStarts, (func(s *Site, c Change, name string) string)(nil)
		if isSoft {
			suffix, acts, idle = "_soft", OnOrder, whileSoftLimits
		}
		for _, l := range []struct {
			name        string
			perResource bool
			kind        byte // of an old limit
			of          string
		}{
			{"max_run", false, 0, ""}, {"max_run_res", true, 0, ""},
			{"max_running", false, 'o', OverallLimit}, {"max_user_run", false, 'u', GenericLimit}, {"max_group_run", false, 'g', GenericLimit},
			{"max_user_res", true, 'u', GenericLimit}, {"max_group_res", true, 'g', GenericLimit},
		} {
			if isSoft && l.name == "max_running" {
				continue // which PBS has not
			}
			rows = append(rows, Setting{Name: l.name + suffix, Of: OfServer | OfQueue, PerResource: l.perResource, Acts: acts, Copy: CopyLimits,
				idle: idle, limit: &limitForm{isSoft, l.kind, l.of}})
		}
	}
	return append(rows,
		Setting{Name: available, Of: OfServer | OfQueue, PerResource: true, Acts: OnStarts, Copy: CopyAmounts, idle: whileChecked, limit: &limitForm{false, 'o', OverallLimit}},
		Setting{Name: "max_queued", Of: OfServer | OfQueue, IsRead: true, isText: true, Copy: CopyLimits},
		Setting{Name: "max_queued_res", Of: OfServer | OfQueue, PerResource: true, IsRead: true, isText: true, Copy: CopyLimits},
		Setting{Name: "queued_jobs_threshold", Of: OfServer | OfQueue, IsRead: true, isText: true, Copy: CopyLimits},
		Setting{Name: "queued_jobs_threshold_res", Of: OfServer | OfQueue, PerResource: true, IsRead: true, isText: true, Copy: CopyLimits},
	)
}()

// Limits returns what the server and its queues allow to run, or with soft their soft limits,
// which stop nothing. The error is a *LimitError.
func (s *Site) Limits(soft bool) ([]Limit, error) {
	list, err := s.Sched.Server.limits("", soft, s.checks)
	for _, q := range s.Queues {
		if err != nil {
			return nil, err
		}
		var more []Limit
		more, err = q.Attributes.limits(q.Name, soft, s.checks)
		list = append(list, more...)
	}
	if soft {
		return list, err
	}
	for _, resource := range slices.Sorted(maps.Keys(s.DynamicAmounts)) {
		amount := s.DynamicAmounts[resource]
		most, _ := limitAmount(amount)
		list = append(list, Limit{Kind: 'o', Name: OverallLimit, Resource: resource, Setting: "server_dyn_res." + resource, Most: most, Amount: amount, IsDynamic: true})
	}
	return list, err
}

// otherForm returns a limit of the server or of a queue that has the other form than a limit has, old or new: PBS's
// server refuses to mix them (15141). It is "" for none, and for other settings.
func (s *Site) otherForm(of *Setting) string {
	if of.limit == nil || of.Name == available {
		return ""
	}
	find := func(a Attributes, prefix string) string {
		for _, full := range slices.Sorted(maps.Keys(a)) {
			other := textSetting(full)
			isLimit := other != nil && other.limit != nil && other.Name != available
			if isLimit && other.isOldLimit() != of.isOldLimit() {
				return prefix + full
			}
		}
		return ""
	}
	name := find(s.Sched.Server, "server.")
	for _, q := range s.Queues {
		name = cmp.Or(name, find(q.Attributes, "queue."+q.Name+"."))
	}
	return name
}

// checks reports whether the scheduler looks at what there is of a resource: of those that "resources" of sched_config
// names, and of booleans.
func (s *Site) checks(resource string) bool {
	return s.SchedPriv == nil || s.SchedPriv.Config.Resources == nil || s.Resources[resource] == formula.Boolean || slices.Contains(s.SchedPriv.Config.Resources, resource)
}

func whileChecked(s *Site, c Change, name string) string {
	_, resource, _ := strings.Cut(c.Name, name+".")
	if s.checks(resource) {
		return ""
	}
	return "resources of sched_config does not name " + resource
}

// limits returns those of a queue, or for "" of the server.
func (a Attributes) limits(queue string, soft bool, checks func(resource string) bool) (list []Limit, err error) {
	of := "server"
	if queue != "" {
		of = "queue " + queue
	}
	for _, full := range slices.Sorted(maps.Keys(a)) {
		value := a[full]
		name, resource, _ := strings.Cut(full, ".")
		s := textSetting(full)
		if s == nil || s.limit == nil || s.limit.isSoft != soft {
			continue
		}
		switch {
		case s.isOldLimit():
			most, ok := limitAmount(value)
			if name == available && (!ok || !checks(resource)) {
				continue // a text is said, see Lacks
			}
			if !ok {
				return nil, &LimitError{of, full, value}
			}
			list = append(list, Limit{Queue: queue, Kind: s.limit.kind, Name: s.limit.name, Resource: resource, Setting: full, Most: most, Amount: value})
		case s.PerResource && resource == "":
			return nil, &LimitError{of, full, value}
		default:
			parsed, ok := ParseLimits(value)
			if !ok {
				return nil, &LimitError{of, full, value}
			}
			for _, l := range parsed {
				l.Queue, l.Resource, l.Setting = queue, resource, full
				list = append(list, l)
			}
		}
	}
	return list, nil
}

// limitList is a list of limits, each in its brackets and with a comma before the next one, as PBS's entlim_parse wants it.
var limitList = pattern.Of(`^\s*\[(?:[^][",]|"[^"]*")+\](?:\s*,\s*\[(?:[^][",]|"[^"]*")+\])*[\s,]*$`)

// ParseLimits reads [u:PBS_GENERIC=3],[g:physics=96]. Of o there is PBS_ALL alone. What it could read comes with false.
func ParseLimits(text string) (list []Limit, ok bool) {
	ok = limitList().MatchString(text)
	for part := range strings.SplitSeq(text, "]") {
		part = strings.Trim(part, " \t,[")
		if part == "" {
			continue
		}
		kind, rest, hasKind := strings.Cut(part, ":")
		at := strings.LastIndexByte(rest, '=')
		kind = strings.TrimSpace(kind)
		if !hasKind || at < 0 || len(kind) != 1 || !strings.Contains("ugpo", kind) {
			ok = false
			continue
		}
		amount := strings.Trim(strings.TrimSpace(rest[at+1:]), `"'`)
		most, isAmount := limitAmount(amount)
		if !isAmount {
			ok = false
			continue
		}
		l := Limit{Kind: kind[0], Name: strings.Trim(strings.TrimSpace(rest[:at]), `"'`), Most: most, Amount: amount}
		if isOverall := l.Kind == 'o'; isOverall != (l.Name == OverallLimit) {
			ok = false
			continue
		}
		list = append(list, l)
	}
	return list, ok && len(list) > 0
}

// UnknownLimits yields each change of a site that sets a limit for somebody who is neither in a tree, nil for
// none, nor among the users (u), groups (g) or projects (p) that are known, and says so. Nobody is unknown
// where none of a kind is known.
func (s *Site) UnknownLimits(tree *fstree.Tree, known func(kind byte) []string) iter.Seq2[Change, string] {
	return func(yield func(Change, string) bool) {
		for _, c := range s.Changes {
			if !strings.Contains(c.Name, ".max_run") {
				continue
			}
			parsed, _ := ParseLimits(c.Value)
			for _, l := range parsed {
				if l.Kind == 'o' || l.Name == GenericLimit {
					continue
				}
				names, isInTree := known(l.Kind), false
				if tree != nil {
					_, isInTree = tree.Lookup(l.Name)
				}
				what := LimitedKinds[l.Kind]
				if !isInTree && len(names) > 0 && !slices.Contains(names, l.Name) && !yield(c, report.NoSuch(what, l.Name, names)) {
					return
				}
			}
		}
	}
}

func limitAmount(text string) (float64, bool) {
	text = strings.Trim(strings.TrimSpace(text), `"'`)
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		v, isAmount := formula.ParseAmount(text, "")
		if n, _ = v.Number(); !isAmount {
			return 0, false
		}
	}
	return n, n >= 0 && !math.IsInf(n, 0)
}

// LimitsFor returns those of a list of limits that hold for jobs of some names in a queue,
// with the names that they are counted under. A limit of somebody's own stands in for the
// generic one. Whose name is not told, "", is under no limit of anybody's: nobody knows under whose.
func LimitsFor(list []Limit, queue, user, group, project string) []Limit {
	type slot struct {
		queue    string
		kind     byte
		resource string
	}
	places := map[slot]int{}
	var chosen []Limit
	isGeneric := []bool{}
	for _, l := range list {
		name := map[byte]string{'u': user, 'g': group, 'p': project, 'o': OverallLimit}[l.Kind]
		if l.Queue != "" && l.Queue != queue || name == "" || l.Name != name && l.Name != GenericLimit {
			continue
		}
		s := slot{l.Queue, l.Kind, l.Resource}
		at, isSet := places[s]
		if !isSet {
			at = len(chosen)
			places[s] = at
			chosen, isGeneric = append(chosen, Limit{}), append(isGeneric, true)
		}
		if isGeneric[at] {
			isGeneric[at] = l.Name == GenericLimit
			l.Name = name
			chosen[at] = l
		}
	}
	return chosen
}

// Groupless says of so many jobs whose group nothing tells that some limits of groups are not applied to them, nothing where there are
// none of either.
func Groupless(jobs int, limits []Limit) []diag.Remark {
	var settings []string
	for _, l := range limits {
		if l.Kind != 'g' {
			continue
		}
		where := l.Setting + " of the server"
		if l.Queue != "" {
			where = l.Setting + " of queue " + l.Queue
		}
		if !slices.Contains(settings, where) {
			settings = append(settings, where)
		}
	}
	if jobs == 0 || settings == nil {
		return nil
	}
	return []diag.Remark{diag.Warningf("the group of %s is not known (egroup, which qstat -f prints): limits of groups are not applied to them, and may hold them back (%s)", report.Count(jobs, "job"), report.First(settings)).
		Briefly("the group of %s is not known (egroup): limits of groups may hold them back (%s)", report.Count(jobs, "job"), report.First(settings))}
}

// QueuedSettings are the limits on jobs that are queued.
var QueuedSettings = []string{"max_queued", "max_queued_res", "queued_jobs_threshold", "queued_jobs_threshold_res"}

// QueuedLimits returns how many jobs, or how much of what they ask for, the server and its queues take at a time. One
// that cannot be read is as if it were not there.
func (s *Site) QueuedLimits() (list []Limit) {
	add := func(queue string, a Attributes) {
		for _, full := range slices.Sorted(maps.Keys(a)) {
			name, resource, _ := strings.Cut(full, ".")
			if !slices.Contains(QueuedSettings, name) {
				continue
			}
			isOfWaiting := strings.HasPrefix(name, "queued")
			parsed, _ := ParseLimits(a[full])
			for _, l := range parsed {
				l.Queue, l.Resource, l.Setting, l.IsOfWaiting = queue, resource, name, isOfWaiting
				list = append(list, l)
			}
		}
	}
	add("", s.Sched.Server)
	for _, q := range s.Queues {
		add(q.Name, q.Attributes)
	}
	return list
}
