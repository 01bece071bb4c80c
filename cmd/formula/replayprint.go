package main

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairshare/cmd/internal/cluster"
	"fairshare/cmd/internal/replay"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
)

// print prints what was asked for of the replays.
func (c *replayCmd) print(s *session, policies []*policy, w *replay.Work, nodes *cluster.Cluster, o replay.Options, zone *time.Location) error {
	switch {
	case c.At != nil:
		return printWaiting(s, policies, zone)
	case c.Explain != "":
		return printWay(s, policies, w.Jobs[o.Watch], o.Watch, zone)
	case c.Output == "starts":
		return printStarts(s, policies, w)
	case c.Output == "swf":
		last := policies[len(policies)-1]
		return w.Trace.WriteSWF(s.out, last.result.Jobs())
	}
	var names []string
	var results []*replay.Result
	for i, p := range policies {
		names, results = append(names, strconv.Itoa(i+1)), append(results, p.result)
	}
	all := replay.Rows(w, names, results)
	switch c.Output {
	case "csv":
		return printReplayCSV(s, w, all)
	case "json":
		return printReplayJSON(s, policies, w, nodes, all)
	}
	fmt.Fprintf(s.out, "%s from %s to %s on %s\n", report.Count(len(w.Jobs), "job"), time.Unix(w.First, 0).In(zone).Format(timeLayout), time.Unix(w.Last, 0).In(zone).Format(timeLayout), nodes)
	printTrust(s, w, policies[0])
	fmt.Fprintf(s.out, "  %s\n", describeOptions(o))
	sayOfEnd(s, policies)
	return c.printWaits(s, policies, w, nodes, all)
}

// printTrust prints how near the first policy comes to what has happened.
func printTrust(s *session, w *replay.Work, p *policy) {
	t := p.result.Trust()
	doubt := ""
	if !p.isInForce {
		doubt = " (whether it was in force is not known)"
	}
	fmt.Fprintf(s.out, "\nTrust: policy 1%s against what has happened, by %s that started in both\n", doubt, report.Count(t.Jobs, "job"))
	if t.Jobs == 0 {
		return
	}
	words := []string{"1 min", "15 min", "1 h", "3 h"}
	for i := range words {
		words[i] += fmt.Sprintf(" %.1f%%", 100*t.Within[i])
	}
	fmt.Fprintf(s.out, "  starts within %s of the observed; %d in the same second\n", strings.Join(words, ", "), t.Equal)
	fmt.Fprintf(s.out, "  shift %s on average, %s at the 95th percentile; %.2f%% of pairs start in the other order\n", duration(t.Mean), duration(t.P95), 100*t.Inverted)
	var distances []string
	for _, queue := range slices.Sorted(maps.Keys(t.Distances)) {
		distances = append(distances, fmt.Sprintf("%s %.3f", report.DashIfEmpty(queue), t.Distances[queue]))
	}
	const most = 6
	if len(distances) > most {
		distances = append(distances[:most], "…")
	}
	fmt.Fprintf(s.out, "  waits by queue, Kolmogorov-Smirnov distance: %s\n", strings.Join(distances, ", "))
}

// sayOfEnd says what became of the backlog.
func sayOfEnd(s *session, policies []*policy) {
	if impossible := policies[0].result.Impossible; len(impossible) > 0 {
		s.diag.Warning("%s never ran and cannot, such as %v", report.Count(len(impossible), "job"), impossible[0])
	}
	for i, p := range policies {
		for _, message := range slices.Sorted(maps.Keys(p.result.Errors)) {
			s.partly = true
			s.diag.Warning("policy %d: the formula failed %s, and its value was 0: %s", i+1, report.Count(p.result.Errors[message], "time"), message)
		}
		if middle, end, is := p.result.IsSaturated(); is {
			s.diag.Warning("policy %d is saturated: %d jobs wait at the last time of the logs, %d in the middle, so that waits grow with the time that is looked at", i+1, end, middle)
		}
		never, late := p.result.Left()
		if never > 0 {
			s.diag.Note("policy %d: %s never started", i+1, report.Count(never, "job"))
		}
		if late > 0 {
			s.diag.Note("policy %d: %s started after the last time of the logs, when nobody else comes", i+1, report.Count(late, "job"))
		}
	}
}

// printWaits prints the figures of all policies beside the observed ones.
func (c *replayCmd) printWaits(s *session, policies []*policy, w *replay.Work, nodes *cluster.Cluster, all []replay.Row) error {
	fmt.Fprintln(s.out)
	for i, p := range policies {
		fmt.Fprintf(s.out, "%d  %s\n", i+1, p.name)
	}
	if len(all[0].Paired) == 0 {
		return nil
	}
	if n := len(all[0].Paired); n < len(w.Jobs) {
		fmt.Fprintf(s.out, "\nwaits of the %s that start in every row\n", report.Count(n, "job"))
	}
	fmt.Fprintln(s.out)
	table := [][]string{{"POLICY", "STARTED", "WAIT MEAN", "MEDIAN", "P90", "P95", "P99", "SLOWDOWN", "IN USE"}}
	for _, row := range all {
		f := trace.FiguresOf(row.Paired)
		table = append(table, []string{row.Name, strconv.Itoa(row.Started(w.Last)), duration(f.WaitMean), duration(f.WaitMedian), duration(f.WaitP90), duration(f.WaitP95), duration(f.WaitP99),
			decimals(f.Slowdown, 1), decimals(100*w.Utilisation(row.Jobs, nodes), 1) + "%"})
	}
	if err := s.print(report.Table{Rows: table, Right: func(column int) bool { return column > 0 }}); err != nil {
		return err
	}
	for _, kind := range replay.Kinds(w.Trace) {
		if err := c.printMeans(s, kind, all); err != nil {
			return err
		}
	}
	return nil
}

// printMeans prints the mean waits of the names of a kind, those with the most jobs
// first, and how the last policy changes them.
func (c *replayCmd) printMeans(s *session, kind replay.Kind, all []replay.Row) error {
	var groups []map[string][]*trace.Job
	header := []string{strings.ToUpper(kind.Name), "JOBS", "WAIT MEAN, OBSERVED"}
	for i, row := range all {
		groups = append(groups, kind.Groups(row.Paired))
		if i > 0 {
			header = append(header, "POLICY "+row.Name)
		}
	}
	if len(all) > 2 {
		header = append(header, "CHANGE")
	}
	names := slices.SortedFunc(maps.Keys(groups[0]), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(groups[0][b]), len(groups[0][a])), cmp.Compare(a, b))
	})
	table := [][]string{header}
	for i, name := range names {
		if c.Top > 0 && i == c.Top {
			table = append(table, append([]string{fmt.Sprintf("… %d more", len(names)-i)}, make([]string, len(header)-1)...))
			break
		}
		row := []string{report.DashIfEmpty(name), strconv.Itoa(len(groups[0][name]))}
		var means []float64
		for _, group := range groups {
			means = append(means, trace.FiguresOf(group[name]).WaitMean)
			row = append(row, duration(means[len(means)-1]))
		}
		if len(all) > 2 {
			row = append(row, signed(means[len(means)-1]-means[1]))
		}
		table = append(table, row)
	}
	fmt.Fprintln(s.out)
	return s.print(report.Table{Rows: table, Right: func(column int) bool { return column > 0 }})
}

// signed returns a difference in time with its sign.
func signed(seconds float64) string {
	switch {
	case math.IsNaN(seconds):
		return "-"
	case seconds < 0:
		return "-" + duration(-seconds)
	}
	return "+" + duration(seconds)
}

// printStarts prints each start of each policy, as programs read it.
func printStarts(s *session, policies []*policy, w *replay.Work) error {
	out := report.NewCSV(s.out)
	out.Write("policy", "job", "queue", "user", "group", "arrival", "start", "end", "observed_start", "exec_vnode")
	names := w.Trace.Names.List
	orEmpty := func(at int64) string {
		if at == trace.Unknown {
			return ""
		}
		return strconv.FormatInt(at, 10)
	}
	for i, p := range policies {
		for k, j := range p.result.Jobs() {
			end := int64(trace.Unknown)
			if at := p.result.End[k]; at > 0 {
				end = int64(at)
			}
			out.Write(strconv.Itoa(i+1), j.ID, names[j.Queue], names[j.User], names[j.Group], orEmpty(j.Arrival), orEmpty(j.Start), orEmpty(end),
				orEmpty(w.Jobs[k].Start), p.result.Vnodes[k])
		}
	}
	return out.Flush()
}

// printReplayCSV prints the figures of all policies by kind and name.
func printReplayCSV(s *session, w *replay.Work, all []replay.Row) error {
	out := report.NewCSV(s.out)
	out.Write("policy", "kind", "name", "jobs", "core_hours", "wait_mean", "wait_median", "wait_p90", "wait_p95", "wait_p99", "slowdown")
	write := func(policy, kind, name string, jobs []*trace.Job) {
		f := trace.FiguresOf(jobs)
		row := []string{policy, kind, name, strconv.Itoa(f.Jobs)}
		for _, x := range []float64{f.CoreHours, f.WaitMean, f.WaitMedian, f.WaitP90, f.WaitP95, f.WaitP99, f.Slowdown} {
			row = append(row, report.OrEmpty(report.Optional(x)))
		}
		out.Write(row...)
	}
	for _, row := range all {
		write(row.Name, "all", "", row.Paired)
		for _, kind := range replay.Kinds(w.Trace) {
			groups := kind.Groups(row.Paired)
			for _, name := range slices.Sorted(maps.Keys(groups)) {
				write(row.Name, kind.Name, name, groups[name])
			}
		}
	}
	return out.Flush()
}

// replayLine is a replay in JSON.
type replayLine struct {
	Trust    trustLine        `json:"trust"`
	Policies []policyLine     `json:"policies"` // the first one is what was observed
	Jobs     int              `json:"jobs"`
	From     int64            `json:"from"`
	To       int64            `json:"to"`
	Cluster  map[string]int64 `json:"cluster"`
}

type trustLine struct {
	Jobs         int                       `json:"jobs"`
	SameSecond   int                       `json:"same_second"`
	Within       map[string]report.Number  `json:"within"` // by seconds, parts of the jobs
	ShiftMean    *report.Number            `json:"shift_mean"`
	ShiftP95     *report.Number            `json:"shift_p95"`
	Inverted     report.Number             `json:"inverted"`
	WaitDistance map[string]*report.Number `json:"wait_distance"` // by queue
}

type policyLine struct {
	Policy      string         `json:"policy"`
	Formula     string         `json:"formula"`
	Started     int            `json:"started"` // up to the last time of the logs
	Paired      int            `json:"paired"`  // that start under all policies, whose waits these are
	WaitMean    *report.Number `json:"wait_mean"`
	WaitMedian  *report.Number `json:"wait_median"`
	WaitP90     *report.Number `json:"wait_p90"`
	WaitP95     *report.Number `json:"wait_p95"`
	WaitP99     *report.Number `json:"wait_p99"`
	Slowdown    *report.Number `json:"slowdown"`
	Utilisation *report.Number `json:"utilisation"`
	Preempted   int            `json:"preempted"`
	Cycles      int            `json:"cycles"`
}

func printReplayJSON(s *session, policies []*policy, w *replay.Work, nodes *cluster.Cluster, all []replay.Row) error {
	t := policies[0].result.Trust()
	line := replayLine{
		Jobs: len(w.Jobs), From: w.First, To: w.Last, Cluster: map[string]int64{"vnodes": int64(len(nodes.Vnodes)), "ncpus": int64(nodes.Total("ncpus"))},
		Trust: trustLine{Jobs: t.Jobs, SameSecond: t.Equal, Within: map[string]report.Number{}, ShiftMean: report.Optional(t.Mean), ShiftP95: report.Optional(t.P95),
			Inverted: report.Number(t.Inverted), WaitDistance: map[string]*report.Number{}},
	}
	for i, span := range replay.Spans {
		line.Trust.Within[strconv.FormatInt(span, 10)] = report.Number(t.Within[i])
	}
	for queue, d := range t.Distances {
		line.Trust.WaitDistance[queue] = report.Optional(d)
	}
	for i, row := range all {
		f := trace.FiguresOf(row.Paired)
		p := policyLine{
			Policy: row.Name, Started: row.Started(w.Last), Paired: f.Jobs, WaitMean: report.Optional(f.WaitMean), WaitMedian: report.Optional(f.WaitMedian), WaitP90: report.Optional(f.WaitP90),
			WaitP95: report.Optional(f.WaitP95), WaitP99: report.Optional(f.WaitP99), Slowdown: report.Optional(f.Slowdown),
			Utilisation: report.Optional(w.Utilisation(row.Jobs, nodes)),
		}
		if i > 0 {
			p.Formula, p.Preempted, p.Cycles = policies[i-1].site.Sched.Formula, policies[i-1].result.Preempt, policies[i-1].result.Cycles
		}
		line.Policies = append(line.Policies, p)
	}
	return s.encode(line)
}

// printWaiting prints the queue and its order at a time.
func printWaiting(s *session, policies []*policy, zone *time.Location) error {
	for i, p := range policies {
		if len(policies) > 1 {
			fmt.Fprintf(s.out, "%d  %s\n", i+1, p.name)
		}
		table := [][]string{{"PLACE", "JOB", "USER", "QUEUE", "NCPUS", "WAITED", "ELIGIBLE", "VALUE", "KEPT BY"}}
		names := p.result.Work.Trace.Names.List
		for k, waiting := range p.result.Waiting {
			j := waiting.Job
			table = append(table, []string{strconv.Itoa(k + 1), j.ID, names[j.User], names[j.Queue], strconv.FormatInt(max(0, j.NCPUs), 10),
				duration(p.result.Until - float64(j.Arrival)), duration(float64(waiting.Eligible)), report.Plain(float64(waiting.Value)), waiting.Reason})
		}
		if err := s.print(report.Table{Rows: table, Right: func(column int) bool { return column == 0 || column > 3 && column < 8 }}); err != nil {
			return err
		}
		if len(p.result.Waiting) == 0 {
			fmt.Fprintf(s.out, "no job waits at %s\n", time.Unix(int64(p.result.Until), 0).In(zone).Format(timeLayout))
		}
	}
	return nil
}

// printWay prints what a job waits for until it starts.
func printWay(s *session, policies []*policy, j *replay.Job, number int32, zone *time.Location) error {
	clock := func(at float64) string { return time.Unix(int64(at), 0).In(zone).Format("2006-01-02 15:04:05") }
	for i, p := range policies {
		if len(policies) > 1 {
			fmt.Fprintf(s.out, "%d  %s\n", i+1, p.name)
		}
		fmt.Fprintf(s.out, "%s came at %s\n", j.ID, clock(float64(j.Arrival)))
		table := [][]string{}
		for _, step := range p.result.Steps {
			table = append(table, []string{"  until " + clock(step.To), cmp.Or(step.Reason, "its cycle")})
		}
		if len(table) > 0 {
			if err := s.print(report.Table{Rows: table}); err != nil {
				return err
			}
		}
		switch start := p.result.Start[number]; {
		case start > 0:
			fmt.Fprintf(s.out, "started at %s", clock(start))
		case j.WasRunning:
			fmt.Fprint(s.out, "ran when the logs begin")
		default:
			fmt.Fprint(s.out, "never started")
		}
		if j.Start != trace.Unknown {
			fmt.Fprintf(s.out, "; observed %s", clock(float64(j.Start)))
		}
		fmt.Fprintln(s.out)
	}
	return nil
}
