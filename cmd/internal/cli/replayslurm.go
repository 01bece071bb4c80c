package cli

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurmsched"
	"fairshare/cmd/internal/slurmsite"
	"fairshare/cmd/internal/snapshot"
	"fairshare/cmd/internal/trace"
)

// slurmReplay is a comparison of policies of a Slurm site.
type slurmReplay struct {
	setup    *slurmsched.Setup
	record   *slurmsite.Record
	outcomes []*slurmsite.Outcome // the first is what was observed
	counted  []bool
	zone     *time.Location
}

// slurmArguments returns the site and the table of sacct among the arguments, no table where they
// are not those of a Slurm site. A directory may hold both.
func (c *replayCmd) slurmArguments() (site, table string, err error) {
	if len(c.Logs) == 1 {
		table, isAlone := slurmsite.FindSacct(c.Logs[0])
		if table != "" && !isAlone {
			return "", "", fail(exitUsage, "%[1]s has folders: name the one with what the site printed when %[2]s begins, as in: formula replay %[1]s/FOLDER %[2]s", c.Logs[0], table)
		}
		return c.Logs[0], table, nil
	}
	if len(c.Logs) != 2 {
		return "", "", nil
	}
	for i, name := range c.Logs {
		if slurmsite.IsSacct(name) {
			return c.Logs[1-i], name, nil
		}
	}
	return "", "", nil
}

// needsSacct returns the error of a site without accounting logs, or, where it is a Slurm site, one
// that says what is lacking.
func needsSacct(err error, names []string) error {
	var none *snapshot.Error
	if len(names) < 1 || len(names) > 2 || !errors.As(err, &none) {
		return err
	}
	if len(names) == 2 { // one of them may be the site of the other
		for i, name := range names {
			other := names[1-i]
			if _, wrong := slurmsite.Open(name); slurmsite.IsMissing(wrong) {
				continue
			}
			if _, lost := os.Stat(other); lost != nil {
				return unreadable(other, lost)
			}
			return fail(exitUnreadable, "%s is a Slurm site, and %s is no table of sacct with a line of column names (sacct -aPD --format=ALL)", name, other)
		}
		return err
	}
	if _, wrong := slurmsite.Open(names[0]); slurmsite.IsMissing(wrong) {
		return err
	}
	return fail(exitUsage, "%[1]s is a Slurm site: give its jobs too, as in: formula replay %[1]s sacct.txt, where sacct.txt is what sacct -aPD --format=ALL printed", names[0])
}

// replaySlurm replays the jobs of a Slurm site.
func (c *replayCmd) replaySlurm(s *session, site, table string) error {
	if err := c.refuseOfPBS(); err != nil {
		return err
	}
	zone, err := moment.Zone(c.TZ)
	if err != nil {
		return err
	}
	setup, remarks, err := slurmsite.OpenScheduler(site)
	s.say(remarks...)
	if err != nil {
		return s.failed(err)
	}
	record, err := slurmsite.ReadRecord(setup, s.in.Source(table, "the table of sacct"), zone)
	if err != nil {
		return s.failed(err)
	}
	s.say(record.Remarks...)
	if len(record.Jobs) == 0 {
		return failure{exitUnreadable, fmt.Errorf("%s has no job of this site that could run", table)}
	}
	r := &slurmReplay{setup: setup, record: record, outcomes: []*slurmsite.Outcome{record.Observed()}, counted: record.Counted(), zone: zone}
	policies := []*slurmsched.Setup{setup}
	names := []string{"the site's policy"}
	if len(c.Set) > 0 {
		changed, _, err := slurmsite.ChangeSetup(setup, c.Set)
		if err != nil {
			return err
		}
		policies, names = append(policies, changed), append(names, strings.Join(c.Set, ", "))
	}
	for i, p := range policies {
		o, err := record.Replay(s.ctx, names[i], p)
		if err != nil {
			return err
		}
		r.outcomes = append(r.outcomes, o)
	}
	s.say(r.caveats()...)
	switch c.Output {
	case "starts":
		return r.printStarts(s)
	case "csv":
		return r.printCSV(s)
	case "json":
		return r.printJSON(s)
	}
	return r.printTable(s, c.Top)
}

// refuseOfPBS returns an error if a flag asks for what a replay of a Slurm site does not have.
func (c *replayCmd) refuseOfPBS() error {
	for _, f := range []struct {
		isGiven bool
		name    string
	}{
		{len(c.Formula)+len(c.File) > 0 || c.NoFormula, "-f, -F and --no-formula"}, {len(c.Policy) > 0, "--policy"}, {len(c.SchedPriv) > 0, "--sched-priv"},
		{c.NonPrime, "--non-prime"}, {c.Queues != "", "--queues"}, {len(c.Sched) > 0, "--sched"}, {c.Resources != "", "--resources"},
		{c.Cluster != "" || c.Nodes != "" || c.Events != "" || c.AllNodes, "--cluster, --nodes, --node-events and --all-nodes"},
		{c.Usage != "" || c.Jobs != "", "--usage and --jobs"}, {c.ReportLag != nil || c.StartLatency != nil, "--report-lag and --start-latency"},
		{c.Cycles != "" || c.Calibrate, "--cycles and --calibrate"}, {c.Runs > 1, "--runs"}, {len(c.FailIf) > 0, "--fail-if"}, {len(c.Vary) > 0, "--vary"},
		{c.At != nil || c.Explain != "", "--at and --explain"}, {c.HTML != nil, "--html"}, {c.Why, "--why"}, {c.Output == "swf", "-o swf"},
	} {
		if f.isGiven {
			return fail(exitUsage, "a replay of a Slurm site knows --set, --top, --tz and -o table, starts, csv and json, but not %s", f.name)
		}
	}
	return nil
}

// caveats are what the figures do not know.
func (r *slurmReplay) caveats() []diag.Remark {
	since := "the first submission"
	if r.record.Swept > 0 {
		since = "slurmctld's start (BOOT_TIME)"
	}
	list := []diag.Remark{diag.Notef("placement is that of select/cons_tres with whole cores; priorities are computed every %s from %s on; the tree's usage at the beginning is that of the site's sshare",
		report.Duration(r.setup.Conf.CalcPeriod), since)}
	for i, o := range r.outcomes[1:] {
		never := 0
		for k, start := range o.Start {
			if start == 0 && o.Result.Jobs[k].Gone == 0 {
				never++
			}
		}
		if never > 0 {
			list = append(list, diag.Warningf("policy %d never starts %s", i+1, report.Count(never, "job")))
		}
	}
	return list
}

// printTable prints all for people.
func (r *slurmReplay) printTable(s *session, top int) error {
	cpus := int64(0)
	for _, n := range r.setup.Nodes {
		cpus += int64(n.CPUs)
	}
	first := r.record.Jobs[0].Submit
	for _, x := range r.record.Jobs {
		first = min(first, x.Submit)
	}
	fmt.Fprintf(s.out, "%s from %s to %s on %s with %s\n", report.Count(len(r.record.Jobs), "job"), moment.Clock(first, r.zone), moment.Clock(r.record.Last, r.zone),
		report.Count(len(r.setup.Nodes), "node"), report.Count(int(cpus), "CPU"))
	printTrust(s, r.record.Trust(r.outcomes[1]), "", "partition")
	fmt.Fprintln(s.out)
	for i, o := range r.outcomes[1:] {
		fmt.Fprintf(s.out, "%d  %s: %s, %d of them by backfill\n", i+1, o.Name, report.Count(started(o.Start), "start"), o.Filled)
	}
	fmt.Fprintln(s.out)
	table := [][]string{{"POLICY", "JOBS", "CORE HOURS", "WAIT MEAN", "MEDIAN", "P90", "P95", "P99", "SLOWDOWN"}}
	for i, o := range r.outcomes {
		f := r.record.Figures(o, r.counted, func(*slurmsite.Recorded) bool { return true })
		row := []string{r.name(i), strconv.Itoa(f.Jobs), report.Fixed(f.CoreHours, 0)}
		for _, x := range []float64{f.WaitMean, f.WaitMedian, f.WaitP90, f.WaitP95, f.WaitP99} {
			row = append(row, report.Duration(x))
		}
		table = append(table, append(row, report.Fixed(f.Slowdown, 1)))
	}
	right := func(column int) bool { return column > 0 }
	if err := s.print(report.Table{Rows: table, Right: right}); err != nil {
		return err
	}
	for kind := range slurmsite.Kinds {
		parties := r.record.Parties(kind, r.outcomes, r.counted)
		if len(parties) < 2 {
			continue
		}
		header := []string{strings.ToUpper(slurmsite.Kinds[kind].Name), "JOBS"}
		for i := range r.outcomes {
			header = append(header, "WAIT "+strings.ToUpper(r.name(i)))
		}
		rows := [][]string{header}
		for n, p := range parties {
			if top > 0 && n == top {
				break
			}
			row := []string{p.Name, strconv.Itoa(p.Jobs)}
			for _, f := range p.Figures {
				row = append(row, report.Duration(f.WaitMean))
			}
			rows = append(rows, row)
		}
		fmt.Fprintln(s.out)
		if err := s.print(report.Table{Rows: rows, Right: right}); err != nil {
			return err
		}
	}
	return nil
}

func started(starts []int64) int {
	n := 0
	for _, start := range starts {
		if start > 0 {
			n++
		}
	}
	return n
}

// name returns what a row or column of the observed or of a policy is called.
func (r *slurmReplay) name(i int) string {
	if i == 0 {
		return "observed"
	}
	return strconv.Itoa(i)
}

// printStarts prints each start of each policy, as programs read it.
func (r *slurmReplay) printStarts(s *session) error {
	out := report.NewCSV(s.out)
	out.Write("policy", "job", "partition", "user", "account", "qos", "arrival", "start", "end", "observed_start", "nodes", "by")
	orEmpty := func(at int64) string {
		if at == 0 {
			return ""
		}
		return strconv.FormatInt(at, 10)
	}
	for i, o := range r.outcomes[1:] {
		for k, x := range r.record.Jobs {
			j := o.Result.Jobs[k]
			var nodes []string
			for _, share := range j.Shares {
				nodes = append(nodes, r.setup.Nodes[share.Node].Name)
			}
			by := ""
			if j.Start > 0 {
				by = "main"
			}
			if j.ByFill {
				by = "backfill"
			}
			out.Write(strconv.Itoa(i+1), x.ID, x.Partition, x.User, x.Account, x.QOS, orEmpty(x.Submit), orEmpty(j.Start), orEmpty(j.End), orEmpty(x.Start), strings.Join(nodes, ","), by)
		}
	}
	return out.Flush()
}

// printCSV prints the figures of all policies by kind and name.
func (r *slurmReplay) printCSV(s *session) error {
	out := report.NewCSV(s.out)
	out.Write("policy", "kind", "name", "jobs", "core_hours", "wait_mean", "wait_median", "wait_p90", "wait_p95", "wait_p99", "slowdown")
	write := func(i int, kind, name string, f trace.Figures) {
		row := []string{r.name(i), kind, name, strconv.Itoa(f.Jobs)}
		for _, x := range []float64{f.CoreHours, f.WaitMean, f.WaitMedian, f.WaitP90, f.WaitP95, f.WaitP99, f.Slowdown} {
			row = append(row, report.OrEmpty(report.Optional(x)))
		}
		out.Write(row...)
	}
	for i, o := range r.outcomes {
		write(i, "all", "", r.record.Figures(o, r.counted, func(*slurmsite.Recorded) bool { return true }))
	}
	for kind := range slurmsite.Kinds {
		for _, p := range r.record.Parties(kind, r.outcomes, r.counted) {
			for i := range r.outcomes {
				write(i, p.Kind, p.Name, p.Figures[i])
			}
		}
	}
	return out.Flush()
}

// slurmFigures are figures in JSON.
type slurmFigures struct {
	Jobs       int            `json:"jobs"`
	CoreHours  report.Number  `json:"core_hours"`
	WaitMean   *report.Number `json:"wait_mean"`
	WaitMedian *report.Number `json:"wait_median"`
	WaitP95    *report.Number `json:"wait_p95"`
	Slowdown   *report.Number `json:"slowdown"`
}

func newSlurmFigures(f trace.Figures) slurmFigures {
	return slurmFigures{f.Jobs, report.Number(f.CoreHours), report.Optional(f.WaitMean), report.Optional(f.WaitMedian), report.Optional(f.WaitP95), report.Optional(f.Slowdown)}
}

// printJSON prints the comparison as JSON, with all that was said of it.
func (r *slurmReplay) printJSON(s *session) error {
	type policy struct {
		Name    string                             `json:"name"`
		Starts  int                                `json:"starts"`
		Filled  int                                `json:"backfilled"`
		Passes  int                                `json:"main_passes"`
		Cycles  int                                `json:"backfill_cycles"`
		Figures slurmFigures                       `json:"figures"`
		Kinds   map[string]map[string]slurmFigures `json:"kinds"`
	}
	line := struct {
		Jobs     int       `json:"jobs"`
		Counted  int       `json:"counted"`
		Trust    trustLine `json:"trust"`
		Policies []policy  `json:"policies"` // the first one is what was observed
		Remarks  []string  `json:"remarks"`
	}{Jobs: len(r.record.Jobs), Counted: started(r.outcomes[0].Start), Trust: newTrustLine(r.record.Trust(r.outcomes[1]))}
	for i, o := range r.outcomes {
		p := policy{Name: o.Name, Starts: started(o.Start), Filled: o.Filled, Kinds: map[string]map[string]slurmFigures{}}
		if o.Result != nil {
			p.Passes, p.Cycles = o.Result.Passes, o.Result.Cycles
		}
		p.Figures = newSlurmFigures(r.record.Figures(o, r.counted, func(*slurmsite.Recorded) bool { return true }))
		for kind := range slurmsite.Kinds {
			of := map[string]slurmFigures{}
			for _, party := range r.record.Parties(kind, r.outcomes, r.counted) {
				of[party.Name] = newSlurmFigures(party.Figures[i])
			}
			p.Kinds[slurmsite.Kinds[kind].Name] = of
		}
		line.Policies = append(line.Policies, p)
	}
	for _, said := range s.diag.Said() {
		line.Remarks = append(line.Remarks, said.Text)
	}
	return s.encode(line)
}
