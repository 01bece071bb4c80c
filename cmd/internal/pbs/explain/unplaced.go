package explain

import (
	"fmt"
	"strings"

	"fairshare/cmd/internal/compare"
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

// Terms are what is known of a formula that needs a tree which is not there.
type Terms struct {
	Formula *formula.Formula
	Unknown []string     // its names of which nothing is known: those that need the tree, and what no list of queues tells
	Known   *order.Order // by the others alone, nil where there are none
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
	if differ == nil {
		v.Why += fmt.Sprintf(": what is known of the formula %s is the same of both, so that %s", t.Formula.Source(), having(t.Unknown, "decides", "decide"))
	} else {
		v.Why += fmt.Sprintf(": of the formula %s, %s, and %s too, of which nothing is known here", t.Formula.Source(), having(differ, "differs", "differ"), having(t.Unknown, "decides", "decide"))
	}
	return v
}

// having returns some terms with a verb behind them, as it is of one or of several.
func having(names []string, one, several string) string {
	if len(names) == 1 {
		return names[0] + " " + one
	}
	return report.Listed(names) + " " + several
}

// String says a term in words.
func (t Term) String() string {
	if t.Value == "" {
		return notKnown
	}
	return strings.TrimSpace(t.Value)
}
