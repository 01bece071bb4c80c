package metrics

import (
	"math"
	"slices"
)

// Party is what the jobs of a name come to that wait, such as those of a queue. What is not known is NaN.
type Party struct{ Jobs, Best, Highest, Longest float64 }

// Waiting is a job that waits: its place from 1, NaN where it does not start whatever else runs, its priority, and for how many
// seconds it has waited, NaN where nothing tells.
type Waiting struct{ Rank, Value, Wait float64 }

// OfParties returns a family of the names that jobs have: what value returns of each, but NaN. each yields the jobs
// with their names, those of lower rank first.
func OfParties[S any](each func(s S, yield func(name string, job Waiting)), value func(Party) float64) func(S, func(float64, ...string)) {
	return func(s S, add func(float64, ...string)) {
		all := map[string]Party{}
		var names []string
		each(s, func(name string, job Waiting) {
			p, isKnown := all[name]
			if !isKnown {
				names = append(names, name)
				p = Party{Best: job.Rank, Highest: job.Value, Longest: math.NaN()}
			}
			p.Jobs++
			if math.IsNaN(p.Best) {
				p.Best = job.Rank
			}
			p.Highest = max(p.Highest, job.Value)
			if !math.IsNaN(job.Wait) && !(job.Wait <= p.Longest) {
				p.Longest = job.Wait
			}
			all[name] = p
		})
		slices.Sort(names)
		for _, name := range names {
			if v := value(all[name]); !math.IsNaN(v) {
				add(v, name)
			}
		}
	}
}
