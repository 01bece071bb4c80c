package forecast

import (
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pbssite"
	"fairshare/cmd/internal/trace"
	"fairshare/usagefile"
)

// Subject is what is asked about: a site as it is now, whatever its scheduler.
type Subject interface {
	// Begin returns what forecasts of the site begin with.
	Begin() (*State, Scheduler)

	// New returns a job that is not there yet, as its user asks for it in a queue. An error is an ErrAsk, or
	// ErrNowhere if the queue is "" and the job does not ask for one.
	New(user, queue, resources string) (Offer, error)

	// Waiting returns the IDs of the jobs that wait and can be asked for otherwise.
	Waiting() []string

	// Offer returns one of those.
	Offer(id string) Offer

	// Listed returns the IDs of all jobs of the list.
	Listed() []string

	// Users returns who has a job in the list or in what tells of the past.
	Users() map[string]bool

	// Judges says what of a job that is asked for is looked at before it is forecast.
	Judges() string

	// History returns the site's own past, with the usage at its begin from a file, "" for none.
	History(usage string) (History, []diag.Remark, error)
}

// Offer is a job as it is asked for: one that is not there yet, or one that waits and is to be changed.
type Offer interface {
	// With returns it with some of it changed, such as walltime=4:00:00. An error is an ErrAsk.
	With(change string) (Offer, error)

	// Check returns what is wrong with it: an ErrAsk, or a *NoQueueError.
	Check() error

	// Refused says why the site does not take the job so, "" if it does.
	Refused() string

	// Enter returns the site now with this job among those that wait, and the job's ID.
	Enter() (st *State, scheduler Scheduler, id string, err error)

	// Sensible returns changes that are worth a try.
	Sensible() []string

	// Assumed says what is taken of the job that nobody has told.
	Assumed() []diag.Remark
}

// History is the past of a site, of which forecasts can be made again.
type History interface {
	// Recorded returns what is known of the past by now, by which forecasts of it are judged.
	Recorded() *trace.Trace

	// Then returns the site as it was at a time, from nothing that is later; nil where fewer than
	// FewestWaiting jobs waited.
	Then(at int64) (*State, Scheduler, error)
}

// Begin implements Subject.
func (s *Site) Begin() (*State, Scheduler) {
	st := newState(s)
	return st, newPBS(s, st)
}

// New implements Subject.
func (s *Site) New(user, queue, resources string) (Offer, error) {
	list, err := ParseResources(resources)
	switch {
	case err != nil:
		return nil, err
	case queue == "":
		return nil, ErrNowhere
	}
	return &offer{s, Ask{User: user, Queue: queue, Resources: list}}, nil
}

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
func (s *Site) Offer(id string) Offer {
	a, _ := s.AskOf(id)
	return &offer{s, a}
}

// Listed implements Subject.
func (s *Site) Listed() (ids []string) {
	for _, n := range s.Now {
		ids = append(ids, n.ID)
	}
	return ids
}

// Judges implements Subject.
func (s *Site) Judges() string {
	return "of what a queue takes, only resources_max is looked at, and of defaults only that of walltime"
}

// History implements Subject.
func (s *Site) History(usage string) (History, []diag.Remark, error) {
	if s.upTo == nil {
		return nil, nil, &diag.RequestError{Err: ErrNoPast}
	}
	if isOfPlaces(s.Site) {
		return nil, nil, diag.Requestf("forecasts of the past are for the vnodes and the reservations that there were: no --set nodes., node. or reservation. goes with them")
	}
	if usage == "" {
		return &history{s, nil}, []diag.Remark{NoUsage()}, nil
	}
	begin, remarks, err := pbssite.ReadUsage(usage)
	return &history{s, begin}, remarks, err
}

// NoUsage says that the usage at the begin of the past is not known.
func NoUsage() diag.Remark {
	return diag.Notef("the usage at the begin of the logs is not known (--usage FILE): forecasts of the past begin with none")
}

// offer is a job as it is asked for at a PBS complex.
type offer struct {
	site *Site
	ask  Ask
}

// settled returns what is asked for with the walltime that PBS gives.
func (o *offer) settled() Ask {
	a, _ := o.site.withWalltime(o.ask)
	return a
}

func (o *offer) With(change string) (Offer, error) {
	a, err := o.ask.With(change)
	return &offer{o.site, a}, err
}

func (o *offer) Check() error {
	if err := o.site.check(o.settled()); err != nil {
		return err
	}
	if queue := o.ask.Queue; !o.site.hasQueue(queue) {
		return &NoQueueError{"queue", queue, o.site.queues()}
	}
	return nil
}

func (o *offer) Refused() string { return o.site.refuses(o.settled()) }

func (o *offer) Enter() (*State, Scheduler, string, error) {
	of := o.site.with(o.settled())
	st, scheduler := of.Begin()
	return st, scheduler, of.Now[0].ID, nil
}

func (o *offer) Sensible() []string     { return o.site.Sensible(o.ask) }
func (o *offer) Assumed() []diag.Remark { return o.site.Assumed(o.ask) }

// history is the past of a PBS complex.
type history struct {
	site  *Site
	begin *usagefile.Database // the usage at the begin of the logs; nil if it is not known
}

func (h *history) Recorded() *trace.Trace { return h.site.Past }

func (h *history) Then(at int64) (*State, Scheduler, error) {
	past, reservations, err := h.site.upTo(at)
	if err != nil {
		return nil, nil, err
	}
	then, err := h.site.then(past, at, h.begin)
	if err != nil {
		return nil, nil, err
	}
	then.Reservations = reservations
	waiting := 0
	for _, n := range then.Now {
		if n.Letter == 'Q' {
			waiting++
		}
	}
	if waiting < FewestWaiting {
		return nil, nil, nil
	}
	st, scheduler := then.Begin()
	return st, scheduler, nil
}

// Find returns the ID among some that somebody means, who may leave out what stands behind the number's dot.
func Find(ids []string, asked string) (id string, ok bool) {
	at := slices.IndexFunc(ids, func(id string) bool {
		number, _, _ := strings.Cut(id, ".")
		return id == asked || number == asked
	})
	if at < 0 {
		return "", false
	}
	return ids[at], true
}
