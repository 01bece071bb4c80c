package door

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/nodes"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/explain"
	"fairshare/cmd/internal/pbs/joblist"
	"fairshare/cmd/internal/pbs/qstat"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/site"
)

// see answers what tables of qstat without -f tell of a job.
func (s *Site) see(ctx context.Context, q site.Question) (*site.Answer, error) {
	if q.Vs == "ahead" || q.Vs == "first" || tries(q.Policy) {
		return nil, fmt.Errorf("%s: %w", s.Place.TablesNamed(), qstat.ErrTable)
	}
	t, remarks, err := s.Place.Table()
	s.to.Say(remarks...)
	if err != nil {
		return nil, err
	}
	e, err := explain.See(t, q.Job, q.User)
	if err != nil {
		return nil, err
	}
	if e.Unplaced != "" {
		if e.Unplaced += s.tellsFormula(); s.Place.Nodes.IsGiven() {
			e.Room = s.roomFor(ctx, e)
		}
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

// tellsFormula says what tells the formula, "" where that is told.
func (s *Site) tellsFormula() string {
	if at, err := s.quiet().asTold(); err == nil && at.Sched.OfServer {
		return ""
	}
	return ", and qstat -Bf tells the formula"
}

// roomFor returns what vnodes have free for a job of a table, nil where they cannot be read.
func (s *Site) roomFor(ctx context.Context, e explain.Seen) *explain.Room {
	at, err := s.quiet().asTold()
	if err != nil {
		return nil
	}
	of := nodes.Question{Submit: e.Select(), User: e.User}
	var machine *nodes.Machine
	for _, of.Queue = range []string{e.Queue, ""} { // its name may be cut, or of a queue that is not told
		if machine, _, err = s.machine(ctx, at, s.Place.Zone(), of); err == nil {
			break
		}
	}
	if err != nil {
		s.to.Say(diag.Lackf("what vnodes have free is not told: %v", err))
		return nil
	}
	room := &explain.Room{}
	if machine.Only != nil && at.Queues != nil {
		room.Of = e.Queue
	}
	total := machine.Total()
	room.CPUs, room.All, room.Nodes = int(total.CPUs.Free), int(total.CPUs.All), total.Up
	if of.Submit != "" {
		machine.Asked.Says = e.Keeps()
		if room.OfOne = nodes.NewAnswer(machine, of).Room(); machine.Asked.Never {
			room.OfOne = "there would be no room for it even if nothing ran: " + machine.Asked.Lacks
		}
	}
	if n, err := strconv.Atoi(e.Chunks); err == nil && n > 1 { // as many vnodes at most have room for these
		room.Most, room.Largest = machine.MostCPUs(n)
	}
	return room
}

// nodesFor returns the vnodes of a site with what is known of room for a job that tables alone tell of.
func (s *Site) nodesFor(ctx context.Context, at *pbs.Site, zone *time.Location, q nodes.Question) (*nodes.Machine, []diag.Remark, error) {
	t, remarks, err := s.Place.Table()
	if err != nil {
		return nil, nil, err
	}
	e, err := explain.See(t, q.Job, "")
	var none *joblist.FindError
	switch {
	case errors.As(err, &none):
		return nil, remarks, &diag.NoJobError{Name: q.Job}
	case err != nil:
		return nil, remarks, err
	case e.Unplaced == "":
		return nil, remarks, diag.Requestf("job %s does not wait for its turn: it is %s", e.ID, e.Reason)
	}
	by, lacks := "as the table has it", "such as GPUs, a host or vnodes for itself"
	if resource, _ := e.Further(); resource != "" {
		by, lacks = "as the table and PBS's comment have it", "such as a host or vnodes for itself"
	}
	var told string
	q.Job, q.Queue = "", e.Queue
	if q.Submit = e.Select(); q.Submit != "" {
		q.User, told = e.User, "the job is taken to be "+q.Submit+", "+by
	} else {
		e.Room = s.roomFor(ctx, e)
		told = e.Asks()
	}
	machine, said, err := s.machine(ctx, at, zone, q)
	var noQueue *forecast.NoQueueError
	if errors.As(err, &noQueue) && strings.HasSuffix(e.Queue, "*") { // cut by qstat
		q.Queue = ""
		machine, said, err = s.machine(ctx, at, zone, q)
	}
	if machine != nil && machine.Asked != nil {
		machine.Asked.Says = e.Keeps()
	}
	return machine, slices.Concat(remarks, []diag.Remark{diag.Lackf("%s: %s; what else it asks for, %s, tables do not tell: qstat -f does", e.ID, told, lacks).OfAsked()}, said), err
}

// printSeen prints what a table tells of a job.
func printSeen(to *report.Printer, e explain.Seen) {
	say := func(text string) { fmt.Fprintln(to, report.Printable(text)) }
	if e.Comment != "" {
		say("PBS says: " + e.Comment)
	}
	if words := qstat.InWords(e.Comment); words != "" {
		say("in words: " + words)
	}
	if e.Estimated != "" {
		say("PBS expects to start it at " + e.Estimated + " (Est Start)")
	}
	text := fmt.Sprintf("%s of %s (queue %s): ", e.ID, e.User, e.Queue)
	if e.IsBegun {
		text += "it is a job array that has begun (B), and qstat -t tells whether any of its subjobs still waits; if so, "
	}
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
		if e.Begun > 0 {
			text += fmt.Sprintf("; those beside it include %s that has begun, of which qstat -t tells whether any subjob still waits", report.Count(e.Begun, "job array"))
		}
	}
	say(text)
	if e.Unplaced != "" {
		say("its place is not known: " + e.Unplaced)
	}
	if asks := e.Asks(); asks != "" {
		say(asks)
	}
	if e.Cut != nil {
		say("qstat has cut names of it (*): " + strings.Join(e.Cut, ", ") + "; qstat -w prints more of them, and names that are cut alike count as one here")
	}
}
