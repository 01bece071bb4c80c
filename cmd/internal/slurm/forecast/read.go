// Package forecast makes what a Slurm site prints the begin of forecasts, and runs Slurm's
// scheduler for them: what is drawn and what becomes of it is package forecast's.
package forecast

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/record"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/set"
	"fairshare/cmd/internal/slurm/setup"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
)

// Site is a Slurm site as forecasts begin with it: what is asked about, and the scheduler.
type Site struct {
	*setup.Site
	state  *forecast.State
	base   *work.Work            // of the past
	record *record.Record        // what the table of sacct tells, nil where there is none
	left   []leftOut             // jobs of the list that wait of which nothing is forecast
	over   []string              // the jobs of the list that do not wait, by ID
	users  map[string]bool       // who has a job in the list or came before
	last   map[string]membership // of users
	listed map[string]listedJob  // by ID
	kinds  map[int32]*sched.Job  // what jobs of the past asked for, by the number of their request
	zone   *time.Location

	maker *setup.JobMaker // of the list

	barrier  *sched.Barrier // the limits of barredIn that no end of another job removes
	barredIn *sched.Setup

	ofOffers *parents // of jobs that are asked for, nil until one is that waits for others
}

// listedJob is a job of the list.
type listedJob struct {
	*sched.Job
	row        string // the ID in the list, of the tasks of an array that wait that of the array
	name, user string
	isChanging bool   // whether it waits and may be asked for otherwise
	isHeld     bool   // whether its user or an administrator holds it
	why        string // what holds one that waits, "" for nothing
	reason     string // for which Slurm says that it waits
	until      string // until when one is held that is not eligible before a time

	unmodelled []string // what it asks for that is not modelled
}

// membership is the association and the QOS of a user's last job.
type membership struct{ association, qos int }

// OtherClusterError says that a table of sacct is of another cluster than a site.
type OtherClusterError struct{ Table, Of, Site, Is string }

func (e *OtherClusterError) Error() string {
	return fmt.Sprintf("%s is of cluster %s, and %s of cluster %s", e.Table, e.Of, e.Site, e.Is)
}

func newSite(now *setup.Site, zone *time.Location) *Site {
	return &Site{Site: now, zone: zone, users: map[string]bool{}, last: map[string]membership{}, listed: map[string]listedJob{}, kinds: map[int32]*sched.Job{}, maker: setup.NewJobMaker(now.Setup)}
}

// Read makes forecasts begin with a site as it is now, and tables of sacct of what came before: without
// one, that which the site has within it. The remarks say what is missing.
func Read(now *setup.Site, tables []file.Source, zone *time.Location) (*Site, []diag.Remark, error) {
	s := newSite(now, zone)
	remarks, err := s.readTables(tables)
	if err != nil {
		return nil, remarks, err
	}
	past := trace.OfSlurm()
	if s.record != nil {
		past = s.learnFrom(s.record.UpTo(s.At))
	}
	said, err := s.enter(past)
	if remarks = append(remarks, said...); err != nil {
		return nil, remarks, err
	}
	return s, remarks, nil
}

// enter makes the state of now after a past, with its reservations and the jobs of its list.
func (s *Site) enter(past *trace.Trace) ([]diag.Remark, error) {
	if s.begin(past); s.state.CPUs == 0 {
		return nil, errors.New(s.Name + ": no node is up, and nothing can start")
	}
	remarks := slices.Concat(s.keep(), s.addJobs(), s.unmodelled())
	s.settle()
	return remarks, nil
}

// ReadPast returns a site of which only the past is told, by a table of sacct.
func ReadPast(now *setup.Site, tables []file.Source, zone *time.Location) (*Site, []diag.Remark, error) {
	s := newSite(now, zone)
	remarks, err := s.readTables(tables)
	if err != nil {
		return nil, remarks, err
	}
	if s.record != nil {
		s.At = s.record.Last
	}
	s.settle()
	return s, remarks, nil
}

// words are what Slurm calls things.
var words = forecast.Words{Scheduler: "slurm", Name: "Slurm", Queue: "partition", Node: "node", Limits: "time limits", Comment: "Slurm holds it", Past: "what sacct -a -P --format=ALL prints", Unlogged: "priorities",
	Unplanned: "(START_TIME is N/A): it plans only some jobs ahead, of an array its next task, and none that is held or waits for other jobs"}

// begin makes the state without jobs.
func (s *Site) begin(past *trace.Trace) {
	s.base = work.New(past, nil)
	s.state = forecast.NewState(s.base, s.At, s.zone)
	s.state.Passes = s.takesNone
	s.state.Record, s.state.Words = "tables of sacct", words
	if s.record != nil { // which has a job
		first := slices.MinFunc(s.record.Jobs, func(a, b *record.Job) int { return cmp.Compare(a.Submit, b.Submit) })
		s.state.Begins, s.state.OfSome = first.Submit, s.record.OfSome
	}
	for _, n := range s.Setup.Nodes {
		s.state.CPUs += float64(n.CPUs)
	}
}

// takesNone reports whether no job can be submitted to a partition, as it is now.
func (s *Site) takesNone(partition string) bool {
	at := s.Setup.PartitionNamed(partition)
	return at >= 0 && s.Setup.Partitions[at].TakesNone()
}

// settle gives the jobs that wait the priorities that they have.
func (s *Site) settle() {
	var waiting []*sched.Job
	for _, p := range s.listed {
		if p.Start == 0 {
			waiting = append(waiting, p.Job)
		}
	}
	s.Setup.Settle(waiting, s.At, s.Swept)
}

// Under returns the site with some settings changed from now on, with remarks on the site as they are of it then, and on the
// settings. The priorities of the jobs that wait are those that follow.
func (s *Site) Under(settings []string, remarks []diag.Remark) (*Site, []diag.Remark, error) {
	of, said, err := s.under(settings, func(set.Change) bool { return true })
	if err != nil {
		return nil, remarks, err
	}
	return of, append(of.retold(remarks, s), said...), nil
}

// under is Under with remarks on some of the changes.
func (s *Site) under(settings []string, isSaid func(set.Change) bool) (*Site, []diag.Remark, error) {
	ofJobs, settings := set.OfJobs(settings)
	changed, changes, err := set.ChangeSetup(s.Setup, settings)
	if err != nil {
		return nil, nil, err
	}
	of, now := *s, *s.Site
	of.Site, now.Setup, now.Ranks, of.listed = &now, changed, nil, map[string]listedJob{}
	rows := map[string][]*sched.Job{} // those that wait
	for id, p := range s.listed {
		p.Job = p.Job.Change()
		p.Depends = nil // found anew
		if of.listed[id] = p; p.Start == 0 {
			rows[p.row] = append(rows[p.row], p.Job)
		}
	}
	own, err := set.ChangeJobs(changed, rows, ofJobs)
	if err != nil {
		return nil, nil, err
	}
	asSet, err := set.AsSetOf(s.Setup, settings)
	if err != nil {
		return nil, nil, err
	}
	var remarks []diag.Remark
	for _, c := range slices.Concat(changes, own) {
		switch {
		case c.LimitsSubmissions():
			return nil, nil, diag.Requestf("--set %s=%s: a forecast refuses no job: formula replay --set says how many this limit would have refused", c.Name, c.Value)
		case isSaid(c):
			remarks = append(remarks, c.Remark())
		}
	}
	remarks = slices.Concat(remarks, asSet, set.AwayAlready(s.Setup, settings), changed.NewRules(s.Setup), changed.NewOmissions(s.Setup))
	of.barrier, of.ofOffers = nil, nil
	of.state = s.state.HeldBy(of.heldAnew(s))
	of.follow()
	of.state.Passes = of.takesNone
	return &of, remarks, nil
}

// heldAnew says by the ID of a job that waits why it does not start as things are now, "" if it may. A reason of Slurm's that the
// rules of the site explain, as it was, counts no more.
func (s *Site) heldAnew(was *Site) func(id string) (why, comment string) {
	rows := map[string]*slurm.ListedJob{}
	for i := range s.Queue {
		rows[s.Queue[i].ID] = &s.Queue[i]
	}
	return func(id string) (why, comment string) {
		p := s.listed[id]
		if by := was.tells().Never(was.listed[id].Job); by != nil && by.Reason == rows[p.row].Reason {
			unheld := *rows[p.row]
			unheld.Reason, rows[p.row] = "", &unheld
		}
		why, isChanging := s.holds(rows[p.row], p.Job)
		p.isChanging, p.isHeld, p.why = isChanging, why == outcome.HeldByUser, why
		s.listed[id] = p
		return why, ""
	}
}

// readTables reads tables of sacct: without any, those which the site has within it.
func (s *Site) readTables(tables []file.Source) (remarks []diag.Remark, err error) {
	isGiven := tables != nil
	if !isGiven {
		if tables, remarks, err = s.World.Accounting(); err != nil {
			return nil, nil
		}
	}
	name := record.NameOf(tables)
	past, err := record.Read(s.Setup, tables, s.zone)
	var none *record.NoJobError
	switch {
	case err != nil && isGiven && !errors.As(err, &none):
		return remarks, err
	case err != nil:
		return append(remarks, diag.Warningf("nothing is learned from %s: %v", name, err)), nil
	case past.Cluster != "" && s.Setup.ClusterName != "" && !strings.EqualFold(past.Cluster, s.Setup.ClusterName):
		return remarks, &OtherClusterError{name, past.Cluster, s.Name, s.Setup.ClusterName}
	}
	if len(past.Jobs) > 0 {
		s.record = past
	}
	return append(remarks, s.doubts(past, name)...), nil
}

// learnFrom returns the trace of what was known of jobs, in which each has what it asked for as its
// request. Whatever the order of the rows, jobs of one moment stand in that of their numbers, by which they are drawn.
func (s *Site) learnFrom(known *record.Record) *trace.Trace {
	slices.SortStableFunc(known.Jobs, func(a, b *record.Job) int {
		return cmp.Or(cmp.Compare(a.Submit, b.Submit), a.Job.ID-b.Job.ID)
	})
	t := known.Trace()
	numbers := map[string]int32{}
	for i, x := range known.Jobs {
		key := fmt.Sprintf("%p %d %v %v %v %d %d %d %g %v", x.Request, x.Job.Partition, x.Job.Partitions, x.AnyQOS, x.Licences, x.Association, x.Job.QOS, x.Limit, x.Billing, x.TRES)
		if numbers[key] == 0 {
			number := t.Number(fmt.Sprintf("ncpus=%d%ckind=%d%c", x.Request.CPUs, trace.RequestEnd, len(numbers), trace.RequestEnd))
			like := *x.Job
			numbers[key], s.kinds[number] = number, &like
		}
		t.Jobs[i].Request = numbers[key]
		s.knows(x.User, x.Job)
	}
	return t
}

// knows keeps that a user has a job.
func (s *Site) knows(user string, j *sched.Job) {
	s.users[user] = true
	if !s.Setup.IsOfStrangers(j) {
		s.last[user] = membership{j.Association, j.QOS}
	}
}

// doubts returns what a table of sacct does not tell, or should not be asked.
func (s *Site) doubts(record *record.Record, name string) (remarks []diag.Remark) {
	remarks = append(remarks, record.Lacks...)
	for _, r := range record.Remarks {
		if r.IsDamage {
			remarks = append(remarks, r)
		}
	}
	record.Beside(s.Queue, name)
	known, later := map[string]bool{}, 0
	for _, x := range record.Jobs {
		id, _, _ := strings.Cut(x.ID, "_")
		known[id] = true
		if x.Submit > s.At {
			later++
		}
	}
	if later > 0 && s.At > 0 {
		remarks = append(remarks, diag.Notef("%s has %s that came after the list was made: nothing is learned from them, nor from ends after it", name, report.Count(later, "job")))
	}
	isKnown := func(n string) bool { return known[n] }
	var ids []string
	for _, n := range s.Queue {
		ids = append(ids, n.ID)
		if n.Array != "" {
			ids = append(ids, n.Array)
		}
	}
	if len(ids) > 0 && len(record.Jobs) > 0 && !slices.ContainsFunc(ids, isKnown) {
		remarks = append(remarks, diag.Warningf("no job of the list is in %s: it is of another site, or of another time, and what is learned from it may not hold here", name))
	}
	return remarks
}

// keep keeps the nodes of the reservations that are known, with remarks on them.
func (s *Site) keep() []diag.Remark {
	_, remarks := s.Keep(s.At, math.MaxInt64)
	return append(remarks, s.reserved()...)
}
