package slurmforecast

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurmsched"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
)

// addJobs adds the jobs of the list to the state, with remarks on those that are left out.
func (s *Site) addJobs() (remarks []diag.Remark) {
	queue := slices.Clone(s.Queue)
	slices.SortStableFunc(queue, func(a, b slurm.Now) int {
		return cmp.Compare(integer(a.ID), integer(b.ID))
	})
	left := map[string]int{}
	var early []string // jobs that run, and start later
	inUse := maps.Clone(s.InUse)
	for isWide := range 2 { // those on one node first: the others have what these leave
		for i := range queue {
			n := &queue[i]
			if !isRunning(n) || (len(n.Nodes) > 1) != (isWide == 1) {
				continue
			}
			j, why := s.newJob(n)
			if j == nil {
				left[why]++
				continue
			}
			if j.Shares = s.shares(int(n.CPUs), n.Nodes, inUse); len(j.Shares) == 0 {
				left["on nodes that the list of nodes lacks"]++
				continue
			}
			switch j.Start = n.Started.Unix(); {
			case j.Start > s.At:
				early = append(early, n.ID)
				j.Start = s.At
			case j.Start <= 0:
				j.Start = s.At // nothing tells since when it runs
			}
			j.ID = len(s.listed) + 1
			id := cmp.Or(n.Task, n.ID)
			s.over = append(s.over, id)
			s.state.AddRunning(s.add(id, present{Job: j, name: n.Name, user: n.User}), max(0, s.At-j.Start))
		}
	}
	for i := range queue {
		n := &queue[i]
		switch {
		case isRunning(n):
			continue
		case n.State != "PENDING":
			s.over = append(s.over, cmp.Or(n.Task, n.ID))
			switch n.State {
			case "SUSPENDED":
				left["suspended, and taken to stay so"]++
			case "REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED", "SPECIAL_EXIT":
				left["in state "+n.State+", and taken not to wait"]++
			}
			continue
		}
		j, why := s.newJob(n)
		if j == nil {
			left[why]++
			continue
		}
		told := math.Inf(1)
		if !n.Started.IsZero() {
			told = float64(n.Started.Unix())
		}
		reason := s.holds(n, j)
		for _, id := range idsOf(n) {
			own := *j
			own.ID = len(s.listed) + 1
			to := s.add(id, present{&own, n.Name, n.User, reason == "" || strings.HasPrefix(reason, outcome.Never)})
			if reason != "" {
				s.state.AddHeld(to, reason)
				continue
			}
			s.state.AddWaiting(to, told)
			told = math.Inf(1) // it is of the first task of an array
		}
	}
	if len(early) > 0 {
		remarks = append(remarks, diag.Damagef("%s that run would have started after the list was made (%s): taken to have started then; is --tz the zone of the site?", report.Count(len(early), "job"), report.First(early)))
	}
	for _, why := range slices.Sorted(maps.Keys(left)) {
		remarks = append(remarks, diag.Warningf("%s of the list: %s", report.Count(left[why], "job"), why))
	}
	return remarks
}

func integer(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

// isRunning reports whether a job holds nodes and will go on.
func isRunning(n *slurm.Now) bool {
	return slices.Contains([]string{"RUNNING", "CONFIGURING", "STOPPED", "RESIZING", "SIGNALING", "STAGE_OUT"}, n.State)
}

// mostTasks bounds how many tasks of one array are forecast: those behind them start later.
const mostTasks = 1000

// idsOf returns the IDs of a job: of an array those of its tasks that are left, as squeue has them.
func idsOf(n *slurm.Now) (ids []string) {
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

// newJob returns a job as the scheduler sees it, or why it cannot be told.
func (s *Site) newJob(n *slurm.Now) (*slurmsched.Job, string) {
	c := s.Setup
	j := &slurmsched.Job{Nice: n.Nice, TRES: n.TRES, Billing: n.TRES["billing"], IsFixed: s.IsSet[n.ID], Together: n.Throttle}
	j.Partition = s.partition(n.Partitions[0])
	if len(n.Partitions) > 1 {
		for _, name := range n.Partitions {
			if at := s.partition(name); at >= 0 {
				j.Partitions = append(j.Partitions, at)
			}
		}
		if len(j.Partitions) > 0 {
			j.Partition = j.Partitions[0]
		}
	}
	j.QOS = slices.IndexFunc(c.QOS, func(q slurmsched.QOS) bool { return q.Name == n.QOS })
	j.Association = c.AssociationOf(n.Account, n.User, n.Partitions[0])
	if j.QOS < 0 && len(c.QOS) == 1 {
		j.QOS = 0
	}
	switch {
	case j.Partition < 0:
		return nil, "of a partition that the site does not have, left out"
	case j.QOS < 0:
		return nil, "of a QOS that the site does not have, left out"
	case j.Association < 0:
		return nil, "of an association that the tree does not have, left out"
	}
	j.Limit = int64(n.TimeLimit * 60)
	if math.IsNaN(n.TimeLimit) || n.TimeLimit > math.MaxInt32 {
		const endless = 365 * 24 * 3600
		j.Limit = cmp.Or(c.Partitions[j.Partition].MaxTime, endless)
	}
	j.Limit = max(1, j.Limit)
	j.Submit = s.At
	j.Eligible = s.At
	if !n.Submitted.IsZero() {
		j.Submit = n.Submitted.Unix()
	}
	since := n.Accrued
	if since.IsZero() {
		since = n.Eligible
	}
	if !since.IsZero() {
		j.Eligible = since.Unix()
	}
	j.IsAgeless = n.Accrued.IsZero()
	if at := n.Eligible; !at.IsZero() && at.Unix() > s.At { // --begin
		j.Submit, j.Eligible = at.Unix(), at.Unix()
	}
	if n.Priority > 0 && n.Priority <= math.MaxUint32 {
		j.Priority = uint32(n.Priority)
	}
	if at := slices.IndexFunc(c.Kept, func(k slurmsched.Kept) bool { return k.Name == n.Reservation }); n.Reservation != "" && at >= 0 {
		j.In = c.Kept[at].ID
	}
	if array, err := strconv.ParseInt(n.Array, 10, 32); err == nil {
		j.Array = int32(array)
	}
	licences, _ := slurmsched.ParseLicences(n.Licenses)
	j.Licences, _ = c.Licensed(licences)
	request, _ := s.request(n, j.Partition)
	key := fmt.Sprintf("%#v", *request)
	if s.requests[key] == nil {
		s.requests[key] = request
	}
	j.Request = s.requests[key]
	return j, ""
}

// partition returns the place of a partition, -1 for none.
func (s *Site) partition(name string) int {
	return s.Setup.PartitionNamed(name)
}

// lacking is what a job asks for that is not modelled.
type lacking struct {
	names    bool // of the nodes that it wants
	features bool // that cannot be read
	together bool // of its nodes together
}

// request returns what a job asks of the nodes, as far as it is modelled.
func (s *Site) request(n *slurm.Now, partition int) (*slurmsched.Request, lacking) {
	q := &slurmsched.Request{
		MinNodes: max(1, n.MinNodes), MaxNodes: n.MaxNodes, CPUs: max(1, n.CPUs), Tasks: max(1, n.Tasks), CPUsPerTask: max(1, n.TaskCPUs), TasksPerNode: n.NodeTasks,
		NodeMemory: n.NodeMemory, CPUMemory: n.CPUMemory, AllMemory: n.AllMemory, GRES: make([]int32, len(s.Setup.GRES)), Exclusive: n.Exclusive, Threads: n.Threads,
	}
	if cpus := n.TRES["cpu"]; !isRunning(n) && cpus > 0 && cpus < float64(q.CPUs) {
		q.CPUs = int32(cpus)
	}
	if nodes := int32(n.TRES["node"]); nodes > 0 && nodes < q.MinNodes { // NumNodes of a job that waits may be a guess
		q.MinNodes = nodes
	}
	if q.NodeMemory == 0 && q.CPUMemory == 0 && !q.AllMemory {
		q.CPUMemory = s.Setup.CPUMemory[partition]
	}
	for i, kind := range s.Setup.GRES {
		q.GRES[i] = n.NodeGRES["gres/"+kind]
	}
	var lacks lacking
	if n.Features != "" {
		constraint, isAll, ok := slurm.ParseConstraint(n.Features)
		q.Features, lacks.features, lacks.together = constraint, !ok, ok && !isAll && q.MaxNodes != 1
	}
	if len(n.Wanted)+len(n.Unwanted) > 0 && !isRunning(n) {
		lacks.names = !s.nodes.KeepTo(q, n.Wanted, n.Unwanted)
	}
	return q, lacks
}

// holds says why a job does not start as things are, "" if it may.
func (s *Site) holds(n *slurm.Now, j *slurmsched.Job) string {
	waitsUntil := !n.Eligible.IsZero() && n.Eligible.Unix() > s.At
	switch reason := strings.ReplaceAll(n.Reason, " ", ""); {
	case strings.HasPrefix(reason, "JobHeld"), n.Priority == 0 && reason != "BeginTime" && !strings.HasPrefix(reason, "Dependency"):
		return outcome.HeldByUser
	case strings.HasPrefix(reason, "Dependency"):
		return outcome.HeldForJobs
	case n.Reservation != "" && j.In == 0:
		return "held: it is to run in reservation " + n.Reservation + ", which is over, not known or not modelled"
	case reason == "BeginTime" && !waitsUntil:
		return outcome.HeldUntil
	case isRefused(reason) && (len(j.Partitions) == 0 || !strings.HasPrefix(reason, "Partition")): // it is of one of several
		return "held: " + n.Reason + ", so that it does not start as things are"
	}
	return s.never(j)
}

// never says why a job never starts, "" if it may.
func (s *Site) never(j *slurmsched.Job) string {
	if s.Setup.Fits(j) {
		if s.Setup.IsLicensed(j) {
			return ""
		}
		return outcome.Never + "it asks for more licences than there are"
	}
	return outcome.Never + "it fits on no nodes of its partition that are up"
}

// isRefused reports whether Slurm does not start a job for a reason that no job that ends removes.
func isRefused(reason string) bool {
	return slices.ContainsFunc([]string{"PartitionTimeLimit", "PartitionNodeLimit", "PartitionConfig", "PartitionDown", "PartitionInactive", "AccountNotAllowed", "QOSNotAllowed", "BadConstraints",
		"InvalidAccount", "InvalidQOS", "Job'sQOSnotpermitted", "Job'saccountnotpermitted", "JobHoldMaxRequeue", "launchfailedrequeuedheld"},
		func(word string) bool { return strings.HasPrefix(reason, word) })
}

// add adds a job to those of the list, and returns it as forecasts know it.
func (s *Site) add(id string, p present) *work.Job {
	s.listed[id] = p
	s.knows(p.user, p.Job)
	return s.traced(id, p)
}

// traced returns a job as forecasts know it.
func (s *Site) traced(id string, p present) *work.Job {
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

// shares returns what a running job has of its nodes. Of a job on several nodes only the sum is
// known: it has as much of each, or where the other jobs leave less than that, what they leave.
func (s *Site) shares(left int, nodes []string, inUse map[string]int) (shares []slurmsched.Share) {
	leaves := 0
	each := (left + len(nodes) - 1) / max(1, len(nodes))
	isEven := true
	for _, name := range nodes {
		leaves += inUse[name]
		isEven = isEven && inUse[name] >= each
	}
	isEven = isEven && each*len(nodes) == left || leaves < left // nothing tells what they leave
	for k, name := range nodes {
		rest := len(nodes) - k - 1
		cpus := min(each, left-rest)
		switch {
		case rest == 0:
			cpus = left
		case !isEven:
			cpus = min(inUse[name], left-rest)
		}
		cpus = max(1, cpus)
		left -= cpus
		if inUse != nil {
			inUse[name] -= cpus
		}
		at := slices.IndexFunc(s.Setup.Nodes, func(node slurmsched.Node) bool { return node.Name == name })
		if at >= 0 {
			shares = append(shares, slurmsched.Share{Node: int32(at), CPUs: int32(cpus)})
		}
	}
	return shares
}
