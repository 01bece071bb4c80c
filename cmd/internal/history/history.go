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
type Choice struct {
	Users, Groups, Queues, Projects, Accounts, QOS []string
	Jobs                                           []string // IDs, as people name jobs: those of an array are all of its tasks

	Parents trace.Parents // the account that each is directly below: jobs of those below a chosen one are chosen; nil where nothing tells it
}

// IsOfSome reports whether jobs of some only are chosen.
func (c Choice) IsOfSome() bool {
	return len(c.Jobs) > 0 || slices.ContainsFunc(c.kinds(), func(k kindChoice) bool { return k.wanted != nil })
}

// Names returns all names that are chosen.
func (c Choice) Names() []string {
	return slices.Concat(c.Users, c.Groups, c.Queues, c.Projects, c.Accounts, c.QOS, c.Jobs)
}

// OfOneUser says that all jobs of logs are of one user, "" where they are of several, or jobs of nobody else are asked for.
func (c Choice) OfOneUser(t *trace.Trace) string {
	if len(c.Jobs) > 0 || len(c.Users) == 1 && c.Users[0] == t.OnlyUser() {
		return ""
	}
	return t.OfOneUser()
}

// kindChoice is the names of a kind of which jobs are to be, nil for all.
type kindChoice struct {
	name   string
	wanted []string
}

// kinds returns what is chosen of each kind.
func (c Choice) kinds() []kindChoice {
	return []kindChoice{{"user", c.Users}, {"group", c.Groups}, {"queue", c.Queues}, {"project", c.Projects}, {"account", c.Accounts}, {"qos", c.QOS}}
}

// chooser tells which jobs are chosen, and which of the names no job has.
type chooser struct {
	Choice
	found map[string]map[string]bool // names that jobs have, "" among them, and accounts above them, by kinds of which some are chosen
	below map[string]map[string]bool // by chosen account, those below it that jobs have
	named map[string]bool            // IDs that jobs have

	hasTaken bool // whether jobs counted as those of a user, see isTaken
}

func newChooser(c Choice) chooser {
	found := map[string]map[string]bool{}
	for _, kind := range c.kinds() {
		if kind.wanted != nil {
			found[kind.name] = map[string]bool{}
		}
	}
	return chooser{Choice: c, found: found, below: map[string]map[string]bool{}, named: map[string]bool{}}
}

// has reports whether a job is one of those that are chosen.
func (c *chooser) has(t *trace.Trace, j *trace.Job) bool {
	names := t.Names.List
	if len(c.found) == 0 && len(c.Jobs) == 0 {
		return true
	}
	is := len(c.Jobs) == 0
	for _, id := range c.Jobs {
		if trace.IsNamed(j.ID, id) {
			is, c.named[id] = true, true
		}
	}
	for _, kind := range c.kinds() {
		if kind.wanted != nil {
			name := nameOf(names, j, kind.name)
			c.found[kind.name][name] = true
			isOfKind := slices.Contains(kind.wanted, name)
			switch {
			case kind.name == trace.OfAccounts:
				isOfKind = c.hasAccount(name)
			case kind.name == "user" && c.isTaken(t):
				isOfKind, c.hasTaken = true, true
			}
			is = is && isOfKind
		}
	}
	return is
}

// isTaken reports whether jobs are taken to be of the one user who is chosen, since nothing tells whose they are.
func (c *chooser) isTaken(t *trace.Trace) bool { return t.HasNoUsers && len(c.Users) == 1 }

// hasAccount reports whether an account is chosen, or one above it.
func (c *chooser) hasAccount(name string) (is bool) {
	for at := range c.Parents.Above(name) {
		c.found[trace.OfAccounts][at] = true
		if !slices.Contains(c.Accounts, at) {
			continue
		}
		if is = true; at == name {
			continue
		}
		if c.below[at] == nil {
			c.below[at] = map[string]bool{}
		}
		c.below[at][name] = true
	}
	return is
}

// nested says which accounts count with those that are chosen, or that nothing tells which are below them.
func (c *chooser) nested(t *trace.Trace) (remarks []diag.Remark) {
	if c.Accounts != nil && c.Parents == nil && t.Nests != "" {
		remarks = append(remarks, diag.Notef("which accounts are below others is not known: jobs of %s itself count, and none of those below it (%s tells the tree)", report.Listed(c.Accounts), t.Nests))
	}
	for _, account := range c.Accounts {
		if below := slices.Collect(maps.Keys(c.below[account])); len(below) > 0 {
			remarks = append(remarks, trace.CountBelow(account, below))
		}
	}
	return remarks
}

// missing says which of the names that are chosen no job of the logs has. The error is a *diag.RequestError where that are all
// of a kind.
func (c *chooser) missing(t *trace.Trace) (remarks []diag.Remark, err error) {
	if lost := slices.DeleteFunc(slices.Clone(c.Jobs), func(id string) bool { return c.named[id] }); len(lost) > 0 {
		text := "the logs have no job " + report.Listed(lost)
		if len(lost) == len(c.Jobs) {
			return nil, diag.Requestf("%s", text)
		}
		remarks = append(remarks, diag.Damagef("%s", text))
	}
	for _, kind := range c.kinds() {
		if kind.name == "user" && c.isTaken(t) {
			remarks = append(remarks, diag.Warningf("the table does not tell whose jobs these are: all are taken to be of %s (%s)", c.Users[0], t.PrintsAll))
			continue
		}
		if kind.name == "user" && c.hasTaken {
			err = cmp.Or(err, diag.Requestf("of two tables in one file, one alone tells whose jobs it has (column User): name them as files of their own"))
		}
		if kind.wanted != nil {
			err = cmp.Or(err, t.CheckKind(kind.name))
		}
		if len(c.found[kind.name]) == 0 {
			continue // there is no job
		}
		delete(c.found[kind.name], "")
		said, none := diag.CheckNames(t.WordFor(kind.name), kind.wanted, slices.Sorted(maps.Keys(c.found[kind.name])))
		remarks, err = append(remarks, said...), cmp.Or(err, none)
	}
	return remarks, err
}

// History is what logs tell of the jobs of a period.
type History struct {
	Trace  *trace.Trace
	Count  int          // of the jobs that are chosen and have waited or run in the period
	Jobs   []*trace.Job // those jobs, where Keep is to keep them
	States map[trace.State]int
	Failed int // of those whose state is Deleted, the ones that failed before they started
	Period Period

	Running     float64 // core hours that those have used so far which run at its end
	RunningUpTo int64   // up to when these are counted where that is behind the end of the logs, else trace.Unknown
	Used        Parts   // by those that ended in it
	Limits      Limits  // of single ones of those

	chooser
	all, held int // jobs of the logs, and those that could never run
	undated   int // jobs that wait, of which nothing tells since when
	outside   outside
	parties   map[party]*sum
	occupied  *trace.Occupancy // by the jobs that are chosen, where some are
	keepsJobs bool
	numbers   []int // of Jobs in the trace
	charges   Charges
	queues    map[string]bool // that jobs have, where some are charged by a factor
	uncounted uncounted
}

// party is what tells jobs apart: numbers of names, and a size.
type party struct {
	queue, user, group, account, project int32
	size                                 string
}

// sum is the figures of the jobs of a party.
type sum struct {
	party trace.Job // with its names and cpus
	trace.Tally
}

// New returns a history without jobs, with factors by which queues are charged; nil for none.
func New(c Choice, p Period, charges Charges) *History {
	h := &History{charges: charges, queues: map[string]bool{}, Period: p, States: map[trace.State]int{}, chooser: newChooser(c), parties: map[party]*sum{}}
	if c.IsOfSome() {
		h.occupied = &trace.Occupancy{}
	}
	return h
}

// Keep returns what a trace has to keep: all jobs, or no more of a job than its figures once it is
// over.
func (h *History) Keep(jobs bool) trace.Keep {
	if h.keepsJobs = jobs; jobs {
		return keptUse
	}
	return trace.Keep{Done: h.add, Used: usedByJobs}
}

// Close ends a history with the trace whose jobs it got, and returns remarks on what is not there.
// Jobs that could never run are left out. A *diag.RequestError is for names of which no job of the logs has any.
func (h *History) Close(t *trace.Trace) ([]diag.Remark, error) {
	h.Trace = t
	for number, j := range t.Jobs {
		h.add(t, j, number)
	}
	if h.RunningUpTo = min(h.Period.To, t.RunsUpTo()); h.RunningUpTo <= t.Last {
		h.RunningUpTo = trace.Unknown
	}
	h.Period = h.Period.cutTo(t)
	var remarks []diag.Remark
	if h.held > 0 {
		remarks = append(remarks, diag.Notef("left out: %s that could never run: held, or deleted before", report.Count(h.held, "job")))
	}
	if h.undated > 0 {
		remarks = append(remarks, diag.Notef("left out: %s still waiting, or held, of which nothing tells when they came (column %s does)", report.Count(h.undated, "job"), t.Undated))
	}
	if h.all == 0 {
		return append(remarks, diag.Warningf("there is no job in the logs")), nil
	}
	said, err := h.missing(t)
	remarks = slices.Concat(remarks, said, h.nested(t))
	if h.Count == 0 && err == nil && (len(h.Choice.Jobs) == 0 || h.held+h.undated == 0) {
		if h.outside.jobs > 0 && h.IsOfSome() {
			return append(remarks, h.outside.remark(h.Choice, h.Period.Zone)), nil
		}
		return append(remarks, diag.Warningf("the logs have %s, but none that is asked for", report.Count(h.all, "job"))), nil
	}
	return slices.Concat(remarks, h.charges.missing(h.queues), h.uncounted.remarks()), err
}

// add adds a job.
func (h *History) add(t *trace.Trace, j *trace.Job, number int) {
	h.all++
	isChosen := h.has(t, j)
	if h.charges != nil {
		h.queues[t.Names.List[j.Queue]] = true
	}
	if j.IsArray {
		return
	}
	if !isChosen && len(h.Choice.Jobs) > 0 {
		return
	}
	if t.IsTimed {
		if isChosen {
			h.Count++
			h.Jobs, h.numbers = append(h.Jobs, j), append(h.numbers, number)
			h.States[j.State]++
			h.uncounted.add(j)
			if seconds, hasEnded := j.Length(); hasEnded {
				h.use(t, j, number, float64(seconds))
			}
		}
		return
	}
	if j.Arrival == trace.Unknown && j.Start == trace.Unknown && len(j.Earlier()) == 0 {
		if t.Undated != "" && j.State == trace.Waiting {
			h.undated++
		} else {
			h.held++
		}
		return
	}
	if isChosen && !h.Period.touches(j) {
		h.outside.add(j)
		return
	}
	if !isChosen {
		return
	}
	h.Count++
	if h.keepsJobs {
		h.Jobs, h.numbers = append(h.Jobs, j), append(h.numbers, number)
	}
	h.uncounted.add(j)
	state := h.Period.stateOf(j)
	if h.States[state]++; state == trace.Deleted && j.HasFailed() {
		h.Failed++
	}
	if h.occupied != nil {
		t.Occupy(h.occupied, j)
	}
	p := party{j.Queue, j.User, j.Group, j.Account, j.Project, trace.SizeOf(j)}
	s := h.parties[p]
	if s == nil {
		s = &sum{party: trace.Job{Queue: j.Queue, User: j.User, Group: j.Group, Account: j.Account, Project: j.Project, NCPUs: j.NCPUs}}
		h.parties[p] = s
	}
	s.Add(j, h.Period.has)
	switch {
	case state == trace.Running && j.NCPUs > 0:
		h.Running += float64(j.NCPUs*j.Active(j.Start, max(j.Start, min(h.Period.To, t.RanUpTo(j))))) / secondsOfHour
	case h.Period.has(j.End) && state == trace.Ended:
		h.use(t, j, number, float64(j.Active(j.Start, j.End)))
	}
}

// use adds what a job used that has ended, and was active for so many seconds.
func (h *History) use(t *trace.Trace, j *trace.Job, number int, seconds float64) {
	use := t.UseOf(number)
	h.Used.ofRun(j, use, seconds)
	h.Limits.add(j, use, seconds)
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
	everybody := h.Trace.Occupancy()
	m = Machine{CPUs: cpus, IsAtMost: cpus == 0}
	if m.IsAtMost {
		m.CPUs = everybody.Largest()
	}
	if m.CPUs == 0 {
		return m, false
	}
	part := func(o *trace.Occupancy) float64 {
		mean := o.Mean
		if h.Period.IsWhole {
			mean = o.MeanInside
		}
		return 100 * mean(h.Period.From, h.Period.To) / float64(m.CPUs)
	}
	shown := everybody
	m.All = part(everybody)
	if h.occupied != nil {
		shown = h.occupied
		m.Chosen = part(shown)
	}
	m.Means = shown.Means(h.Period.From, h.Period.To, parts)
	return m, true
}

// Row is the figures of a name.
type Row struct {
	Name string
	trace.Figures
	Charged float64 // core hours, each times the factor of its queue; NaN without factors
}

// Kinds returns the kinds of names that tell something of the jobs.
func (h *History) Kinds() []trace.Kind {
	var jobs []*trace.Job
	for _, s := range h.parties {
		jobs = append(jobs, &s.party)
	}
	return h.Trace.TellingKinds(jobs)
}

// Rows returns the figures of the names of a kind, those with the most core hours first: the
// waits of jobs that started in the period, the core hours of those that ended in it.
func (h *History) Rows(kind trace.Kind) []Row {
	byName := map[string][]*sum{}
	for _, s := range h.parties {
		name := kind.Of(&s.party)
		byName[name] = append(byName[name], s)
	}
	var rows []Row
	for name, sums := range byName {
		slices.SortFunc(sums, func(a, b *sum) int { return a.compare(b) })
		var all trace.Tally
		charged := 0.
		for _, s := range sums {
			all.AddAll(&s.Tally)
			charged += h.charges.charged(h.Trace.Names.List[s.party.Queue], s.Tally.Figures().CoreHours)
		}
		rows = append(rows, Row{name, all.Figures(), charged})
	}
	slices.SortFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.CoreHours, a.CoreHours), strings.Compare(a.Name, b.Name))
	})
	return rows
}

// compare gives parties an order, in which their figures are added up.
func (s *sum) compare(other *sum) int {
	a, b := &s.party, &other.party
	return cmp.Or(cmp.Compare(a.Queue, b.Queue), cmp.Compare(a.User, b.User), cmp.Compare(a.Group, b.Group), cmp.Compare(a.Account, b.Account),
		cmp.Compare(a.Project, b.Project), strings.Compare(trace.SizeOf(a), trace.SizeOf(b)))
}
