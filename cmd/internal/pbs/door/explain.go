package door

import (
	"context"
	"fmt"
	"strings"

	"fairshare/cmd/internal/compare"
	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/pbs/explain"
	pbsforecast "fairshare/cmd/internal/pbs/forecast"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/pbs/qstat"
	"fairshare/cmd/internal/pbs/replay"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/site"
)

// Explain implements site.Explainer.
func (s *Site) Explain(ctx context.Context, q site.Question) (*site.Answer, error) {
	s.at(q.On)
	if s.Place.OnlyTables() {
		return s.see(ctx, q)
	}
	return s.explain(ctx, q)
}

// explain answers of a list of jobs with their attributes.
func (s *Site) explain(ctx context.Context, q site.Question) (*site.Answer, error) {
	why := s.guesses(q.Policy)
	var o *order.Order
	var row int
	err := why
	if err == nil {
		o, row, err = s.orderOfJob(ctx, q)
		why = s.unordered(q.Policy, err)
	}
	isByValue := err == nil && s.lacksConfig(q.Policy, o)
	if isByValue && (q.Vs == "ahead" || q.Vs == "first") { // of its queue, within which the formula tells
		asked := q.Vs
		if q.Vs, err = explain.InQueue(o, row, asked); err != nil {
			return nil, err
		}
		s.to.Say(diag.Lackf("%s is the job that is %s by the formula in queue %s, not of all queues: %s", q.Vs, asked, o.QueueOf(row).Name, s.lacking(errNoConfig)).OfAsked())
	}
	switch {
	case why != nil && q.Vs == "":
		return s.describe(ctx, q, why)
	case why != nil && (q.Vs == "ahead" || q.Vs == "first"): // which are by their places
		return nil, diag.Requestf("which job is %s is not known: %s; without --vs %s it is said what is known of the place, and with --vs JOB what is of two jobs", q.Vs, s.lacking(why), q.Vs)
	case why != nil:
		return s.compareUnordered(ctx, q, why)
	case err != nil:
		return nil, s.withRecord(err, q.Job)
	}
	if q.Vs == "" {
		e := explain.Explain(o, row)
		if isByValue {
			e = explain.ByValue(o, row, s.lacking(errNoConfig))
		}
		e.IsOfSome = s.isOfSome.Load()
		e.Course = s.courseOf(o, row)
		if e.Place != nil && e.Place.Of > 1 {
			e.Assumed = assumed(q.Policy, o.Plan.Site)
		}
		if e.Now, err = s.standing(ctx, o, e, q.Policy); err != nil {
			return nil, err
		}
		s.sayTimes(&e, o, row)
		s.sayApart()
		if e.Unplaced != "" {
			s.sayFirst(q.User, "would by PBS's defaults")
		}
		return &site.Answer{JSON: e, IsPartly: e.Err != nil || e.Unplaced != "", Print: s.printer(e)}, nil
	}
	other, err := s.other(o, row, q.Vs)
	if err != nil {
		return nil, err
	}
	s.sayApart()
	s.sayIdle(o.Plan.Site)
	standing := s.standingBeside(ctx, o, q.Policy)
	var stopped []string
	for _, of := range []int{row, other} {
		if id := o.List.Job(of).ID; replay.StopsEligible(s.ofList(standing[id]).Reason) {
			stopped = append(stopped, id)
		}
	}
	verdict := explain.Compare(o, row, other, stopped...)
	if isByValue {
		verdict = explain.CompareByValue(o, row, other, s.lacking(errNoConfig))
	} else if q.Vs == o.List.Users.List[o.List.Job(other).User] {
		verdict.Places = explain.PlacesOf(o, row, other)
	}
	if by := assumed(q.Policy, o.Plan.Site); by != "" && verdict.Unplaced == "" && !isByValue {
		verdict.Notes = append(verdict.Notes, "that is "+by)
	}
	s.sayStart(standing, &verdict)
	return &site.Answer{JSON: verdict, IsPartly: verdict.Unplaced != "", Print: func(to *report.Printer) error { return printVerdict(to, verdict) }}, nil
}

// sayStart adds to a verdict that the job which goes first waits in a cycle right now while the other one starts, where that is known without
// much work: to go first is to be looked at first.
func (s *Site) sayStart(standing map[string]forecast.CycleResult, v *explain.Verdict) {
	if v.Unplaced != "" {
		return
	}
	first, second := standing[v.First], standing[v.Second]
	if waits := s.ofList(first).Standing().Text; second.Starts && !first.Starts && waits != "" {
		v.Notes = append(v.Notes, fmt.Sprintf("that is the order in which the scheduler looks at them: right now %s %s, and %s starts", v.First, waits, v.Second))
	}
}

// courseOf returns what the list tells of a job that does not wait in its queue, nil for nothing.
func (s *Site) courseOf(o *order.Order, row int) *explain.Course {
	from := s.Place.Name
	if list := s.Place.Jobs; len(list) == 1 && list[0].Member == "" {
		from = list[0].Name
	}
	return explain.CourseOf(o, row, s.Place.Local().Zone, s.Place.Zone(), from)
}

// standing returns what of a cycle right now is known for a job of an order, whose place may not be; the order may have gone through the
// cycle for itself. It is nil where none can be gone through or the job is not among those that wait.
func (s *Site) standing(ctx context.Context, o *order.Order, e explain.Explanation, p site.Policy) (*forecast.Standing, error) {
	last := s.last.Load()
	if last == nil || last.at != o.Plan.Site {
		judge, err := s.cycleNow(ctx, p)
		if judge == nil {
			return nil, err
		}
		_, remarks, _ := judge(o.Plan.Site, o.List)
		s.to.Say(remarks...)
		last = s.last.Load()
	}
	of, ok := last.standing[e.ID]
	if !ok || last.err != nil {
		return nil, last.err
	}
	if of = s.ofList(of); e.Unplaced != "" {
		of = of.OfAnyOrder(replay.IsOfAnyOrder)
	}
	standing := of.Standing()
	standing.Name(goBefore(o, of, last.standing))
	if of.HasRoom && qstat.IsOfLimit(e.Comment) {
		standing.Text += ", or the limit still keeps it of which PBS's comment tells"
	}
	if standing.Text != "" && pbsforecast.IsUnderUntold(o.Plan.Site, e.Comment) && e.Considered {
		standing.Text += "; beside that, its value keeps it, as PBS's comment tells: " + pbsforecast.ThresholdFirst
	}
	return standing, nil
}

// sayTimes says of when PBS's comment on a job is, where that is older than the list, and why its eligible_time does not grow, where it does not.
func (s *Site) sayTimes(e *explain.Explanation, o *order.Order, row int) {
	e.SayWritten(o, row, s.Place.Local().Zone, s.Place.Zone())
	e.SayIneligible(o, row, e.Now != nil && replay.StopsEligible(e.Now.WaitsFor), s.Place.Local().Zone)
}

// ofList returns what of a cycle right now is known for a job of a list that may lack others.
func (s *Site) ofList(of forecast.CycleResult) forecast.CycleResult {
	if s.isOfSome.Load() {
		return of.OfSomeJobs(true)
	}
	return of
}

// goBefore returns the jobs that start before one in a cycle, or are planned before it, where it waits for these; nil where it waits for
// something else, or the order does not tell which they are.
func goBefore(o *order.Order, job forecast.CycleResult, results map[string]forecast.CycleResult) []string {
	var starts, planned []string
	for _, row := range o.Rows {
		id := o.List.Job(int(row)).ID
		if id == job.ID {
			break
		}
		if of := results[id]; of.Starts {
			starts = append(starts, id)
		} else if of.Planned {
			planned = append(planned, id)
		}
	}
	switch reason := job.Reason; {
	case reason == outcome.Behind+report.Count(len(starts), "other"):
		return starts
	case strings.Contains(reason, outcome.NotDelayed):
		return planned
	}
	return nil
}

// orderOfJob returns the order in which the job of a question has its place, that of the scheduler which places it, and
// its row there.
func (s *Site) orderOfJob(ctx context.Context, q site.Question) (*order.Order, int, error) {
	mayLack := !q.NoFormula && s.Place.Files.SchedPriv.Name == "" // so that it is asked again, without the order
	if mayLack || s.Place.Files.HasQueues() && s.names.Partition == "" {
		if err := s.KeepList(); err != nil {
			return nil, 0, err
		}
	}
	o, err := s.ordered(ctx, q.Policy)
	if err != nil {
		return nil, 0, err
	}
	row, err := rowOf(o, q)
	if err != nil || o.Plan.Site.Others == nil || o.Plan.Site.Places(o.QueueOf(row).Name) {
		return o, row, err
	}
	s.Place.Files.Partition, _ = s.Place.Files.PartitionOf([]string{o.QueueOf(row).Name})
	if o, err = s.ordered(ctx, q.Policy); err != nil {
		return nil, 0, err
	}
	row, err = rowOf(o, q)
	return o, row, err
}

// other returns the row of the job with which that of a row is compared.
func (s *Site) other(o *order.Order, row int, vs string) (int, error) {
	other, err := explain.Other(o, row, vs)
	switch {
	case err != nil:
		return 0, s.withRecord(err, vs)
	case other == row:
		return 0, compare.Itself(o.List.Job(row).ID)
	}
	return other, nil
}

// rowOf returns the row of the job that a question is about.
func rowOf(o *order.Order, q site.Question) (int, error) {
	if q.Job != "" {
		return o.List.Find(q.Job)
	}
	return o.FirstOf(q.User)
}
