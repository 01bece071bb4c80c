package explain

import (
	"fmt"
	"strings"

	"fairshare/cmd/internal/compare"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/report"
)

// Term is a name in the formula of a site whose order is not known, and the value that a job has of it.
type Term struct {
	Name  string `json:"name"`
	Value string `json:"value"` // as PBS prints it into the formula, "" where it is not known
}

// notKnown stands for the value of a term that the fairshare tree or the list of queues would give.
const notKnown = "not known"

// Terms are what is known of a formula that needs a tree which is not there.
type Terms struct {
	Formula string
	Unknown []string     // its names of which nothing is known: those that need the tree, and what no list of queues tells
	Known   *order.Order // by the others alone, nil where there are none
}

// Of returns the terms of a job.
func (t *Terms) Of(id string) (terms []Term, err error) {
	for _, name := range t.Unknown {
		terms = append(terms, Term{Name: name})
	}
	if t.Known == nil {
		return terms, nil
	}
	row, err := t.Known.List.Find(id)
	if err != nil || !t.Known.List.IsEvaluated(row) {
		return terms, err
	}
	for i, name := range t.Known.Values.Variables() {
		terms = append(terms, Term{name, t.Known.Values.Text(i, row)})
	}
	return terms, nil
}

// Undecided says of two jobs, whose order is not known for a reason, what of the formula is known to differ. The terms are nil where the
// formula is not known either.
func Undecided(a, b string, t *Terms, why string) (v Verdict, err error) {
	v = Verdict{First: a, Second: b, Unplaced: why, Parts: []Part{}, Turn: []compare.TurningPoint{}, Notes: []string{}}
	v.Why = fmt.Sprintf("which of %s and %s goes first is not known", a, b)
	if t == nil {
		return v, nil
	}
	of, err := t.Of(a)
	if err != nil {
		return v, err
	}
	beside, err := t.Of(b)
	if err != nil {
		return v, err
	}
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
	if differ == nil {
		v.Why += fmt.Sprintf(": what is known of the formula %s is the same of both, so that %s", t.Formula, are(t.Unknown, "decide"))
	} else {
		v.Why += fmt.Sprintf(": of the formula %s, %s, and %s too, of which nothing is known here", t.Formula, are(differ, "differ"), are(t.Unknown, "decide"))
	}
	return v, nil
}

// are says what some terms do, in a verb as it is of several.
func are(names []string, do string) string {
	if len(names) == 1 {
		do += "s"
	}
	return report.Listed(names) + " " + do
}

// String says a term in words.
func (t Term) String() string {
	if t.Value == "" {
		return notKnown
	}
	return strings.TrimSpace(t.Value)
}
