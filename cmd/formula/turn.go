package main

import (
	"fmt"
	"math"
	"time"

	"fairshare/cmd/internal/report"
	"fairshare/formula"
	"fairshare/fstree"
)

// Bounds of what is tried in order to turn an order.
const (
	longestWait = 10 * 365 * 24 * 3600 // seconds
	samples     = 64                   // at which a formula must be monotone
)

// turnValue tells what would lift the second row's value above the first's:
// a longer wait, a higher priority, or more usage of the first one's entity.
// Only changes in which the difference of the two values is monotone are told.
func (x *explainer) turnValue(first, second int) []turnLine {
	lines := []turnLine{}
	firstValue := float64(x.r.jobs[first].Value)
	name := x.r.list.row(second).id
	for _, change := range []struct {
		variable string
		most     float64
		text     func(from, to float64) string
	}{
		{"eligible_time", longestWait, func(from, to float64) string {
			return fmt.Sprintf("%s had waited %s longer (eligible_time %.0f, now %.0f)", name, seconds(to-from), to, from)
		}},
		{"job_priority", 1023, func(from, to float64) string {
			return fmt.Sprintf("%s had job_priority %.0f (now %.0f)", name, to, from)
		}},
	} {
		if !x.formulaUses(change.variable) {
			continue
		}
		value, _ := x.lookup(second)(change.variable)
		from, ok := value.Number()
		if !ok || from >= change.most {
			continue
		}
		gain := func(more float64) float64 {
			return x.valueWith(second, x.r.tree, map[string]float64{change.variable: from + more}) - firstValue
		}
		if more, ok := leastWhole(gain, change.most-from); ok {
			lines = append(lines, turnLine{name, change.variable, report.Number(from), report.Number(from + more), change.text(from, from+more)})
		}
	}
	if x.p.uses(derivedNames[1:]...) && x.entity(first) != x.entity(second) {
		lines = append(lines, x.turnUsage(first, second)...)
	}
	return lines
}

// turnUsage tells how much more the first row's entity would have to use.
func (x *explainer) turnUsage(first, second int) []turnLine {
	entity := x.entity(first)
	e := x.r.tree.Entity(entity)
	gain := func(more float64) float64 {
		tree := x.r.tree.Clone()
		tree.Charge(entity, more)
		tree.CalcUsage()
		return x.valueWith(second, tree, nil) - x.valueWith(first, tree, nil)
	}
	most := 1e6 * x.r.tree.Entity(fstree.Root).Usage
	more, ok := leastWhole(gain, most)
	if !ok {
		return nil
	}
	return []turnLine{{x.r.list.row(first).id, "usage", report.Number(e.Usage), report.Number(e.Usage + more), moreUsage(e.Name, more, e.Usage)}}
}

func moreUsage(name string, more, now float64) string {
	return fmt.Sprintf("%s had used %.0f more (%.0f, now %.0f)", name, more, now+more, now)
}

// turnFairshare tells how much more the first row's side would have to use.
func (x *explainer) turnFairshare(first, second int, l levelPart) []turnLine {
	if l.First.PerShare == nil || l.Second.PerShare == nil {
		return []turnLine{}
	}
	now := float64(l.First.Usage)
	needed := float64(*l.Second.PerShare)*float64(x.r.tree.Entity(x.r.tree.Path(x.entity(first))[l.Depth]).TreePercentage) - now
	more := math.Floor(needed) + 1
	return []turnLine{{x.r.list.row(first).id, "usage", report.Number(now), report.Number(now + more), moreUsage(l.First.Name, more, now)}}
}

// valueWith is a row's value, as a C float, with another tree and some other
// variables.
func (x *explainer) valueWith(row int, tree *fstree.Tree, changed map[string]float64) float64 {
	lookup := x.lookup(row)
	e := tree.Entity(x.entity(row))
	_, result := x.p.formula.Explain(func(name string) (formula.Value, bool) {
		if number, ok := changed[name]; ok {
			return formula.Amount(number)
		}
		value, ok := lookup(name)
		for i, known := range x.r.program.vars {
			if known == name && x.r.program.source[i].sixDecimals {
				return formula.SixDecimals(fairshareTerm(e, name)), true
			}
		}
		return value, ok
	})
	return float64(result.Float32())
}

// leastWhole is the least whole change from 1 to most that makes gain positive.
// It fails where none does, or gain does not grow with it all the way.
func leastWhole(gain func(float64) float64, most float64) (float64, bool) {
	last := gain(0)
	if math.IsNaN(last) || last > 0 {
		return 0, false
	}
	for i := 1; i <= samples; i++ {
		g := gain(math.Floor(math.Pow(most, float64(i)/samples)))
		if !(g >= last) {
			return 0, false
		}
		last = g
	}
	if last <= 0 {
		return 0, false
	}
	low, high := 0., math.Floor(most)
	for high-low > 1 {
		middle := math.Floor(low + (high-low)/2)
		if middle <= low || middle >= high {
			break
		}
		if gain(middle) > 0 {
			high = middle
		} else {
			low = middle
		}
	}
	return high, true
}

// seconds is a span as people say it.
func seconds(n float64) string {
	if n >= 48*3600 {
		return fmt.Sprintf("%.1f days", n/86400)
	}
	return (time.Duration(n) * time.Second).String()
}

func indent(depth int, text string) string {
	return fmt.Sprintf("%*s%s", 2*depth, "", text)
}
