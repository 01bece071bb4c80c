package study

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"fairshare/cmd/internal/figure"
	"fairshare/cmd/internal/page"
	"fairshare/cmd/internal/report"
)

// OneRun says what a comparison by a single run of each policy cannot tell.
const OneRun = "one run of each policy does not tell noise from difference; --runs 20 does"

// sentences says in a few words what replays come to: how near the first policy is to what has
// happened, which is how large a difference has to be to count, and how the others differ.
func (s *Study) sentences(all []*Measured) []string {
	at := s.At(figure.MeanWait)
	mean := func(i int) float64 { return IntervalOf(all[i].Figures[at]).Mean }
	observed, first := mean(0), mean(1)
	list := []string{"How near this replay comes is not known: the record has no starts to compare with."}
	near := math.NaN()
	if observed > 0 && all[1].First.Result.Trust().Jobs > 0 {
		near = math.Abs(first/observed - 1)
		list[0] = fmt.Sprintf("Jobs wait %s on average in the replay of policy 1, and waited %s as observed: the replay is within %s of the mean wait; only larger differences count.",
			report.Duration(first), report.Duration(observed), percentUp(near))
	}
	isOpen := false // whether a difference may be noise
	for i := 2; i < len(all); i++ {
		d := DifferenceOf(all[i].Figures[at], all[1].Figures[at])
		word := "longer"
		if d.Mean < 0 {
			word = "less"
		}
		part := math.Abs(d.Mean) / first
		text := fmt.Sprintf("Under policy %d, jobs wait %s %s on average", i, report.Duration(math.Abs(d.Mean)), word)
		switch {
		case math.IsNaN(d.Mean):
			continue
		case math.Round(d.Mean) == 0:
			text = fmt.Sprintf("Under policy %d, jobs wait as long on average", i)
		case first > 0:
			text += fmt.Sprintf(" (%s)", percentUp(part))
		}
		switch {
		case math.Round(d.Mean) == 0:
		case !math.IsNaN(d.Low) && d.IsNoise():
			text += ", which is noise"
		case part <= near:
			text += ", which is no more than the replay itself is off"
		}
		isOpen = isOpen || math.Round(d.Mean) != 0
		list = append(list, text+".")
	}
	if isOpen && s.Runs == 1 {
		list = append(list, sentence(OneRun))
	}
	return list
}

// percentUp returns a part in per cent, rounded up to two digits.
func percentUp(part float64) string {
	percent := 100 * part
	if percent < 10 {
		return report.Fixed(math.Ceil(percent*10)/10, 1) + " %"
	}
	return report.Fixed(math.Ceil(percent), 0) + " %"
}

// causeLines returns what jobs waited for, by policy, what took longest first.
func causeLines(all []*Measured) []page.CauseLine {
	var lines []page.CauseLine
	for i, m := range all[1:] {
		for _, cause := range m.First.Result.Causes {
			at := slices.IndexFunc(lines, func(l page.CauseLine) bool { return l.Name == cause.Reason })
			if at < 0 {
				at = len(lines)
				lines = append(lines, page.CauseLine{Name: cause.Reason, Hours: make([]float64, len(all)-1)})
			}
			lines[at].Hours[i] += cause.Seconds / 3600
		}
	}
	slices.SortStableFunc(lines, func(a, b page.CauseLine) int { return cmp.Compare(slices.Max(b.Hours), slices.Max(a.Hours)) })
	const most = 40
	return lines[:min(len(lines), most)]
}
