package forecast

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/work"
)

// CycleResult is what one cycle of the scheduler makes of a job right now.
type CycleResult struct {
	ID     string
	Starts bool
	Reason string // what it waits for if it does not start

	Further []string // where a limit keeps it, the others that would

	HasRoom bool // of one of which it is not known whether it starts: whether that depends on jobs that go first alone
	Kept    Kept // of one that would start if it came first

	Number  int      // how many start: of an array, subjobs
	Nodes   []string // where it starts, each once, in their order
	Planned bool     // whether the cycle plans it, or its next subjob, for later, and lets nobody delay it
	Queue   string   // of a job that is in several at once, that in which it starts; else ""

	Preempts PreemptedJobs // the jobs that run and go for it, of one that starts only so
	Reached  string        // the limit that they have reached, "" for none

	Unmodelled []string // what it asks for that this does not heed

	Asks, Free string         // of one that waits, what it asks for, and what of that is free; "" where that is not known
	Begin      *outcome.Begin // likewise, before any job starts; nil where that is not known

	Whoever string // what the reason would be whichever jobs come first, where that is asked for; "" where it is not known
}

// HasRoom says of a job that it would start if it came first.
const HasRoom = "there is room for it, unless jobs that go first take it"

// Standing is a CycleResult as it is told of one job.
type Standing struct {
	Starts   *bool  `json:"starts_now"` // nil where that is not known
	WaitsFor string `json:"waits_for"`

	Further []string `json:"also_waits_for,omitempty"` // where that is a limit, the others that are reached as well

	Text string `json:"-"`
	Asks string `json:"asks,omitempty"`
	Free string `json:"free,omitempty"`

	Unmodelled []string `json:"not_modelled,omitempty"` // what it asks for that this does not heed

	Before []string `json:"before,omitempty"` // the jobs that it waits for, where it is for some to start or not to be delayed
}

// Name adds which jobs those are that go before it.
func (s *Standing) Name(jobs []string) {
	if len(jobs) > 0 {
		s.Before = jobs
		s.Text += " (" + report.First(jobs) + ")"
	}
}

// NotModelled says behind another text what a job asks for that nothing heeds, "" for nothing.
func NotModelled(unmodelled []string) string {
	if len(unmodelled) == 0 {
		return ""
	}
	return "not modelled: " + strings.Join(unmodelled, ", ")
}

// Standing returns what is told of the job.
func (s CycleResult) Standing() *Standing {
	of := &Standing{Starts: s.StartsNow(), WaitsFor: s.Reason, Asks: s.Asks, Free: s.Free, Unmodelled: s.Unmodelled}
	if of.Starts != nil || s.HasRoom {
		of.Text = s.String()
		if of.Further = s.Further; len(s.Further) > 0 {
			of.Text += "; without that, for " + strings.Join(s.Further, ", ")
		}
	}
	if s.HasRoom && s.Kept.Waited > 0 {
		of.Text = s.Kept.Says()
	}
	return of
}

// StartsNow returns whether the job starts, nil where that is not known.
func (s CycleResult) StartsNow() *bool {
	if !s.Starts && s.Reason == "" {
		return nil
	}
	return &s.Starts
}

// OfSomeJobs returns what holds where there may be jobs that are not known: who waits for something waits for it whatever they have,
// unless that is for what starts before it, which may be others then. Of who would start there is room for it, at most, where what runs is
// known. An order goes by what the cycle made of it all the same.
func (s CycleResult) OfSomeJobs(knowsWhatRuns bool) CycleResult {
	if !s.IsOfOrder() {
		s.Kept = Kept{} // jobs that are not known may keep it
		return s
	}
	return CycleResult{ID: s.ID, Number: s.Number, Planned: s.Planned, Asks: s.Asks, Unmodelled: s.Unmodelled, HasRoom: s.Starts && knowsWhatRuns}
}

// IsOfOrder reports whether what a cycle makes of the job depends on which jobs come before it.
func (s CycleResult) IsOfOrder() bool {
	return s.Starts || strings.HasPrefix(s.Reason, outcome.Behind) || strings.Contains(s.Reason, outcome.NotDelayed) ||
		strings.Contains(s.Reason, outcome.FromThisCycle) || strings.Contains(s.Free, outcome.AfterStarts)
}

// WithWhoever returns it with what the reason would be whichever jobs come first.
func (s CycleResult) WithWhoever(isOfAny func(reason string) bool) CycleResult {
	switch any := s.OfAnyOrder(isOfAny); {
	case any.HasRoom && any.Kept.Waited > 0:
		s.Whoever = any.Kept.String()
	case any.HasRoom:
		s.Whoever = HasRoom
	default:
		s.Whoever = any.Reason
	}
	return s
}

// IsRefuted reports whether the job would start, which it has not done for many cycles: something keeps it that is not told.
func (s CycleResult) IsRefuted() bool { return s.Starts && s.Kept.Waited > 0 }

// OfAnyOrder returns what holds whichever jobs come first: what the job asks for, what there is of it, that it never starts, that there
// is room for it, or that it waits for something of which isOfAny says that no order changes it.
func (s CycleResult) OfAnyOrder(isOfAny func(reason string) bool) CycleResult {
	of := CycleResult{ID: s.ID, Asks: s.Asks, Free: s.Free, Unmodelled: s.Unmodelled, HasRoom: s.HasRoom || s.Starts, Kept: s.Kept}
	if strings.Contains(s.Free, outcome.AfterStarts) {
		of.Free = ""
	}
	if s.Begin != nil {
		of.Free = s.Begin.Free
	}
	switch {
	case strings.HasPrefix(s.Reason, outcome.Never), strings.HasPrefix(s.Reason, outcome.Held), isOfAny(s.Reason):
		of.Reason = s.Reason
	case s.Begin == nil:
	case s.Begin.NoRoom != "":
		of.Reason = s.Begin.NoRoom
	case s.IsOfOrder():
		of.HasRoom = true
	}
	return of
}

// String says what a cycle right now makes of a job, "-" of one of which that is not known.
func (s CycleResult) String() string {
	switch {
	case s.HasRoom && s.Kept.Waited > 0:
		return s.Kept.String()
	case s.HasRoom:
		return HasRoom
	case s.StartsNow() == nil:
		return "-"
	case s.Starts && s.Reason == "":
		return "starts"
	case s.Starts && strings.HasPrefix(s.Reason, outcome.StartsNow):
		return "starts" + strings.TrimPrefix(s.Reason, outcome.StartsNow)
	case s.Starts, strings.HasPrefix(s.Reason, "held"), strings.HasPrefix(s.Reason, outcome.Never), strings.HasPrefix(s.Reason, outcome.Suspended):
		return s.Reason
	case strings.HasPrefix(s.Reason, outcome.Behind):
		return "waits " + s.Reason
	}
	return "waits for " + s.Reason
}

// Preempted is a running job that goes for another one.
type Preempted struct {
	ID      string
	Becomes string // what becomes of it, such as "requeued"; "" where nothing tells
}

// PreemptedJobs are jobs that run and go for another one.
type PreemptedJobs []Preempted

// IDs returns their IDs.
func (list PreemptedJobs) IDs() (ids []string) {
	for _, x := range list {
		ids = append(ids, x.ID)
	}
	return ids
}

// String names them, and says what becomes of them: "2 running jobs (12, 13: requeued)".
func (list PreemptedJobs) String() string {
	var parts []string
	for rest := list; len(rest) > 0; {
		n := slices.IndexFunc(rest, func(x Preempted) bool { return x.Becomes != rest[0].Becomes })
		if n < 0 {
			n = len(rest)
		}
		part := report.First(rest[:n].IDs())
		if rest[0].Becomes != "" {
			part += ": " + rest[0].Becomes
		}
		parts, rest = append(parts, part), rest[n:]
	}
	return fmt.Sprintf("%s (%s)", report.Count(len(list), "running job"), strings.Join(parts, "; "))
}

// Preempting says who goes for a job that starts, "" where nobody does.
func (s CycleResult) Preempting() string {
	if len(s.Preempts) == 0 {
		return ""
	}
	return ", preempting " + s.Preempts.String()
}

// Now returns what one cycle of the scheduler would make of each job that waits, held ones too. judge
// goes through the cycle on work that begins now, and returns what becomes of its jobs.
func Now(ctx context.Context, st *State, judge func(context.Context, *work.Work) ([]CycleResult, error)) ([]CycleResult, error) {
	st.settle()
	now, numbers := st.now()
	judged, err := judge(ctx, now)
	if err != nil {
		return nil, err
	}
	var list []CycleResult
	for i, j := range st.jobs {
		of := CycleResult{ID: j.ID}
		switch {
		case j.Phase == Held:
			of.Reason = j.Why
		case st.comesLater(j):
			of.Reason = j.heldUntil()
		case j.Phase == Waits, j.Phase == Stopped && judged[numbers[i]].Reason != outcome.NotLookedAt:
			of = judged[numbers[i]]
		default:
			continue
		}
		of.Unmodelled = j.Unmodelled
		list = append(list, of)
	}
	return list, nil
}

// ByRow returns what becomes of the jobs of a list by the IDs that it has for them, of the subjobs of an array in one.
// arrayOf returns the ID of a subjob's array, "" for another job, and subjob is what its scheduler calls one.
func ByRow(list []CycleResult, subjob string, arrayOf func(id string) string) map[string]CycleResult {
	type array struct {
		sum  CycleResult // of its subjobs
		next CycleResult // of the first one that does not start
	}
	all, arrays := map[string]CycleResult{}, map[string]*array{}
	for _, of := range list {
		all[of.ID] = of
		id := arrayOf(of.ID)
		if id == "" {
			continue
		}
		if arrays[id] == nil {
			arrays[id] = &array{sum: CycleResult{ID: id}}
		}
		sum, next := &arrays[id].sum, &arrays[id].next
		if of.Starts {
			sum.Starts, sum.Number, sum.Preempts = true, sum.Number+1, append(sum.Preempts, of.Preempts...)
		} else if next.Reason == "" {
			*next = of
		}
		sum.Unmodelled, sum.Kept = of.Unmodelled, of.Kept
		sum.Queue, sum.Planned = of.Queue, sum.Planned || of.Planned
		sum.Reason, sum.Asks, sum.Free, sum.Begin = next.Reason, next.Asks, next.Free, next.Begin
		switch {
		case sum.Starts && next.Reason != "":
			sum.Reason = fmt.Sprintf("%s would start%s, the next one waits for %s", report.Count(sum.Number, subjob), sum.Preempting(), next.Reason)
		case len(sum.Preempts) > 0:
			sum.Reason = outcome.StartsNow + sum.Preempting()
		}
		all[id] = *sum
	}
	return all
}

// place gives each job of a forecast its place in the order of the scheduler now, and says what
// keeps it from starting.
func (f *forecaster) place(ctx context.Context, jobs []*Job) error {
	now, numbers := f.now()
	places, becomes, err := f.scheduler.Place(ctx, now, of(numbers, f.awaited))
	if err != nil {
		return err
	}
	f.isRefuted = slices.ContainsFunc(becomes, CycleResult.IsRefuted)
	hasRoom := false
	for i, j := range jobs {
		j.Place, j.Reason, j.Preempts = places[i], becomes[i].Reason, becomes[i].Preempts
		switch whoever := becomes[i].Whoever; {
		case f.comesLater(f.jobs[f.awaited[i]]):
			j.Reason = f.jobs[f.awaited[i]].heldUntil()
		case f.unordered() != "" && becomes[i].IsOfOrder() && j.Preempts == nil && whoever != "":
			if j.Reason = whoever; becomes[i].isKept() {
				f.kept.add(j.ID, becomes[i].Kept)
			}
			hasRoom = hasRoom || whoever == HasRoom
		}
	}
	if len(f.kept.ids) > 0 || !hasRoom {
		return nil
	}
	var others []int32
	for i, j := range f.jobs[:f.waiting] {
		if !f.wants(j) {
			others = append(others, int32(i))
		}
	}
	_, becomes, err = f.scheduler.Place(ctx, now, of(numbers, others))
	f.keptOthers = KeptOthers(becomes)
	return err
}

// of returns the numbers of some jobs.
func of(numbers, jobs []int32) []int32 {
	list := make([]int32, len(jobs))
	for i, job := range jobs {
		list[i] = numbers[job]
	}
	return list
}

// stopped returns what suspended jobs wait for that are asked about, of those of which the scheduler says it: nothing is
// forecast of when they go on.
func (f *forecaster) stopped(ctx context.Context) (reasons map[int32]string, err error) {
	var jobs []int32
	for i, j := range f.jobs {
		if j.Phase == Stopped && f.wants(j) {
			jobs = append(jobs, int32(i))
		}
	}
	if len(jobs) == 0 {
		return nil, nil
	}
	now, numbers := f.now()
	_, list, err := f.scheduler.Place(ctx, now, of(numbers, jobs))
	if err != nil {
		return nil, err
	}
	reasons = map[int32]string{}
	for k, job := range jobs {
		if why := list[k].Reason; why != "" && why != outcome.NotLookedAt && !strings.HasPrefix(why, outcome.StartsNow) {
			reasons[job] = why
		}
	}
	return reasons, nil
}
