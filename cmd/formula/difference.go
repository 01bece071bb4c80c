package main

import (
	"cmp"
	"math"
	"slices"

	"fairshare/cmd/internal/report"
)

// difference is what changes between two orders of one job list.
type difference struct {
	Old     string         `json:"old"`
	New     string         `json:"new"`
	Jobs    int            `json:"jobs"`    // considered in both
	Moved   int            `json:"moved"`   // of those
	Entered int            `json:"entered"` // considered only in the new order
	Left    int            `json:"left"`    // only in the old one
	TauB    *report.Number `json:"tau_b"`   // Kendall's, of the ranks of those in both; null below two

	Overlap  []overlapLine `json:"overlap"`
	Rises    []moveLine    `json:"largest_rises"`
	Falls    []moveLine    `json:"largest_falls"`
	Entities []shiftLine   `json:"by_entity"`
	Queues   []shiftLine   `json:"by_queue"`

	NewlyFail    []string   `json:"newly_fail"`     // evaluation raises an error
	NewlyTie     []string   `json:"newly_tie"`      // another job has the same value
	NewlyUnder   []string   `json:"newly_under"`    // the threshold
	NewlyLeftOut []string   `json:"newly_left_out"` // not considered for another reason
	Moves        []moveLine `json:"moves"`
}

// overlapLine is how many of the first are among the first in both orders.
type overlapLine struct {
	First  int `json:"first"`
	Shared int `json:"shared"`
}

// shiftLine is how far the jobs of an entity or a queue move on average.
type shiftLine struct {
	Name string        `json:"name"`
	Jobs int           `json:"jobs"`
	Mean report.Number `json:"mean_change"` // places, positive is earlier
}

// moveLine is a job in both orders.
type moveLine struct {
	ID        string         `json:"id"`
	User      string         `json:"user"`
	Entity    string         `json:"entity"`
	Queue     string         `json:"queue"`
	OldRank   *int           `json:"old_rank"` // null when not considered
	NewRank   *int           `json:"new_rank"`
	Change    *int           `json:"change"` // places, positive is earlier
	OldValue  *report.Number `json:"old_value"`
	NewValue  *report.Number `json:"new_value"`
	OldReason string         `json:"old_reason"` // why not considered
	NewReason string         `json:"new_reason"`
	OldError  string         `json:"old_error"`
	NewError  string         `json:"new_error"`
}

// largest is how many of the largest moves are listed.
const largest = 10

func newDifference(before, after *ranking) *difference {
	d := &difference{NewlyFail: []string{}, NewlyTie: []string{}, NewlyUnder: []string{}, NewlyLeftOut: []string{}, Moves: []moveLine{}}
	oldRanks, newRanks := before.ranks(), after.ranks()
	oldTies, newTies := before.valueCounts(), after.valueCounts()
	var both []int32 // by new rank, the old rank
	entities, queues := shifts{}, shifts{}
	for _, row := range after.order {
		if oldRanks[row] != 0 {
			both = append(both, int32(oldRanks[row]))
		}
	}
	d.Jobs, d.TauB = len(both), tauB(both)
	for row := range before.list.len() {
		m := newMove(before, after, row, oldRanks[row], newRanks[row])
		switch {
		case m.Change != nil:
			entities.add(m.Entity, *m.Change)
			queues.add(m.Queue, *m.Change)
			if *m.Change != 0 {
				d.Moved++
			}
			if before.tied(oldTies, row) < 2 && after.tied(newTies, row) > 1 {
				d.NewlyTie = append(d.NewlyTie, m.ID)
			}
		case m.NewRank != nil:
			d.Entered++
		case m.OldRank != nil:
			d.Left++
			if after.under(row) {
				d.NewlyUnder = append(d.NewlyUnder, m.ID)
			} else {
				d.NewlyLeftOut = append(d.NewlyLeftOut, m.ID)
			}
		}
		if m.OldError == "" && m.NewError != "" {
			d.NewlyFail = append(d.NewlyFail, m.ID)
		}
		d.Moves = append(d.Moves, m)
	}
	d.Overlap = overlaps(before.order, after.order)
	d.Rises, d.Falls = d.extremes()
	d.Entities, d.Queues = entities.lines(), queues.lines()
	return d
}

func newMove(before, after *ranking, row, oldRank, newRank int) moveLine {
	l := before.list
	r := l.row(row)
	m := moveLine{
		ID: r.id, User: l.users.list[r.user], Entity: l.entities.list[r.entity], Queue: l.queues.list[r.queue],
		OldValue: before.number32(row), NewValue: after.number32(row),
		OldReason: before.reasons[row], NewReason: after.reasons[row],
	}
	if l.hasValue(row) {
		m.OldError, m.NewError = errorText(before.scores.errs[row]), errorText(after.scores.errs[row])
	}
	if oldRank != 0 {
		m.OldRank = &oldRank
	}
	if newRank != 0 {
		m.NewRank = &newRank
	}
	if oldRank != 0 && newRank != 0 {
		change := oldRank - newRank
		m.Change = &change
	}
	return m
}

// number32 is a value as PBS keeps it, nil when there is none.
func (r *ranking) number32(row int) *report.Number {
	if r.program == nil || !r.list.hasValue(row) {
		return nil
	}
	n := float(r.scores.result(row).Float32())
	return &n
}

// valueCounts are how many of the jobs considered have a value.
func (r *ranking) valueCounts() map[float32]int {
	counts := map[float32]int{}
	if r.program != nil {
		for _, row := range r.order {
			counts[r.jobs[row].Value]++
		}
	}
	return counts
}

func (r *ranking) tied(counts map[float32]int, row int) int { return counts[r.jobs[row].Value] }

// tauB is Kendall's tau-b between two orders, from the old ranks by new rank.
// No two ranks are alike, so that it is 1 - 4 * inversions / (n * (n-1)).
func tauB(oldRanks []int32) *report.Number {
	n := float64(len(oldRanks))
	if n < 2 {
		return nil
	}
	tau := report.Number(1 - 4*float64(inversions(slices.Clone(oldRanks)))/(n*(n-1)))
	return &tau
}

// inversions counts the pairs that stand the wrong way round, and sorts.
func inversions(a []int32) int64 {
	var count int64
	merged := make([]int32, len(a))
	for width := 1; width < len(a); width *= 2 {
		for from := 0; from < len(a); from += 2 * width {
			middle, end := min(from+width, len(a)), min(from+2*width, len(a))
			i, j := from, middle
			for k := from; k < end; k++ {
				if i < middle && (j == end || a[i] <= a[j]) {
					merged[k] = a[i]
					i++
				} else {
					merged[k] = a[j]
					count += int64(middle - i)
					j++
				}
			}
		}
		a, merged = merged, a
	}
	return count
}

// overlaps counts who is among the first 10, 100 and 1,000 in both orders.
func overlaps(old, now []int32) []overlapLine {
	lines := []overlapLine{}
	if len(old) == 0 && len(now) == 0 {
		return lines
	}
	for _, first := range []int{10, 100, 1000} {
		n := min(first, max(len(old), len(now)))
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
		lines = append(lines, overlapLine{n, shared})
		if max(len(old), len(now)) <= first {
			break
		}
	}
	return lines
}

// extremes are the largest rises and falls.
func (d *difference) extremes() (rises, falls []moveLine) {
	var moved []int
	for i, m := range d.Moves {
		if m.Change != nil && *m.Change != 0 {
			moved = append(moved, i)
		}
	}
	slices.SortStableFunc(moved, func(a, b int) int { return cmp.Compare(*d.Moves[b].Change, *d.Moves[a].Change) })
	rises, falls = []moveLine{}, []moveLine{}
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

// shifts sums changes by name.
type shifts map[string]*shift

type shift struct{ jobs, sum int }

func (s shifts) add(name string, change int) {
	if s[name] == nil {
		s[name] = &shift{}
	}
	s[name].jobs++
	s[name].sum += change
}

// lines are the means, the largest rise first.
func (s shifts) lines() []shiftLine {
	lines := []shiftLine{}
	for name, sh := range s {
		lines = append(lines, shiftLine{name, sh.jobs, report.Number(float64(sh.sum) / float64(sh.jobs))})
	}
	slices.SortFunc(lines, func(a, b shiftLine) int {
		if c := cmp.Compare(b.Mean, a.Mean); c != 0 {
			return c
		}
		return cmp.Compare(a.Name, b.Name)
	})
	return lines
}

// isSame tells whether the order is the same.
func (d *difference) isSame() bool { return d.Moved == 0 && d.Entered == 0 && d.Left == 0 }

// distance is how far a job moves, in either direction.
func (m *moveLine) distance() int {
	if m.Change == nil {
		return math.MaxInt
	}
	return max(*m.Change, -*m.Change)
}
