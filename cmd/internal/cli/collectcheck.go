package cli

import (
	"bytes"
	"encoding/csv"
	"slices"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/site"
)

// withoutNames are the columns of an order that have no names in them.
var withoutNames = []string{"rank", "value", "state", "considered"}

// checkCopy says whether the copy without names that was written has the order of its site and is replayed as it is.
func (c *collectCmd) checkCopy(s *session, names site.Names) {
	if names.AsksHost() || c.Snapshot == "-" {
		s.say(diag.Notef("%s is not compared with its site, which cannot be asked the same again: collect a copy with the names first, and name that with --snapshot", c.Output))
		return
	}
	c.checkOrder(s, names)
	if c.Logs == 0 { // with fewer logs there are other jobs to replay
		c.checkReplay(s, names)
	}
}

// checkOrder says whether the copy has the order of its site. Of a site without an order or jobs there is nothing to say.
func (c *collectCmd) checkOrder(s *session, names site.Names) {
	names.WantsJobs = true
	of, err := orderOf(s, names)
	if err != nil || len(of) == 0 {
		return
	}
	copied, err := orderOf(s, site.Names{Argument: c.Output, WantsJobs: true, Only: names.Only})
	if err != nil {
		s.say(diag.Warningf("%s has no order, and its site has one: %v", c.Output, err))
		return
	}
	if differ := differing(of, copied, slices.Equal); differ > 0 {
		s.say(diag.Warningf("%s has another order than its site: %s have another place, value or state", c.Output, report.Count(differ, "row")))
		return
	}
	s.say(diag.Notef("%s has the order of its site, with the same values and states of %s", c.Output, report.Count(len(of), "row")))
}

// checkReplay says whether the copy is replayed as its site is. Of a site that cannot be replayed there is nothing to say.
func (c *collectCmd) checkReplay(s *session, names site.Names) {
	s.progress.plan(0.5, 0.5)
	defer s.progress.end()
	of, err := runsOf(s, site.Names{Logs: []string{c.Snapshot}, Only: names.Only, WantsReplay: true})
	if s.ctx.Err() == nil && (err != nil || len(of) == 0) {
		return
	}
	copied, err := runsOf(s, site.Names{Logs: []string{c.Output}, Only: names.Only, WantsReplay: true})
	if remarks := site.Interrupted(s.ctx, c.Output+" is whole, but its replay is not compared with that of its site"); len(remarks) > 0 {
		s.say(remarks...)
		return
	}
	if err != nil {
		s.say(diag.Warningf("%s cannot be replayed, and its site can: %v", c.Output, err))
		return
	}
	if differ := differing(of, copied, func(a, b jobRun) bool { return a == b }); differ > 0 {
		s.say(diag.Warningf("%s is replayed in another way than its site: %s start or end at another time", c.Output, report.Count(differ, "job")))
		return
	}
	s.say(diag.Notef("%s is replayed as its site is, with the same starts and ends of %s", c.Output, report.Count(len(of), "job")))
}

// differing counts what is not the same in two lists, and what one of them lacks.
func differing[T any](of, copied []T, isSame func(a, b T) bool) int {
	common := min(len(of), len(copied))
	differ := max(len(of), len(copied)) - common
	for i := range common {
		if !isSame(of[i], copied[i]) {
			differ++
		}
	}
	return differ
}

// jobRun is when a job starts and ends in a replay, from the begin of the record on, since a copy may have moved times; -1 for
// never.
type jobRun struct{ start, end float64 }

// runsOf replays the record of a site by the rules in force, and says nothing of it.
func runsOf(s *session, names site.Names) ([]jobRun, error) {
	at, err := silentlyOpened(s, names)
	if err != nil {
		return nil, err
	}
	replayer, ok := at.Able.(site.Replayer)
	if !ok {
		return nil, at.Cannot("replay")
	}
	on, err := replayer.Replay(s.ctx, site.Replaying{Zone: time.Local})
	if err != nil {
		return nil, err
	}
	if err := on.Use(); err != nil {
		return nil, err
	}
	on.Progress = s.progress.begin("runs")
	all, err := on.Run(s.ctx)
	if err != nil {
		return nil, err
	}
	result := all[1].First.Result
	runs := make([]jobRun, len(on.Work.Jobs))
	since := func(at float64) float64 {
		if at == 0 {
			return -1
		}
		return at - float64(on.Work.First)
	}
	for i := range runs {
		runs[i] = jobRun{since(result.Start[i]), since(result.End[i])}
	}
	return runs, nil
}

// silentlyOpened opens a site of which nothing is said, since it has been said before.
func silentlyOpened(s *session, names site.Names) (*site.Site, error) {
	console := *s.console()
	console.Say, console.Fault = func(...diag.Remark) {}, func(error) {}
	return site.Open(s.ctx, names, &console, schedulers())
}

// orderOf returns the order of a site, of each row what has no names, and says nothing of it.
func orderOf(s *session, names site.Names) ([][]string, error) {
	at, err := silentlyOpened(s, names)
	if err != nil {
		return nil, err
	}
	orderer, ok := at.Able.(site.Orderer)
	if !ok {
		return nil, at.Cannot("sort")
	}
	order, err := orderer.Order(s.ctx, site.Ordering{All: true})
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	if err := order.Jobs.WriteCSV(&text); err != nil {
		return nil, err
	}
	rows, err := csv.NewReader(&text).ReadAll()
	if err != nil {
		return nil, err
	}
	for i, row := range slices.Backward(rows) {
		kept := make([]string, 0, len(withoutNames))
		for at, cell := range row {
			if slices.Contains(withoutNames, rows[0][at]) {
				kept = append(kept, cell)
			}
		}
		rows[i] = kept
	}
	return rows[1:], nil
}
