package lab

import (
	"errors"

	"fairshare/cmd/internal/compare"
	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/lab"
	pbscompare "fairshare/cmd/internal/pbs/compare"
	"fairshare/cmd/internal/pbs/explain"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/formula"
)

// Answer is what trying a state comes to.
type Answer struct {
	Verdict order.Verdict     `json:"verdict"` // as check --jsonl has it
	Problem string            `json:"problem"` // why there is no order, "" if there is one
	Hint    string            `json:"hint"`
	Start   int               `json:"start"` // of what is wrong in the formula, in bytes
	End     int               `json:"end"`
	Numbers []Number          `json:"numbers"`
	Changes []string          `json:"changes"` // of the site, as people read them
	Ranking *lab.Ranking[Row] `json:"ranking"` // null if there is none
}

// Number is a number of the formula.
type Number struct {
	Start int    `json:"start"` // in bytes
	End   int    `json:"end"`
	Text  string `json:"text"`
}

// Row is a job, as sort -o json has it, with its place in force.
type Row struct {
	order.Line
	Group   string `json:"group"`
	Comment string `json:"comment"`  // of PBS, such as why it does not run; "" where the list does not say
	OldRank *int   `json:"old_rank"` // null if it is not considered
	Change  *int   `json:"change"`   // places, positive is earlier
}

// Answer implements lab.Site.
func (l *Lab) Answer(name string, q lab.Request) (any, error) {
	switch name {
	case "try":
		return l.Try(q.Query)
	case "site":
		return l.Around(q.State)
	case "explain":
		return l.Explain(q.State, q.Job)
	case "now":
		return l.Standings(q.State, q.Jobs)
	case "versus":
		return l.Versus(q.State, q.Job, q.Other)
	case "take":
		return l.Take(q.State, q.What)
	}
	return nil, lab.ErrUnknown
}

// Try returns what a state comes to. Its error is a *diag.RequestError.
func (l *Lab) Try(q lab.Query) (*Answer, error) {
	a := &Answer{Verdict: order.Verdict{Runs: true, Warnings: []order.Warning{}}, Numbers: []Number{}, Changes: []string{}}
	if err := q.Check(); err != nil {
		return nil, err
	}
	if q.Formula != "" {
		a.Verdict = order.Check(q.Formula, l.symbols, l.around)
		if f, err := formula.Parse(q.Formula); err == nil {
			for _, s := range f.Numbers() {
				a.Numbers = append(a.Numbers, Number{s.Start, s.End, q.Formula[s.Start:s.End]})
			}
		}
	}
	t, err := l.order(q.State)
	if t != nil && t.site != nil {
		for _, c := range t.site.Changes {
			a.Changes = append(a.Changes, c.String())
		}
	}
	var request *diag.RequestError
	var refused *order.FormulaError
	switch {
	case errors.As(err, &request):
		return nil, err
	case errors.As(err, &refused):
		place := order.PlaceOf(refused.Err)
		a.Problem, a.Hint, a.Start, a.End = refused.Error(), refused.Hint, place.Start, place.End
	case err != nil:
		a.Problem = err.Error()
	default:
		t.mutex.Lock()
		defer t.mutex.Unlock()
		a.Ranking = l.rank(t.order, q)
	}
	return a, nil
}

// rank returns the part of an order that is wanted.
func (l *Lab) rank(o *order.Order, q lab.Query) *lab.Ranking[Row] {
	d := pbscompare.BriefBetween(l.inForce, o)
	r := &lab.Ranking[Row]{Jobs: d.Jobs, Moved: d.Moved, Entered: d.Entered, Left: d.Left, Tau: d.Tau, InOrder: compare.InOrder(d.Tau), Rows: []Row{}, Last: max(len(o.Rows), len(l.inForce.Rows))}
	for _, kind := range []lab.Shifts{{Kind: "entity", Names: d.Entities}, {Kind: "group", Names: d.Groups}, {Kind: "queue", Names: d.Queues}} {
		r.Shifts = append(r.Shifts, lab.NewShifts(kind.Kind, kind.Names))
	}
	isWanted := l.filter(q)
	var passed []int32
	for _, row := range o.Rows {
		if isWanted(int(row)) {
			passed = append(passed, row)
		}
	}
	r.Total = len(passed)
	first, end := q.Part(len(passed))
	for _, row := range passed[first:end] {
		r.Rows = append(r.Rows, l.row(o, int(row)))
	}
	r.Slope = lab.Lines(passed, r.Last, func(row int32) (from, to int, name string) {
		return l.inForce.Place(int(row)), o.Place(int(row)), l.nameOf(int(row), q.By)
	})
	return r
}

// filter returns whether a row is among those that are wanted.
func (l *Lab) filter(q lab.Query) func(row int) bool {
	list := l.List
	return func(row int) bool {
		j := list.Job(row)
		return (q.User == "" || list.Users.List[j.User] == q.User) && (q.Group == "" || list.Groups.List[j.Group] == q.Group) &&
			(q.Queue == "" || list.Queues.List[j.Queue] == q.Queue)
	}
}

func (l *Lab) row(o *order.Order, row int) Row {
	j := l.List.Job(row)
	r := Row{Line: o.Line(row), Group: l.List.Groups.List[j.Group], Comment: l.List.Comment(row)}
	if old := l.inForce.Place(row); old > 0 {
		r.OldRank = &old
		if r.Rank != nil {
			by := old - *r.Rank
			r.Change = &by
		}
	}
	return r
}

// nameOf returns what a job's line is coloured by: its user, group or entity, and else its queue.
func (l *Lab) nameOf(row int, by string) string {
	j := l.List.Job(row)
	switch by {
	case "user":
		return l.List.Users.List[j.User]
	case "group":
		return l.List.Groups.List[j.Group]
	case "entity":
		return l.List.Entities.List[j.Entity]
	}
	return l.List.Queues.List[j.Queue]
}

// Explain returns all that is said of a job under a state, as explain -o json has it.
// Its errors are *diag.RequestError, *queue.FindError, or about the state.
func (l *Lab) Explain(s lab.State, job string) (explain.Explanation, error) {
	t, err := l.order(s)
	if err != nil {
		return explain.Explanation{}, err
	}
	row, err := l.find(job)
	if err != nil {
		return explain.Explanation{}, err
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return explain.Explain(t.order, row), nil
}

// Versus returns why one of two jobs goes first under a state, and what would turn that,
// as explain --vs -o json has it.
func (l *Lab) Versus(s lab.State, job, other string) (explain.Verdict, error) {
	t, err := l.order(s)
	if err != nil {
		return explain.Verdict{}, err
	}
	a, err := l.find(job)
	if err != nil {
		return explain.Verdict{}, err
	}
	b, err := l.find(other)
	if err != nil {
		return explain.Verdict{}, err
	}
	if a == b {
		return explain.Verdict{}, diag.Requestf("a job is compared with itself")
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return explain.Compare(t.order, a, b), nil
}

// find returns the row of a job. Its error is a *lab.NoJobError.
func (l *Lab) find(job string) (int, error) {
	row, err := l.List.Find(job)
	if err != nil {
		return 0, &lab.NoJobError{Err: err}
	}
	return row, nil
}
