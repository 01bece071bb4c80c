package forecast

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/pbs/replay"
	"fairshare/cmd/internal/pbs/site"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
)

// ReadNodes returns what a place tells of its vnodes and of the jobs that have not ended, with nothing of its past and of
// its order. Without a list there are no jobs. In logs reservations are looked for where the place does not tell them; they
// are nil where there are none.
func ReadNodes(p *site.Place, at *pbs.Site, logs *site.Logs, zone *time.Location) (*Site, []diag.Remark, error) {
	if !p.Nodes.IsGiven() {
		return nil, nil, lackNodes(p)
	}
	s := &Site{ListedAt: p.ListedAt, Zone: zone, Local: p.Local(), Site: at, mayKeep: mayKeep(p, at), hasOwnVnodes: p.HasOwnVnodes()}
	if !p.Taken.IsZero() {
		s.At = p.Taken.Unix()
	}
	var err error
	if s.Past, err = trace.Read(nil, s.Local.Zone, trace.Keep{Requests: true}); err != nil {
		return nil, nil, err
	}
	remarks, err := s.readVnodes(p)
	if err != nil {
		return nil, nil, err
	}
	said, err := s.readJobs(p)
	remarks = append(remarks, said...)
	if err == nil && s.At > 0 && len(p.Jobs) > 0 {
		remarks = append(remarks, s.releaseBy(logs)...)
	}
	if err == nil && s.At > 0 {
		said, err = s.readReservations(p, logs, nil)
		remarks = slices.Concat(remarks, said, s.doubts())
	}
	switch {
	case err != nil || !isOfPlaces(at):
		return s, remarks, err
	case s.At == 0 && len(at.AwayNodes)+len(at.ReservationChanges) > 0:
		return nil, remarks, diag.Requestf("what is set of vnodes or reservations for a while needs the time at which the vnodes are what they are: give it with --at TIME")
	}
	said, err = s.changePlaces()
	return s, append(remarks, said...), err
}

// Requests returns what jobs of the list ask of the vnodes.
func (s *Site) Requests() func(n trace.ListedJob) (*cluster.Request, error) {
	w := work.New(s.Past.NewList(), nil)
	of := cluster.NewRequests(w, s.Cluster, s.Site)
	return func(n trace.ListedJob) (*cluster.Request, error) {
		return of.TryOf(w.NewJob(n.Job, s.At, 0, 0).Request, s.Past.Names.List[n.Queue], cluster.Owner{User: n.User, Group: n.Group})
	}
}

// nobody is the user of a job of which nothing tells who submits it.
const nobody = "nobody"

// Newcomer is a job which is the only one that waits, of a user who is named or of one who has no others.
type Newcomer struct {
	Request *cluster.Request
	Why     error  // why no vnodes could ever give it what it asks for, whose Request is nil
	Queue   string // "" for none
	Refused string // why PBS does not take it, "" if it does
	ID      string // of one of the list; "" for one that is not there yet

	ask   Ask
	given []pbs.Given
	site  *Site // with it, as the first of its jobs
}

// Newcomer returns a job that is submitted to a queue, "" for that which it asks for, the server's default_queue or, where that
// is not known or only hands jobs on, none, by a user, "" where nothing tells who does, and asks for some resources. An error is
// for what cannot be asked for.
func (s *Site) Newcomer(queue, user, resources string) (*Newcomer, error) {
	of, err := s.submission(resources, queue)
	if err != nil {
		return nil, err
	}
	queue = of.Queue
	if err := s.CheckQueue(queue); err != nil {
		return nil, err
	}
	isOfDefault := false
	if usual := s.usualQueue(); queue == "" && !s.routes(usual) {
		queue, isOfDefault = usual, usual != ""
	}
	of.User, of.Queue, of.isOfDefault = cmp.Or(user, nobody), queue, isOfDefault
	a, given := s.settled(of)
	checked := a
	checked.Queue = cmp.Or(queue, nobody)
	if err := s.check(checked); err != nil {
		return nil, err
	}
	n := &Newcomer{Queue: queue, Refused: s.refuses(a), ask: a, given: given, site: s.with(a)}
	n.Request, n.Why = n.site.Requests()(n.site.Now[0])
	return n, nil
}

// NewcomerOf returns a job of the list that waits, which is asked for by its ID, as the only one that does. An error is for a job that does
// not wait.
func (s *Site) NewcomerOf(asked string) (*Newcomer, error) {
	at := slices.IndexFunc(s.Now, func(n trace.ListedJob) bool { return Waits(n) && trace.IsNamed(n.ID, asked) })
	if at < 0 {
		if at = slices.IndexFunc(s.Now, func(n trace.ListedJob) bool { return trace.IsNamed(n.ID, asked) }); at >= 0 {
			return nil, diag.Requestf("job %s does not wait (its state is %c): where a job could run now is told of those that wait", s.Now[at].ID, s.Now[at].Letter)
		}
		return nil, &diag.NoJobError{Name: asked}
	}
	job, of := s.Now[at], *s
	of.Now = append([]trace.ListedJob{job}, slices.Delete(slices.Clone(s.Now), at, at+1)...)
	n := &Newcomer{Queue: s.Past.Names.List[job.Queue], ID: job.ID, ask: s.askAs(&of.Now[0]), site: &of}
	n.Request, n.Why = of.Requests()(job)
	return n, nil
}

// Text says in short what it asks for.
func (n *Newcomer) Text() string {
	var parts []string
	for _, r := range n.ask.requested() {
		if r.Name == "select" || r.Name == "place" && r.Value != "free" {
			parts = append(parts, r.Name+"="+r.Value)
		}
	}
	if parts == nil {
		return n.ID
	}
	return n.ID + " (" + strings.Join(parts, ", ") + ")"
}

// Waits reports whether a job of the list waits, or somebody holds it.
func Waits(n trace.ListedJob) bool { return strings.ContainsRune("QHWTB", rune(n.Letter)) }

// Caveats says of which queue it is where it names none, what it gets without asking for it that vnodes or limits may lack,
// which access lists may keep it out, and what of its resources is not modelled.
func (n *Newcomer) Caveats() []diag.Remark {
	given := sayDefaults(n.given, func(name string) bool { return name != "walltime" })
	return slices.Concat(n.site.queueGiven(n.ask), given, n.site.Caveats(n.ask))
}

// IsOfDefault reports whether it names no queue, and goes to the server's default_queue.
func (n *Newcomer) IsOfDefault() bool { return n.ask.isOfDefault }

// Misread says of which resources that it or jobs of the list ask for nothing tells whether the scheduler looks at them, and
// where chunks of jobs show that PBS gives chunks what nothing tells.
func (n *Newcomer) Misread() []diag.Remark { return n.site.misread() }

// Walltime returns the seconds that it asks for or gets, 0 where nothing tells.
func (n *Newcomer) Walltime() int64 { return max(0, n.site.Now[0].Walltime) }

// Judge returns what one cycle of the scheduler right now makes of it. The time of the site must be known.
func (n *Newcomer) Judge(ctx context.Context) (forecast.CycleResult, []diag.Remark, error) {
	alone := append(n.site.Now[:1:1], slices.DeleteFunc(slices.Clone(n.site.Now[1:]), Waits)...)
	list, remarks, err := n.cycle(ctx, alone)
	return forecast.ByRow(list, "subjob", arrayOf)[n.site.Now[0].ID], remarks, err
}

// KeptOthers says that something which is not told keeps other jobs for which there is room, and may keep this one: "" where nothing
// tells that. The time of the site must be known.
func (n *Newcomer) KeptOthers(ctx context.Context) (string, error) {
	list, _, err := n.cycle(ctx, n.site.Now[1:])
	for i, x := range list {
		list[i] = x.WithWhoever(replay.IsOfAnyOrder)
	}
	return forecast.KeptOthers(list), err
}

// cycle returns what one cycle of the scheduler right now makes of some jobs of the list.
func (n *Newcomer) cycle(ctx context.Context, jobs []trace.ListedJob) ([]forecast.CycleResult, []diag.Remark, error) {
	of := *n.site
	of.takeVnodes() // which looks at all jobs that wait
	of.Now = jobs
	plan, remarks, err := n.plan()
	if err != nil {
		return nil, remarks, err
	}
	of.Plan = plan
	remarks = append(remarks, of.readHours(nil)...)
	st, past := newState(&of)
	list, err := forecast.Now(ctx, st, newPBS(&of, past).judge)
	return list, remarks, err
}

// plan returns the plan for a cycle with it alone, in which its value counts where a threshold may keep it from starting.
func (n *Newcomer) plan() (*order.Plan, []diag.Remark, error) {
	at, remarks := n.site.Site, []diag.Remark(nil)
	if at.Sched.HasThreshold() && at.Sched.Formula != "" {
		plan, _, err := order.NewPlan(at, order.Options{Static: true})
		if err == nil {
			return plan, nil, nil
		}
		remarks = []diag.Remark{diag.Warningf("whether job_sort_formula_threshold holds the job is not looked at: %v", err)}
	}
	plan, _, err := order.NewPlan(at, order.Options{Static: true, Unordered: true})
	return plan, remarks, err
}

// CheckQueue returns an error for a queue that the site does not have, as far as its queues are known.
func (s *Site) CheckQueue(name string) error {
	if name == "" || len(s.Site.Queues) == 0 {
		return nil
	}
	if s.hasQueue(name) {
		return nil
	}
	called, there := s.Site.PlaceNames()
	return &forecast.NoQueueError{Called: called, Queue: name, There: there}
}
