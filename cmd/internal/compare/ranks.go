package compare

import (
	"fairshare/cmd/internal/report"
	"math"
	"slices"
)

// BetweenRanks returns the difference of two orders of which the moves are known: of each job with
// its ranks, values and names, which the difference keeps. old and now say what the orders were made with.
func BetweenRanks(old, now string, moves []Move) *Difference {
	d := &Difference{
		Old: old, New: now, Percentages: []Percentage{}, NewlyFail: []string{}, NewlyTie: []string{}, NewlyUnder: []string{}, NewlyLeftOut: []string{}, Moves: moves,
	}
	n := len(moves)
	before, after := make([]jobRanks, 0, n), make([]jobRanks, 0, n)
	changes := make([]int, n)
	ranks := make([]jobRanks, n)
	for i := range d.Moves {
		m := &d.Moves[i]
		r := jobRanks{at: i}
		if m.OldRank != nil {
			r.old = *m.OldRank
			before = append(before, r)
		}
		if m.NewRank != nil {
			r.new = *m.NewRank
			after = append(after, r)
		}
		ranks[i] = r
		switch {
		case r.old > 0 && r.new > 0:
			changes[i] = r.old - r.new
			m.Change = &changes[i]
			d.Note(*m)
		case r.old > 0:
			d.LeaveOut(m)
		}
	}
	names := NewNames(n, func(i int) [4]string {
		m := &moves[i]
		return [...]string{m.Entity, m.Queue, m.Group, m.Project}
	})
	b := names.Brief(func(i int) (old, new int) { return ranks[i].old, ranks[i].new })
	d.Jobs, d.Moved, d.Entered, d.Left, d.Tau = b.Jobs, b.Moved, b.Entered, b.Left, b.Tau
	d.Entities, d.Queues, d.Groups, d.Projects = b.Entities, b.Queues, b.Groups, b.Projects
	slices.SortFunc(before, func(a, b jobRanks) int { return a.old - b.old })
	slices.SortFunc(after, func(a, b jobRanks) int { return a.new - b.new })
	pairs := make([]Pair, 0, d.Jobs)
	for _, r := range after {
		if r.old == 0 {
			continue
		}
		m := &d.Moves[r.at]
		p := Pair{Old: float32(math.NaN()), New: float32(math.NaN())}
		if m.OldValue != nil && m.NewValue != nil {
			p.Old, p.New = float32(*m.OldValue), float32(*m.NewValue)
		}
		pairs = append(pairs, p)
	}
	d.TauB = TauB(pairs)
	d.Overlap = Overlaps(places(before), places(after))
	d.Rises, d.Falls = d.Extremes()
	return d
}

// jobRanks are where a job of a list of moves stands in the list and in the two orders, 0 for not at all.
type jobRanks struct{ at, old, new int }

// places returns where the jobs of an order stand in the list of moves.
func places(list []jobRanks) []int32 {
	rows := make([]int32, 0, len(list))
	for _, r := range list {
		rows = append(rows, int32(r.at))
	}
	return rows
}

// Standings makes the ranks and values of jobs as a Move has them, those of many in one piece of memory.
type Standings struct{ free []standing }

type standing struct {
	rank  int
	value report.Number
}

// Of returns the rank and the value of a job: nil for one that is not considered, whose rank is 0, and for a value that is not known.
func (s *Standings) Of(rank int, value float64) (*int, *report.Number) {
	const many = 512
	if rank == 0 {
		return nil, nil
	}
	if len(s.free) == 0 {
		s.free = make([]standing, many)
	}
	is := &s.free[0]
	s.free = s.free[1:]
	*is = standing{rank, report.Number(value)}
	if math.IsNaN(value) {
		return &is.rank, nil
	}
	return &is.rank, &is.value
}
