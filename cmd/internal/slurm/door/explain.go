package door

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/accounts"
	"fairshare/cmd/internal/compare"
	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/order"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/set"
	"fairshare/cmd/internal/terms"
)

// Explain implements site.Explainer.
func (s *Site) Explain(ctx context.Context, q site.Question) (*site.Answer, error) {
	printed, err := s.printed(ctx, dump.ForNow)
	if err != nil {
		return nil, err
	}
	own, err := s.order(printed)
	var unplaced *order.UnplacedError
	switch {
	case errors.As(err, &unplaced) && q.Vs == "" && len(q.Settings) == 0:
		return s.describe(own, printed, q, unplaced)
	case err != nil:
		return nil, err
	}
	var halving *set.Change
	if q.Vs == "" {
		if own, halving, q.Settings, err = set.Halving(own, q.Settings); err != nil {
			return nil, err
		}
	}
	changing := ofOrder(own)
	if q.Vs == "" {
		changing = s.ofStartsIfKnown(own, printed, time.UTC)
	}
	if err = s.expand(printed, &q.Settings, changing); err != nil {
		return nil, err
	}
	at, rows, err := s.under(own, q.Settings, q.Vs == "")
	if err != nil {
		return nil, err
	}
	row, err := rowOf(at, rows, q)
	if err != nil {
		if is := order.Recorded(printed, q.Job); q.Job != "" && is != "" {
			err = fmt.Errorf("%w; in the table of sacct, %s: formula history %s --job %s says what was given and used", err, is, printed.Name, q.Job)
		}
		return nil, &diag.RequestError{Err: err}
	}
	if q.Vs == "" {
		if q.User != "" {
			s.to.Say(at.OthersOf(rows, row)...)
		}
		e := at.Explain(rows, row)
		e.TakeListed(printed, row.Job, q.Job)
		s.sayUnreadStart(printed, e)
		s.sayThrough(e)
		if e.Targets != nil {
			s.to.Say(at.Newer()...)
		}
		switch {
		case halving != nil && e.Targets == nil:
			s.to.Say(diag.Warningf("%s changes nothing: nothing tells what has been used beside shares (sshare -a -l -P does)", halving).OfAsked())
		case halving != nil:
			s.to.Say(halving.Remark())
		}
		isAwaiting := row.Rank == 0 && strings.HasSuffix(row.Reason, ": "+sched.WaitsForJobs)
		if row.Rank > 0 || isAwaiting {
			starts := s.newStarts(own, printed, time.UTC)
			all, err := s.standing(ctx, starts, q.Settings)
			var wrong *diag.SettingError
			if errors.As(err, &wrong) && !slices.Contains(set.OfOrder(q.Settings), wrong.Setting) {
				return nil, err
			}
			switch of, ok := all[row.Job.ID]; {
			case !ok || err != nil: // the site lacks what a pass needs
			case !isAwaiting:
				e.Now, e.Unmodelled = of.Standing(), of.Unmodelled
				if of.Reason == sched.WaitsForResources || of.Reason == sched.WaitsForPriority {
					e.Now.Free = roomNow(ctx, starts.now, q.Settings, row.Job.ID)
				}
			case strings.HasPrefix(of.Reason, sched.WaitsForJobs): // and for which
				e.Reason = strings.TrimSuffix(e.Reason, sched.WaitsForJobs) + of.Reason
			case strings.HasPrefix(of.Reason, outcome.HeldForJobs): // which may not come about
				e.Reason += strings.TrimPrefix(of.Reason, outcome.HeldForJobs)
			}
		}
		return &site.Answer{JSON: e, Print: func(to *report.Printer) error {
			printHeading(to, e)
			if err := printTerms(to, e); err != nil {
				return err
			}
			return accounts.PrintTargets(to, e.Targets, e.Decay)
		}}, nil
	}
	other, err := at.Other(rows, row, q.Vs)
	if err != nil {
		return nil, &diag.RequestError{Err: err}
	}
	if q.Vs == "ahead" {
		if text := at.PassedOver(rows, other, row); text != "" {
			s.to.Say(diag.Notef("%s", text).OfAsked())
		}
	}
	if q.User != "" && q.Vs == other.Job.User {
		var said []diag.Remark
		row, other, said = at.Rivals(rows, row, other)
		s.to.Say(said...)
	}
	v := set.Compare(at, rows, row, other)
	v.TakeListed(printed, row, other, q.Job)
	s.sayUnreadStart(printed, v.Job)
	s.to.Say(at.Newer()...)
	switch {
	case q.Vs != other.Job.User:
	case v.Job.IsWithin:
		s.to.Say(diag.Notef("which places the other jobs of %s and %s have is not said: jobs have places within their partitions alone, and formula sort shows those", row.Job.User, other.Job.User))
	default:
		v.Places = compare.PlacesOf([2]string{row.Job.User, other.Job.User}, slices.Values(rows), func(r order.Row) (string, int, string, string) {
			return r.Job.User, r.Rank, r.Job.ID, r.Reason
		})
	}
	return &site.Answer{JSON: v, Print: func(to *report.Printer) error {
		compare.PrintPlaces(to, v.Places)
		printHeading(to, v.Job)
		return printVersus(to, v)
	}}, nil
}

// sayUnreadStart warns where a list tells when Slurm expects to start jobs, and that is not read of one that is explained.
func (s *Site) sayUnreadStart(d *dump.Dump, e order.Explanation) {
	if e.Expected != nil {
		return
	}
	if text := d.UnreadStart(); text != "" {
		s.to.Say(diag.Warningf("%s", text))
	}
}

// describe answers what can be said of a job whose place is not known, and why it is not.
func (s *Site) describe(own *order.Site, printed *dump.Dump, q site.Question, why *order.UnplacedError) (*site.Answer, error) {
	e, remarks, err := own.Unplaced(printed, q.Job, q.User, why)
	if err != nil {
		return nil, &diag.RequestError{Err: err}
	}
	s.to.Say(remarks...)
	s.sayUnreadStart(printed, e)
	return &site.Answer{JSON: e, IsPartly: e.Unplaced != "", Print: func(to *report.Printer) error {
		printHeading(to, e)
		return nil
	}}, nil
}

// printReason prints what it means that Slurm says of a job that waits, and what else it says of that.
func printReason(to *report.Printer, e order.Explanation) {
	if e.ReasonMeans != "" {
		fmt.Fprintf(to, "  that is: %s\n", report.Printable(e.ReasonMeans))
	}
	for _, text := range e.DependsOn {
		fmt.Fprintf(to, "  %s\n", report.Printable(text))
	}
	if e.Expected != nil {
		doubt := ""
		if barring(e) != "" {
			doubt = ", without regard to what keeps it from starting, which is said below"
		}
		fmt.Fprintf(to, "  Slurm expects to start it at %s (START_TIME)%s\n", e.Expected.Format("2006-01-02 15:04"), doubt)
	}
}

// rowOf returns the row of the job that a question is about.
func rowOf(at *order.Site, rows []order.Row, q site.Question) (order.Row, error) {
	if q.User == "" {
		return order.Find(rows, q.Job)
	}
	return at.FirstOf(rows, q.User)
}

// printHeading says whose job it is, where it stands and what put it there.
func printHeading(to *report.Printer, e order.Explanation) {
	fmt.Fprintf(to, "job %s", report.Printable(cmp.Or(e.Asked, e.ID)))
	if e.Asked != "" && e.Tasks == "" {
		fmt.Fprintf(to, " (%s)", report.Printable(e.ID))
	}
	if e.User != "" { // as plain sprio does not
		fmt.Fprintf(to, " of %s", report.Printable(e.User))
	}
	for _, of := range [][2]string{{"account", e.Account}, {"partition", e.Partition}, {"QOS", e.QOS}} {
		if of[1] != "" { // which some lists do not tell
			fmt.Fprintf(to, ", %s %s", of[0], report.Printable(of[1]))
		}
	}
	fmt.Fprintln(to)
	if e.Number > 1 {
		is := "stands for the"
		if e.Asked != "" {
			is = "is one of"
		}
		fmt.Fprintf(to, "it %s %s of its array that wait, %s: these are one record with one place, and start in the order of their numbers\n", is, report.Count(e.Number, "task"), report.Printable(e.Tasks))
	}
	switch {
	case e.Unplaced != "":
		fmt.Fprintf(to, "its place is not known: %s\n", report.Printable(e.Unplaced))
		if e.Reason != "" {
			fmt.Fprintf(to, "it waits for: %s\n", report.Printable(e.Reason))
		}
		printReason(to, e)
		return
	case e.Rank == nil:
		fmt.Fprintln(to, report.Printable(unconsidered(e)))
		printReason(to, e)
		if e.IsOfStart {
			fmt.Fprintf(to, "its priority was %s when it started", report.Fixed(float64(e.Value), 0))
			if e.Computed != nil { // fairshare may not be known
				fmt.Fprintf(to, "; its terms now come to %s", report.Fixed(float64(*e.Computed), 0))
			}
			fmt.Fprintln(to)
		}
		return
	}
	printPlace(to, e)
	if e.MayDiffer && !e.IsOfSome {
		fmt.Fprintln(to, "this place may change with the table of QOS, which tells who may preempt whom and which limits hold jobs (sacctmgr -P show qos)")
	}
	switch {
	case e.IsMagnetic:
		fmt.Fprintf(to, "reservation %s attracts it (MAGNETIC): it goes before jobs that have none\n", report.Printable(e.Reservation))
	case e.Reservation != "":
		fmt.Fprintf(to, "it is of reservation %s: it goes before jobs that have none\n", report.Printable(e.Reservation))
	}
	if over := terms.Sum(byWords(e.Over), ruleWords()); over != "" {
		fmt.Fprintf(to, "it goes before jobs of a higher tier or priority: %s\n", over)
	}
	switch {
	case e.Reason != "" && e.IsBarred():
		fmt.Fprintf(to, "Slurm says that it waits for: %s\n", report.Printable(e.Reason))
	case e.Reason != "":
		fmt.Fprintf(to, "it waits for: %s\n", report.Printable(e.Reason))
	}
	printReason(to, e)
	if e.Now != nil && e.Never == "" && !e.IsHeldNow && !e.IsKeptOut {
		fmt.Fprintln(to, report.Printable("right now: "+e.Now.Text))
		if e.Now.Free != "" {
			fmt.Fprintln(to, report.Printable("  "+e.Now.Free))
		}
	}
	if text := forecast.NotModelled(e.Unmodelled); text != "" {
		fmt.Fprintf(to, "%s: what is said here of its start does not heed that\n", report.Printable(text))
	}
	switch why := barring(e); {
	case why != "":
		fmt.Fprintf(to, "it %s\n", report.Printable(why))
	case e.Limit != "":
		fmt.Fprintf(to, "a limit holds it: %s\n", report.Printable(e.Limit))
	}
	if e.Difference != "" {
		fmt.Fprintf(to, "the priorities differ: %s\n", e.Difference)
	}
	if e.Billing != nil && e.CPUs != nil {
		fmt.Fprintf(to, "it asks for %s and is charged %s for each second of its run (billing)\n", report.Count(int(*e.CPUs), "CPU"), report.Plain(float64(*e.Billing)))
	}
	if e.RaisedTo > 0 {
		fmt.Fprintf(to, "its memory takes %d CPUs for each task, more than it asks for (MaxMemPerCPU): it is charged for those once it runs\n", e.RaisedTo)
	}
}

// unconsidered says why a job has no place: since it does not wait, or what Slurm waits for before it considers it.
func unconsidered(e order.Explanation) string {
	state := slurm.StateNamed(e.State)
	if state == nil || e.Reason != e.State {
		return "Slurm does not consider it: " + e.Reason
	}
	switch {
	case state.Fate == slurm.IsOver:
		return "it has ended: " + e.State
	case e.State == "RUNNING":
		return "it runs"
	case state.Fate == slurm.Runs:
		return "it has nodes: " + e.State
	}
	return "Slurm does not consider it: " + e.Reason
}

// barring says what keeps a job from starting whatever else runs, "" for nothing.
func barring(e order.Explanation) string {
	switch {
	case e.Never != "":
		return "never starts, whatever else runs: " + e.Never
	case e.IsKeptOut:
		return fmt.Sprintf("does not start in partition %s under QOS %s, whatever else runs: %s", e.Partition, e.QOS, e.Limit)
	case e.IsHeldHere:
		return "does not start in partition " + e.Partition + ", whatever else runs: " + e.Limit
	case e.IsHeldNow:
		return "does not start, whatever else runs: " + e.Limit
	}
	return ""
}

// printTerms prints what makes up a priority.
func printTerms(to *report.Printer, e order.Explanation) error {
	if len(e.Parts) == 0 {
		return nil
	}
	if err := terms.Print(to, e.Parts, e.Sum(), sixDecimals); err != nil {
		return err
	}
	printRemarks(to, e)
	return nil
}

// printRemarks prints what is said of the terms of jobs.
func printRemarks(to *report.Printer, jobs ...order.Explanation) {
	for _, e := range jobs {
		for _, text := range e.Remarks() {
			fmt.Fprintf(to, "(%s)\n", report.Printable(text))
		}
	}
}

// printVersus prints what makes up two priorities, and which of the jobs goes first.
func printVersus(to *report.Printer, v order.Versus) error {
	if len(v.Pairs) == 0 {
		if err := printTerms(to, v.Job); err != nil {
			return err
		}
		return printFirst(to, v)
	}
	if err := terms.PrintPairs(to, v.Pairs, v.Job.Sum(), v.Other.ID, v.Other.Sum(), sixDecimals); err != nil {
		return err
	}
	printRemarks(to, v.Job, v.Other)
	return printFirst(to, v)
}

// printFirst prints which of two jobs goes first, or that Slurm does not consider the other one.
func printFirst(to *report.Printer, v order.Versus) error {
	text := ""
	switch {
	case v.By == order.AsListed:
		text = fmt.Sprintf("job %s goes first, as squeue lists them: nothing tells their priorities (sprio -l does)", v.First)
	case v.First != "":
		text = fmt.Sprintf("job %s goes first: by %s", v.First, v.By) + round(v.Round)
		if len(v.Pairs) == 0 && v.By == sched.ByPriority.String() {
			text += fmt.Sprintf(" (job %s has %s, job %s %s; of what terms these are made sprio -l tells)", v.Job.ID, report.Fixed(float64(v.Job.Value), 0), v.Other.ID, report.Fixed(float64(v.Other.Value), 0))
		}
	case v.Other.Rank == nil:
		text = fmt.Sprintf("Slurm does not consider job %s: %s", v.Other.ID, v.Other.Reason)
	case v.Job.IsWithin && v.Job.Rank != nil:
		text = "nothing tells which of two partitions' jobs goes first: sprio -l does"
	default:
		return nil // the heading says that it does not consider the job
	}
	_, err := fmt.Fprintf(to, "\n%s\n", report.Printable(text))
	if why := barring(v.Other); why != "" {
		fmt.Fprintf(to, "job %s %s\n", report.Printable(v.Other.ID), report.Printable(why))
	}
	compare.PrintTurns(to, v.Turn, v.Notes)
	return err
}

// round says how a circle goes round.
func round(steps []order.Step) string {
	var list []string
	for _, x := range steps {
		list = append(list, fmt.Sprintf("%s goes before %s by %s", x.First, x.Second, x.By))
	}
	if len(list) == 0 {
		return ""
	}
	last := len(list) - 1
	return " through others: " + strings.Join(list[:last], ", ") + ", and " + list[last]
}

// sixDecimals returns a factor as sprio has it.
func sixDecimals(factor float64) string { return report.Fixed(factor, 6) }
