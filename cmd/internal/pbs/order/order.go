package order

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/cycle"
	"fairshare/cmd/internal/pbs/joblist"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
	"fairshare/fstree"
)

// Order is a list of jobs in the order in which the scheduler considers them.
type Order struct {
	Plan   *Plan
	List   *joblist.List
	Rows   []int32      // those that are considered, the first one first
	Values *Values      // nil without a formula
	Tree   *fstree.Tree // as the cycle begins, with the entities of all jobs
	Queues []pbs.Queue  // the site's, then those that only the list names

	entities []fstree.ID // by the list's number of an entity
	queueOf  []int32     // an index into Queues, by the list's number of a queue
	places   []int32     // by row, its place in Rows from 1, 0 if it is not considered
	reasons  []reason    // by row
	jobs     []cycle.Job // by row
	settings cycle.Settings

	IsUnsure  bool // whether places are those of PBS's defaults, since sched_config is not there, or by priorities of queues that nothing tells, and there is more than one
	isStopped bool // whether eligible_time is 0 of all jobs

	begin *cycle.Cycle // with no job considered, for Compare; nil until it is needed
}

// Order returns the order of a list of jobs, with remarks on what could not be
// computed. The error is a *FormulaError if the formula names a variable that
// neither PBS nor a job knows.
func (p *Plan) Order(l *joblist.List) (*Order, []diag.Remark, error) {
	remarks, err := p.checkNames(l)
	if err != nil {
		return nil, nil, err
	}
	remarks = append(remarks, p.checkColumns(l)...)
	o := &Order{Plan: p, List: l, reasons: make([]reason, l.Len()), places: make([]int32, l.Len()), isStopped: !p.Site.Accrues()}
	if unknown := o.findQueues(); len(unknown) > 0 {
		text := fmt.Sprintf("%s: not among the site's queues, priority 0", strings.Join(unknown, ", "))
		if len(unknown) > 1 && len(unknown) == len(o.queueOf) {
			text += "; no job is in a queue that is told of: are these another server's?"
		}
		remarks = append(remarks, diag.Warningf("%s", text))
	}
	o.findEntities()
	if p.Formula != nil {
		o.Values = newValues(o, p.Formula)
		if err := o.Values.evaluate(p.Workers); err != nil {
			return nil, nil, err
		}
	}
	considered := o.consider()
	levels := cycle.NewLevels(&p.Site.Sched, o.Queues)
	o.jobs = o.cycleJobs(levels)
	o.settings = cycle.Settings{
		Policy: p.Site.Policy(), Tree: o.Tree, Queues: o.Queues, SortKeys: o.sortKeys(), Levels: levels,
	}
	if p.usageRes != nil {
		costs := newValues(o, p.usageRes)
		if err := costs.evaluate(p.Workers); err != nil {
			return nil, nil, err
		}
		o.settings.Costs = costs.values
		counts := costs.Errors()
		for _, message := range slices.Sorted(maps.Keys(counts)) {
			remarks = append(remarks, diag.Warningf("fairshare_usage_res: nothing is added to usage for %s: %s", report.Count(counts[message], "job"), message))
		}
	}
	var said []diag.Remark
	o.Rows, said = o.inOrder(considered)
	for i, row := range o.Rows {
		o.places[row] = int32(i + 1)
	}
	o.IsUnsure = len(o.Rows) > 1 && (p.Site.LacksConfig() || p.takesPriorities(o))
	return o, slices.Concat(remarks, said, o.unlisted(), o.groupless(), o.unknownLimits(), o.preempted(), NotModelled(o.Plan.Site, o.List, o.Plan.Beside...)), nil
}

// Place returns a row's place in the order from 1, 0 if it is not considered.
func (o *Order) Place(row int) int { return int(o.places[row]) }

// FirstOf returns the row of a user's first job in the order, or in the list
// where none is considered. The error is a *diag.RequestError if there is none.
func (o *Order) FirstOf(user string) (int, error) {
	isTheirs := func(row int) bool { return o.List.Users.List[o.List.Job(row).User] == user }
	for _, row := range o.Rows {
		if isTheirs(int(row)) {
			return int(row), nil
		}
	}
	for row := range o.List.Len() {
		if isTheirs(row) {
			return row, nil
		}
	}
	return 0, diag.NoJobOfUser(user, Users(o.List, o.Plan.Site), "the list has no job of "+user)
}

// Users returns who has jobs in a list, and whom the fairshare tree of the site has, if it is of users.
func Users(list *joblist.List, at *pbs.Site) []string {
	return slices.Concat(list.Users.List, at.TreeUsers())
}

// Entity returns the place in the tree of a row's entity.
func (o *Order) Entity(row int) fstree.ID { return o.entities[o.List.Job(row).Entity] }

// QueueOf returns a row's queue.
func (o *Order) QueueOf(row int) pbs.Queue { return o.Queues[o.jobs[row].Queue] }

// Amount returns what the job of a row has of a column of the list, as the scheduler reads it: the server tells nobody's eligible_time
// while its eligible_time_enable is false.
func (o *Order) Amount(row, column int) float64 {
	if o.isStopped && o.List.Columns[column] == EligibleTime {
		return 0
	}
	return o.List.Amount(row, column)
}

// Value returns a row's value as the order has it, 0 without a formula.
func (o *Order) Value(row int) float32 { return o.jobs[row].Value }

// UsageGrows reports whether jobs that start add to usage and so to the order
// of those that are left.
func (o *Order) UsageGrows() bool { return o.settings.Costs != nil }

// Compare reports which of two rows comes first when the cycle begins, and what
// decides, as cycle.Compare does.
func (o *Order) Compare(a, b int) (int, cycle.Key) {
	if o.begin == nil {
		o.begin = cycle.New(o.jobs, nil, o.settings)
	}
	return o.begin.Compare(int32(a), int32(b))
}

// findQueues matches the list's queues with the site's; others come after them
// with priority 0. It returns those that a site whose queues are known does not
// have.
func (o *Order) findQueues() (unknown []string) {
	o.Queues = slices.Clone(o.Plan.Site.Queues)
	places := map[string]int32{}
	for i, q := range o.Queues {
		places[q.Name] = int32(i)
	}
	for _, name := range o.List.Queues.List {
		i, ok := places[name]
		if !ok {
			i = int32(len(o.Queues))
			o.Queues = append(o.Queues, pbs.Queue{Name: name})
			if o.Plan.Site.Queues != nil && name != "" && !trace.IsReservation(name) {
				unknown = append(unknown, "queue "+name)
			}
		}
		o.queueOf = append(o.queueOf, i)
	}
	return unknown
}

// findEntities matches the list's entities with the tree; others join
// "unknown", as when the scheduler reads its jobs.
func (o *Order) findEntities() {
	if priv := o.Plan.Site.SchedPriv; priv == nil {
		o.Tree = fstree.New(0, 0)
	} else {
		o.Tree = priv.Tree.Clone()
	}
	present := make([]bool, len(o.List.Entities.List))
	for row := range o.List.Len() {
		job := o.List.Job(row)
		present[job.Entity] = present[job.Entity] || !job.HasLeft()
	}
	for number, name := range o.List.Entities.List {
		id, ok := o.Tree.Lookup(name)
		switch {
		case !ok && present[number]:
			id = o.Tree.AddUnknown(name)
		case !ok:
			id = fstree.Unknown // of jobs that the scheduler does not see
		}
		o.entities = append(o.entities, id)
	}
	o.Tree.Update()
}

// reason is why a row is not considered.
type reason uint8

const (
	isConsidered reason = iota
	isUnreadable
	isRepeated
	hasArray
	hasNoSubjob
	isInState
	queueRoutes
	queueIsStopped
	queueIsClosed
	queueIsOthers
	hasZeroShares
	isUnderThreshold
)

// reasonTexts are what is said of one job, and what is said of those that are
// counted; "" where it depends on the job.
var reasonTexts = map[reason]struct{ one, counted string }{
	isUnreadable:     {"", "with an amount that the scheduler cannot read"},
	isRepeated:       {"an earlier job in the list has the same ID", "repeated"},
	hasArray:         {"its job array is listed too and stands for it", "subjobs of an array that is listed"},
	hasNoSubjob:      {"no subjob waits", "without a waiting subjob"},
	queueRoutes:      {"", "in a routing queue"},
	queueIsStopped:   {"", "in a stopped queue"},
	queueIsClosed:    {"", "in a queue that is not open now"},
	queueIsOthers:    {"", "that another scheduler places"},
	hasZeroShares:    {"Job has zero shares for fairshare", "with zero shares"},                      // PBS's comment
	isUnderThreshold: {"Job is under job_sort_formula threshold value", "at or below the threshold"}, // likewise
}

// Reason returns why a row is not considered, "" if it is.
func (o *Order) Reason(row int) string {
	job := o.List.Job(row)
	switch o.reasons[row] {
	case isUnreadable:
		return joblist.UnreadableReason + o.List.Unreadable[row]
	case isInState:
		if job.State == 0 {
			return "it has no job_state"
		}
		if job.State == 'S' {
			return "it is suspended, and not by the scheduler (job_state S)"
		}
		return fmt.Sprintf("it is %s (job_state %c)", strings.Replace(StateWord(job.State), "their", "its", 1), job.State)
	case queueIsClosed:
		return o.Plan.Site.Closed[o.QueueOf(row).Name]
	case queueIsOthers:
		return o.Plan.Site.PlacedBy(o.QueueOf(row).Name) + " places it"
	case queueRoutes:
		return o.QueueOf(row).WhyRoutes()
	case queueIsStopped:
		return "queue " + o.QueueOf(row).Name + " is not started"
	}
	return reasonTexts[o.reasons[row]].one
}

// stateWords are what jobs are in states in which they are not considered.
var stateWords = map[byte]string{
	0: "without job_state", 'B': "begun", 'C': "completed", 'E': "exiting", 'F': "finished", 'H': "held", 'M': "moved", 'R': "running",
	'S': "suspended", 'T': "in transit", 'U': "suspended", 'W': "waiting for their time", 'X': "finished",
}

// StateWord returns what a job is in a state in which it is not considered.
func StateWord(state byte) string { return cmp.Or(stateWords[state], "in another state") }

// LeftOut counts the rows that are not considered, by a word for the reason.
func (o *Order) LeftOut() map[string]int {
	counts := map[string]int{}
	for row, why := range o.reasons {
		word := reasonTexts[why].counted
		if why == isInState {
			word = StateWord(o.List.Job(row).State)
		}
		if why != isConsidered {
			counts[word]++
		}
	}
	return counts
}

// IsUnderThreshold reports whether a row is not considered for its value.
func (o *Order) IsUnderThreshold(row int) bool { return o.reasons[row] == isUnderThreshold }

// consider returns the rows that the scheduler looks at, and keeps the reasons
// of the others.
func (o *Order) consider() []int32 {
	considered := make([]int32, 0, o.List.Len())
	arrays := o.List.Arrays()
	for row := range o.List.Len() {
		if o.reasons[row] = o.reason(row, arrays); o.reasons[row] == isConsidered {
			considered = append(considered, int32(row))
		}
	}
	return considered
}

func (o *Order) reason(row int, arrays map[string]bool) reason {
	p, job := o.Plan, o.List.Job(row)
	array, _, isSubjob := trace.Subjob(job.ID)
	switch {
	case job.IsRepeated:
		return isRepeated
	case o.List.Unreadable[row] != "":
		return isUnreadable
	case isSubjob && arrays[array] && strings.IndexByte("REFX", job.State) < 0:
		return hasArray // qstat -t lists both
	case job.State == 'B' && job.Subjobs == 0:
		return hasNoSubjob
	case job.State != 'Q' && job.State != 'B' && !job.IsPreempted: // B is an array that has begun
		return isInState
	case !p.Site.Scheduler.Places(o.Queues[o.queueOf[job.Queue]].Partition):
		return queueIsOthers
	case p.Site.Closed[o.List.Queues.List[job.Queue]] != "":
		return queueIsClosed
	case o.Queues[o.queueOf[job.Queue]].Routes:
		return queueRoutes
	case o.Queues[o.queueOf[job.Queue]].Stopped:
		return queueIsStopped
	case p.Site.Policy().FairShare && p.Site.SchedPriv.Config.EnforceNoShares && o.Tree.Entity(o.Entity(row)).TreePercentage == 0:
		return hasZeroShares
	case o.Values != nil && float64(o.Values.Result(row).Float32()) <= p.Site.Sched.Threshold:
		return isUnderThreshold
	}
	return isConsidered
}

// cycleJobs returns the rows as the order needs them.
func (o *Order) cycleJobs(levels *cycle.Levels) []cycle.Job {
	out := make([]cycle.Job, o.List.Len())
	statuses := o.statuses(levels)
	for row := range out {
		job := o.List.Job(row)
		out[row] = cycle.Job{Entity: o.Entity(row), Queue: o.queueOf[job.Queue], Subjobs: job.Subjobs, Rank: job.Rank, Status: statuses[row]}
		out[row].Reserved = trace.IsReservation(o.List.Queues.List[job.Queue])
		if job.IsPreempted {
			out[row].Preempted = float64(max(1, job.Started))
		}
		if o.Values != nil {
			out[row].Value = o.Values.Result(row).Float32()
		}
	}
	return out
}

// sortKeys returns the rows' amounts for job_sort_key, row by row.
func (o *Order) sortKeys() []float64 {
	sortKeys := o.Plan.Site.Policy().SortKeys
	amounts := make([]float64, o.List.Len()*len(sortKeys))
	for k, key := range sortKeys {
		amount := o.KeyAmount(key)
		for row := range o.List.Len() {
			amounts[row*len(sortKeys)+k] = amount(row)
		}
	}
	return amounts
}

// KeyAmount returns what a row has of a job_sort_key, 0 where it has nothing.
func (o *Order) KeyAmount(key fstree.SortKey) func(row int) float64 {
	name := KeyName(key.Resource)
	term, isTerm := TermNamed(name)
	column := slices.Index(o.List.Columns, name)
	switch {
	case isTerm && term.Of != nil:
		return func(row int) float64 { return term.Of(o.Tree.Entity(o.Entity(row))) }
	case column >= 0:
		return func(row int) float64 { return o.Amount(row, column) }
	}
	return func(int) float64 { return 0 }
}

// FloatTies returns the rows that tie with a neighbour in the order only because
// PBS keeps values as C floats.
func (o *Order) FloatTies() map[int]bool {
	tied := map[int]bool{}
	if o.Values == nil {
		return tied
	}
	values := o.Values.values
	for from := 0; from < len(o.Rows); {
		first := values[o.Rows[from]]
		differ := false
		to := from + 1
		for ; to < len(o.Rows) && float32(values[o.Rows[to]]) == float32(first); to++ {
			differ = differ || values[o.Rows[to]] != first
		}
		for ; differ && from < to; from++ {
			tied[int(o.Rows[from])] = true
		}
		from = to
	}
	return tied
}

// ValueCounts returns how many of the jobs that are considered have a value.
func (o *Order) ValueCounts() map[float32]int {
	counts := map[float32]int{}
	if o.Values != nil {
		for _, row := range o.Rows {
			counts[o.jobs[row].Value]++
		}
	}
	return counts
}
