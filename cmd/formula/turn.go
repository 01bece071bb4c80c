package main

import (
	"fmt"
	"math"
	"time"

	"fairshare/cmd/internal/cycle"
	"fairshare/cmd/internal/report"
	"fairshare/formula"
	"fairshare/fstree"
)

// Bounds of what is tried in order to turn an order.
const (
	longestWait = 10 * 365 * 24 * 3600 // seconds
	samples     = 64                   // at which a formula must be monotone
	few         = 2048                 // so many are all tried
)

// turnValue tells what would let the second row go first: a longer wait, a
// higher priority, or more usage of the first one's entity. Only changes in
// which the difference of the two values is monotone are told.
func (x *explainer) turnValue(first, second int) []turnLine {
	lines := []turnLine{}
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
		if !x.r.plan.uses(change.variable) {
			continue
		}
		value, _ := x.lookup(second)(change.variable)
		from, ok := value.Number()
		if !ok || from >= change.most {
			continue
		}
		try := func(more float64) trial {
			return x.compare(first, second, map[string]float64{change.variable: from + more})
		}
		if more, ok := leastWhole(try, change.most-from); ok {
			lines = append(lines, turnLine{name, change.variable, report.Number(from), report.Number(from + more), change.text(from, from+more)})
		}
	}
	// What other schedulers' algorithms give is not computed anew.
	if x.r.plan.usesFairshare() && !x.r.plan.usesOthers() {
		lines = append(lines, x.turnUsage(first, second)...)
	}
	return lines
}

// turnUsage tells how much more the first row's entity would have to use.
func (x *explainer) turnUsage(first, second int) []turnLine {
	entity := x.entity(first)
	if entity == x.entity(second) {
		return []turnLine{}
	}
	e := x.r.tree.Entity(entity)
	more, ok := leastWhole(func(more float64) (t trial) {
		x.r.tree.Suppose(entity, more, func() { t = x.compare(first, second, nil) })
		return t
	}, 1e6*x.r.tree.Entity(fstree.Root).Usage)
	if !ok {
		return []turnLine{}
	}
	return []turnLine{{x.r.list.row(first).id, "usage", report.Number(e.Usage), report.Number(e.Usage + more), moreUsage(e.Name, more, e.Usage)}}
}

// trial is what a change comes to.
type trial struct {
	gain   float64 // the second value above the first
	turned bool    // the second goes first
}

// compare compares two rows with the tree's usage as it is now and some other
// variables of the second.
func (x *explainer) compare(first, second int, changed map[string]float64) trial {
	jobs := []cycle.Job{x.r.jobs[first], x.r.jobs[second]}
	settings := x.r.settings
	n := len(settings.Policy.SortKeys)
	settings.Keys = append(append([]float64{}, settings.Keys[first*n:(first+1)*n]...), settings.Keys[second*n:(second+1)*n]...)
	for k, key := range settings.Policy.SortKeys {
		if number, ok := changed[keyName(key.Resource)]; ok {
			settings.Keys[n+k] = number
		}
	}
	if x.r.program != nil {
		jobs[0].Value, jobs[1].Value = x.valueWith(first, nil), x.valueWith(second, changed)
	}
	c, key := cycle.First(jobs, 0, 1, settings)
	if key == cycle.ByPlace {
		c = first - second
	}
	return trial{float64(jobs[1].Value) - float64(jobs[0].Value), c > 0}
}

func moreUsage(name string, more, now float64) string {
	return fmt.Sprintf("%s had used %.0f more (%.0f, now %.0f)", name, more, now+more, now)
}

// valueWith is a row's value, as a C float, with the tree's usage as it is now
// and some other variables.
func (x *explainer) valueWith(row int, changed map[string]float64) float32 {
	lookup := x.lookup(row)
	fresh := x.r.tree.Fresh(x.entity(row))
	result := x.r.plan.formula.Eval(func(name string) (formula.Value, bool) {
		if number, ok := changed[name]; ok {
			return formula.Amount(number)
		}
		for i, known := range x.r.program.vars {
			if known == name && x.r.program.source[i].sixDecimals {
				return formula.SixDecimals(fairshareTerm(fresh, name)), true
			}
		}
		return lookup(name)
	})
	return result.Float32()
}

// leastWhole is the least whole change from 1 to most that turns the order. It
// fails where none does, or the gain does not grow with it all the way.
func leastWhole(try func(change float64) trial, most float64) (float64, bool) {
	last := try(0)
	if math.IsNaN(last.gain) || last.turned {
		return 0, false
	}
	steps, at := samples, func(i int) float64 { return math.Floor(math.Pow(most, float64(i)/samples)) }
	if most <= few {
		steps, at = int(most), func(i int) float64 { return float64(i) }
	}
	for i := 1; i <= steps; i++ {
		t := try(at(i))
		if !(t.gain >= last.gain) || last.turned && !t.turned {
			return 0, false
		}
		last = t
	}
	if !last.turned {
		return 0, false
	}
	low, high := 0., math.Floor(most)
	for high-low > 1 {
		middle := math.Floor(low + (high-low)/2)
		if middle <= low || middle >= high {
			break
		}
		if try(middle).turned {
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
