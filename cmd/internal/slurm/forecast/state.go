package forecast

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/setup"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
)

// addJobs adds the jobs of the list to the state, with remarks on those that are left out.
func (s *Site) addJobs() (remarks []diag.Remark) {
	queue := slices.Clone(s.Queue)
	slices.SortStableFunc(queue, func(a, b slurm.ListedJob) int {
		return cmp.Or(cmp.Compare(integer(a.ID), integer(b.ID)), strings.Compare(a.ID, b.ID))
	})
	left := map[string]int{}
	var early, leaving []string    // jobs that run, and start later, or are being preempted
	var parted, strangers []string // those that have nodes that the site lacks, and of which nothing tells whose they are
	suspends := s.Setup.Suspends()
	runs := func(n *slurm.ListedJob) bool {
		return setup.IsRunning(n.State) || suspends && n.State == "SUSPENDED" // which goes on when its cores are free again
	}
	var holding, halted []sched.Holding // others have what suspended jobs had
	for i := range queue {
		n := &queue[i]
		if !runs(n) {
			continue
		}
		h, why := s.holding(n)
		switch {
		case why != "":
			left[why]++
			continue
		case n.State == "SUSPENDED":
			halted = append(halted, h)
		default:
			holding = append(holding, h)
		}
		if s.Setup.IsOfStrangers(h.Job) {
			strangers = append(strangers, n.ID)
		}
		if n.Started.Unix() > s.At {
			early = append(early, n.ID)
		}
		if len(h.Nodes) < len(n.Nodes) && h.Told == nil {
			parted = append(parted, n.ID)
		}
		if n.IsPreempted() {
			leaving = append(leaving, n.ID)
		}
	}
	s.Setup.ShareOut(holding, s.Setup.InUse)
	s.Setup.ShareOut(halted, nil)
	for i := range queue {
		if n := &queue[i]; !runs(n) {
			if why := s.addWaiting(n); why != "" {
				left[why]++
				s.left = append(s.left, leftOut{n, why})
			}
		}
	}
	s.follow()
	remarks = slices.Concat(remarks, s.keepLicences(), s.keepElsewhere(slices.Concat(holding, halted)))
	if len(early) > 0 {
		remarks = append(remarks, diag.Damagef("%s that run would have started after the list was made (%s): taken to have started then; is --tz the zone of the site?", report.Count(len(early), "job"), report.First(early)))
	}
	if leaving != nil {
		remarks = append(remarks, diag.Warningf("%s of the list: being preempted (PreemptTime), taken to end by EndTime and not to wait again (%s)", report.Count(len(leaving), "job"), report.First(leaving)))
	}
	if parted != nil {
		remarks = append(remarks, diag.Warningf("%s of the list: also on nodes that the list of nodes lacks, taken to have as much of each of their nodes (%s)", report.Count(len(parted), "job"), report.First(parted)))
	}
	if strangers != nil {
		remarks = append(remarks, diag.Warningf("%s of the list: of an association that the tree does not have; taken to run as others do, and to count for no limits and shares of accounts and users (%s)", report.Count(len(strangers), "running job"), report.First(strangers)))
	}
	for _, why := range slices.Sorted(maps.Keys(left)) {
		remarks = append(remarks, diag.Warningf("%s of the list: %s", report.Count(left[why], "job"), why))
	}
	return remarks
}

// keepLicences keeps the licences from jobs that are in use by none of the list, with remarks on those that a job waits for.
func (s *Site) keepLicences() (remarks []diag.Remark) {
	holding := slices.Clone(s.Setup.Suspended)
	awaited := make([]bool, len(s.Setup.Licences))
	for _, p := range s.listed {
		if p.Start > 0 {
			holding = append(holding, p.Job)
			continue
		}
		for i, n := range p.Licences {
			awaited[i] = awaited[i] || n > 0
		}
	}
	s.Setup.LicencesElsewhere(holding)
	for i, l := range s.Setup.Licences {
		if awaited[i] && l.Elsewhere > 0 {
			remarks = append(remarks, diag.Warningf("licence %s: %d of %d are in use by no job of the list, as scontrol show lic says, and are taken to stay so", l.Name, l.Elsewhere, l.Total))
		}
	}
	return remarks
}

// holding adds a job that runs, and returns its nodes. why says why it is left out.
func (s *Site) holding(n *slurm.ListedJob) (h sched.Holding, why string) {
	j, why := s.maker.Listed(n, s.At)
	if j == nil {
		j = s.maker.Stranger(n, s.At)
	}
	if j == nil {
		return h, why
	}
	if h = s.on(j, n.Nodes, s.given(n)); len(h.Nodes) == 0 {
		return h, "on nodes that the list of nodes lacks"
	}
	h.Told = s.told(n)
	j.ID = len(s.listed) + 1
	id := cmp.Or(n.Task, n.ID)
	s.over = append(s.over, id)
	s.state.Add(&forecast.UnfinishedJob{Job: s.add(id, listedJob{Job: j, row: n.ID, name: n.Name, user: n.User}), Phase: forecast.Runs, Elapsed: max(0, s.At-j.Start)})
	return h, ""
}

// given returns what a job that runs has of all its nodes together, as the list says.
func (s *Site) given(n *slurm.ListedJob) sched.Use {
	const untold = -1
	of := func(name string) int64 {
		if amount, ok := n.Has()[name]; ok {
			return int64(min(amount, math.MaxInt32))
		}
		return untold
	}
	u := sched.Use{CPUs: n.CPUs, Memory: of("mem")}
	for _, kind := range s.Setup.GRES {
		u.GRES = append(u.GRES, int32(of("gres/"+kind)))
	}
	return u
}

// told returns what a job has of each of those nodes that the site has, as the list says; nil where it does not say it.
func (s *Site) told(n *slurm.ListedJob) (told []sched.Use) {
	for _, name := range n.Nodes {
		if _, ok := s.maker.Nodes.Place(name); !ok {
			continue
		}
		at := slices.IndexFunc(n.OfNodes, func(x slurm.NodeShare) bool { return x.Name == name })
		if at < 0 {
			return nil
		}
		of := n.OfNodes[at]
		u := sched.Use{CPUs: of.CPUs, Memory: of.Memory}
		for _, kind := range s.Setup.GRES {
			if of.GRES != nil {
				u.GRES = append(u.GRES, int32(min(of.GRES["gres/"+kind], math.MaxInt32/2)))
			}
		}
		told = append(told, u)
	}
	return told
}

// on returns a job on those of some nodes that the site has. Of what it is given of all of them together, it has a part of those.
func (s *Site) on(j *sched.Job, nodes []string, given sched.Use) sched.Holding {
	h := sched.Holding{Job: j, Given: given}
	for _, name := range nodes {
		if at, ok := s.maker.Nodes.Place(name); ok {
			h.Nodes = append(h.Nodes, int32(at))
		}
	}
	if has, all := int32(len(h.Nodes)), int32(len(nodes)); has < all {
		h.Given = given.Part(has, all)
	}
	return h
}

// addWaiting adds a job that waits. It returns why one is left out of which that is to be said.
func (s *Site) addWaiting(n *slurm.ListedJob) (why string) {
	if n.State != "PENDING" {
		s.over = append(s.over, cmp.Or(n.Task, n.ID))
		switch {
		case n.State == "SUSPENDED":
			if j, _ := s.maker.Listed(n, s.At); j != nil {
				s.Setup.Suspended = append(s.Setup.Suspended, j)
			}
			return "suspended, and taken to stay so"
		case n.State == "REQUEUED" || slurm.StateNamed(n.State).Fate == slurm.Waits:
			return "in state " + n.State + ", and taken not to wait"
		}
		return ""
	}
	j, why := s.maker.Listed(n, s.At)
	if j == nil {
		return why
	}
	j.IsFixed = s.IsSet[n.ID]
	estimated := int64(0)
	if !n.Started.IsZero() {
		estimated = n.Started.Unix()
	}
	reason, isChanging := s.holds(n, j)
	until := s.heldUntil(n)
	unmodelled := fieldsOf(s.omissions(n))
	for _, id := range idsOf(n) {
		own := *j
		own.ID = len(s.listed) + 1
		to := s.add(id, listedJob{&own, n.ID, n.Name, n.User, isChanging, reason == outcome.HeldByUser, reason, n.Reason, until, unmodelled})
		if reason != "" {
			s.state.Add(&forecast.UnfinishedJob{Job: to, Phase: forecast.Held, Why: reason, Unmodelled: unmodelled})
			continue
		}
		s.state.Add(&forecast.UnfinishedJob{Job: to, Until: until, Estimated: estimated, Unmodelled: unmodelled})
		estimated = 0 // it is of the first task of an array
	}
	return ""
}

func integer(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

// mostTasks bounds how many tasks of one array are forecast: those behind them start later.
const mostTasks = 1000

// idsOf returns the IDs of a job: of an array those of its tasks that are left, as squeue has them.
func idsOf(n *slurm.ListedJob) (ids []string) {
	if n.Task != "" {
		return []string{n.Task}
	}
	indices, ok := trace.ParseIndices(n.Indices)
	if n.Array == "" || !ok {
		return []string{n.ID}
	}
	for index := range indices.All() {
		if len(ids) == mostTasks {
			break
		}
		ids = append(ids, n.Array+"_"+strconv.Itoa(index))
	}
	return ids
}

// holds says why a job does not start as things are, "" if it may, and whether it may start if it asks for something else.
func (s *Site) holds(n *slurm.ListedJob, j *sched.Job) (why string, isChanging bool) {
	dependency, isRead := slurm.ParseDependency(n.Dependency)
	of := slurm.ReasonNamed(n.Reason)
	switch reason := strings.ReplaceAll(n.Reason, " ", ""); {
	case n.Priority == 0 && reason != "BeginTime" && !strings.HasPrefix(reason, "Dependency"):
		return outcome.HeldByUser, true
	case strings.HasPrefix(reason, "JobHeld"), of.Fate == slurm.ReasonNever:
		return saysHeld(n), true
	case isRead && dependency.HasFailed():
		return outcome.Never + "what it waits for cannot come about any more (" + n.Dependency + ")", true
	case strings.HasPrefix(reason, "Dependency") && !isRead:
		return heldFor(n.Dependency), false
	case n.Reservation != "" && j.Reservation == 0:
		return outcome.Held + "it is to run in reservation " + n.Reservation + ", which is over, not known or not modelled", false
	case reason == "BeginTime" && n.Eligible.IsZero():
		return s.heldUntil(n), false
	case of.Fate == slurm.ReasonHeld && (len(j.Partitions) == 0 || !strings.HasPrefix(reason, "Partition")): // it is of one of several
		if why := s.barred(j); why != "" { // which also holds once what Slurm says is over
			return why, true
		}
		return saysHeld(n), false
	}
	if kind := s.maker.MissingGRES(n); kind != "" {
		return outcome.Never + sched.LacksGRES(kind).Detail, true
	}
	return s.never(j), true
}

// heldUntil says until when a job is held that is not eligible before a time.
func (s *Site) heldUntil(n *slurm.ListedJob) string {
	return cmp.Or(n.HeldUntil(s.Setup.CredentialLife), outcome.HeldUntil)
}

// never says why a job does not start whatever else runs, for ever or as the site is now; "" if it may.
func (s *Site) never(j *sched.Job) string {
	if why := s.barred(j); why != "" {
		return why
	}
	return standing(s.Setup.Unplaceable(j))
}

// barred says what rule or limit keeps a job from running whatever else runs, "" for none.
func (s *Site) barred(j *sched.Job) string { return standing(s.tells().Never(j)) }

// standing says that something keeps a job from starting for ever or as the site is now, "" for nothing.
func standing(by *sched.Limit) string {
	switch {
	case by == nil:
		return ""
	case by.IsOfNow:
		return outcome.Held + inWords(by)
	default:
		return outcome.Never + inWords(by)
	}
}

// tells returns what tells of jobs that never start.
func (s *Site) tells() *sched.Barrier {
	if s.barrier == nil || s.barredIn != s.Setup || !s.barrier.Knows(s.Setup) { // without slurmdbd, users come with their jobs
		s.barrier, s.barredIn = s.Setup.Barrier(), s.Setup
	}
	return s.barrier
}

// inWords says what keeps a job from running whatever else runs, "" for nothing.
func inWords(limit *sched.Limit) string {
	switch {
	case limit == nil:
		return ""
	case limit.Name == limit.Detail: // a rule in words
		return limit.Detail
	}
	return limit.Name + ", whatever else runs"
}

// add adds a job to those of the list, and returns it as forecasts know it.
func (s *Site) add(id string, p listedJob) *work.Job {
	s.listed[id] = p
	s.knows(p.user, p.Job)
	return s.traced(id, p)
}

// traced returns a job as forecasts know it.
func (s *Site) traced(id string, p listedJob) *work.Job {
	past, j := s.base.Trace, p.Job
	of := &trace.Job{
		ID: id, Name: past.Number(p.name), User: past.Number(p.user), Account: past.Number(s.Setup.Names[j.Association].Account),
		Queue: past.Number(s.Setup.Partitions[j.Partition].Name), Project: past.Number(s.Setup.QOS[j.QOS].Name),
		Arrival: j.Submit, Queued: j.Submit, Start: trace.Unknown, End: trace.Unknown, NCPUs: int64(j.Request.CPUs), Nodes: int64(j.Request.MinNodes),
		Mem: trace.Unknown, Walltime: j.Limit, UsedCput: trace.Unknown, Exit: trace.Unknown, State: trace.Waiting,
	}
	if j.Start > 0 {
		of.State = trace.Running
	}
	return s.base.NewJob(of, s.At, s.At-j.Eligible, 0)
}
