package forecast

import (
	"cmp"
	"slices"
	"time"

	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/pbs/qstat"
	"fairshare/cmd/internal/pbs/site"
	"fairshare/cmd/internal/pbs/world"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
	"fairshare/usagefile"
)

// Site is what is known of a site at a time.
type Site struct {
	At       int64          // in seconds since 1970
	ListedAt time.Time      // when the list of jobs was made, zero where nothing tells
	Zone     *time.Location // in which times are printed
	Local    site.LocalTime // of the site
	Site     *pbs.Site
	Plan     *order.Plan
	Listing  *cluster.Listing    // what pbsnodes printed, without jobs that are over by a record
	released map[string]bool     // vnodes from which such jobs were taken
	Cluster  *cluster.Cluster    // all vnodes
	Away     []string            // those that are down or offline
	Unplaced *cluster.Cluster    // those of partitions of no scheduler that is told of, which Cluster may lack; nil for none
	Hours    *world.Hours        // nil where all times are alike
	Usage    *usagefile.Database // the fairshare usage, nil for that of the site's tree

	// Reservations are those that are known at the time, of which none is over.
	Reservations []*world.Reservation

	Past *trace.Trace      // what the accounting logs tell, without jobs where there are none
	Now  []trace.ListedJob // the jobs of the list, with the names of Past

	resources map[string]bool // that something of the site names, nil before it is asked

	Unseen site.Unseen // what tells that the list may lack jobs
	tried  string      // the ID of a job of the list that is asked for otherwise than it is, "" for none
	Lacks  string      // what tells that the list has the jobs of one user alone, "" where nothing does

	mayKeep string // what may keep a job from starting that nothing tells of

	hasOwnVnodes bool // whether the vnodes are those of the place, and none that somebody asks about

	// IsOrderGiven reports whether somebody gave the order, as by a formula, that is taken where nothing tells the one in force.
	IsOrderGiven bool

	clock        *site.LocalTime         // by which times with rules of their own are read, nil before one is
	furtherHours map[string]*world.Hours // of the other schedulers, by their names

	isFreeUnknown bool // whether jobs run of which nothing tells on which vnodes, or until when, so that what is free then is not known

	wasOn     bool // whether it is of the past, when schedulers are taken to have been on
	hasTorque bool // whether some of the jobs are TORQUE's

	ranks map[string]int // places in the order of the list, by ID, of an array one; nil where it is not known

	shown   []world.VnodeEvent // what vnodes say of themselves and the list of jobs does not
	changes []world.VnodeEvent // what settings of Under do to vnodes

	known map[string]work.ListFacts // what lists tell of jobs of the past, beside that of now, by ID

	// upTo reads the logs anew up to a time, and the reservations that are known then; nil where
	// there are no logs.
	upTo func(at int64) (*trace.Trace, []*world.Reservation, error)
}

// state is the state of a PBS complex while it is made.
type state struct {
	*forecast.State
	site *Site
	past *work.Work
	jobs []*listedJob
}

// listedJob is a job of the list.
type listedJob struct {
	forecast.UnfinishedJob
	depends bool // whether nothing but other jobs holds it
}

// newState returns the state of a site, of which nothing later than its time is known.
func newState(s *Site) (st *forecast.State, past *work.Work) {
	of := stand(s)
	for _, p := range of.jobs {
		of.Add(&p.UnfinishedJob)
	}
	return of.State, of.past
}

// stand returns the state of a site before its jobs are part of it, with where they stand.
func stand(s *Site) *state {
	past := work.New(s.Past, nil)
	st := &state{State: forecast.NewState(past, s.At, s.Local.Zone), site: s, past: past}
	st.Shown = s.Zone
	st.CPUs, st.Record, st.Words = s.Cluster.Total("ncpus"), "accounting logs", words
	st.Passes = trace.IsReservation
	st.Unordered, st.OfSome = s.unordered(), s.Past.OfOneUser()
	st.IsFreeUnknown = s.isFreeUnknown
	st.IsOrderGiven = s.IsOrderGiven && s.Lacks == ""
	if len(s.Past.Types) > 0 {
		st.Begins = s.Past.Begin()
	}
	logged := map[string]*trace.Job{}
	for _, j := range s.Past.Jobs {
		if j.State == trace.Running || j.State == trace.Waiting {
			logged[j.ID] = j
		}
	}
	arrays := map[string]*trace.ListedJob{}
	for i, n := range s.Now {
		if n.IsArray {
			arrays[n.ID] = &s.Now[i]
		}
	}
	numbers := map[string]int32{}
	add := func(n trace.ListedJob, array string) {
		p := st.place(n, logged[n.ID])
		if array != "" {
			if numbers[array] == 0 {
				numbers[array] = int32(len(numbers) + 1)
			}
			p.Array = numbers[array]
			if parent := arrays[array]; parent != nil {
				p.BelongsTo(parent.Job)
				p.Subjobs, p.NotPlanned, p.IsKept = parent.MaxSubjobs, p.NotPlanned || parent.NotPlanned, p.IsKept || parent.IsKept
				if p.Priority == 0 {
					p.Priority = parent.Priority
				}
				if p.Phase == forecast.Waits && parent.Letter == 'H' {
					p.Phase, p.Why, p.depends = forecast.Held, whyHeld(*parent), isDependent(*parent)
				}
			}
		}
		st.jobs = append(st.jobs, p)
	}
	known := s.knownSubjobs()
	for _, n := range s.Now {
		array, _, isSubjob := trace.Subjob(n.ID)
		switch {
		case isSubjob:
			add(n, array)
		case !n.IsArray:
			add(n, "")
		default:
			for count, id := range known.unlisted(n) {
				if count == mostSubjobs { // which cutArrays says
					break
				}
				add(asSubjob(n, id), n.ID)
			}
		}
	}
	st.settleDependents()
	return st
}

// unordered says why it is not known when jobs start one after another, "" where it is: nothing tells the order, or the list has the
// jobs of one user alone.
func (s *Site) unordered() string {
	if s.Plan == nil {
		return ""
	}
	return cmp.Or(s.Plan.Site.Unordered(), s.Lacks)
}

// place returns where a job stands. logged is what the logs tell of it, nil for nothing.
func (st *state) place(n trace.ListedJob, logged *trace.Job) *listedJob {
	p := &listedJob{}
	came, eligible := st.At, n.Eligible
	if eligible == trace.Unknown {
		eligible = 0
		if n.Arrival != trace.Unknown {
			eligible = max(0, st.At-n.Arrival)
		}
	}
	switch n.Letter {
	case 'R', 'E', 'U', 'S':
		p.Phase, p.Elapsed = forecast.Runs, st.elapsed(n, logged)
		if n.Letter == 'S' || n.Letter == 'U' {
			p.Phase = forecast.Stopped
		}
		if n.IsStopped {
			p.Phase, p.Why = forecast.Held, outcome.Stopped
		}
	case 'H':
		p.Phase, p.Why, p.depends = forecast.Held, whyHeld(n), isDependent(n)
	case 'W':
		switch {
		case n.Execution == trace.Unknown:
			p.Phase, p.Why = forecast.Held, outcome.HeldUntil
		case n.Execution > st.At: // when the server queues it
			came, eligible = n.Execution, 0
		}
	case 'T':
		p.Phase, p.Why = forecast.Held, outcome.Moving
	}
	if p.Phase == forecast.Waits && n.Unreadable != "" {
		p.Phase, p.Why = forecast.Held, outcome.Never+"the scheduler leaves the job out, because it cannot read "+n.Unreadable
	}
	if q := st.site.routing(n.Queue); p.Phase == forecast.Waits && q != nil {
		p.Phase, p.Why = forecast.Held, outcome.Held+q.WhyRoutes()
	}
	if why := st.site.unreserved(st.site.Past.Names.List[n.Queue]); p.Phase == forecast.Waits && why != "" {
		p.Phase, p.Why = forecast.Held, outcome.Held+why
	}
	p.Job = st.past.NewJob(n.Job, came, eligible, 0)
	p.Priority, p.NotPlanned, p.IsKept = n.Priority, n.NotPlanned, n.IsKept
	p.Subjobs, p.Comment, p.Estimated, p.Otherwise = n.MaxSubjobs, n.Comment, n.Estimated, n.Otherwise
	switch {
	case IsUnderUntold(st.site.Site, n.Says):
		p.Comment, p.First = n.Says, ThresholdFirst
	case qstat.IsOfLimit(n.Comment):
		p.First = limitFirst
	}
	switch p.Phase { // before it is found out who waits for whom
	case forecast.Runs:
		p.RunsSince(st.At - p.Elapsed)
	case forecast.Stopped:
		p.StoppedAfter(p.Elapsed)
	}
	return p
}

// routing returns the queue of a name if it only hands jobs on, else nil: the scheduler does not look at its jobs.
func (s *Site) routing(name int32) *pbs.Queue {
	queues, is := s.Site.Queues, s.Past.Names.List[name]
	if at := slices.IndexFunc(queues, func(q pbs.Queue) bool { return q.Routes && q.Name == is }); at >= 0 {
		return &queues[at]
	}
	return nil
}

// isDependent reports whether a job that is held is by nothing but what it waits for of others: PBS
// holds it as its system does, and nobody else may.
func isDependent(n trace.ListedJob) bool { return n.HasDepend && (n.Holds == "" || n.Holds == "s") }

// settleDependents lets those jobs wait for others that do, as far as these are in the list and may
// start themselves. Jobs are taken to end well, so that who waits for one to fail, or stands for
// another one, stays held.
func (st *state) settleDependents() {
	for _, p := range st.jobs {
		if p.depends {
			p.Phase = forecast.Waits
		}
	}
	for isSettled := false; !isSettled; {
		isSettled = true
		var all []*work.Job
		for _, p := range st.jobs {
			if p.Phase != forecast.Held {
				all = append(all, p.WithRun(1))
			}
		}
		draft := st.past.Draft(st.At, all)
		for _, p := range st.jobs {
			if !p.depends || p.Phase == forecast.Held {
				continue
			}
			list, _ := draft.Bonds(p.Job)
			mayNever := func(b work.Bond) bool { return b.Kind == work.OnNotOK || b.Kind == work.OnlyOne }
			if len(list) == 0 || slices.ContainsFunc(list, mayNever) {
				p.Phase, isSettled = forecast.Held, false
			}
		}
	}
}

// whyHeld says what holds a job.
func whyHeld(n trace.ListedJob) string {
	if n.HasDepend {
		return outcome.HeldForJobs
	}
	return outcome.HeldByUser
}

// elapsed returns for how many seconds a job has run, without those for which it was suspended.
func (st *state) elapsed(n trace.ListedJob, logged *trace.Job) int64 {
	if logged != nil && logged.State == trace.Running && logged.Start != trace.Unknown && logged.Start <= st.At {
		if active := logged.Active(logged.Start, st.At); n.Letter != 'S' || len(logged.Pauses()) > 0 {
			return active
		}
	}
	if n.Letter == 'R' || n.Letter == 'E' {
		if n.Start != trace.Unknown {
			return max(0, st.site.Ran(n))
		}
	}
	return max(0, n.Used)
}
