package cli

import (
	"slices"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/site"
)

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

// checkOrder says whether the copy has the order of its site, and of a site without an order why it has none. Of one without jobs
// there is nothing to say.
func (c *collectCmd) checkOrder(s *session, names site.Names) {
	names.WantsJobs = true
	of, err := orderOf(s, names)
	if err != nil {
		s.say(diag.Notef("%s is not compared with the order of its site, which has none: %v", c.Output, err))
		return
	}
	if len(of) == 0 {
		return
	}
	copied, err := orderOf(s, site.Names{Argument: c.Output, WantsJobs: true, Only: names.Only})
	if err != nil {
		s.say(diag.Warningf("%s has no order, and its site has one: %v", c.Output, err))
		return
	}
	if differ := site.Differing(of, copied, slices.Equal); differ > 0 {
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
	if differ := site.Differing(of, copied, func(a, b site.Run) bool { return a == b }); differ > 0 {
		s.say(diag.Warningf("%s is replayed in another way than its site: %s start or end at another time", c.Output, report.Count(differ, "job")))
		return
	}
	s.say(diag.Notef("%s is replayed as its site is, with the same starts and ends of %s", c.Output, report.Count(len(of), "job")))
}

// runsOf returns how the jobs of a site run in a replay of its record, and says nothing of it.
func runsOf(s *session, names site.Names) ([]site.Run, error) {
	at, err := silentlyOpened(s, names)
	if err != nil {
		return nil, err
	}
	return at.Runs(s.ctx, s.progress.begin)
}

// orderOf returns the order of a site, of each job what has no names, and says nothing of it.
func orderOf(s *session, names site.Names) ([][]string, error) {
	at, err := silentlyOpened(s, names)
	if err != nil {
		return nil, err
	}
	return at.Rows(s.ctx)
}

// silentlyOpened opens a site of which nothing is said, since it has been said before.
func silentlyOpened(s *session, names site.Names) (*site.Site, error) {
	console := *s.console()
	console.Say, console.Fault = func(...diag.Remark) {}, func(error) {}
	return site.Open(s.ctx, names, &console, schedulers())
}
