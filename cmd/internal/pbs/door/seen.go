package door

import (
	"fmt"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pbs/explain"
	"fairshare/cmd/internal/pbs/qstat"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/site"
)

// see answers what a table of qstat without -f tells of a job. why is what is wrong with it as a list of jobs.
func (s *Site) see(q site.Question, why error) (*site.Answer, error) {
	if q.Vs == "ahead" || q.Vs == "first" || tries(q.Policy) || len(s.Place.Jobs) != 1 {
		return nil, why
	}
	from := s.Place.Jobs[0]
	text, err := from.Text(file.MostPrinted)
	if err != nil {
		return nil, err
	}
	if !qstat.IsTable([]byte(text)) {
		return nil, why
	}
	t := qstat.ReadTable([]byte(text))
	if t.Lines > 0 {
		s.to.Say(diag.Damagef("%s: %s cannot be read as rows of the table, and are left out", from.Name, report.Count(t.Lines, "line")))
	}
	if s.Place.Nodes.IsGiven() || s.Place.Files.HasQueues() {
		s.to.Say(diag.Lackf("%s is a table without what jobs ask for: what else is told here, of vnodes, queues and the server, is not used (qstat -f has what that takes)", from.Name))
	}
	e, err := explain.See(t, q.Job, q.User)
	if err != nil {
		return nil, err
	}
	if q.Vs != "" {
		v, err := explain.SeeBoth(t, e, q.Vs)
		if err != nil {
			return nil, err
		}
		return &site.Answer{JSON: v, IsPartly: v.Unplaced != "", Print: func(to *report.Printer) error { return printVerdict(to, v) }}, nil
	}
	if e.OfOne != "" && e.Waiting > 0 {
		s.to.Say(diag.OfTheseJobs(diag.AllOf("the table", e.OfOne, "others have any", "qstat without -u prints those of all that you may see")))
	}
	return &site.Answer{JSON: e, IsPartly: e.Unplaced != "", Print: func(to *report.Printer) error { printSeen(to, e); return nil }}, nil
}

// printSeen prints what a table tells of a job.
func printSeen(to *report.Printer, e explain.Seen) {
	say := func(text string) { fmt.Fprintln(to, report.Printable(text)) }
	if e.Comment != "" {
		say("PBS says: " + e.Comment)
	}
	if e.Estimated != "" {
		say("PBS expects to start it at " + e.Estimated + " (Est Start)")
	}
	text := fmt.Sprintf("%s of %s (queue %s): ", e.ID, e.User, e.Queue)
	switch others := e.WaitingInQueue - 1; {
	case e.Reason != "":
		text += "it does not wait for its turn: it is " + e.Reason + " (" + e.State + ")"
	case e.Waiting == 1:
		text += "it waits, and no other job of the table does"
	default:
		text += fmt.Sprintf("it waits beside %s of the table, %d of them in its queue", report.Count(e.Waiting-1, "other"), others)
		if others > 0 {
			text += fmt.Sprintf(", of which %d came to the server before it (by their numbers)", e.SubmittedBefore)
		}
	}
	say(text)
	if e.Unplaced != "" {
		say("its place is not known: " + e.Unplaced)
	}
	var asks []string
	for _, of := range [][2]string{{"tasks", e.Tasks}, {"memory", e.Memory}, {"walltime (HH:MM)", e.Walltime}} {
		if of[1] != "" {
			asks = append(asks, of[0]+" "+of[1])
		}
	}
	if asks != nil {
		say("it asks for: " + strings.Join(asks, ", "))
	}
	if e.Cut != nil {
		say("qstat has cut names of it (*): " + strings.Join(e.Cut, ", ") + "; qstat -w prints more of them, and names that are cut alike count as one here")
	}
}
