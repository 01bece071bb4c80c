package compare

import (
	"cmp"
	"math"
	"slices"

	"fairshare/cmd/internal/report"
)

// Pair is the values of a job in both orders.
type Pair struct{ Old, New float32 }

// Tau returns Kendall's tau of the places in two orders, given those in the old one of the jobs in the
// new one: (concordant - discordant) / all pairs, which is 1 for the same order
// and -1 for the reverse. It is nil for fewer than two jobs. The places are sorted.
func Tau(places []int32) *report.Number {
	n := float64(len(places))
	if n < 2 {
		return nil
	}
	discordant := float64(inversions(places, cmp.Compare[int32]))
	return report.Optional(1 - 4*discordant/(n*(n-1)))
}

// InOrder says which part of all pairs of jobs keep their order, by Kendall's tau of their places, of which no two are the same; "" where
// there is none. Where all do, jobs that move are shifted by others, and nothing else is said to be all.
func InOrder(tau *report.Number) string {
	switch {
	case tau == nil:
		return ""
	case *tau == 1:
		return "all pairs keep their order, shifted by jobs that are newly considered or no more"
	}
	return partInOrder(tau) + " of all pairs keep their order"
}

// partInOrder returns that part in percent, which is all or nothing only where it is.
func partInOrder(tau *report.Number) string {
	const decimals = 1
	part := (1 + float64(*tau)) / 2
	text := report.Percent(part, decimals)
	switch {
	case part < 1 && text == report.Percent(1, decimals):
		return "over 99.9%"
	case part > 0 && text == report.Percent(0, decimals):
		return "under 0.1%"
	}
	return text
}

// TauText returns Kendall's tau, which is 1 only where no pair changes its order.
func TauText(tau *report.Number) string {
	text := report.Fixed(float64(*tau), 3)
	if *tau < 1 && text == "1.000" {
		return "over 0.999"
	}
	return text
}

// TauB returns Kendall's tau-b of the old and the new values, which counts jobs
// that tie: (concordant - discordant) / sqrt((pairs - ties of old) * (pairs -
// ties of new)). It is nil where all values of an order tie. Computed as in
// Knight, "A computer method for calculating Kendall's tau with ungrouped data"
// (1966).
func TauB(jobs []Pair) *report.Number {
	jobs = slices.Clone(jobs)
	slices.SortFunc(jobs, func(a, b Pair) int { return cmp.Or(cmp.Compare(a.Old, b.Old), cmp.Compare(a.New, b.New)) })
	n := float64(len(jobs))
	pairs := n * (n - 1) / 2
	oldTies := ties(jobs, func(a, b Pair) bool { return cmp.Compare(a.Old, b.Old) == 0 })
	bothTies := ties(jobs, func(a, b Pair) bool { return cmp.Compare(a.Old, b.Old) == 0 && cmp.Compare(a.New, b.New) == 0 })
	discordant := float64(inversions(jobs, func(a, b Pair) int { return cmp.Compare(a.New, b.New) }))
	newTies := ties(jobs, func(a, b Pair) bool { return cmp.Compare(a.New, b.New) == 0 }) // inversions has sorted by them
	scale := math.Sqrt((pairs - oldTies) * (pairs - newTies))
	if !(scale > 0) {
		return nil
	}
	return report.Optional((pairs - oldTies - newTies + bothTies - 2*discordant) / scale)
}

// ties counts the pairs of neighbours and further ones that are the same.
func ties(jobs []Pair, same func(a, b Pair) bool) float64 {
	count := 0.0
	for from := 0; from < len(jobs); {
		to := from + 1
		for to < len(jobs) && same(jobs[from], jobs[to]) {
			to++
		}
		n := float64(to - from)
		count += n * (n - 1) / 2
		from = to
	}
	return count
}

// inversions sorts a list and returns how many pairs stood the wrong way round.
func inversions[T any](list []T, compare func(a, b T) int) int64 {
	var count int64
	from, into := slices.Clone(list), list
	for width := 1; width < len(list); width *= 2 {
		copy(from, into)
		for start := 0; start < len(list); start += 2 * width {
			middle, end := min(start+width, len(list)), min(start+2*width, len(list))
			i, j := start, middle
			for k := start; k < end; k++ {
				if i < middle && (j == end || compare(from[i], from[j]) <= 0) {
					into[k] = from[i]
					i++
				} else {
					into[k] = from[j]
					count += int64(middle - i)
					j++
				}
			}
		}
	}
	return count
}
