// Package compare compares two orders of one list of jobs.
package compare

import (
	"cmp"
	"math"
	"slices"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
)

// Difference is what changes between two orders of one list of jobs.
type Difference struct {
	Old     string `json:"old"` // what the orders were made with
	New     string `json:"new"`
	Jobs    int    `json:"jobs"`    // considered in both
	Moved   int    `json:"moved"`   // of those
	Entered int    `json:"entered"` // considered only in the new order
	Left    int    `json:"left"`    // only in the old one

	Tau  *report.Number `json:"tau"`   // Kendall's tau of the places of those in both, null below two
	TauB *report.Number `json:"tau_b"` // Kendall's tau-b of their values, null where a formula is missing or has one value for all

	Values  int            `json:"values_changed"`       // of the jobs considered in both
	Largest *report.Number `json:"largest_value_change"` // null where no number does

	Overlap  []Overlap `json:"overlap"`
	Rises    []Move    `json:"largest_rises"`
	Falls    []Move    `json:"largest_falls"`
	Entities []Shift   `json:"by_entity"`
	Queues   []Shift   `json:"by_queue"`
	Groups   []Shift   `json:"by_group"`
	Projects []Shift   `json:"by_project"`

	// Percentages are those of the entities whose jobs are considered in both
	// orders, where some entity's is not the same.
	Percentages []Percentage `json:"percentages"`

	NewlyFail    []string `json:"newly_fail"`     // evaluation raises an error
	NewlyTie     []string `json:"newly_tie"`      // another job has the same value
	NewlyUnder   []string `json:"newly_under"`    // the threshold
	NewlyLeftOut []string `json:"newly_left_out"` // not considered for another reason
	Moves        []Move   `json:"moves"`          // of all jobs, in the order of the list

	Starts *Starts `json:"starts"` // null where nobody can tell who starts

	whyLeft []string // of each of NewlyLeftOut, why it is
}

// Overlap is how many of the first are among the first in both orders.
type Overlap struct {
	First  int `json:"first"`
	Shared int `json:"shared"`
}

// Percentage is an entity's part of the whole tree's shares.
type Percentage struct {
	Entity string        `json:"entity"`
	Old    report.Number `json:"old"` // as fractions
	New    report.Number `json:"new"`
}

// Shift is how far the jobs of an entity or a queue move on average.
type Shift struct {
	Name string        `json:"name"`
	Jobs int           `json:"jobs"`
	Mean report.Number `json:"mean_change"` // places, positive is earlier
}

// Move is a job with its places in the old and the new order.
type Move struct {
	ID        string         `json:"id"`
	User      string         `json:"user"`
	Entity    string         `json:"entity"`
	Queue     string         `json:"queue"`
	OldRank   *int           `json:"old_rank"` // null if it is not considered
	NewRank   *int           `json:"new_rank"`
	Change    *int           `json:"change"` // places, positive is earlier
	OldValue  *report.Number `json:"old_value"`
	NewValue  *report.Number `json:"new_value"`
	OldReason string         `json:"old_reason"` // why it is not considered
	NewReason string         `json:"new_reason"`
	OldError  string         `json:"old_error"`
	NewError  string         `json:"new_error"`
	Group     string         `json:"group"`
	Project   string         `json:"project"`
}

// largest is how many of the largest moves are listed.
const largest = 10

// LeaveOut keeps a job that is considered in the old order, and for another reason than the threshold not in the new one.
func (d *Difference) LeaveOut(m *Move) {
	d.NewlyLeftOut, d.whyLeft = append(d.NewlyLeftOut, m.ID), append(d.whyLeft, m.NewReason)
}

// Note keeps how many values change, and by how much.
func (d *Difference) Note(m Move) {
	if m.OldValue == nil || m.NewValue == nil || *m.OldValue == *m.NewValue || m.OldValue.IsNaN() && m.NewValue.IsNaN() {
		return
	}
	d.Values++
	by := report.Number(math.Abs(float64(*m.NewValue - *m.OldValue)))
	if !by.IsNaN() && (d.Largest == nil || by > *d.Largest) {
		d.Largest = &by
	}
}

// Select returns the difference with only some of its Moves; all figures stay those
// of all jobs.
func (d *Difference) Select(isWanted func(*Move) bool) *Difference {
	selected := *d
	selected.Moves = []Move{}
	for _, m := range d.Moves {
		if isWanted(&m) {
			selected.Moves = append(selected.Moves, m)
		}
	}
	return &selected
}

// Remarks returns why there is nothing to compare, if so.
func (d *Difference) Remarks() []diag.Remark {
	if d.Jobs > 0 || len(d.Moves) == 0 {
		return nil
	}
	first := d.Moves[0]
	return []diag.Remark{diag.Warningf("no job is considered in both orders; for example %s: %s", first.ID, cmp.Or(first.OldReason, first.NewReason))}
}

// IsNone reports whether the order is the same.
func (d *Difference) IsNone() bool { return d.Moved == 0 && d.Entered == 0 && d.Left == 0 }

// Distance returns how far a job moves, in either direction; one that enters or
// leaves moves farthest.
func (m *Move) Distance() int {
	if m.Change == nil {
		return math.MaxInt
	}
	return max(*m.Change, -*m.Change)
}

// Overlaps counts who is among the first 10, 100 and 1,000 in both orders.
func Overlaps(old, now []int32) []Overlap {
	list := []Overlap{}
	most := max(len(old), len(now))
	for _, first := range []int{10, 100, 1000} {
		if most == 0 {
			break
		}
		n := min(first, most)
		seen := map[int32]bool{}
		for _, row := range old[:min(n, len(old))] {
			seen[row] = true
		}
		shared := 0
		for _, row := range now[:min(n, len(now))] {
			if seen[row] {
				shared++
			}
		}
		list = append(list, Overlap{n, shared})
		if most <= first {
			break
		}
	}
	return list
}

// Extremes returns the largest rises and falls.
func (d *Difference) Extremes() (rises, falls []Move) {
	var moved []int
	for i, m := range d.Moves {
		if m.Change != nil && *m.Change != 0 {
			moved = append(moved, i)
		}
	}
	slices.SortStableFunc(moved, func(a, b int) int { return cmp.Compare(*d.Moves[b].Change, *d.Moves[a].Change) })
	rises, falls = []Move{}, []Move{}
	for _, i := range moved {
		if len(rises) < largest && *d.Moves[i].Change > 0 {
			rises = append(rises, d.Moves[i])
		}
	}
	for _, i := range slices.Backward(moved) {
		if len(falls) < largest && *d.Moves[i].Change < 0 {
			falls = append(falls, d.Moves[i])
		}
	}
	return rises, falls
}
