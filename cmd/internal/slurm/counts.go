package slurm

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/report"
)

// weightFields are the weights but those of TRES, as slurm.conf and people call them.
var weightFields = []struct {
	setting, name string
	of            func(w *Weights) *float64
}{
	{"PriorityWeightFairshare", "fairshare", func(w *Weights) *float64 { return &w.Fairshare }},
	{"PriorityWeightQOS", "QOS", func(w *Weights) *float64 { return &w.QOS }},
	{"PriorityWeightPartition", "partition", func(w *Weights) *float64 { return &w.Partition }},
	{"PriorityWeightAge", "age", func(w *Weights) *float64 { return &w.Age }},
	{"PriorityWeightJobSize", "job size", func(w *Weights) *float64 { return &w.JobSize }},
	{"PriorityWeightAssoc", "association", func(w *Weights) *float64 { return &w.Assoc }},
}

// weight is what a weight is.
type weight struct {
	setting, name string
	points        float64
}

// named returns all weights but those of TRES.
func (w Weights) named() (list []weight) {
	for _, x := range weightFields {
		list = append(list, weight{x.setting, x.name, *x.of(&w)})
	}
	return list
}

// BySetting returns all weights but those of TRES by the settings of slurm.conf.
func (w Weights) BySetting() map[string]float64 {
	points := map[string]float64{}
	for _, x := range w.named() {
		points[x.setting] = x.points
	}
	return points
}

// sum returns what all weights come to, with those of TRES.
func (w Weights) sum() (points float64) {
	for _, weight := range w.named() {
		points += weight.points
	}
	for _, t := range w.TRES {
		points += t.Count
	}
	return points
}

// weightSettings are the settings of all weights, by their names.
var weightSettings = func() []string {
	settings := []string{"PriorityWeightTRES"}
	for _, x := range weightFields {
		settings = append(settings, x.setting)
	}
	slices.Sort(settings)
	return settings
}()

// Counts says in a few lines what of a configuration decides about the order of jobs.
func (c *Conf) Counts() []string {
	if c.Basic {
		return []string{"priorities: those of the order in which jobs came, less their nice values (priority/basic)"}
	}
	w := c.Weights
	terms := w.named()
	for _, t := range w.TRES {
		terms = append(terms, weight{name: "TRES " + t.Name, points: t.Count})
	}
	sum := w.sum()
	terms = slices.DeleteFunc(terms, func(t weight) bool { return !(t.points > 0) })
	slices.SortStableFunc(terms, func(a, b weight) int { return cmp.Compare(b.points, a.points) })
	var parts, list []string
	for _, t := range terms {
		part := fmt.Sprintf("%.0f%%", 100*t.points/sum)
		if 100*t.points < sum {
			part = "less than 1%"
		}
		parts = append(parts, fmt.Sprintf("%s %s (%s)", t.name, report.Plain(t.points), part))
	}
	if lacking := c.lacks(weightSettings...); len(parts) > 0 && lacking == nil {
		list = append(list, "priorities: the weights, and what each is of all together: "+strings.Join(parts, ", "))
	} else if len(parts) > 0 {
		list = append(list, "priorities: the weights, and what each is of all together without "+strings.Join(lacking, ", ")+", which cannot be read: "+strings.Join(parts, ", "))
	}
	if w.Age > 0 && c.lacks("PriorityMaxAge") == nil && c.MaxAge > 0 && c.MaxAge < unlimited {
		list = append(list, "age: counts in full after "+report.Span(c.MaxAge))
	}
	if w.Fairshare > 0 && c.lacks("PriorityDecayHalfLife", "PriorityFlags") == nil {
		forgets := "usage never decays"
		if c.HalfLife > 0 {
			forgets = "usage halves in " + report.Span(c.HalfLife)
		}
		if c.lacks("PriorityCalcPeriod") == nil {
			forgets += ", and priorities are computed every " + report.Span(c.CalcPeriod)
		}
		list = append(list, fmt.Sprintf("fairshare: %s; %s", c.Algorithm().Title, forgets))
	}
	return list
}
