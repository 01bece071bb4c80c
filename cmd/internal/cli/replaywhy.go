package cli

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/report"
)

// printCauses prints what jobs of each queue waited for under each policy, in hours.
func (c *replayCmd) printCauses(s *session, r *replayReport) error {
	for i := range r.on.Policies {
		result, of := r.all[i+1].First.Result, "all the time of the logs"
		if r.on.Stop != nil {
			of = "the time that is replayed of this policy"
		}
		fmt.Fprintf(s.out, "\nWhat jobs waited for under policy %d%s, in hours of all of them, from %s", i+1, r.on.InFirstRun(""), r.on.Words.Since)
		if trust := r.all[1].First.Trust(); trust.Jobs > 0 {
			fmt.Fprintf(s.out, ".\nPolicy 1 starts %.0f%% of the jobs within an hour of when they did, see Agreement", 100*trust.Within[slices.Index(outcome.Spans, 3600)])
		}
		fmt.Fprintf(s.out, ". What held jobs back before they could run is not in it.\nIt is of %s, from %s to %s.\n", of, moment.Clock(r.on.Work.First, r.zone), moment.Clock(result.Reached(), r.zone))
		table := causesTable(result.Causes, c.Top)
		if err := s.print(report.Table{Rows: table, Right: func(column int) bool { return column > 0 }}); err != nil {
			return err
		}
	}
	return nil
}

// causesTable returns reasons, at most so many but 0 for all, with their hours in all queues and
// in each.
func causesTable(causes []outcome.Cause, top int) [][]string {
	sums, queues := map[string]map[string]float64{}, map[string]float64{} // by reason and queue
	all := 0.
	for _, cause := range causes {
		if sums[cause.Reason] == nil {
			sums[cause.Reason] = map[string]float64{}
		}
		hours := cause.Seconds / 3600
		sums[cause.Reason][cause.Queue] += hours
		sums[cause.Reason][""] += hours
		queues[cause.Queue] += hours
		all += hours
	}
	most := func(hours func(name string) float64) func(a, b string) int {
		return func(a, b string) int { return cmp.Or(cmp.Compare(hours(b), hours(a)), cmp.Compare(a, b)) }
	}
	names := slices.SortedFunc(maps.Keys(queues), most(func(name string) float64 { return queues[name] }))
	reasons := slices.SortedFunc(maps.Keys(sums), most(func(reason string) float64 { return sums[reason][""] }))
	const mostQueues = 8
	hasOthers := len(names) > mostQueues
	names = names[:min(len(names), mostQueues)]
	header := []string{"WAITED FOR", "HOURS", ""}
	for _, name := range names {
		header = append(header, strings.ToUpper(report.DashIfEmpty(name)))
	}
	if hasOthers {
		header = append(header, "OTHERS")
	}
	rows := [][]string{header}
	for _, reason := range reasons {
		row := []string{reason, report.Fixed(sums[reason][""], 1), report.Fixed(100*sums[reason][""]/all, 0) + "%"}
		others := sums[reason][""]
		for _, name := range names {
			others -= sums[reason][name]
			row = append(row, report.Fixed(sums[reason][name], 1))
		}
		if hasOthers {
			row = append(row, report.Fixed(others, 1))
		}
		rows = append(rows, row)
	}
	return report.FirstRows(rows, top, "")
}
