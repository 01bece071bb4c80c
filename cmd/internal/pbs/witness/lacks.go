package witness

import (
	"maps"
	"math"
	"slices"

	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/cycle"
	"fairshare/cmd/internal/pbs/study"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/witness"
)

// lacksOf returns the settings of the site that is judged which the table of settings has as not modelled, and whose starts
// they concern.
func lacksOf(on *study.Study) []witness.Lack {
	var lacks []witness.Lack
	for _, l := range slices.Concat(judged(on).Lacks(), pbs.LacksOfRequests(slices.Sorted(maps.Keys(on.Work.Requested())))) {
		lack := witness.Lack{Setting: l.Setting, Says: l.Says}
		if !l.IsOfAll() {
			lack.Concerns = func(s *witness.Start, _ witness.Side) bool {
				return l.Concerns(s.Queue) && (l.Asks == nil || slices.ContainsFunc(l.Asks, func(name string) bool { return slices.Contains(s.Asks, name) }))
			}
		}
		lacks = append(lacks, lack)
	}
	return lacks
}

// valuesOf returns what the values of jobs depend on under the rules that are judged and the record does not tell.
func valuesOf(on *study.Study) (values []string) {
	if on.Unsure != "" {
		values = append(values, "the usage at the begin, which may be off (--usage FILE)")
	}
	const fewest = .05 // of all jobs, below which they explain nothing
	if n := on.Inputs.Unprioritised(); float64(n) >= fewest*float64(len(on.Work.Jobs)) && n > 0 && slices.ContainsFunc(on.Used(), func(p *study.Policy) bool { return p.Plan.UsesPriority() }) {
		values = append(values, "job_priority, which no list tells of "+report.Count(n, "job")+" and which counts as 0 (--jobs FILE)")
	}
	return values
}

// hasThreshold reports whether by the rules that are judged a job's value decides whether it may start at all.
func hasThreshold(on *study.Study) bool {
	s := &judged(on).Sched
	return s.Formula != "" && s.Threshold > math.MinInt32
}

// judged returns the site of which the record is judged, with what --set tells.
func judged(on *study.Study) *pbs.Site {
	if used := on.Used(); len(used) > 0 {
		return used[0].Site
	}
	return on.Inputs.Site
}

// against says how often jobs were suspended in a record of a site whose rules suspend nobody for others, "" where they may.
func against(on *study.Study) string {
	const fewest = 4 // of which an administrator may have suspended some (qsig)
	paused := 0
	for _, j := range on.Work.Jobs {
		paused += len(j.Pauses())
	}
	if site := judged(on); paused < fewest || len(site.Others) > 0 || mayPreempt(site) {
		return ""
	}
	return report.Count(paused, "suspension") + " are recorded, and by these rules no job is suspended for another one"
}

// mayPreempt reports whether a job may preempt another one by the rules of a site, or nothing tells: it preempts at some time of the day,
// and jobs have different levels by their queues, or may come to have them.
func mayPreempt(site *pbs.Site) bool {
	if site.SchedPriv == nil {
		return true
	}
	if c := site.SchedPriv.Config; !c.Prime.Preemptive && !c.NonPrime.Preemptive {
		return false
	}
	levels := cycle.NewLevels(&site.Sched, site.Queues)
	if levels.Asks(cycle.OverServerLimit|cycle.OverQueueLimit|cycle.Starving|cycle.OverShare) || len(site.Queues) == 0 {
		return true
	}
	return slices.ContainsFunc(site.Queues, func(q pbs.Queue) bool { return levels.Class(0, q.Priority) != levels.Class(0, site.Queues[0].Priority) })
}
