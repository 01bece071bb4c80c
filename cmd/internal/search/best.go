package search

import (
	"math"
	"slices"

	"fairshare/cmd/internal/study"
)

// Undominated reports of each cell whether it is among the best: whether no other cell is at
// least as good in all goals and better in one. Where cells have several runs, a difference
// that is noise does not count. A cell whose formula failed is never among the best, nor one that
// never starts more jobs than another.
func Undominated(cells []Cell, goals []Goal) []bool {
	values := make([][]float64, len(cells))
	order := make([]int, 0, len(cells))
	fewest := math.MaxInt
	for _, c := range cells {
		fewest = min(fewest, c.Never)
	}
	for i, c := range cells {
		for _, g := range goals {
			values[i] = append(values[i], c.Figure(g.Figure.String()).Mean)
		}
		if c.Failed == 0 && c.Never == fewest {
			order = append(order, i)
		}
	}
	const most = 2000 // cells whose runs are compared in pairs
	if len(order) > 0 && len(order) <= most && len(goals) > 0 && cells[order[0]].runs() > 1 {
		return undominatedRuns(cells, order, goals)
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

// undominatedRuns is Undominated for cells with several runs. Only some of them, by their
// index, can be among the best.
func undominatedRuns(cells []Cell, some []int, goals []Goal) []bool {
	// isBetter reports whether a cell is better in a goal, and not by chance.
	isBetter := func(a, b int, g Goal) bool {
		name := g.Figure.String()
		x, y := cells[a].values(name), cells[b].values(name)
		return g.isBetter(study.IntervalOf(x).Mean, study.IntervalOf(y).Mean) && !study.DifferenceOf(x, y).IsNoise()
	}
	is := make([]bool, len(cells))
	for _, i := range some {
		is[i] = !slices.ContainsFunc(some, func(k int) bool {
			for _, g := range goals {
				if isBetter(i, k, g) {
					return false
				}
			}
			return slices.ContainsFunc(goals, func(g Goal) bool { return isBetter(k, i, g) })
		})
	}
	return is
}
