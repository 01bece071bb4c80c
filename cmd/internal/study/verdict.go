package study

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/figure"
	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/page"
	"fairshare/cmd/internal/report"
)

// OneRun says what a comparison by a single run of each policy cannot tell.
const OneRun = "one run of each policy does not tell noise from difference; --runs 20 does"

// oneRunInWords says it to somebody who reads a page.
const oneRunInWords = "Each policy was replayed once, so what of a difference is chance is not known: that takes several replays of each, with arrivals and run times that differ by seconds."

// sentences says in a few words what replays come to: how near the first policy is to what has
// happened, which is how large a difference has to be at least to count, and how the others differ. What a single run of each cannot tell
// stands before all of it.
func (s *Study) sentences(all []*Measured, zone *time.Location) []string {
	list, near := s.Nearness(all, s.called(1))
	if s.Runs == 1 && len(all) > 2 {
		at := 0
		if s.Departure(all) != "" { // which stands first
			at = 1
		}
		list = slices.Insert(list, at, oneRunInWords)
	}
	if s.Stop != nil {
		list = slices.Insert(list, 0, page.Sentence(s.Stop.Text(len(all)-1, zone)))
	}
	for i := 2; i < len(all); i++ {
		if text := s.Against(all, i, near); text != "" {
			list = append(list, text)
		}
	}
	if text := s.Preemptions(all); text != "" {
		list = append(list, text)
	}
	return list
}

// Preemptions says in a sentence how often jobs are preempted, as observed and under each policy, and what is lost by it; "" where they
// are under none.
func (s *Study) Preemptions(all []*Measured) string {
	isSome, loses, parts := false, false, []string{}
	for i, m := range all {
		of := "as observed"
		if i > 0 {
			of = fmt.Sprintf("under policy %d", i)
		}
		p := m.First.Preemptions()
		if p == nil {
			parts = append(parts, "not known "+of)
			continue
		}
		text := fmt.Sprintf("%d %s", p.Count(), of)
		if p.Count() > 0 {
			text += " (" + p.Fates() + ")"
		}
		parts = append(parts, text)
		isSome, loses = isSome || p.Count() > 0, loses || p.Lost > 0
	}
	if !isSome {
		return ""
	}
	text := "Preemptions" + s.InFirstRun("") + ": " + strings.Join(parts, ", ")
	if loses {
		text += "; lost is what jobs had run that were requeued or cancelled"
	}
	return text + "."
}

// Against says in a sentence how much longer or less jobs wait under a policy than under the first one, and whether that is more than
// chance, and than the part by which the replay is off; "" where it is not known.
func (s *Study) Against(all []*Measured, policy int, off float64) string {
	at := s.At(figure.MeanWait)
	first := IntervalOf(all[1].Figures[at]).Mean
	d := DifferenceOf(all[policy].Figures[at], all[1].Figures[at])
	switch {
	case math.IsNaN(d.Mean):
		return ""
	case math.Round(d.Mean) == 0:
		return fmt.Sprintf("Under %s jobs wait as long on average.", s.called(policy))
	}
	word, part := "longer", math.Abs(d.Mean)/first
	if d.Mean < 0 {
		word = "less"
	}
	text := fmt.Sprintf("Under %s jobs wait %s %s on average", s.called(policy), report.Duration(math.Abs(d.Mean)), word)
	if first > 0 {
		text += fmt.Sprintf(" (%s)", Percent(part, math.Round))
	}
	switch {
	case !math.IsNaN(d.Low) && d.IsNoise():
		text += ", which is noise"
	case part <= off:
		text += ", which is no more than the replay itself is off"
	case s.Unsure != "":
		text += ", which rests on " + s.Unsure
		if !math.IsNaN(d.Low) {
			text += ": ± is without what that leaves open"
		}
	}
	return text + "."
}

// Nearness says in sentences how near the replay of the first policy, which they call by a name, comes to what has happened: by the mean wait, and start by start
// where its rules were judged. That it does not follow the record stands first, and what judges its rules with it. off is by which part the mean wait differs, NaN where that is not known or no yardstick.
func (s *Study) Nearness(all []*Measured, name string) (sentences []string, off float64) {
	const (
		far   = .2 // from which part on a replay is not called near
		rough = .1 // of the mean wait, beyond which starts are far away while their mean may be near by chance
	)
	mean := func(i int) float64 { return IntervalOf(all[i].Figures[s.At(figure.MeanWait)]).Mean }
	observed, first := mean(0), mean(1)
	trust := all[1].First.Trust()
	departure := s.Departure(all)
	if departure != "" {
		sentences = append(sentences, departure)
	}
	if observed > 0 && trust.Jobs > 0 {
		off = math.Abs(first/observed - 1)
		text := fmt.Sprintf("Jobs wait %s on average in the replay of %s and waited %s as observed, those that still wait included", report.Duration(first), name, report.Duration(observed))
		switch {
		case departure != "":
			off = math.NaN()
			text += "."
		case off < far:
			text += ": " + fmt.Sprintf("the replay is within %s of the mean wait; smaller differences do not count.", Percent(off, math.Ceil))
		default:
			text += ": " + fmt.Sprintf("the replay is %s off, and starts %s of the jobs within an hour of when they did; smaller differences do not count.",
				Percent(off, math.Ceil), Percent(trust.Within[slices.Index(outcome.Spans, 3600)], math.Floor))
		}
		if departure == "" && trust.Mean > rough*observed {
			text += fmt.Sprintf(" Single starts are %s away from the recorded ones on average, so that the figures of one user or of a few jobs are rougher than the mean.", report.Duration(trust.Mean))
		}
		sentences = append(sentences, text)
	} else {
		off = math.NaN()
		sentences = append(sentences, "How near this replay comes is not known: the record has no starts to compare with.")
	}
	if s.Judged != nil && !s.Judged.Disagrees() { // else it is said in front
		sentences = append(sentences, page.Sentence(s.Judged.Sentence()))
	}
	return sentences, off
}

// called returns how a sentence names a policy, by its number from 1 on: which it is, or what it changes where that is short.
func (s *Study) called(number int) string {
	const most = 60 // letters of what is short
	p := s.Policies[number-1]
	change := strings.TrimPrefix(p.Name, s.Policies[0].Formula+", ")
	switch {
	case p.IsInForce:
		return fmt.Sprintf("policy %d, the one in force,", number)
	case len(change) <= most:
		return fmt.Sprintf("policy %d, %s,", number, change)
	}
	return fmt.Sprintf("policy %d", number)
}

// Percent returns a part in per cent, with two digits that are rounded in some way.
func Percent(part float64, round func(float64) float64) string {
	percent := 100 * part
	if percent < 10 {
		return report.Fixed(round(percent*10)/10, 1) + " %"
	}
	return report.Fixed(round(percent), 0) + " %"
}

// causeLines returns what jobs waited for, by policy, what took longest first; nothing where policies were not replayed up to the same
// time, since that is of all the time of each.
func causeLines(all []*Measured) []page.CauseLine {
	for _, m := range all[2:] {
		if m.First.Result.Reached() != all[1].First.Result.Reached() {
			return nil
		}
	}
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
