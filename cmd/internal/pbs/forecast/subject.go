package forecast

import (
	"context"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/pbs/accrual"
	"fairshare/cmd/internal/pbs/replay"
	pbssite "fairshare/cmd/internal/pbs/site"
	"fairshare/cmd/internal/trace"
	"fairshare/usagefile"
)

// Begin implements Subject.
func (s *Site) Begin() (*forecast.State, forecast.Scheduler) {
	st, past := newState(s)
	return st, newPBS(s, past)
}

// New implements Subject.
func (s *Site) New(user, queue, resources string) (forecast.Offer, error) {
	a, err := s.submission(resources, queue)
	a.User = user
	switch {
	case err != nil:
		return nil, err
	case a.Queue != "":
		return &offer{s, a}, nil
	}
	usual := s.usualQueue()
	if usual == "" {
		return nil, forecast.ErrNowhere
	}
	a.Queue, a.isOfDefault = usual, true
	return &offer{s, a}, nil
}

// usualQueue returns the queue of a job that names none, the server's default_queue; "" where nothing tells.
func (s *Site) usualQueue() string {
	if usual := s.Site.Sched.Server["default_queue"]; s.hasQueue(usual) {
		return usual
	}
	return ""
}

// routes reports whether a queue only hands jobs on.
func (s *Site) routes(name string) bool { return s.Site.Queue(name).Routes }

// Waiting implements Subject.
func (s *Site) Waiting() (ids []string) {
	for _, n := range s.Now {
		if n.Letter == 'Q' && !n.IsArray {
			ids = append(ids, n.ID)
		}
	}
	return ids
}

// Offer implements Subject.
func (s *Site) Offer(id string) forecast.Offer {
	a, _ := s.askOf(id)
	return &offer{s, a}
}

// Listed implements Subject.
func (s *Site) Listed() (ids []string) {
	for _, n := range s.Now {
		ids = append(ids, n.ID)
	}
	return ids
}

// Judges implements Subject: all that tells whether PBS takes a job is looked at.
func (s *Site) Judges() []diag.Remark { return nil }

// History implements Subject.
func (s *Site) History(usage string) (forecast.History, []diag.Remark, error) {
	if s.upTo == nil {
		return nil, nil, &diag.RequestError{Err: forecast.ErrNoPast}
	}
	if isOfPlaces(s.Site) {
		return nil, nil, diag.Requestf("forecasts of the past are for the vnodes and the reservations that there were: no --set nodes., node. or reservation. goes with them")
	}
	if usage == "" {
		return &history{site: s}, []diag.Remark{forecast.NoUsage()}, nil
	}
	begin, remarks, err := pbssite.ReadUsage(usage)
	if priv := s.Site.SchedPriv; err == nil && priv != nil {
		var doubts []diag.Remark
		doubts, err = accrual.CheckBegin(usage, begin, priv.Tree, s.Site.Entity(), s.Past, s.Zone)
		remarks = append(remarks, doubts...)
	}
	return &history{site: s, begin: begin}, remarks, err
}

// offer is a job as it is asked for at a PBS complex.
type offer struct {
	site *Site
	ask  Ask
}

// settled returns what is asked for as PBS takes it.
func (o *offer) settled() Ask {
	a, _ := o.site.settled(o.ask)
	return a
}

func (o *offer) With(change string) (forecast.Offer, error) {
	a, err := o.ask.With(change)
	return &offer{o.site, a}, err
}

func (o *offer) Check() error {
	if o.site.isAsItIs(o.ask) {
		return nil
	}
	if err := o.site.check(o.settled()); err != nil {
		return err
	}
	queue := o.ask.Queue
	if o.site.hasQueue(queue) || o.ask.is != nil && queue == o.site.Past.Names.List[o.ask.is.Queue] {
		return nil
	}
	if queues, isOfScheduler := o.site.Site.QueuesOf(queue); isOfScheduler {
		return AskedOfScheduler(queue, queues)
	}
	return &forecast.NoQueueError{Called: "queue", Queue: queue, There: o.site.queues()}
}

// AskedOfScheduler says that a job is to be in a queue, where a scheduler or a partition is named.
func AskedOfScheduler(name string, queues []string) error {
	return diag.Requestf("%s names a scheduler, and the job is to be in one of its queues: %s", name, strings.Join(queues, ", "))
}

func (o *offer) Refused() string { return o.site.refuses(o.settled()) }

func (o *offer) Enter() (*forecast.State, forecast.Scheduler, string, error) {
	of, id := o.site, forecast.NewID
	if o.ask.is != nil {
		id = o.ask.is.ID
	}
	if !of.isAsItIs(o.ask) {
		of = of.with(o.settled())
	}
	st, scheduler := of.Begin()
	return st, scheduler, id, nil
}

func (o *offer) Sensible() []string     { return o.site.Sensible(o.ask) }
func (o *offer) Assumed() []diag.Remark { return o.site.Assumed(o.ask) }

// history is the past of a PBS complex.
type history struct {
	site  *Site
	begin *usagefile.Database // the usage at the begin of the logs; nil if it is not known

	isAlong bool          // whether along is known
	along   *replay.Along // goes along the logs; nil where the eligible_time of no job stands still
}

func (h *history) Recorded() *trace.Trace { return h.site.Past }

func (h *history) Then(ctx context.Context, at int64) (*forecast.State, forecast.Scheduler, error) {
	past, reservations, err := h.site.upTo(at)
	if err != nil {
		return nil, nil, err
	}
	then, err := h.site.then(past, at, h.begin)
	if err != nil {
		return nil, nil, err
	}
	if err := h.accrue(ctx, then); err != nil {
		return nil, nil, err
	}
	then.Reservations = reservations
	waiting := 0
	for _, n := range then.Now {
		if n.Letter == 'Q' {
			waiting++
		}
	}
	if waiting < forecast.FewestWaiting {
		return nil, nil, nil
	}
	st, scheduler := then.Begin()
	return st, scheduler, nil
}
