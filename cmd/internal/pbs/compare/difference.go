// Package compare compares two orders of one list of a PBS site.
package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/compare"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/report"
)

// Between returns the difference of two orders of one list.
func Between(before, after *order.Order) *compare.Difference {
	d := &compare.Difference{
		Old: describe(before), New: describe(after),
		NewlyFail: []string{}, NewlyTie: []string{}, NewlyUnder: []string{}, NewlyLeftOut: []string{}, Moves: []compare.Move{},
	}
	oldValues, newValues := before.ValueCounts(), after.ValueCounts()
	b := BriefBetween(before, after)
	d.Jobs, d.Moved, d.Entered, d.Left, d.Tau = b.Jobs, b.Moved, b.Entered, b.Left, b.Tau
	d.Entities, d.Queues, d.Groups, d.Projects = b.Entities, b.Queues, b.Groups, b.Projects
	both := make([]compare.Pair, 0, b.Jobs)
	for _, row := range after.Rows {
		if before.Place(int(row)) != 0 {
			both = append(both, compare.Pair{Old: before.Value(int(row)), New: after.Value(int(row))})
		}
	}
	if before.Values != nil && after.Values != nil {
		d.TauB = compare.TauB(both)
	}
	for row := range before.List.Len() {
		m := newMove(before, after, row)
		switch isFailing := m.OldError == "" && m.NewError != ""; {
		case isFailing: // of which all else follows
			d.NewlyFail = append(d.NewlyFail, m.ID)
			if m.Change != nil {
				d.Note(m)
			}
		case m.Change != nil:
			d.Note(m)
			if oldValues[before.Value(row)] < 2 && newValues[after.Value(row)] > 1 {
				d.NewlyTie = append(d.NewlyTie, m.ID)
			}
		case m.NewRank != nil: // it is new
		case m.OldRank != nil:
			if after.IsUnderThreshold(row) {
				d.NewlyUnder = append(d.NewlyUnder, m.ID)
			} else {
				d.LeaveOut(&m)
			}
		}
		d.Moves = append(d.Moves, m)
	}
	d.Overlap = compare.Overlaps(before.Rows, after.Rows)
	d.Rises, d.Falls = d.Extremes()
	d.Percentages = percentages(before, after)
	return d
}

// percentages returns the tree percentages of the entities that have jobs in both
// orders, none if they are all the same.
func percentages(before, after *order.Order) []compare.Percentage {
	list := []compare.Percentage{}
	if before.Plan.Site.Entity() != after.Plan.Site.Entity() { // of which none is in both
		return list
	}
	differ := false
	seen := map[string]bool{}
	for _, row := range after.Rows {
		entity := before.List.Entities.List[before.List.Job(int(row)).Entity]
		if before.Place(int(row)) == 0 || seen[entity] {
			continue
		}
		seen[entity] = true
		old, now := before.Tree.Entity(before.Entity(int(row))).TreePercentage, after.Tree.Entity(after.Entity(int(row))).TreePercentage
		differ = differ || old != now
		list = append(list, compare.Percentage{Entity: entity, Old: report.CFloat(old), New: report.CFloat(now)})
	}
	if !differ {
		return []compare.Percentage{}
	}
	slices.SortFunc(list, func(a, b compare.Percentage) int { return cmp.Compare(a.Entity, b.Entity) })
	return list
}

// describe returns what an order was made with.
func describe(o *order.Order) string {
	text := "no formula"
	if f := o.Plan.Formula; f != nil {
		text = f.Source()
	}
	if priv := o.Plan.Site.SchedPriv; priv != nil && priv.Dir.Name != "" {
		text += " (" + priv.Dir.Name + ")"
	}
	var set, unset []string
	for _, change := range o.Plan.Site.Changes {
		switch {
		case change.IsFormula(): // which stands before them
		case change.Value == "":
			unset = append(unset, fmt.Sprintf("%s (was %s)", change.Name, cmp.Or(change.Was, "not set")))
		default:
			set = append(set, change.String())
		}
	}
	if set != nil {
		text += " with " + strings.Join(set, ", ")
	}
	if unset != nil {
		text += " without " + strings.Join(unset, ", ")
	}
	return text
}

func newMove(before, after *order.Order, row int) compare.Move {
	l := before.List
	job := l.Job(row)
	m := compare.Move{
		ID: job.ID, User: l.Users.List[job.User], Entity: l.Entities.List[job.Entity], Queue: l.Queues.List[job.Queue],
		Group: l.Groups.List[job.Group], Project: l.Projects.List[job.Project],
		OldReason: before.Reason(row), NewReason: after.Reason(row),
	}
	m.OldValue, m.OldError = value(before, row)
	m.NewValue, m.NewError = value(after, row)
	old, now := before.Place(row), after.Place(row)
	if old != 0 {
		m.OldRank = &old
	}
	if now != 0 {
		m.NewRank = &now
	}
	if old != 0 && now != 0 {
		change := old - now
		m.Change = &change
	}
	return m
}

// value returns a row's value as PBS keeps it, nil if there is none, and the
// error of its evaluation.
func value(o *order.Order, row int) (*report.Number, string) {
	if o.Values == nil || !o.List.IsEvaluated(row) {
		return nil, ""
	}
	result := o.Values.Result(row)
	n := report.CFloat(result.Float32())
	if result.Err != nil {
		return &n, result.Err.Error()
	}
	return &n, ""
}
