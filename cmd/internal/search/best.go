package search

import (
	"math"
	"slices"

	"fairshare/cmd/internal/figure"
	"fairshare/cmd/internal/study"
)

// Undominated reports of each cell whether it is among the best: whether no other cell is at
// least as good in all goals and better in one. Where cells have several runs, a difference
// that is noise does not count, and where they have one, no difference of the mean wait within which the replay of the policy in force is off:
// a cell that is better than that policy in no goal is then none of the best. A cell whose formula failed is never among the best, nor one under
// which more jobs come to no end than under another.
func Undominated(cells []Cell, goals []Goal) []bool {
	values := make([][]float64, len(cells))
	order := make([]int, 0, len(cells))
	fewest := math.MaxInt
	for _, c := range cells {
		fewest = min(fewest, c.Unfinished())
	}
	for i, c := range cells {
		for _, g := range goals {
			values[i] = append(values[i], c.Figure(g.Figure.String()).Mean)
		}
		if c.Failed == 0 && c.Unfinished() == fewest {
			order = append(order, i)
		}
	}
	const most = 2000 // cells whose runs are compared in pairs
	if len(order) > 0 && len(order) <= most && len(goals) > 0 {
		switch off := Off(cells, goals); {
		case cells[order[0]].runs() > 1:
			return undominatedBy(cells, order, goals, isBetterInRuns)
		case off > 0:
			return undominatedWithin(cells, order, goals, off)
		}
	}
	// Cells that are better in the first goals come first. No cell is dominated by one that
	// comes later, so that each has to be compared only with the best of those before it.
	slices.SortStableFunc(order, func(a, b int) int {
		for i, g := range goals {
			switch {
			case g.isBetter(values[a][i], values[b][i]):
				return -1
			case g.isBetter(values[b][i], values[a][i]):
				return 1
			}
		}
		return 0
	})
	dominates := func(a, b []float64) bool {
		isBetter := false
		for i, g := range goals {
			if g.isBetter(b[i], a[i]) {
				return false
			}
			isBetter = isBetter || g.isBetter(a[i], b[i])
		}
		return isBetter
	}
	is := make([]bool, len(cells))
	var best []int
	for _, i := range order {
		if is[i] = !slices.ContainsFunc(best, func(k int) bool { return dominates(values[k], values[i]) }); is[i] {
			best = append(best, i)
		}
	}
	return is
}

// isBetterInRuns reports whether a cell of several runs is better than another in a goal, and not by chance.
func isBetterInRuns(a, b *Cell, g Goal) bool {
	name := g.Figure.String()
	x, y := a.values(name), b.values(name)
	return g.isBetter(study.IntervalOf(x).Mean, study.IntervalOf(y).Mean) && !study.DifferenceOf(x, y).IsNoise()
}

// Off returns by which part the replay of the policy in force is off in the mean wait, where cells have one run and that is a goal; 0 else.
func Off(cells []Cell, goals []Goal) float64 {
	isGoal := slices.ContainsFunc(goals, func(g Goal) bool { return g.Figure.String() == figure.MeanWait.String() })
	if len(cells) == 0 || cells[0].Cell != 0 || !cells[0].Single() || !isGoal {
		return 0
	}
	return cells[0].Off
}

// undominatedWithin is Undominated for cells of one run, where the replay of the first is off by a part of the mean wait.
func undominatedWithin(cells []Cell, some []int, goals []Goal, off float64) []bool {
	within := off * cells[0].Figure(figure.MeanWait.String()).Mean
	isBetter := func(a, b *Cell, g Goal) bool {
		name := g.Figure.String()
		x, y := a.Figure(name).Mean, b.Figure(name).Mean
		return g.isBetter(x, y) && !(g.Figure.String() == figure.MeanWait.String() && math.Abs(x-y) <= within)
	}
	is := undominatedBy(cells, some, goals, isBetter)
	for i := range is {
		if is[0] && i > 0 {
			is[i] = is[i] && slices.ContainsFunc(goals, func(g Goal) bool { return isBetter(&cells[i], &cells[0], g) })
		}
	}
	return is
}

// undominatedBy is Undominated by what is better in a goal. Only some of the cells, by their index, can be among the best.
func undominatedBy(cells []Cell, some []int, goals []Goal, isBetter func(a, b *Cell, g Goal) bool) []bool {
	is := make([]bool, len(cells))
	for _, i := range some {
		is[i] = !slices.ContainsFunc(some, func(k int) bool {
			for _, g := range goals {
				if isBetter(&cells[i], &cells[k], g) {
					return false
				}
			}
			return slices.ContainsFunc(goals, func(g Goal) bool { return isBetter(&cells[k], &cells[i], g) })
		})
	}
	return is
}
