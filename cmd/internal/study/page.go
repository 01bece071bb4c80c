package study

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/figure"
	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/page"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
)

const (
	bins         = 300 // parts of the time that pictures show
	mostPolicies = 12  // that a page shows
)

// Page returns what a study comes to as a page shows it, with all that was said of it.
func (s *Study) Page(all []*Measured, c *Comparison, verdicts []Verdict, zone *time.Location, said []diag.Remark) page.Data {
	w := s.Work
	omitted := 0
	if n := len(all) - 1; n > mostPolicies { // a page of all of them would be too large to read
		all, omitted = all[:mostPolicies+1], n-mostPolicies
	}
	r := &page.Replay{
		Trust: s.trustFigures(all[1]), OfFirst: s.InFirstRun(""), Start: w.First, End: s.last(), Offsets: offsetsOf(zone, w.First),
		Remarks: s.pageRemarks(all, omitted, zone, said), Verdict: s.sentences(all, zone), Causes: causeLines(all), Since: s.Words.Since,
	}
	if s.Judged.Disagrees() { // else it stands among the sentences
		r.Judged = page.Sentence(s.Judged.Sentence())
	}
	for i := range all {
		name := "observed"
		if i > 0 {
			name = "policy " + strconv.Itoa(i)
			r.Policies = append(r.Policies, page.Figure{Label: name, Value: s.Policies[i-1].Name})
		}
		if i > 1 {
			r.Changes = append(r.Changes, fmt.Sprintf("%d against 1", i))
		}
		r.Rows = append(r.Rows, name)
	}
	for k, f := range s.Figures {
		row := page.FigureRow{Name: f.String(), Words: f.Words()}
		for _, m := range all {
			row.Values = append(row.Values, m.Text(s, k))
		}
		for _, m := range all[2:] {
			row.Values = append(row.Values, m.Against(all[1], k).Text(f.Unit()))
		}
		r.Figures = append(r.Figures, row)
	}
	for _, v := range verdicts {
		is := "passes: not"
		if v.Holds {
			is = "fails:"
		}
		r.Verdicts = append(r.Verdicts, page.Verdict{Text: fmt.Sprintf("Policy %d %s %s, which holds in %d of %d runs.", v.Policy, is, v.Condition.Text, v.HoldsIn, v.Runs) + openText(v.IsOpen), Fails: v.Holds})
	}
	for _, m := range all {
		r.Capacity = max(r.Capacity, m.First.cpus)
	}
	addPictures(r, all)
	for _, kind := range c.Kinds {
		r.Kinds = append(r.Kinds, s.pageKind(kind, len(all)))
	}
	if slices.ContainsFunc(c.Kinds, s.isDoubtful) {
		r.Remarks = append(r.Remarks, DoubtNote)
	}
	s.addJobs(r, all, zone)
	r.Legend = s.legend(all)
	return page.Data{Title: "Policies on recorded work, " + moment.Days(w.First, s.last(), zone), Facts: s.pageFacts(zone), Replay: r}
}

// pageFacts are what a page says first: of which site and time it is.
func (s *Study) pageFacts(zone *time.Location) []page.Figure {
	facts := []page.Figure{
		{Label: "Site", Value: s.Site},
		{Label: "From", Value: page.Sources(s.From)},
		{Label: "Time", Value: moment.Clock(s.Work.First, zone) + " to " + moment.Clock(s.last(), zone)},
		{Label: "Work", Value: report.Count(len(s.Work.Jobs), "job") + " on " + s.On},
	}
	return slices.DeleteFunc(facts, func(f page.Figure) bool { return f.Value == "" })
}

// legend says how the figures of a page are to be read.
func (s *Study) legend(all []*Measured) []string {
	list := []string{"Times are in hours:minutes:seconds."}
	if slices.ContainsFunc(all, func(m *Measured) bool { return slices.Contains(m.Longer, true) }) {
		list = append(list, "Of a figure with >, no more is known than that it is larger: jobs still wait at "+s.EndWords()+".")
	}
	told := map[string]bool{}
	for i, f := range s.Figures {
		about := f.About()
		isKnown := slices.ContainsFunc(all, func(m *Measured) bool { return !math.IsNaN(IntervalOf(m.Figures[i]).Mean) })
		if about != "" && isKnown && !told[about] {
			told[about] = true
			list = append(list, page.Sentence(f.Words()+": "+about))
		}
	}
	return list
}

// pageRemarks returns the sentences above the figures of a page: how the replays were made,
// and what was said of them. omitted is how many policies the page does not show.
func (s *Study) pageRemarks(all []*Measured, omitted int, zone *time.Location, said []diag.Remark) []string {
	zoneName := zone.String()
	if zone == time.Local {
		zoneName = "this machine's zone"
	}
	remarks := []string{"Times are of " + zoneName + "."}
	if whole := page.WholeSources(s.From); whole != "" {
		remarks = append(remarks, whole)
	}
	if s.Runs > 1 {
		remarks = append(remarks, fmt.Sprintf("%s of each policy, with arrivals and run times up to %d s other. In brackets: where 95 %% of the runs fall, and for differences where the mean of many runs would be.", s.Made(all), s.Shake))
	}
	if !s.Policies[0].IsInForce {
		remarks = append(remarks, "Whether policy 1 was in force is not known.")
	}
	if omitted > 0 {
		remarks = append(remarks, fmt.Sprintf("%s more are not shown.", report.Count(omitted, "policy")))
	}
	if s.How != "" {
		remarks = append(remarks, page.Sentence(s.How))
	}
	if note := s.CountedNote(all, zone); note != "" {
		remarks = append(remarks, page.Sentence("figures are "+note))
	}
	for i, p := range s.Policies[:len(all)-1] {
		if p.On != "" {
			remarks = append(remarks, fmt.Sprintf("Policy %d runs on %s.", i+1, p.On))
		}
	}
	for _, remark := range said {
		remarks = append(remarks, page.Sentence(remark.Text))
	}
	return remarks
}

// offsetsOf returns from which times on a zone is ahead of UTC by how many seconds, for some
// years. All are in seconds.
func offsetsOf(zone *time.Location, from int64) [][2]int64 {
	const most = 40 // changes of the clocks, which is 20 years of summer time
	var list [][2]int64
	for at := time.Unix(from, 0).In(zone); len(list) < most; {
		_, offset := at.Zone()
		list = append(list, [2]int64{at.Unix(), int64(offset)})
		_, end := at.ZoneBounds()
		if end.IsZero() || !end.After(at) {
			break
		}
		at = end
	}
	return list
}

// trustFigures returns how near a policy comes to what has happened.
func (s *Study) trustFigures(m *Measured) []page.Figure {
	t := m.First.Trust()
	if t.Jobs == 0 {
		return []page.Figure{{ID: "both", Label: "jobs have started in both: how near the replay comes is not known", Value: "0"}}
	}
	percent := func(x float64) string { return report.Percent(x, 1) }
	figures := []page.Figure{
		{ID: "both", Label: "jobs that started in both", Value: strconv.Itoa(t.Jobs)},
		{ID: "same", Label: "in the same second", Value: strconv.Itoa(t.Equal)},
	}
	for i, span := range []string{"a minute", "a quarter of an hour", "an hour", "three hours"} {
		figures = append(figures, page.Figure{ID: "within" + strconv.Itoa(i), Label: "within " + span, Value: percent(t.Within[i])})
	}
	if t.Jobs > 0 {
		figures = append(figures, page.Figure{ID: "shift", Label: "minutes of shift on average", Value: report.Fixed(t.Mean/60, 1)},
			page.Figure{ID: "inverted", Label: "of pairs in the other order", Value: percent(t.Inverted)},
			page.Figure{ID: "wait", Label: "of waiting on average, by " + s.EndWords(), Value: report.Duration(t.MeanWait[1])},
			page.Figure{ID: "wait-observed", Label: "as observed", Value: report.Duration(t.MeanWait[0])})
		if t.Late+t.Gained > 0 {
			figures = append(figures, page.Figure{ID: "late", Label: "of the jobs that started wait then in the replay", Value: strconv.Itoa(t.Late)},
				page.Figure{ID: "gained", Label: "jobs that wait then as observed start in it", Value: strconv.Itoa(t.Gained)})
		}
	}
	for _, queue := range slices.Sorted(maps.Keys(t.Distances)) {
		const most = 18
		if len(figures) < most {
			figures = append(figures, page.Figure{ID: "ks-" + queue, Label: "Kolmogorov-Smirnov distance of waits, " + report.DashIfEmpty(queue), Value: report.Fixed(t.Distances[queue], 3)})
		}
	}
	return figures
}

// addPictures adds what changes over time, and how waits are distributed.
func addPictures(r *page.Replay, all []*Measured) {
	for _, bound := range WaitBounds {
		r.Bounds = append(r.Bounds, shortSpan(bound))
	}
	for _, m := range all {
		p := m.First.Pictures(bins)
		r.InUse, r.Waiting = append(r.InUse, ratios(p.InUse)), append(r.Waiting, ratios(p.Waiting))
		r.Distance = append(r.Distance, ratios(p.Distance))
		if len(p.Waits) == 0 {
			r.Waits = append(r.Waits, []page.Ratio{})
			continue
		}
		sum, total := 0., 0.
		for _, n := range p.Waits {
			total += n
		}
		var parts []float64
		for _, n := range p.Waits[:len(WaitBounds)] {
			sum += n
			parts = append(parts, sum/total)
		}
		r.Waits = append(r.Waits, ratios(parts))
	}
	r.Shares = shareLines(all)
}

// shareLines returns what each group has used over time, the groups with the largest targets
// first. Policies may have different trees: under a policy whose tree lacks a group, its
// target is NaN and its line is empty.
func shareLines(all []*Measured) []page.ShareLine {
	var lines []page.ShareLine
	places := map[string]int{}
	for row, m := range all {
		for _, g := range m.First.Shares().Groups {
			at, ok := places[g.Name]
			if !ok {
				at = len(lines)
				places[g.Name] = at
				lines = append(lines, page.ShareLine{Name: g.Name, Targets: make([]page.Ratio, len(all)), Used: make([][]page.Ratio, len(all))})
				for i := range lines[at].Targets {
					lines[at].Targets[i] = page.Ratio(math.NaN())
				}
			}
			lines[at].Targets[row], lines[at].Used[row] = page.Ratio(g.Target), ratios(g.Used)
		}
	}
	const most = 12
	largest := func(l page.ShareLine) float64 {
		x := 0.
		for _, target := range l.Targets {
			if float64(target) > x { // which NaN is not
				x = float64(target)
			}
		}
		return x
	}
	slices.SortStableFunc(lines, func(a, b page.ShareLine) int { return cmp.Compare(largest(b), largest(a)) })
	return lines[:min(len(lines), most)]
}

func ratios(list []float64) []page.Ratio {
	out := make([]page.Ratio, len(list))
	for i, x := range list {
		out[i] = page.Ratio(x)
	}
	return out
}

// shortSpan returns some seconds in the largest unit of which they are one or more.
func shortSpan(seconds float64) string {
	for _, unit := range []struct {
		name string
		size float64
	}{{"d", 24 * 3600}, {"h", 3600}, {"min", 60}} {
		if seconds >= unit.size {
			return fmt.Sprintf("%g %s", seconds/unit.size, unit.name)
		}
	}
	return fmt.Sprintf("%g s", seconds)
}

// isDoubtful reports whether the figures of some name of a kind are doubtful.
func (s *Study) isDoubtful(kind Parties) bool {
	return slices.ContainsFunc(kind.Names, func(p Party) bool { return s.DoubtOf(kind.Kind, p.Name) != nil })
}

// pageKind returns the names of a kind as a page shows them.
func (s *Study) pageKind(kind Parties, rows int) page.Kind {
	k := page.Kind{Name: s.Work.Trace.WordFor(kind.Kind), Total: len(kind.Names)}
	for _, party := range kind.Names {
		name := party.Name
		if s.DoubtOf(kind.Kind, name) != nil {
			name += DoubtMark
		}
		named := page.NameRow{Name: name, Jobs: party.Jobs}
		for i, runs := range party.Waits[:rows] {
			named.Waits = append(named.Waits, page.Ratio(math.Round(IntervalOf(runs).Mean)))
			if i > 1 {
				d := DifferenceOf(runs, party.Waits[1])
				named.Changes, named.By = append(named.Changes, d.Text(figure.MeanWait.Unit())), append(named.By, page.Ratio(math.Round(d.Mean)))
			}
		}
		last := party.Gains[rows-2]
		named.Sooner, named.Later = last.Sooner, last.Later
		k.Names = append(k.Names, named)
	}
	return k
}

// addJobs adds the jobs whose waits differ most between the first and the last policy, or
// between what was observed and the only policy.
func (s *Study) addJobs(r *page.Replay, all []*Measured, zone *time.Location) {
	from, to := all[0], all[1]
	if len(all) > 2 {
		from, to = all[1], all[len(all)-1]
	}
	order := make([]int, len(s.Work.Jobs))
	by := make([]float64, len(order))
	for i := range order {
		order[i], by[i] = i, math.Abs(to.Wait(i)-from.Wait(i))
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(by[b], by[a]) })
	r.Omitted = len(order) - min(len(order), 2*page.MaxReplayed/len(all))
	kinds := s.ListKinds()
	kinds = append(kinds[1:], kinds[0]) // the queue last
	for _, kind := range kinds {
		r.JobKinds = append(r.JobKinds, s.Work.Trace.WordFor(kind.Name))
	}
	names := map[string]int{}
	number := func(name string) int {
		at, ok := names[name]
		if !ok {
			at = len(r.Names)
			names[name] = at
			r.Names = append(r.Names, name)
		}
		return at
	}
	for _, i := range order[:len(order)-r.Omitted] {
		j := s.Work.Jobs[i]
		job := page.ReplayedJob{ID: j.ID, NCPUs: max(0, j.NCPUs), Arrival: time.Unix(j.Arrival, 0).In(zone).Format("2006-01-02 15:04")}
		for _, kind := range kinds {
			job.Names = append(job.Names, number(kind.Of(j.Job)))
		}
		for k, m := range all {
			wait := m.Wait(i)
			if !s.counted[i] || k == 0 && j.Start == trace.Unknown {
				wait = math.NaN()
			}
			job.Waits = append(job.Waits, page.Ratio(math.Round(wait)))
		}
		r.Jobs = append(r.Jobs, job)
	}
}
