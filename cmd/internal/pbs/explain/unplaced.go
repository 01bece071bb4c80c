package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/compare"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/cycle"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/report"
	"fairshare/formula"
)

// Term is a name in the formula of a site whose order is not known, and the value that a job has of it.
type Term struct {
	Name  string `json:"name"`
	Value string `json:"value"` // as PBS prints it into the formula, "" where it is not known
}

// notKnown stands for the value of a term that the fairshare tree or the list of queues would give.
const notKnown = "not known"

// Terms are what is known of a formula with terms of which nothing is told: those that need a tree which is not there, and queue_priority.
type Terms struct {
	Formula *formula.Formula
	Unknown []string     // its names of which nothing is known
	Known   *order.Order // by the others alone, nil where there are none

	samples [][]map[string]formula.Value // of what is not known, by priority of a queue, nil before they are made
	values  map[int][][]float32          // of rows at all samples, nil for one that cannot be evaluated at each
}

// Of returns the terms of a job.
func (t *Terms) Of(id string) (terms []Term) {
	for _, name := range t.Unknown {
		terms = append(terms, Term{Name: name})
	}
	if t.Known == nil {
		return terms
	}
	row, ok := t.row(id)
	if !ok {
		return terms
	}
	for i, name := range t.Known.Values.Variables() {
		terms = append(terms, Term{name, t.Known.Values.Text(i, row)})
	}
	return terms
}

// Undecided says of two jobs of an order without a formula, whose own order is not known for a reason, what of the formula is known to
// differ, and which goes first where that is so whatever the rest of it comes to. The terms are nil where the formula is not known either.
func Undecided(o *order.Order, a, b int, t *Terms, why string) (v Verdict) {
	first, second := o.List.Job(a), o.List.Job(b)
	v = Verdict{First: first.ID, Second: second.ID, Unplaced: why, Parts: []Part{}, Turn: []compare.TurningPoint{}, Notes: []string{}}
	v.Why = fmt.Sprintf("which of %s and %s goes first is not known", first.ID, second.ID)
	if t == nil {
		v.Parts = append(v.Parts, known(o, a, b)...)
		return v
	}
	of, beside := t.Of(first.ID), t.Of(second.ID)
	var differ []string
	for i, term := range of[:min(len(of), len(beside))] {
		part := Part{Text: term.Name, First: term.Value, Second: beside[i].Value, Differ: term.Value != beside[i].Value}
		if term.Value == "" {
			part.First, part.Second = notKnown, notKnown
		}
		if part.Differ {
			differ = append(differ, term.Name)
		}
		v.Parts = append(v.Parts, part)
	}
	if t.decide(&v, o, a, b) {
		return v
	}
	switch isOfQueue := first.Queue == second.Queue; {
	case differ == nil && isOfQueue && slices.Equal(t.Unknown, []string{QueuePriority}):
		v.Why += fmt.Sprintf(": the formula %s gives both the same value, whatever the priority of their queue is", t.Formula.Source())
	case differ == nil:
		v.Why += fmt.Sprintf(": what is known of the formula %s is the same of both, so that %s", t.Formula.Source(), report.Having(t.Unknown, "decides", "decide"))
	default:
		v.Why += fmt.Sprintf(": of the formula %s, %s, and %s too, of which nothing is known here", t.Formula.Source(), report.Having(differ, "differs", "differ"), report.Having(t.Unknown, "decides", "decide"))
	}
	if by := t.byPriority(o, a, b); by != "" {
		v.Notes = append(v.Notes, by)
	}
	if by := t.byValue(o, a, b); by != "" {
		v.Notes = append(v.Notes, by)
	}
	return v
}

// known returns what is known of two jobs by which PBS may put them into an order, of whatever else it goes by.
func known(o *order.Order, a, b int) (parts []Part) {
	add := func(text, first, second string) {
		parts = append(parts, Part{Text: text, First: cmp.Or(first, notKnown), Second: cmp.Or(second, notKnown), Differ: first != second})
	}
	priority := func(row int) string {
		if of := priorityOf(o, row); of != nil {
			return strconv.Itoa(*of)
		}
		return ""
	}
	add("queue", o.QueueOf(a).Name, o.QueueOf(b).Name)
	add(QueuePriority, priority(a), priority(b))
	add("came to its queue", withoutWeekday(o.List.Queued(a)), withoutWeekday(o.List.Queued(b)))
	first, names := asked(o.List.Asks(a))
	second, others := asked(o.List.Asks(b))
	for _, name := range append(names, others...) {
		if !slices.ContainsFunc(parts, func(p Part) bool { return p.Text == name }) {
			add(name, cmp.Or(first[name], notSet), cmp.Or(second[name], notSet))
		}
	}
	return parts
}

// notSet stands for what a job does not ask for.
const notSet = "-"

// asked returns what a job asks for by its names, as it is printed.
func asked(text string) (values map[string]string, names []string) {
	values = map[string]string{}
	for part := range strings.SplitSeq(text, ", ") {
		if name, value, ok := strings.Cut(part, "="); ok {
			values[name], names = value, append(names, name)
		}
	}
	return values, names
}

// Installed says which of two jobs goes first by the settings that the sched_config has which PBS installs, as far as they are known:
// by_queue, and nothing else that tells jobs apart.
func Installed(o *order.Order, a, b int) (notes []string) {
	first, _, key := decide(o, a, b)
	pa, pb := priorityOf(o, a), priorityOf(o, b)
	switch {
	case o.QueueOf(a).Name == o.QueueOf(b).Name && key == cycle.ByRank:
		notes = append(notes, fmt.Sprintf("the sched_config that PBS installs has nothing that tells the two apart but their queue_rank: by it %s would go first", o.List.Job(first).ID))
	case o.QueueOf(a).Name == o.QueueOf(b).Name:
	case pa == nil || pb == nil:
		notes = append(notes, "the sched_config that PBS installs has by_queue: by it the job of the queue of higher priority would go first, which qstat -Qf tells")
	case *pa != *pb:
		first, second := a, b
		if *pa < *pb {
			first, second = b, a
		}
		notes = append(notes, fmt.Sprintf("the sched_config that PBS installs has by_queue: by it %s would go first, since queue %s comes before %s", o.List.Job(first).ID, o.QueueOf(first).Name, o.QueueOf(second).Name))
	}
	return notes
}

// withoutWeekday returns a time as PBS prints it, such as "Sat Nov 21 09:48:33 2026", as short as a column is.
func withoutWeekday(at string) string {
	if words := strings.Fields(at); len(words) == 5 {
		return strings.Join(words[1:], " ")
	}
	return at
}

// priorityOf returns the priority of the queue of a row, nil where nothing tells.
func priorityOf(o *order.Order, row int) *int {
	q := o.QueueOf(row)
	if !slices.ContainsFunc(o.Plan.Site.Queues, func(of pbs.Queue) bool { return of.Name == q.Name }) {
		return nil
	}
	return &q.Priority
}

// Unknown returns the names of the terms of the formula of which nothing is known.
func (e *Explanation) Unknown() (names []string) {
	for _, t := range e.Terms {
		if t.Value == "" {
			names = append(names, t.Name)
		}
	}
	return names
}

// Surely is how many jobs are ahead of one and behind it, whatever the terms of the formula come to of which nothing is known.
type Surely struct {
	Ahead  int `json:"ahead"`
	Behind int `json:"behind"`

	Unless string `json:"unless,omitempty"` // what goes before the formula may decide otherwise, "" for nothing
}

// Between says in the line of a job between which of the places of all that wait it is, in place of a rank.
func (s *Surely) Between(l *order.Line, waiting int) {
	first, last := s.Ahead+1, waiting-s.Behind
	l.Rank, l.RankUnsure, l.RankFrom, l.RankTo = nil, false, &first, &last
}

// Around returns how many jobs of an order without a formula are surely ahead of a row, and behind it: of all, or of a long list those of
// its queue, and none of a queue that is too long to find that out.
func (t *Terms) Around(o *order.Order, row int) *Surely {
	const most = 500 // jobs
	var beside []int
	for _, other := range o.Rows {
		isOfQueue := o.List.Job(int(other)).Queue == o.List.Job(row).Queue
		if int(other) != row && (isOfQueue || len(o.Rows) <= most) {
			beside = append(beside, int(other))
		}
	}
	of := &Surely{}
	if len(beside) > most {
		return of
	}
	for _, other := range beside {
		v := Verdict{}
		switch isDecided := t.decide(&v, o, row, other); {
		case !isDecided || v.Key != cycle.ByValue:
		case v.First == o.List.Job(row).ID:
			of.Behind++
		default:
			of.Ahead++
		}
	}
	return of
}

// FirstOf returns the row of that job of a user which goes first of theirs whatever the terms are that are not known, and whether there is
// one. There is none where the formula is not known, which t is nil for.
func (t *Terms) FirstOf(o *order.Order, user string) (row int, ok bool) {
	if t == nil {
		return 0, false
	}
	var rows []int
	for _, row := range o.Rows {
		if o.List.Users.List[o.List.Job(int(row)).User] == user {
			rows = append(rows, int(row))
		}
	}
	isAhead := func(a, b int) bool {
		v := Verdict{}
		return a == b || t.decide(&v, o, a, b) && v.Key == cycle.ByValue && v.First == o.List.Job(a).ID
	}
	for i, other := range rows {
		if i == 0 || !isAhead(row, other) {
			row = other
		}
	}
	return row, len(rows) > 0 && !slices.ContainsFunc(rows, func(other int) bool { return !isAhead(row, other) })
}

// String says a term in words.
func (t Term) String() string {
	if t.Value == "" {
		return notKnown
	}
	return strings.TrimSpace(t.Value)
}
