package set

import (
	"math"
	"slices"

	"fairshare/cmd/internal/compare"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/order"
)

// mostTried is how many rows there are at most among which the least change is looked for, each of which makes an order of all.
const mostTried = 20_000

// asFound returns rows, which may be those of a changed site, as ones that are the site before something else is changed.
func asFound(rows []order.Row) []order.Row {
	rows = slices.Clone(rows)
	for i := range rows {
		if r := &rows[i]; !r.WasSet() {
			r.Stored = nil
		}
		rows[i].Was = nil
	}
	return rows
}

// changeJobs returns a copy of a site with jobs that change has changed.
func changeJobs(s *order.Site, change func(j *slurm.Job)) *order.Site {
	site := clone(s)
	cloneJobs(site)
	for i := range site.Jobs {
		change(&site.Jobs[i])
	}
	return site
}

// turns reports whether rows have the second one of the two ahead, whatever QOS its job now has.
func (t *turner) turns(rows []order.Row) bool {
	first := slices.IndexFunc(rows, func(x order.Row) bool { return x.Place() == t.first.Place() })
	second := slices.IndexFunc(rows, func(x order.Row) bool { return x.Place() == t.second.Place() })
	if second < 0 {
		second = slices.IndexFunc(rows, func(x order.Row) bool { return x.Job.ID == t.second.Job.ID && x.Partition == t.second.Partition })
	}
	return second >= 0 && second < first && rows[second].Rank > 0
}

// is returns a check of whether a change turns the order among all jobs, which it does where it turns the two alone and no
// others decide.
func (t *turner) is(change func(*order.Site) *order.Site) func() bool {
	return func() bool { return t.whole == nil || t.turns(sorted(t.rows, change(t.whole))) }
}

// isSet is is for a change that --set makes.
func (t *turner) isSet(name, value string) func() bool {
	return t.is(func(s *order.Site) *order.Site {
		if changed, _, err := With(s, []string{name + "=" + value}); err == nil {
			return changed
		}
		return s
	})
}

// isSo is the check of what has been checked.
func isSo() bool { return true }

// leastAmongAll returns about the least number of steps, each of a point, that turns the order among all jobs.
func (t *turner) leastAmongAll(begin float64, turns func(steps float64) bool) (steps float64, ok bool) {
	if len(t.rows) > mostTried {
		return 0, false
	}
	low, high := math.Inf(1), math.Inf(-1)
	for i := range t.rows {
		if r := &t.rows[i]; r.Rank > 0 {
			low, high = min(low, r.Ranked()), max(high, r.Ranked())
		}
	}
	return compare.LeastAbout(begin, 2*(high-low)+1, turns)
}

// bySetting says which priority an administrator would have to set where one has set that of the second job.
func (t *turner) bySetting() {
	id, to := t.second.Job.ID, t.first.Ranked()+1
	text := "an administrator has set the priority of " + id + ", which nothing else changes"
	if rows := slices.Clone(t.rows); t.whole != nil {
		for i := range rows {
			if rows[i].Job.ID == id {
				rows[i].Value = to
			}
		}
		if t.whole.Sort(rows); !t.turns(rows) {
			t.notes = append(t.notes, text+"; one above that of "+t.first.Job.ID+" would not reverse it among all jobs, since others make a circle of preemption with them")
			return
		}
	}
	t.notes = append(t.notes, text+": scontrol update JobId="+id+" Priority="+report.Fixed(to, 0))
}

// points returns a number of points in words.
func points(n float64) string {
	if n == 1 {
		return "1 point"
	}
	return report.Fixed(n, 0) + " points"
}
