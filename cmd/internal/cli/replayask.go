package cli

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
)

// printWaiting prints the queue and its order at a time.
func (r *replayReport) printWaiting(s *session) error {
	for i, p := range r.on.Policies {
		result := r.all[i+1].First.Result
		if len(r.on.Policies) > 1 {
			fmt.Fprintf(s.out, "%d  %s\n", i+1, p.Name)
		}
		table := [][]string{{"RANK", "JOB", "USER", strings.ToUpper(r.on.Words.Queue), "NCPUS", "WAITED", "ELIGIBLE", "VALUE", "KEPT BY"}}
		names := result.Work.Trace.Names.List
		for k, waiting := range result.Waiting {
			j := waiting.Job
			table = append(table, []string{strconv.Itoa(k + 1), j.ID, names[j.User], names[j.Queue], strconv.FormatInt(max(0, j.NCPUs), 10),
				report.Duration(result.Until - float64(j.Arrival)), report.Duration(float64(waiting.Eligible)), report.Plain(waiting.Value), waiting.Reason})
		}
		if err := s.print(report.Table{Rows: table, Right: func(column int) bool { return column == 0 || column > 3 && column < 8 }}); err != nil {
			return err
		}
		if n := notConsidered(result); n > 0 {
			fmt.Fprintf(s.out, "%s not considered then, as below a threshold or in a queue that is not started (--explain ID says why)\n", more(n))
		}
		if len(result.Waiting) == 0 {
			fmt.Fprintf(s.out, "no job waits at %s\n", time.Unix(int64(result.Until), 0).In(r.zone).Format(moment.Layout))
		}
	}
	return nil
}

// notConsidered returns how many jobs wait at the end of a replay that its scheduler does not consider then.
func notConsidered(result *outcome.Result) (n int) {
	considered := map[*work.Job]bool{}
	for _, waiting := range result.Waiting {
		considered[waiting.Job] = true
	}
	for i, j := range result.Work.Jobs {
		came := float64(j.Arrival)
		if result.Came != nil {
			came = result.Came[i]
		}
		hasLeft := result.Start[i] > 0 && result.Start[i] <= result.Until || j.Deleted != trace.Unknown && float64(j.Deleted) <= result.Until
		if came <= result.Until && !hasLeft && !considered[j] {
			n++
		}
	}
	return n
}

// more returns that so many more jobs wait.
func more(n int) string {
	if n == 1 {
		return "1 more job waits and is"
	}
	return fmt.Sprintf("%d more jobs wait and are", n)
}

// printWay prints what a job waits for until it starts.
func (r *replayReport) printWay(s *session) error {
	number := r.on.Wanted.Watch
	j := r.on.Work.Jobs[number]
	clock := func(at float64) string { return time.Unix(int64(at), 0).In(r.zone).Format("2006-01-02 15:04:05") }
	for i, p := range r.on.Policies {
		result := r.all[i+1].First.Result
		if len(r.on.Policies) > 1 {
			fmt.Fprintf(s.out, "%d  %s\n", i+1, p.Name)
		}
		came := float64(j.Arrival)
		if result.Came != nil { // those that wait for others come when these end
			came = result.Came[number]
		}
		if math.IsNaN(came) {
			fmt.Fprintf(s.out, "%s has not come: what it depends on did not happen\n", j.ID)
		} else {
			fmt.Fprintf(s.out, "%s came at %s\n", j.ID, clock(came))
		}
		if result.Start[number] > 0 && len(result.Steps) > 0 {
			fmt.Fprintln(s.out, "  "+sumOfWaits(result.Steps))
		}
		table := [][]string{}
		for _, step := range result.Steps {
			table = append(table, []string{"  until " + clock(step.To), cmp.Or(step.Reason, outcome.StartsNow)})
		}
		if len(table) > 0 {
			if err := s.print(report.Table{Rows: table}); err != nil {
				return err
			}
		}
		switch start := result.Start[number]; {
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

// sumOfWaits says in one line for how long a job waited for what, the longest first.
func sumOfWaits(steps []outcome.Step) string {
	waited := 0.
	seconds := map[string]float64{}
	for _, step := range steps {
		what := "for " + cmp.Or(step.Reason, outcome.StartsNow)
		if strings.HasPrefix(step.Reason, outcome.Behind) {
			what = "behind others"
		}
		seconds[what] += step.To - step.From
		waited += step.To - step.From
	}
	list := slices.SortedFunc(maps.Keys(seconds), func(a, b string) int {
		return cmp.Or(cmp.Compare(seconds[b], seconds[a]), strings.Compare(a, b))
	})
	parts := make([]string, len(list))
	for i, what := range list {
		parts[i] = report.Duration(seconds[what]) + " " + what
	}
	return "waited " + report.Duration(waited) + ": " + strings.Join(parts, ", ")
}
