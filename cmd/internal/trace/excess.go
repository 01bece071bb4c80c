package trace

import (
	"fmt"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
)

// Excess is what jobs have occupied beyond the cpus that there are.
type Excess struct {
	Most, CPUs int64    // at most for longer than a second, or else for one, of those that there are
	Seconds    int64    // in all
	Longest    int64    // seconds without a break
	Jobs       []string // that started when the longest of these times began, none where jobs are not kept
}

// ExcessOf returns what some jobs of the trace have occupied beyond a number of cpus. The zero value is nothing.
func (t *Trace) ExcessOf(jobs []*Job, cpus int64) Excess {
	return t.excess(t.OccupancyOf(jobs), jobs, cpus)
}

// excess returns what some jobs have occupied beyond a number of cpus, by what they occupied over time.
func (t *Trace) excess(of *Occupancy, jobs []*Job, cpus int64) Excess {
	e := Excess{CPUs: cpus, Most: of.lasting()}
	if e.Most <= cpus { // but for ends and starts that share a second
		e.Most = of.Largest()
	}
	var begin, first int64 // of the time above the cpus that goes on, and of the longest
	var before Occupation
	for now := range of.All() {
		if before.CPUs > cpus {
			e.Seconds += now.From - before.From
			if lasts := now.From - begin; lasts > e.Longest {
				e.Longest, first = lasts, begin
			}
		} else {
			begin = now.From
		}
		before = now
	}
	for _, j := range jobs {
		if e.Longest > 0 && !j.IsArray {
			eachUse(j, t.Last, func(start, _ int64) {
				if start == first {
					e.Jobs = append(e.Jobs, j.ID)
				}
			})
		}
	}
	return e
}

// mostOdd is how many times what there is may be occupied, up to which the scheduler may have given nodes away twice, as
// recorded ones did, and nothing is amiss with the record.
const mostOdd = 1.25

// IsOdd reports whether so much is occupied that the record cannot be of these cpus.
func (e Excess) IsOdd() bool { return float64(e.Most) > mostOdd*float64(e.CPUs) }

// Remark says how much was occupied, since when, and what that may be.
func (e Excess) Remark() diag.Remark {
	text := fmt.Sprintf("%d cpus are occupied at a time, of %d that the site has", e.Most, e.CPUs)
	if e.IsOdd() {
		return diag.Damagef("%s: nodes are missing (--cluster says how many there were), or the logs are of another site", text)
	}
	const most = 3 // jobs
	since := ""
	if len(e.Jobs) > 0 {
		part := "the longest time"
		if 2*e.Longest > e.Seconds {
			part = "most of that time"
		}
		since = ", " + part + " from the start of " + strings.Join(e.Jobs[:min(most, len(e.Jobs))], ", ") + " on"
	}
	return diag.Warningf("%s, for %s%s: the scheduler may have given nodes away twice (formula witness names starts that the rules do not allow), or nodes are missing (--cluster says how many there were); figures count what the record has", text, report.Span(float64(e.Seconds)), since)
}
