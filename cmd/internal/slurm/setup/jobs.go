package setup

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/fstree"
)

// JobMaker makes jobs as the scheduler sees them, of what a list says of each.
type JobMaker struct {
	setup        *sched.Setup
	Nodes        *sched.NodeNames
	partitions   map[string]int
	qos          map[string]int
	associations map[sched.AccountName]int
	requests     map[string]*sched.Request // by what is in them; nil where jobs need not share them
	key          []byte                    // memory that is used again
	strangers    int                       // the association of Stranger, 0 for none
}

// NewJobMaker returns a maker of the jobs of a site.
func NewJobMaker(setup *sched.Setup) *JobMaker {
	return &JobMaker{setup: setup, Nodes: sched.NewNodeNames(setup), requests: map[string]*sched.Request{}}
}

// index notes where partitions, QOS and associations stand, before the first job is made. The first of a name counts.
func (m *JobMaker) index() {
	if m.partitions != nil {
		return
	}
	m.partitions, m.qos, m.associations = map[string]int{}, map[string]int{}, map[sched.AccountName]int{}
	for i, p := range slices.Backward(m.setup.Partitions) {
		m.partitions[p.Name] = i
	}
	for i, q := range slices.Backward(m.setup.QOS) {
		m.qos[q.Name] = i
	}
	for i, name := range slices.Backward(m.setup.Names) {
		if name.User != "" {
			m.associations[name] = i
		}
	}
}

// Partition returns the place of a partition, -1 for one that the site does not have.
func (m *JobMaker) Partition(name string) int {
	m.index()
	if at, ok := m.partitions[name]; ok {
		return at
	}
	return -1
}

// Places finds the partitions that a job names, of which those count that the site has, and reports whether it has all.
func (m *JobMaker) Places(j *sched.Job, names []string) (isWhole bool) {
	isWhole = true
	for _, name := range names {
		at := m.Partition(name)
		if at < 0 {
			isWhole = false
		} else if !slices.Contains(j.Partitions, at) {
			j.Partitions = append(j.Partitions, at)
		}
	}
	if len(j.Partitions) > 0 {
		j.Partition = j.Partitions[0]
	}
	return isWhole
}

// qosNamed returns the place of a QOS, -1 for one that the site does not have. Where there is one alone, or no table tells of them, another
// one is taken for the first.
func (m *JobMaker) qosNamed(name string) int {
	m.index()
	if at, ok := m.qos[name]; ok {
		return at
	}
	if len(m.setup.QOS) == 1 || m.setup.IsQOSUntold {
		return 0
	}
	return -1
}

// severalQOS finds the QOS under one of which a job may run (Slurm takes a list from 24.11 on), of which those count that the
// site has: that of the highest priority, under which it is tried first, is its QOS.
func (m *JobMaker) severalQOS(j *sched.Job, names []string) {
	j.QOS, j.AnyQOS = -1, nil
	for _, name := range names {
		if at := m.qosNamed(name); at >= 0 && !slices.Contains(j.AnyQOS, at) {
			j.AnyQOS = append(j.AnyQOS, at)
		}
	}
	slices.SortStableFunc(j.AnyQOS, func(a, b int) int { return cmp.Compare(m.setup.QOS[b].Priority, m.setup.QOS[a].Priority) })
	if len(j.AnyQOS) > 0 {
		j.QOS = j.AnyQOS[0]
	}
	if len(j.AnyQOS) == 1 {
		j.AnyQOS = nil
	}
}

// Place returns that of an entry of a job by its names, of which that of a QOS matters where the job has several; -1 for
// what the site does not have.
func (m *JobMaker) Place(j *sched.Job, partition, qos string) sched.Place {
	at := sched.Place{Partition: m.Partition(partition), QOS: -1}
	switch {
	case j == nil:
	case len(j.AnyQOS) == 0:
		at.QOS = j.QOS
	default:
		at.QOS = m.qosNamed(qos)
	}
	return at
}

// association returns the place of the association that a user's jobs of a partition are under: that of the partition
// alone, or else that of all (Slurm's assoc_mgr.c, assoc_mgr_fill_in_assoc); -1 for none.
func (m *JobMaker) association(of sched.AccountName) int {
	m.index()
	if m.setup.HasNoAccounts() && len(m.setup.Tree) > 0 {
		of.Account = noAccount
	}
	at, ok := m.associations[of]
	if !ok {
		of.Partition = ""
		at, ok = m.associations[of]
	}
	if !ok && m.setup.HasNoAccounts() && len(m.setup.Tree) > 0 {
		return m.addUser(of.User)
	}
	if !ok {
		return -1
	}
	return at
}

// noAccount is what Slurm calls the account of all jobs where there is no accounting.
const noAccount = "(null)"

// addUser returns the place of a user where there is no accounting, and adds one whom the list does not have.
func (m *JobMaker) addUser(user string) int {
	c := m.setup
	of := sched.AccountName{Account: noAccount, User: user}
	at := slices.Index(c.Names, of)
	if at < 0 {
		at = len(c.Names)
		c.Names = append(c.Names, of)
		c.Accounts = append(c.Accounts, sched.Account{Parent: 1, User: at, Limits: c.Unlimited()})
		c.Tree = append(c.Tree, fstree.Association{Name: user, Parent: 1, User: true, Shares: 1})
		c.UsualQOS = append(c.UsualQOS, "")
	}
	m.associations[of] = at
	return at
}

// NoAssociation is why a job is left out whose account or user the tree does not have.
const NoAssociation = "of an association that the tree does not have"

// Under finds the QOS and the association that a job is under, and returns why it cannot be told where these or its
// Partition are not known; "" for nothing.
func (m *JobMaker) Under(j *sched.Job, of sched.AccountName, qos string) (why string) {
	j.Association = m.association(of)
	if names := strings.Split(qos, ","); len(names) > 1 {
		m.severalQOS(j, names)
	} else {
		j.QOS = m.qosNamed(qos)
	}
	switch {
	case j.Partition < 0:
		return "of a partition that the site does not have"
	case j.QOS < 0:
		return "of a QOS that the site does not have"
	case j.Association < 0:
		return NoAssociation
	}
	return ""
}

// Listed returns a job of a list that was made at a time, one that runs as ListedJob.Runs has it, or why it cannot be told.
func (m *JobMaker) Listed(n *slurm.ListedJob, at int64) (j *sched.Job, why string) {
	if j, why = m.begun(n); why != "" {
		return nil, why + ", left out"
	}
	m.complete(j, n, at)
	return j, ""
}

// Stranger returns what Listed does of a job that runs and is of an association that the tree does not have, nil for others. Its
// limits are those of its QOS, of its partition and of the root alone.
func (m *JobMaker) Stranger(n *slurm.ListedJob, at int64) *sched.Job {
	j, _ := m.begun(n)
	if j.Partition < 0 || j.QOS < 0 || j.Association >= 0 || len(m.setup.Tree) == 0 {
		return nil
	}
	if m.strangers == 0 {
		m.strangers = m.setup.AddStrangers()
	}
	j.Association = m.strangers
	m.complete(j, n, at)
	return j
}

// begun returns a job of a list with its partition, its QOS and its association, and why it cannot be told where one of these is not
// known.
func (m *JobMaker) begun(n *slurm.ListedJob) (j *sched.Job, why string) {
	j = &sched.Job{Nice: n.Nice, TRES: n.TRES, Billing: n.TRES["billing"], Throttle: n.Throttle, Requeue: n.Requeue, NoRequeue: n.NoRequeue}
	j.Partition = m.Partition(n.Partitions[0])
	if len(n.Partitions) > 1 {
		m.Places(j, n.Partitions)
	}
	return j, m.Under(j, sched.AccountName{Account: n.Account, User: n.User, Partition: n.Partitions[0]}, n.QOS)
}

// complete adds to a job what else a list that was made at a time says of it.
func (m *JobMaker) complete(j *sched.Job, n *slurm.ListedJob, at int64) {
	c := m.setup
	switch j.NoLimit = math.IsNaN(n.TimeLimit); {
	case j.NoLimit:
		j.Limit = c.LongestIn(j.Partition)
	case n.TimeLimit > math.MaxInt32: // UNLIMITED, which is longer than any MaxTime
		j.Limit = sched.Endless
	default:
		j.Limit = max(1, int64(n.TimeLimit*60))
	}
	j.Submit = at
	j.Eligible = at
	if !n.Submitted.IsZero() {
		j.Submit = n.Submitted.Unix()
		j.Submitted = j.Submit
	}
	since := n.Accrued
	if since.IsZero() {
		since = n.Eligible
	}
	if !since.IsZero() {
		j.Eligible = since.Unix()
	}
	j.IsAgeless = n.Accrued.IsZero()
	if begin := n.Eligible; !begin.IsZero() && begin.Unix() > at { // --begin
		j.Submit, j.Eligible = begin.Unix(), begin.Unix()
	}
	if n.Priority > 0 && n.Priority <= math.MaxUint32 {
		j.Priority = uint32(n.Priority)
	}
	if at := slices.IndexFunc(c.Reservations, func(k sched.Reservation) bool { return k.Name == n.Reservation }); n.Reservation != "" && at >= 0 {
		j.Reservation = c.Reservations[at].ID
	}
	if array, err := strconv.ParseInt(n.Array, 10, 32); err == nil {
		j.Array = int32(array)
	}
	licences, _ := sched.ParseLicences(n.Licenses)
	j.Licences, _ = c.Licensed(licences)
	request, _ := m.Request(n, j.Partition)
	j.Request = m.Same(request)
	if IsRunning(n.State) || n.State == suspended {
		j.Start, j.Limit = n.Runs(at, j.Limit)
		if given := n.Has(); given != nil { // which limits and usage count
			j.Given, j.Billing = c.Amounts(given), c.Conf.Partitions[c.Partitions[j.Partition].Name].Billing(given)
		}
	}
}

// Same returns the request of an earlier job that asked for the same.
func (m *JobMaker) Same(q *sched.Request) *sched.Request {
	if m.requests == nil {
		return q
	}
	m.key = fmt.Appendf(m.key[:0], "%#v", q)
	same, isKnown := m.requests[string(m.key)]
	if !isKnown {
		same = q
		m.requests[string(m.key)] = q
	}
	return same
}

// suspended is the state of jobs that hold what limits count, and do not go on by themselves.
const suspended = "SUSPENDED"

// IsRunning reports whether a job in a state holds nodes and will go on.
func IsRunning(state string) bool {
	return slurm.StateNamed(state).Fate == slurm.Runs && state != suspended && state != "COMPLETING"
}

// MostAsked is more than any job asks for of something.
const MostAsked = 1 << 24

// RequestOmissions says what a job asks for that is not modelled.
type RequestOmissions struct {
	Names    bool // of the nodes that it wants
	Features bool // that cannot be read
	Together bool // of its nodes together
	NodeCPUs bool // that each of its nodes has at least (--mincpus)
}

// Request returns what a job of a list asks of the nodes, as far as it is modelled. Of one of which the list says no
// more than amounts of resources, those are what it asks for.
func (m *JobMaker) Request(n *slurm.ListedJob, partition int) (*sched.Request, RequestOmissions) {
	c := m.setup
	q := &sched.Request{
		MinNodes: max(1, n.MinNodes), MaxNodes: n.MaxNodes, CPUs: max(1, n.CPUs), Tasks: max(1, n.Tasks), CPUsPerTask: max(1, n.TaskCPUs), TasksPerNode: n.NodeTasks, TasksPerSocket: n.SocketTasks,
		NodeMemory: n.NodeMemory, CPUMemory: n.CPUMemory, AllMemory: n.AllMemory, GRES: make([]int32, len(c.GRES)), Exclusive: n.Exclusive, Threads: n.Threads, Others: c.OthersOf(n.TRES),
	}
	cpus, nodes := n.TRES["cpu"], int32(min(n.TRES["node"], math.MaxInt32))
	isWhole := n.CPUs > 0 // whether the list says more than amounts
	if !isWhole {
		q.CPUs, q.MinNodes = int32(max(1, min(cpus, math.MaxInt32))), max(1, nodes)
		q.MaxNodes, q.Tasks, q.NodeMemory = q.MinNodes, q.CPUs, int64(n.TRES["mem"])/int64(q.MinNodes)
	}
	if !IsRunning(n.State) && cpus > 0 && cpus < float64(q.CPUs) {
		q.CPUs = int32(cpus)
	}
	if each := n.RaisedCPUs(); !IsRunning(n.State) && each > 0 {
		q.CPUsPerTask = each
		q.CPUs = max(q.CPUs, q.CPUsPerTask*q.Tasks)
	}
	if nodes > 0 && nodes < q.MinNodes { // NumNodes of a job that waits may be a guess
		q.MinNodes = nodes
	}
	if isWhole && q.AsksNoMemory() {
		q.CPUMemory = c.UsualCPUMemory[partition]
	}
	if q.Switches, q.SwitchWait = n.Switches, n.SwitchWait; q.SwitchWait < 0 {
		q.SwitchWait = math.MaxInt32
	}
	q.JobGRES, q.TaskGRES = amountsOf(n.JobGRES, c.GRES), amountsOf(n.TaskGRES, c.GRES)
	for i, kind := range c.GRES {
		if q.GRES[i] = n.NodeGRES["gres/"+kind]; !isWhole {
			q.GRES[i] = int32(min(n.TRES["gres/"+kind], MostAsked)) / q.MinNodes
		}
	}
	lacks := RequestOmissions{NodeCPUs: !IsRunning(n.State) && n.NodeCPUs > q.CPUsPerTask*max(1, n.NodeTasks)}
	if n.Features != "" {
		of, ok := q.Constrain(n.Features)
		lacks.Features, lacks.Together = !ok, ok && of == slurm.InPart && q.MaxNodes != 1
	}
	if len(n.Wanted)+len(n.Unwanted) > 0 && !IsRunning(n.State) {
		lacks.Names = !m.Nodes.KeepTo(q, n.Wanted, n.Unwanted)
	}
	if !IsRunning(n.State) && m.MissingGRES(n) != "" {
		q.On, q.Named = sched.NewSet(len(c.Nodes)), false // it starts nowhere
	}
	return q, lacks
}

// MissingGRES returns a kind of generic resources that a job asks for and that no node of the site has, "" for none.
func (m *JobMaker) MissingGRES(n *slurm.ListedJob) (missing string) {
	for _, amounts := range []map[string]int32{n.NodeGRES, n.JobGRES, n.TaskGRES} {
		for name, x := range amounts {
			kind := strings.TrimPrefix(name, "gres/")
			if m.setup.IsGRESTold && x > 0 && !slices.Contains(m.setup.GRES, kind) && (missing == "" || kind > missing) { // a type says more
				missing = kind
			}
		}
	}
	return missing
}

// amountsOf returns amounts of generic resources by kind, nil where there are none.
func amountsOf(amounts map[string]int32, kinds []string) (list []int32) {
	for i, kind := range kinds {
		if x := amounts["gres/"+kind]; x > 0 {
			if list == nil {
				list = make([]int32, len(kinds))
			}
			list[i] = x
		}
	}
	return list
}
