package cli

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"time"

	"fairshare/cmd/internal/history"
	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/trace"
)

// printJobs prints of each job that is asked for what became of it, what it was given, and what it used of that: of several, such as the
// tasks of an array, in a row each.
func (c *historyCmd) printJobs(s *session, h *history.History, recorder site.Recorder, zone *time.Location) error {
	var err error
	if len(h.Jobs) == 1 {
		again := ""
		if of, ok := recorder.(site.Requeuer); ok {
			again = of.WaitsAgain(h.Jobs[0].ID)
		}
		err = printJob(s, h, again, zone)
	} else if len(h.Jobs) > 1 {
		err = c.printTasks(s, h)
	}
	if err != nil {
		return err
	}
	isMore := false   // whether one may have used more memory than is told
	isUntold := false // whether nothing tells the memory that one has used which has ended
	for i, j := range h.Jobs {
		if _, hasRun := j.Length(); hasRun {
			_, _, memory := h.Efficiencies(i)
			isMore, isUntold = isMore || memory.IsAtLeast, isUntold || math.IsNaN(memory.Used)
		}
	}
	if isMore {
		s.diag.Note("\"at least\" is the memory of one task, of steps that may have several: sacct with AveRSS and NTasks, or TRESUsageInTot, tells that of all")
	}
	switch by := h.Trace.UsesBy(); {
	case !isUntold:
	case by == "":
		s.diag.Note("how much memory jobs used is told by nothing that is read")
	default:
		s.diag.Note("how much memory a job used is told by %s", by)
	}
	return nil
}

// printJob prints the only job that is asked for. again says that it waits again though it has ended, "" where it does not.
func printJob(s *session, h *history.History, again string, zone *time.Location) error {
	j := h.Jobs[0]
	printEnded(s, h, zone)
	_, hasRun := j.Length()
	if hasRun && again != "" {
		fmt.Fprintln(s.out, report.Printable(again))
	}
	if !hasRun {
		return nil
	}
	walltime, cput, memory := h.Efficiencies(0)
	rows := [][]string{{"", "GIVEN", "USED", "PART"}}
	for _, x := range []struct {
		name string
		of   history.Efficiency
		unit history.Unit
	}{{"walltime", walltime, history.Seconds}, {"cpu time", cput, history.Seconds}, {"memory", memory, history.Memory}} {
		rows = append(rows, []string{x.name, x.unit.Text(x.of.Given), atLeast(x.of.IsAtLeast, x.unit.Text(x.of.Used)), atLeast(x.of.IsAtLeast, history.Ratio.Text(x.of.Part()))})
	}
	return s.print(report.Table{Rows: rows, Right: func(column int) bool { return column > 0 }})
}

// printTasks prints a row for each of several jobs, below what they used together.
func (c *historyCmd) printTasks(s *session, h *history.History) error {
	printCount(s, h, "", "")
	c.printUsed(s, h)
	rows := [][]string{{"JOB", "WAITED", "RAN", "OF", "PART", "CPU TIME", "MEMORY", "OF", "PART", "STATE"}}
	for i, j := range h.Jobs {
		row := []string{report.Printable(j.ID), "-", "-", "-", "-", "-", "-", "-", "-", stateNow(h, i)}
		if wait, ok := j.Wait(); ok {
			row[1] = history.Seconds.Text(float64(wait))
		}
		if _, hasRun := j.Length(); hasRun {
			walltime, cput, memory := h.Efficiencies(i)
			copy(row[2:], []string{history.Seconds.Text(walltime.Used), history.Seconds.Text(walltime.Given), history.Ratio.Text(walltime.Part()), history.Ratio.Text(cput.Part()),
				atLeast(memory.IsAtLeast, history.Memory.Text(memory.Used)), history.Memory.Text(memory.Given), atLeast(memory.IsAtLeast, history.Ratio.Text(memory.Part()))})
		}
		rows = append(rows, row)
	}
	fmt.Fprintln(s.out)
	return s.print(report.Table{Rows: rows, Right: func(column int) bool { return column > 0 && column < len(rows[0])-1 }})
}

// atLeast says before a figure of what was used whether it may be more.
func atLeast(isAtLeast bool, text string) string {
	if isAtLeast {
		return "at least " + text
	}
	return text
}

// stateNow returns in a few words what became of a job.
func stateNow(h *history.History, i int) string {
	t, j := h.Trace, h.Jobs[i]
	switch _, hasRun := j.Length(); {
	case hasRun:
		return cmp.Or(strings.TrimPrefix(endedAs(h, i), ", "), "ended")
	case j.State == trace.Waiting:
		return "waits"
	case j.State == trace.Running:
		return "runs"
	case j.State == trace.Ended:
		return "ended" + endedAs(h, i)
	}
	return deletedAs(t, j)
}

// printEnded prints whose the only job is that is asked for, how long it waited and ran, and how it ended.
func printEnded(s *session, h *history.History, zone *time.Location) {
	j := h.Jobs[0]
	names := h.Trace.Names.List
	fmt.Fprintf(s.out, "job %s", report.Printable(j.ID))
	if name := names[j.Name]; name != "" {
		fmt.Fprintf(s.out, " (%s)", report.Printable(name))
	}
	for _, x := range []struct{ word, name string }{{" of ", names[j.User]}, {", account ", names[j.Account]}, {", " + h.Trace.WordFor("queue") + " ", names[j.Queue]}} {
		if x.name != "" {
			fmt.Fprint(s.out, x.word, report.Printable(x.name))
		}
	}
	fmt.Fprintln(s.out)
	if earlier := len(j.Earlier()); earlier > 0 {
		fmt.Fprintf(s.out, "requeued after %s, of which this leaves out what they used\n", report.Count(earlier, "run"))
	}
	if j.Start == trace.Unknown {
		run, hasRun := j.Length()
		so, runs := j.SoFar()
		switch {
		case runs:
			fmt.Fprintf(s.out, "had run %s when the table was printed, and goes on: what it uses is told when it has ended\n", report.Duration(float64(so)))
		case hasRun:
			fmt.Fprintf(s.out, "ran %s, and nothing tells when%s\n", report.Duration(float64(run)), endedAs(h, 0))
		case h.Trace.IsTimed && j.State == trace.Running:
			fmt.Fprintln(s.out, "runs: what it uses is told when it has ended")
		case h.Trace.IsTimed && j.State == trace.Ended:
			ended := endedAs(h, 0)
			if j.Exit == 0 && stateText(h.Trace, j) == "" {
				ended = ", ended well" + ended
			}
			fmt.Fprintf(s.out, "%s; nothing tells when it ran, and for how long (%s)\n", cmp.Or(strings.TrimPrefix(ended, ", "), "it has ended"), h.Trace.TimesBy())
		case j.State == trace.Waiting && j.Arrival != trace.Unknown:
			fmt.Fprintf(s.out, "waits since %s\n", moment.Clock(j.Arrival, zone))
		case j.State == trace.Waiting:
			fmt.Fprintln(s.out, "waits")
		default:
			fmt.Fprintln(s.out, deletedAs(h.Trace, j))
		}
		return
	}
	if wait, ok := j.Wait(); ok {
		fmt.Fprintf(s.out, "waited %s, from when it could run at %s\n", report.Duration(float64(wait)), moment.Clock(j.Arrival, zone))
	}
	run, hasRun := j.Run()
	if !hasRun {
		fmt.Fprintf(s.out, "runs since %s: what it uses is told when it has ended\n", moment.Clock(j.Start, zone))
		return
	}
	fmt.Fprintf(s.out, "ran %s, from %s to %s", report.Duration(float64(run)), moment.Clock(j.Start, zone), moment.Clock(j.End, zone))
	fmt.Fprint(s.out, endedAs(h, 0))
	fmt.Fprintln(s.out)
}

// endedAs says in which state the job at a place has ended and with which exit status, "" where nothing tells it.
func endedAs(h *history.History, i int) (text string) {
	t, j := h.Trace, h.Jobs[i]
	if state := stateText(t, j); state != "" {
		text = ", ended as " + state
	}
	if j.Exit == trace.Unknown {
		return text
	}
	switch exit := report.Printable(t.ExitText(j.Exit)); {
	case strings.ContainsAny(exit, "0123456789"):
		text += ", exit status " + exit
		if walltime, _, _ := h.Efficiencies(i); j.Exit != trace.KilledAtWalltime && j.IsKilledAtWalltime(walltime.Used) {
			text += ", when its walltime was over"
		}
	case text == "": // a state in its place
		text = ", ended as " + exit
	}
	return text
}

// stateText returns the state in which a job has ended as the record has it, with why, "" for none.
func stateText(t *trace.Trace, j *trace.Job) string {
	state, why := t.EndedAs(j)
	if state = report.Printable(state); why != "" {
		state += " (" + why + ")"
	}
	return state
}

// deletedAs says how a job ended that never started.
func deletedAs(t *trace.Trace, j *trace.Job) string {
	state := stateText(t, j)
	if by, isCancelled := strings.CutPrefix(state, "CANCELLED"); isCancelled {
		return "was cancelled" + by + " before it started"
	}
	if state != "" {
		return "ended as " + state + " before it started"
	}
	return "ended before it started"
}
