package history

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
)

// Choice says of whom jobs are, nil for everybody's.
type Choice struct{ Users, Groups, Queues, Projects, Accounts []string }

// IsOfSome reports whether jobs of some only are chosen.
func (c Choice) IsOfSome() bool {
	return slices.ContainsFunc(c.kinds(), func(k chosen) bool { return k.wanted != nil })
}

// Names returns all names that are chosen.
func (c Choice) Names() []string {
	return slices.Concat(c.Users, c.Groups, c.Queues, c.Projects, c.Accounts)
}

// chosen is the names of a kind of which jobs are to be, nil for all.
type chosen struct {
	name   string
	wanted []string
}

// kinds returns what is chosen of each kind.
func (c Choice) kinds() []chosen {
	return []chosen{{"user", c.Users}, {"group", c.Groups}, {"queue", c.Queues}, {"project", c.Projects}, {"account", c.Accounts}}
}

// History is what logs tell of the jobs of a period.
type History struct {
	Trace  *trace.Trace
	Jobs   []*trace.Job // that are chosen and have waited or run in the period
	Period Period

	choice Choice
}

// New returns what a trace tells of the jobs that are chosen in a period, with remarks on what
// is not there. Jobs that could never run are left out.
func New(t *trace.Trace, c Choice, p Period) (*History, []diag.Remark) {
	h := &History{Trace: t, Period: p, choice: c}
	held := h.choose()
	var remarks []diag.Remark
	if held > 0 {
		remarks = append(remarks, diag.Notef("left out: %s that could never run: held, or deleted before", report.Count(held, "job")))
	}
	remarks = append(remarks, h.missing()...)
	switch {
	case len(t.Jobs) == 0:
		remarks = append(remarks, diag.Warningf("there is no job in the logs"))
	case len(h.Jobs) == 0:
		remarks = append(remarks, diag.Warningf("the logs have %s, but none that is asked for", report.Count(len(t.Jobs), "job")))
	}
	return h, remarks
}

// choose sets the jobs, and returns how many of the trace could never run.
func (h *History) choose() (held int) {
	has := func(j *trace.Job) bool {
		return !slices.ContainsFunc(h.choice.kinds(), func(k chosen) bool {
			return k.wanted != nil && !slices.Contains(k.wanted, nameOf(h.Trace.Names.List, j, k.name))
		})
	}
	for _, j := range h.Trace.Jobs {
		hasCome := j.Arrival != trace.Unknown || j.Start != trace.Unknown || len(j.Earlier()) > 0
		if !j.IsArray && !hasCome {
			held++
		}
		if !j.IsArray && hasCome && has(j) && h.Period.touches(j) {
			h.Jobs = append(h.Jobs, j)
		}
	}
	return held
}

// missing says which of the names that are chosen no job of the logs has.
func (h *History) missing() []diag.Remark {
	t := h.Trace
	if !h.choice.IsOfSome() || len(t.Jobs) == 0 {
		return nil
	}
	var remarks []diag.Remark
	for _, kind := range h.choice.kinds() {
		names := map[string]bool{}
		for _, j := range t.Jobs {
			if name := nameOf(t.Names.List, j, kind.name); name != "" {
				names[name] = true
			}
		}
		remarks = append(remarks, diag.NoJobOf(kind.name, kind.wanted, slices.Collect(maps.Keys(names)))...)
	}
	return remarks
}

// States returns how many of the jobs are in which state at the end of the period.
func (h *History) States() map[trace.State]int {
	states := map[trace.State]int{}
	for _, j := range h.Jobs {
		states[h.Period.stateOf(j)]++
	}
	return states
}

// Machine is what was occupied of a site's cpus in a period.
type Machine struct {
	CPUs     int64     // that the site has, or that were in use at most
	All      float64   // per cent in use on average; without the first and the last tenth of all the time of the logs
	Chosen   float64   // by the jobs that are chosen, likewise
	Means    []float64 // cpus in use by those, in equal parts of the time
	IsAtMost bool      // whether CPUs are those in use at most
}

// Machine returns what was occupied of a site's cpus, in some equal parts of the period. cpus
// are those of the site, 0 where that is not known. ok is false where nothing ever ran.
func (h *History) Machine(cpus int64, parts int) (m Machine, ok bool) {
	everybody := h.Trace.Occupations(slices.DeleteFunc(slices.Clone(h.Trace.Jobs), func(j *trace.Job) bool { return j.IsArray }))
	m = Machine{CPUs: cpus, IsAtMost: cpus == 0}
	if m.IsAtMost {
		m.CPUs = trace.Largest(everybody)
	}
	if m.CPUs == 0 {
		return m, false
	}
	mean := trace.Mean
	if h.Period.IsWhole {
		mean = trace.MeanInside
	}
	part := func(list []trace.Occupation) float64 {
		return 100 * mean(list, h.Period.From, h.Period.To) / float64(m.CPUs)
	}
	shown := everybody
	m.All = part(everybody)
	if h.choice.IsOfSome() {
		shown = h.Trace.Occupations(h.Jobs)
		m.Chosen = part(shown)
	}
	m.Means = trace.Means(shown, h.Period.From, h.Period.To, parts)
	return m, true
}

// Row is the figures of a name.
type Row struct {
	Name string
	trace.Figures
}

// Rows returns the figures of the names of a kind, those with the most core hours first: the
// waits of jobs that started in the period, the core hours of those that ended in it.
func (h *History) Rows(kind trace.Kind) []Row {
	var rows []Row
	for name, some := range kind.Groups(h.Jobs) {
		rows = append(rows, Row{name, trace.FiguresIn(some, h.Period.has)})
	}
	slices.SortFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.CoreHours, a.CoreHours), strings.Compare(a.Name, b.Name))
	})
	return rows
}
