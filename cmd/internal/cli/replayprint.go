package cli

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairshare/cmd/internal/figure"
	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/page"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/study"
)

// print prints what was asked for of the replays, and writes the page.
func (c *replayCmd) print(s *session, r *replayReport) error {
	var err error
	switch {
	case c.At != nil:
		return r.printWaiting(s)
	case c.Explain != "":
		return r.printWay(s)
	}
	switch {
	case c.Output == "starts":
		err = r.printStarts(s)
	case c.Output == "swf":
		err = r.on.Work.Trace.WriteSWF(s.out, r.all[len(r.all)-1].First.Jobs)
	case c.Output == "csv":
		if text := r.on.Departure(r.all); text != "" {
			s.diag.Warning("%s", strings.TrimSuffix(text, "."))
		}
		err = r.printCSV(s)
	case c.Output == "json":
		err = r.printJSON(s)
	default:
		err = c.printTable(s, r)
	}
	if err != nil {
		return err
	}
	return c.pageFlag.write(s, false, func() page.Data { return r.page(s) })
}

// page returns the replays as a page shows them, with all that was said of them.
func (r *replayReport) page(s *session) page.Data {
	return r.on.Page(r.all, r.compared, r.verdicts, r.zone, s.diag.Said())
}

// printTable prints all for people.
func (c *replayCmd) printTable(s *session, r *replayReport) error {
	w := r.on.Work
	clock := func(at int64) string { return time.Unix(at, 0).In(r.zone).Format(moment.Layout) }
	fmt.Fprintf(s.out, "%s from %s to %s on %s\n", report.Count(len(w.Jobs), "job"), clock(w.First), clock(w.Last), r.on.On)
	r.printTrust(s)
	if r.on.How != "" {
		fmt.Fprintf(s.out, "  %s\n", r.on.How)
	}
	if r.on.Runs > 1 {
		fmt.Fprintf(s.out, "  %s of each policy: the first on the record as it is, then with arrivals and run times up to %d s other\n", r.on.Made(r.all), r.on.Shake)
	}
	fmt.Fprintln(s.out)
	for i, p := range r.on.Policies {
		fmt.Fprintf(s.out, "%d  %s", i+1, p.Name)
		if p.On != "" {
			fmt.Fprintf(s.out, ", on %s", p.On)
		}
		if n, filled, isTold := started(r.all[i+1].First); isTold {
			fmt.Fprintf(s.out, ": %s%s, %d of them by backfill", report.Count(n, "start"), r.on.InFirstRun(""), filled)
		}
		fmt.Fprintln(s.out)
	}
	if r.on.Stop != nil {
		fmt.Fprintf(s.out, "\n%s\n", page.Sentence(r.on.Stop.Text(len(r.on.Policies), r.zone)))
	}
	if note := r.on.CountedNote(r.all, r.zone); note != "" {
		fmt.Fprintf(s.out, "\n%s\n", note)
	}
	fmt.Fprintln(s.out)
	var err error
	if r.on.Runs > 1 {
		err = r.printRuns(s)
	} else {
		err = r.printFigures(s)
	}
	if err != nil {
		return err
	}
	r.printGains(s)
	if err := r.printPictures(s); err != nil {
		return err
	}
	for _, kind := range r.compared.Kinds {
		if err := c.printMeans(s, r, kind); err != nil {
			return err
		}
	}
	if c.Why {
		if err := c.printCauses(s, r); err != nil {
			return err
		}
	}
	return r.printVerdicts(s)
}

// started returns how many jobs a replay has started by the time up to which it is told, and how many of them by backfill if its
// scheduler tells.
func started(o *study.Outcome) (all, filled int, isTold bool) {
	r := o.Result
	for i, start := range r.Start {
		if o.IsTold(start) {
			all++
			if r.Filled != nil && r.Filled[i] {
				filled++
			}
		}
	}
	return all, filled, r.Filled != nil
}

// printTrust prints how near the first policy comes to what has happened, and how far its rules hold start by start.
func (r *replayReport) printTrust(s *session) {
	doubt := ""
	if !r.on.Policies[0].IsInForce {
		doubt = " (whether it was in force is not known)"
	}
	t, departure := r.all[1].First.Trust(), r.on.Departure(r.all)
	if departure != "" {
		fmt.Fprintf(s.out, "\n%s\n", departure)
	}
	printTrust(s, t, departure == "", doubt+r.on.InFirstRun(""), r.on.Words.Queue, r.on.EndWords())
	if r.on.Judged == nil {
		return
	}
	fmt.Fprintf(s.out, "  %s\n", r.on.Judged.Sentence())
	if t.Jobs > 0 && r.on.Judged.Share() < t.Within[0] {
		fmt.Fprintln(s.out, "  (each start is judged by itself there, by where it is and by seconds too: one that differs so may be within a minute here)")
	}
}

// printTrust prints how near policy 1 comes to what has happened, with the part by which the mean wait is off where it follows the record. kind is what the waits are by, end up to when they are.
func printTrust(s *session, t outcome.Trust, follows bool, doubt, kind, end string) {
	if t.Jobs == 0 {
		fmt.Fprintln(s.out, "\nAgreement: not known, since no job of the record has a start to compare with")
		return
	}
	fmt.Fprintf(s.out, "\nAgreement: policy 1%s against what has happened, by %s that started in both\n", doubt, report.Count(t.Jobs, "job"))
	words := []string{"1 min", "15 min", "1 h", "3 h"}
	for i := range words {
		words[i] += fmt.Sprintf(" %.1f%%", 100*t.Within[i])
	}
	fmt.Fprintf(s.out, "  starts within %s of the observed; %d in the same second\n", strings.Join(words, ", "), t.Equal)
	fmt.Fprintf(s.out, "  shift %s on average, %s at the 95th percentile; %.2f%% of pairs start in the other order\n", report.Duration(t.Mean), report.Duration(t.P95), 100*t.Inverted)
	var distances []string
	for _, queue := range slices.Sorted(maps.Keys(t.Distances)) {
		distances = append(distances, fmt.Sprintf("%s %.3f", report.DashIfEmpty(queue), t.Distances[queue]))
	}
	const most = 6
	if len(distances) > most {
		distances = append(distances[:most], "…")
	}
	fmt.Fprintf(s.out, "  waits by %s, Kolmogorov-Smirnov distance: %s\n", kind, strings.Join(distances, ", "))
	fmt.Fprintf(s.out, "  by %s, %s had waited %s on average%s\n", end, report.Count(t.Waits, "job"), report.Duration(t.MeanWait[1]), againstObserved(t, follows))
}

// againstObserved says what jobs have waited as observed, by which part the replay is off where it follows the record, and which start on one side alone.
func againstObserved(t outcome.Trust, follows bool) string {
	text := fmt.Sprintf(", and %s as observed", report.Duration(t.MeanWait[0]))
	if follows && t.MeanWait[0] > 0 {
		text += fmt.Sprintf(" (%+.1f%%)", 100*(t.MeanWait[1]/t.MeanWait[0]-1))
	}
	if t.Late+t.Gained > 0 {
		text += fmt.Sprintf("; %d of those that started wait then in the replay, which starts %d that wait as observed", t.Late, t.Gained)
	}
	return text
}

// name returns what a row or column of the observed or of a policy is called.
func (r *replayReport) name(i int) string {
	if i == 0 {
		return "observed"
	}
	return strconv.Itoa(i)
}

// printFigures prints the figures of all policies beside the observed ones.
func (r *replayReport) printFigures(s *session) error {
	header := []string{"POLICY"}
	var shown []int
	for i, f := range r.on.Figures {
		isTold := slices.ContainsFunc(r.all, func(m *study.Measured) bool { return !math.IsNaN(m.Figures[i][0]) })
		if name := f.Title(); name != "" && isTold {
			header, shown = append(header, name), append(shown, i)
		}
	}
	table := [][]string{header}
	for k, m := range r.all {
		row := []string{r.name(k)}
		for _, i := range shown {
			row = append(row, m.FirstText(r.on, i))
		}
		table = append(table, row)
	}
	return r.printTable(s, table)
}

// printTable prints a table of figures, and says what the distance from shares is, where it is known.
func (r *replayReport) printTable(s *session, rows [][]string) error {
	if err := s.print(report.Table{Rows: rows, Right: func(column int) bool { return column > 0 }}); err != nil {
		return err
	}
	for i, f := range r.on.Figures {
		if isTold := slices.ContainsFunc(r.all, func(m *study.Measured) bool { return !math.IsNaN(m.Figures[i][0]) }); isTold && f.Quantity == "share_distance" {
			fmt.Fprintf(s.out, "(DISTANCE, share_distance: %s)\n", f.About())
		}
	}
	return nil
}

// printRuns prints the figures of all policies with where a run falls, and how each
// differs from the first one.
func (r *replayReport) printRuns(s *session) error {
	header := []string{"FIGURE", "OBSERVED"}
	for i := range r.on.Policies {
		header = append(header, fmt.Sprintf("POLICY %d (95%% OF RUNS)", i+1))
	}
	for i := range r.on.Policies[1:] {
		header = append(header, fmt.Sprintf("%d AGAINST 1 (95%%)", i+2), "LARGER IN")
	}
	table := [][]string{header}
	for i, f := range r.on.Figures {
		row := []string{f.String(), r.all[0].FirstText(r.on, i)}
		for _, m := range r.all[1:] {
			row = append(row, m.Text(r.on, i))
		}
		for _, m := range r.all[2:] {
			d, largerIn := m.Against(r.all[1], i), "-"
			if !math.IsNaN(d.Mean) {
				largerIn = fmt.Sprintf("%d of %d runs", d.Above, min(m.Runs, r.all[1].Runs))
			}
			row = append(row, d.Text(f.Unit()), largerIn)
		}
		table = append(table, row)
	}
	return r.printTable(s, table)
}

// printGains prints how many jobs wait shorter and longer under each new policy.
func (r *replayReport) printGains(s *session) {
	isSame := true
	_, off := r.on.Nearness(r.all, "")
	for p := 1; p < len(r.on.Policies); p++ {
		g := r.compared.Gains[p]
		hours := report.Fixed(math.Abs(g.Hours), 1) + " h of waiting "
		if g.Hours < 0 {
			hours += "less"
		} else {
			hours += "more"
		}
		fmt.Fprintf(s.out, "\npolicy %d against 1: %s sooner, by %s on average; %d later, by %s; %d within a minute; %s in all\n",
			p+1, report.Count(g.Sooner, "job"), report.Duration(g.SoonerBy), g.Later, report.Duration(g.LaterBy), g.Same, hours)
		if text := r.on.Against(r.all, p+1, off); text != "" {
			fmt.Fprintln(s.out, text)
		}
		isSame = isSame && g.Sooner+g.Later == 0
	}
	if r.on.Runs == 1 && !isSame {
		fmt.Fprintln(s.out, study.OneRun)
	}
	if text := r.on.Preemptions(r.all); text != "" {
		fmt.Fprintf(s.out, "\n%s\n", text)
	}
}

// printPictures draws occupation, queue length, waits and the distance from shares.
func (r *replayReport) printPictures(s *session) error {
	const columns = 60
	var pictures []study.Pictures
	mostWaiting, mostWaits, mostDistance, cpus := 0., 0., 0., 0.
	for _, m := range r.all {
		p := m.First.Pictures(columns)
		pictures = append(pictures, p)
		cpus = max(cpus, m.First.CPUs())
		mostWaiting, mostWaits = slices.Max(append(p.Waiting, mostWaiting)), slices.Max(append(p.Waits, mostWaits))
		for _, d := range p.Distance {
			if d > mostDistance { // and no NaN
				mostDistance = d
			}
		}
	}
	table := [][]string{{"", "", ""}}
	add := func(title string, most float64, of func(study.Pictures) []float64) {
		for i, p := range pictures {
			if numbers := of(p); len(numbers) > 0 && most > 0 {
				table = append(table, []string{title, r.name(i), "|" + report.Spark(numbers, most) + "|"})
				title = ""
			}
		}
	}
	add("cpus in use", cpus, func(p study.Pictures) []float64 { return p.InUse })
	add(fmt.Sprintf("jobs waiting, up to %.0f", mostWaiting), mostWaiting, func(p study.Pictures) []float64 { return p.Waiting })
	add(fmt.Sprintf("distance from shares, up to %.0f%%", 100*mostDistance), mostDistance, func(p study.Pictures) []float64 { return p.Distance })
	add("jobs by wait, 10 s to a week", mostWaits, func(p study.Pictures) []float64 { return p.Waits })
	return s.print(report.Table{Rows: table})
}

// printMeans prints the mean waits of the names of a kind, those with the most jobs
// first, and how each new policy changes them.
func (c *replayCmd) printMeans(s *session, r *replayReport, kind study.Parties) error {
	header := []string{strings.ToUpper(kind.Kind), "JOBS", "WAIT MEAN, OBSERVED"}
	for i := range r.on.Policies {
		header = append(header, fmt.Sprintf("POLICY %d", i+1))
		if i > 0 {
			header = append(header, "CHANGE")
		}
	}
	isPair := len(r.on.Policies) == 2
	if isPair {
		header = append(header, "SOONER", "LATER")
	}
	table, isMarked := [][]string{header}, false
	for i, party := range kind.Names {
		if i == report.Shown(len(kind.Names), c.Top) {
			table = append(table, report.MoreRow("", len(kind.Names)-i, len(header)))
			break
		}
		name := report.DashIfEmpty(party.Name)
		if r.on.DoubtOf(kind.Kind, party.Name) != nil {
			name, isMarked = name+study.DoubtMark, true
		}
		row := []string{name, strconv.Itoa(party.Jobs)}
		for k, runs := range party.Waits {
			row = append(row, report.Duration(study.IntervalOf(runs).Mean))
			if k > 1 {
				row = append(row, study.DifferenceOf(runs, party.Waits[1]).Text(figure.MeanWait.Unit()))
			}
		}
		if isPair {
			g := party.Gains[1]
			row = append(row, strconv.Itoa(g.Sooner), strconv.Itoa(g.Later))
		}
		table = append(table, row)
	}
	fmt.Fprintln(s.out)
	if err := s.print(report.Table{Rows: table, Right: func(column int) bool { return column > 0 }}); err != nil {
		return err
	}
	if isMarked {
		fmt.Fprintln(s.out, study.DoubtNote)
	}
	return nil
}

// printVerdicts says which conditions hold.
func (r *replayReport) printVerdicts(s *session) error {
	if len(r.verdicts) == 0 {
		return nil
	}
	table := [][]string{{"POLICY", "FAILS IF", "LEFT", "RIGHT", "", "IN RUNS"}}
	for _, v := range r.verdicts {
		is := "passes"
		if v.Holds {
			is = "fails"
		}
		if v.IsOpen {
			is += " by the last start of the record"
		}
		unit := v.Condition.Unit()
		table = append(table, []string{strconv.Itoa(v.Policy), v.Condition.Text, unit.Text(v.Left), unit.Text(v.Right), is, fmt.Sprintf("%d of %d", v.HoldsIn, v.Runs)})
	}
	fmt.Fprintln(s.out)
	return s.print(report.Table{Rows: table, Right: func(column int) bool { return column == 2 || column == 3 }})
}
