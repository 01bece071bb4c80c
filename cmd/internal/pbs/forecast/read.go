package forecast

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/accrual"
	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/pbs/joblist"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/pbs/qstat"
	"fairshare/cmd/internal/pbs/site"
	"fairshare/cmd/internal/pbs/world"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
)

// ErrNoNodes says that nothing tells which vnodes a site has.
var ErrNoNodes = errors.New("the vnodes are not known: give a snapshot, or --nodes FILE with what pbsnodes -av prints")

// lackNodes says that a place does not tell which vnodes there are: of prints, which can have them, there is no answer, and any other place
// is asked for what it has not.
func lackNodes(p *site.Place) error {
	err := fmt.Errorf("%w%s", ErrNoNodes, p.Failed())
	if p.IsPrinted() {
		return err
	}
	return &diag.RequestError{Err: err}
}

// errNoTime says that nothing tells when a list of jobs was made.
var errNoTime = errors.New("nothing tells when the list of jobs was made: give --at TIME, a snapshot, or a folder that has the list and the other prints, of which is taken when the list was written")

// Read returns what a place and its logs tell of a site now, with remarks on what is missing.
// logs is nil where there are none. Of these is kept what other policies need as well that Under is to
// be given.
func Read(p *site.Place, at *pbs.Site, plan *order.Plan, logs *site.Logs, zone *time.Location, others ...*pbs.Site) (*Site, []diag.Remark, error) {
	s, remarks, err := read(p, at, plan, logs, logs, zone, others)
	if err != nil {
		return nil, remarks, err
	}
	said, err := s.order(p)
	return s, append(remarks, said...), err
}

// read does what Read does, and does not look for jobs that the scheduler leaves out. Of past it reads
// what was, of logs the reservations alone.
func read(p *site.Place, at *pbs.Site, plan *order.Plan, past, logs *site.Logs, zone *time.Location, others []*pbs.Site) (*Site, []diag.Remark, error) {
	var remarks []diag.Remark
	if !p.Nodes.IsGiven() {
		return nil, nil, lackNodes(p)
	}
	if p.Taken.IsZero() && len(p.Jobs) > 0 {
		return nil, nil, &diag.RequestError{Err: errNoTime}
	}
	s := &Site{At: p.Taken.Unix(), ListedAt: p.ListedAt, Zone: zone, Local: p.Local(), Site: at, Plan: plan, mayKeep: mayKeep(p, at), hasOwnVnodes: p.HasOwnVnodes()}
	var err error
	if past == nil {
		s.Past, err = trace.Read(nil, s.Local.Zone, trace.Keep{Requests: true})
	} else {
		var said []diag.Remark
		said, err = s.readLogs(past, append(others, at))
		remarks = append(remarks, said...)
	}
	if err != nil {
		return nil, remarks, err
	}
	if s.Past.IsTorque() {
		return nil, remarks, &diag.RequestError{Err: &pbs.TorqueError{Of: "the logs", Have: pbs.TorqueHistory}}
	}
	said, err := s.age()
	remarks = append(remarks, said...)
	if err != nil {
		return nil, remarks, err
	}
	ofVnodes, err := s.readVnodes(p)
	if err != nil {
		return nil, remarks, err
	}
	if s.Cluster.IsTorque {
		return nil, remarks, &diag.RequestError{Err: &pbs.TorqueError{Of: "the vnodes of " + p.Nodes.Name, Have: pbs.TorqueOrder}}
	}
	remarks = append(remarks, ofVnodes...)
	if n := len(s.Away); n > 0 {
		remarks = append(remarks, diag.Notef("%s down, offline or without a licence, on which nothing starts: %s", report.Count(n, "vnode"), strings.Join(s.Away[:min(n, 5)], ", ")))
	}
	remarks = append(remarks, s.readHours(past)...)
	var read *trace.Trace // of logs
	if past != nil {
		read = s.Past
	}
	said, err = s.readReservations(p, logs, read)
	remarks = append(remarks, said...)
	if err != nil {
		return nil, remarks, err
	}
	said, err = s.readJobs(p)
	remarks = append(remarks, said...)
	if err != nil {
		return nil, remarks, err
	}
	s.Unseen = p.Unseen(at, func(yield func(site.ListedJob) bool) {
		for _, n := range s.Now {
			if !yield(site.ListedJob{ID: n.ID, User: s.Past.Names.List[n.User], Queue: s.Past.Names.List[n.Queue], State: n.Letter}) {
				return
			}
		}
	})
	if s.hasTorque {
		return nil, remarks, &diag.RequestError{Err: &pbs.TorqueError{Of: "the jobs of the list", Have: pbs.TorqueOrder}}
	}
	if cluster.ChecksOf(at, nil).Resources == nil && s.lacked() != nil { // which the vnodes were read without
		if s.Cluster, err = s.clusterOf(at); err != nil {
			return nil, remarks, err
		}
	}
	switch {
	case len(p.Jobs) == 0:
	case past != nil:
		remarks = append(remarks, s.releaseOver(s.Past)...)
	default:
		remarks = append(remarks, s.releaseBy(logs)...)
	}
	remarks = slices.Concat(remarks, s.missing(), s.groupless(), s.doubts(), s.misread(), s.routed(), s.underUntold(), s.cutArrays())
	if len(p.Jobs) > 0 { // else the past alone is asked
		remarks = append(remarks, s.takeVnodes()...)
	}
	return s, remarks, nil
}

// readHours finds the times with rules of their own: prime time, and times that are dedicated.
func (s *Site) readHours(logs *site.Logs) (remarks []diag.Remark) {
	if s.Site.NonPrime {
		return nil
	}
	s.Hours, remarks = s.hoursOf(s.Site, logs)
	s.furtherHours = map[string]*world.Hours{}
	for _, other := range s.Site.Others {
		hours, said := s.hoursOf(other, logs)
		s.furtherHours[other.Scheduler.Name] = hours
		remarks = diag.Further(remarks, said, "scheduler "+other.Scheduler.Name+": ") // the zone they have in common
	}
	return remarks
}

// hoursOf returns the times with rules of their own of one of the site's schedulers, nil where all times are alike.
func (s *Site) hoursOf(of *pbs.Site, logs *site.Logs) (hours *world.Hours, remarks []diag.Remark) {
	priv := of.SchedPriv
	if priv == nil || priv.Dir.FS == nil {
		return nil, nil
	}
	if s.clock == nil { // the logs may be readable once
		local := s.Local
		if logs != nil && !local.IsTold() {
			local, _ = logs.LocalAt(s.At)
		}
		s.clock = &local
	}
	own, said := s.clock.Hours(s.At, s.At+forecast.DefaultHorizon)
	hours, problems := world.ReadHours(priv.Dir, own, s.Zone)
	if hours.Matters(s.At) {
		remarks = append(remarks, said...)
	}
	if other := hours.OtherYear(s.At); other != "" {
		remarks = append(remarks, diag.Warningf("%s", other))
	}
	for _, problem := range problems {
		remarks = append(remarks, diag.Warningf("%v", problem))
	}
	return hours, remarks
}

// readJobs reads the jobs that have not ended, of the list that has most of them, in queues whose jobs the scheduler places.
func (s *Site) readJobs(p *site.Place) (remarks []diag.Remark, err error) {
	return s.readJobsOf(p, s.Site.Has)
}

// readJobsOf does what readJobs does, for those queues that count.
func (s *Site) readJobsOf(p *site.Place, counts func(queue string) bool) (remarks []diag.Remark, err error) {
	for _, list := range p.Jobs {
		now, damage, err := qstat.ReadNow(s.Past, list, s.Local.Zone)
		if err != nil {
			return remarks, err
		}
		s.hasTorque = s.hasTorque || damage.Torque > 0
		if n := damage.Places; n > 0 {
			remarks = append(remarks, diag.LeftOutf("%s: %s cannot be read, and the jobs may not be all that there are", list.Name, report.Count(n, "place")).At(list.Name, 0))
		}
		if damage.Times != "" {
			remarks = append(remarks, diag.Damagef("%s: %s", list.Name, damage.Times))
		}
		if n := damage.States; n > 0 {
			remarks = append(remarks, diag.Damagef("%s: %s in a state that PBS does not have: those with vnodes are taken to run, and the others are left out", list.Name, report.Count(n, "job")))
		}
		now = slices.DeleteFunc(now, func(n trace.ListedJob) bool { return !counts(s.Past.Names.List[n.Queue]) })
		if len(now) > len(s.Now) {
			s.Now = now
		}
	}
	return remarks, nil
}

// order finds the jobs of the list that the scheduler leaves out, and says what an order of the list says.
func (s *Site) order(p *site.Place) ([]diag.Remark, error) {
	if len(p.Jobs) == 0 {
		return nil, nil
	}
	list, remarks, err := p.List(order.ListOptions(s.Plan))
	if err != nil {
		return remarks, err
	}
	_, said, err := s.Plan.Order(list)
	if err != nil {
		return remarks, err
	}
	s.leaveOut(list)
	return slices.Concat(remarks, said, list.SayUnreadable()), nil
}

// leaveOut marks the jobs that the scheduler leaves out, since it cannot read an amount of them.
func (s *Site) leaveOut(list *joblist.List) {
	unreadable := map[string]string{}
	for row, amount := range list.Unreadable {
		unreadable[list.Job(row).ID] = amount
	}
	for i := range s.Now {
		s.Now[i].Unreadable = unreadable[s.Now[i].ID]
	}
}

// Rank finds the ranks of the jobs of the list by the plan of the order now: other than in a forecast, queues are closed in
// it that open later. The remarks are those on that order.
func (s *Site) Rank(p *site.Place, plan *order.Plan) ([]diag.Remark, error) {
	if len(p.Jobs) == 0 {
		return nil, nil
	}
	list, _, err := p.List(order.ListOptions(plan))
	if err != nil {
		return nil, err
	}
	o, remarks, err := plan.Order(list)
	if err != nil {
		return nil, err
	}
	s.ranks = map[string]int{}
	for i, row := range o.Rows {
		s.ranks[list.Job(int(row)).ID] = i + 1
	}
	return remarks, nil
}

// age says how old the logs are when the list is made: of what came since nothing is known. A list of
// another century is refused, since it is not of these logs.
func (s *Site) age() ([]diag.Remark, error) {
	const day = 24 * 3600
	const old, most = 2 * day, 100 * 365 * day
	switch age := s.At - s.Past.Last; {
	case len(s.Past.Types) == 0 || age <= old:
		return nil, nil
	case age > most:
		return nil, diag.Requestf("the list of jobs is of %s, more than a century after the logs end", time.Unix(s.At, 0).In(s.Zone).Format("2006-01-02"))
	default:
		return []diag.Remark{diag.Warningf("the logs end %s days before the list of jobs was made: who came and how long jobs ran since is not known", report.Decimals(float64(age)/day, 1))}, nil
	}
}

// readVnodes reads all vnodes of a place, with remarks on what cannot be read of them, and on other prints of them.
func (s *Site) readVnodes(p *site.Place) (remarks []diag.Remark, err error) {
	if s.Listing, err = p.Vnodes(); err != nil {
		return nil, err
	}
	if s.Cluster, err = s.clusterOf(s.Site); err != nil {
		return nil, fmt.Errorf("%s: %w", p.Nodes.Name, err)
	}
	s.Away, s.Unplaced = s.Listing.Away(), s.Listing.Unplaced(s.Site)
	return append(s.Cluster.Damage(), p.OtherVnodes(s.Listing)...), nil
}

// clusterOf returns all vnodes as a site's settings have them.
func (s *Site) clusterOf(at *pbs.Site) (*cluster.Cluster, error) {
	checks := cluster.ChecksOf(at, nil)
	checks.Lacked = s.lacked()
	all, err := s.Listing.Cluster(checks, true)
	if err == nil && at.Others == nil {
		all = all.Of(&at.Scheduler)
	}
	return all, err
}

// lacked returns the resources of which PBS has written that a job lacks them.
func (s *Site) lacked() (names []string) {
	for _, n := range s.Now {
		if n.Lacks != "" && !slices.Contains(names, n.Lacks) {
			names = append(names, n.Lacks)
		}
	}
	return names
}

// misread says of which resources that jobs ask for nothing tells whether the scheduler looks at them, and where chunks of jobs do
// not come to what PBS gives them.
func (s *Site) misread() []diag.Remark {
	w, jobs := s.asWork()
	return slices.Concat(s.Cluster.Unstated(w, jobs), s.Cluster.Mismatches(w, jobs, s.Site))
}

// asWork returns the jobs of the list as work.
func (s *Site) asWork() (w *work.Work, jobs []*work.Job) {
	w = work.New(s.Past.NewList(), nil)
	for _, n := range s.Now {
		jobs = append(jobs, w.NewJob(n.Job, s.At, 0, 0))
	}
	return w, jobs
}

// IsUnderUntold reports whether PBS has written of a job that job_sort_formula_threshold keeps it, where nothing tells that one is set.
func IsUnderUntold(at *pbs.Site, comment string) bool {
	has := func(of *pbs.Site) bool { return of.Sched.HasThreshold() }
	return qstat.IsUnderThreshold(comment) && !has(at) && !slices.ContainsFunc(at.Others, has)
}

// ThresholdFirst says of such a job how that goes together with what else keeps it: PBS sets it aside before it looks at limits or room.
const ThresholdFirst = "PBS looks at the threshold first, and starts it once neither keeps it"

// limitFirst says likewise of a job that PBS's comment says a limit keeps (PBS's is_ok_to_run).
const limitFirst = "PBS looks at limits before it looks for room, and starts it once neither keeps it"

// underUntold says of how many jobs that is so.
func (s *Site) underUntold() []diag.Remark {
	var jobs []string
	for i := range s.Now {
		if IsUnderUntold(s.Site, s.Now[i].Says) {
			jobs = append(jobs, s.Now[i].ID)
		}
	}
	if jobs == nil || s.Site.Sched.OfSched { // which has none
		return nil
	}
	return []diag.Remark{diag.Warningf("job_sort_formula_threshold keeps %s from starting, as PBS has written, and nothing tells that threshold (qmgr -c 'list sched' does): no job is taken to wait for it", report.Count(len(jobs), "job")).OfJobs(jobs)}
}

// routed says how many jobs wait in routing queues, which no forecast lets come.
func (s *Site) routed() []diag.Remark {
	jobs := 0
	for _, n := range s.Now {
		if s.routing(n.Queue) != nil {
			jobs++
		}
	}
	if jobs == 0 {
		return nil
	}
	return []diag.Remark{pbs.Lack{Says: "when routing queues hand on the jobs that wait there, as max_queued and the like let them: others are forecast as if they stayed"}.Remark(jobs, nil)}
}

// doubts returns what makes the answers doubtful.
func (s *Site) doubts() (remarks []diag.Remark) {
	missing := map[string]bool{}
	lost := 0 // jobs
	isUnplaced := func(name string) bool {
		if s.Unplaced == nil {
			return false
		}
		_, is := s.Unplaced.Number(name)
		return is
	}
	var nowhere []string // jobs
	for _, n := range s.Now {
		if n.Letter == 'R' && n.Vnodes() == "" && !trace.IsArray(n.ID) {
			nowhere = append(nowhere, n.ID)
		}
		if n.Letter != 'R' && n.Letter != 'E' || n.Vnodes() == "" {
			continue
		}
		isLost := false
		for name := range cluster.Vnodes(n.Vnodes()) {
			if _, isThere := s.Cluster.Number(name); !isThere && !isUnplaced(name) {
				isLost, missing[name] = true, true
			}
		}
		if isLost {
			lost++
		}
	}
	s.isFreeUnknown = s.isFreeUnknown || lost > 0 || len(nowhere) > 0
	if lost > 0 {
		names := slices.Sorted(maps.Keys(missing))
		remarks = append(remarks, diag.Damagef("the list of vnodes lacks %s, on which jobs run (%d): it is cut off, or of another time or server, and what is free is not known", strings.Join(names[:min(len(names), 5)], ", "), lost))
	}
	if of := s.Unplaced; of != nil {
		var names []string
		for _, v := range of.Vnodes {
			names = append(names, fmt.Sprintf("%s (%s)", v.Name, cmp.Or(v.Partition, pbs.DefaultPartition)))
		}
		remarks = append(remarks, diag.Notef("%s of a partition of no scheduler that is told of, on which nothing starts: %s", report.Count(len(names), "vnode"), report.First(names)))
	}
	if len(nowhere) > 0 {
		remarks = append(remarks, diag.Damagef("%s running without exec_vnode (%s): which vnodes they have is not known, so that what is free is not either", report.Count(len(nowhere), "job"), report.First(nowhere)))
	}
	remarks = append(remarks, s.elsewhen()...)
	if len(s.Past.Jobs) > 0 && len(s.Now) > 0 {
		known := map[string]bool{}
		for _, j := range s.Past.Jobs {
			known[j.ID] = true
		}
		isKnown := func(n trace.ListedJob) bool {
			array, _, isSubjob := trace.Subjob(n.ID)
			return known[n.ID] || isSubjob && known[array]
		}
		if !slices.ContainsFunc(s.Now, isKnown) {
			remarks = append(remarks, diag.Warningf("no job of the list is in the logs: they are of another site, or of another time, and what is learned from them may not hold here"))
		}
	}
	return remarks
}

// readLogs reads what logs tell of the past under some policies, all of it now and up to a time later on.
func (s *Site) readLogs(logs *site.Logs, policies []*pbs.Site) (remarks []diag.Remark, err error) {
	keep := trace.Keep{Requests: true, Places: true} // by which the rules are judged
	if keep.Used, err = accrual.ResourcesOf(policies...); err != nil {
		return nil, err
	}
	if s.Past, remarks, err = logs.Read(keep); err != nil {
		return remarks, err
	}
	hasEnded := func(j *trace.Job) bool { return j.State == trace.Ended }
	switch {
	case len(s.Past.Types) > 0:
	case !slices.ContainsFunc(s.Past.Jobs, hasEnded): // a list of those that run or wait tells of no past
		s.Past, err = trace.Read(nil, s.Local.Zone, keep)
		return remarks, err
	default:
		return remarks, nil // no accounting logs, of which a part could be read
	}
	s.upTo = func(at int64) (*trace.Trace, []*world.Reservation, error) {
		until := keep
		until.Until, until.Places = at, false
		t, _, err := logs.Read(until)
		if err != nil {
			return nil, nil, err
		}
		all, _, err := logs.Reservations(s.Past, at)
		return t, known(all, at), err
	}
	return remarks, nil
}
