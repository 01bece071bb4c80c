package compare

import (
	"cmp"
	"slices"
)

// Farthest returns the jobs that move most, at most so many of them (0: all).
func (d *Difference) Farthest(most int) []Move {
	var moved []Move
	for _, m := range d.Moves {
		if (m.OldRank != nil || m.NewRank != nil) && m.Distance() != 0 {
			moved = append(moved, m)
		}
	}
	slices.SortStableFunc(moved, func(a, b Move) int { return cmp.Compare(b.Distance(), a.Distance()) })
	if most > 0 && len(moved) > most {
		moved = moved[:most]
	}
	return moved
}
