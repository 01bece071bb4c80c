package sched

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"fairshare/cmd/internal/file"
)

// event is a line of a recording: what slurmctld did, and when.
type event struct {
	at   int64
	kind string
	job  *Job // nil where it is of none
	rest []string
}

// recording is a run of a real slurmctld, and the state that it is in after the events so far.
type recording struct {
	*Cluster
	name     string
	settings Backfilling
	depth    int // of a pass of default depth
	accounts []Account
	qos      []QOS
	jobs     map[int]*Job
	users    []string // by Account.User
	first    map[int]int32
	events   []event
	node     map[string]int
	all      Set

	pending  map[int]*Job
	running  map[int]runningJob
	cleaning map[int]*Job
	settled  *Machine // without the nodes of jobs that clean up
	freed    *Machine // with them
	ledger   *Ledger
	plans    map[int]string
}

// recordedCluster is that of all runs, as their slurm.conf has it.
func recordedCluster() *Cluster {
	c := &Cluster{GRES: []string{"gpu"}}
	for i := 1; i <= 4; i++ {
		c.Nodes = append(c.Nodes, Node{fmt.Sprintf("g%02d", i), 32, 1, 256000, []int32{4}, 100, []string{"amd", "gpu", "a100"}, 0})
	}
	for i := 1; i <= 8; i++ {
		c.Nodes = append(c.Nodes, Node{fmt.Sprintf("n%02d", i), 16, 1, 64000, []int32{0}, 10, []string{"intel", "avx2"}, 0})
	}
	sets := [3]Set{NewSet(12), NewSet(12), NewSet(12)}
	for i := range 12 {
		sets[0].Add(i)
		if i < 4 {
			sets[1].Add(i)
		} else {
			sets[2].Add(i)
		}
	}
	c.Partitions = []Partition{{Name: "main", Nodes: sets[0], Tier: 1, JobFactor: 10}, {Name: "gpu", Nodes: sets[1], Tier: 1, JobFactor: 50}, {Name: "debug", Nodes: sets[2], Tier: 10, JobFactor: 100}}
	return c
}

// openRecording reads a run.
func openRecording(t *testing.T, name string) *recording {
	t.Helper()
	r := &recording{
		Cluster: recordedCluster(), name: name, settings: Backfilling{Interval: 30, Resolution: 60, Window: 86400}, depth: 100,
		accounts: []Account{{Parent: -1, User: -1, Limits: Unlimited(1)}}, qos: []QOS{{Name: "normal", Limits: Unlimited(1), Priority: 100, UsageFactor: 1}, {Name: "high", Limits: Unlimited(1), Priority: 1000, UsageFactor: 2}, {Name: "low", Limits: Unlimited(1), Priority: 0, UsageFactor: 0.5}},
		jobs: map[int]*Job{}, first: map[int]int32{}, node: map[string]int{},
		pending: map[int]*Job{}, running: map[int]runningJob{}, cleaning: map[int]*Job{}, plans: map[int]string{},
	}
	if name == "S3a" {
		r.settings, r.depth = Backfilling{Interval: 30, Resolution: 300, Window: 2880 * 60, MaxPerUser: 5}, 20
		cpus := func(n int64) Amounts { return Amounts{n, None, None, None} }
		r.qos[0].Limits.UserJobs, r.qos[0].Limits.UserTRES = 8, cpus(96)
		r.qos[1].Limits.UserJobs, r.qos[1].Limits.UserTRES = 4, cpus(48)
		r.qos[2].Limits.AllTRES, r.qos[2].Limits.MaxWall = cpus(96), 12*3600
	}
	r.all = NewSet(len(r.Nodes))
	for i, n := range r.Nodes {
		r.node[n.Name] = i
		r.all.Add(i)
	}
	text, err := file.ReadText(filepath.Join("../../../../testdata/slurm-replay", name, "decisions.txt.gz"), 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	now := int64(0)
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if words[0] == "j" {
			r.addJob(words[1:])
			continue
		}
		if words[0] != "." {
			now += num(words[0])
		}
		e := event{at: now, kind: words[1]}
		if len(words) > 2 {
			e.job, e.rest = r.jobs[int(num(words[2]))], words[3:]
		}
		r.events = append(r.events, e)
	}
	r.settled, r.freed, r.ledger = NewMachine(r.Cluster), NewMachine(r.Cluster), NewLedger(&Setup{Cluster: r.Cluster, Accounts: r.accounts, QOS: r.qos})
	return r
}

// addJob reads id, user, account, partition, QOS, time limit, CPUs of the first node, submission
// and options of a job.
func (r *recording) addJob(words []string) {
	j := &Job{ID: int(num(words[0])), Limit: num(words[5]), Submit: num(words[7])}
	j.Partition = r.PartitionNamed(words[3])
	j.QOS = slices.IndexFunc(r.qos, func(q QOS) bool { return q.Name == words[4] })
	user := slices.Index(r.users, words[1]+"@"+words[2])
	if user < 0 {
		user = len(r.users)
		r.users = append(r.users, words[1]+"@"+words[2])
		first := slices.IndexFunc(r.users, func(u string) bool { return strings.HasPrefix(u, words[1]+"@") })
		r.accounts = append(r.accounts, Account{Parent: 0, User: first, Limits: Unlimited(1)})
	}
	j.Association = user + 1
	j.Request = ParseRequest(words[8:], r.GRES, []int64{1000, 4000, 1000}[j.Partition])
	r.jobs[j.ID], r.first[j.ID] = j, int32(num(words[6]))
}

func num(text string) int64 {
	x, _ := strconv.ParseFloat(text, 64)
	return int64(x)
}

// queue is the pending jobs in Slurm's order.
func (r *recording) queue() []*Job {
	var list []*Job
	for _, j := range r.pending {
		list = append(list, j)
	}
	slices.SortFunc(list, func(a, b *Job) int {
		return cmp.Or(cmp.Compare(r.Partitions[b.Partition].Tier, r.Partitions[a.Partition].Tier), cmp.Compare(b.Priority, a.Priority), a.ID-b.ID)
	})
	return list
}

// apply brings the state to what it is after an event.
func (r *recording) apply(t *testing.T, e event) {
	t.Helper()
	j := e.job
	switch e.kind {
	case "s": // submitted: priority
		j.Priority = uint32(num(e.rest[0]))
		if j.Start == 0 { // it may have been started before its submission was logged
			r.pending[j.ID] = j
		}
	case "n": // priority
		j.Priority = uint32(num(e.rest[0]))
	case "a", "B": // started: nodes, when
		r.start(t, j, e.rest[0], num(e.rest[1]))
	case "e": // over
		if _, ok := r.running[j.ID]; ok {
			delete(r.running, j.ID)
			r.cleaning[j.ID] = j
			r.freed.free(j.Request, j.Shares)
			r.ledger.count(j, -1)
		}
	case "c": // cleaned up
		if r.cleaning[j.ID] != nil {
			delete(r.cleaning, j.ID)
			r.settled.free(j.Request, j.Shares)
		}
	}
}

// start puts a job on the nodes that it was recorded on. How many CPUs it has of each is not
// recorded but for the first: it is what the job would take of these nodes.
func (r *recording) start(t *testing.T, j *Job, names string, at int64) {
	t.Helper()
	set := r.set(names)
	request := *j.Request
	request.MinNodes = int32(set.count())
	var p placer
	j.Shares = slices.Clone(p.place(r.settled, &request, set))
	if len(j.Shares) != set.count() {
		t.Fatalf("%s: job %d cannot run on %s: %v", r.name, j.ID, names, r.settled.cpus)
	}
	if first := r.first[j.ID]; first > 0 && len(j.Shares) > 1 {
		j.Shares[1].CPUs += j.Shares[0].CPUs - first
		j.Shares[0].CPUs = first
	}
	j.Start = at
	r.settled.take(j.Request, j.Shares)
	r.freed.take(j.Request, j.Shares)
	r.ledger.count(j, 1)
	delete(r.pending, j.ID)
	r.running[j.ID] = newRunningJob(j, len(r.Nodes))
}

// set returns the nodes of some names.
func (r *recording) set(names string) Set {
	s := NewSet(len(r.Nodes))
	for name := range strings.SplitSeq(names, ",") {
		s.Add(r.node[name])
	}
	return s
}

// names returns the names of the nodes of a set.
func (r *recording) names(s Set) string {
	var list []string
	for i := range s.all {
		list = append(list, r.Nodes[i].Name)
	}
	return strings.Join(list, ",")
}

// plan returns the plan that was recorded for a job, and keeps it: where it did not change since
// the last cycle, the recording does not repeat it.
func (r *recording) plan(e event) *Plan {
	if len(e.rest) > 0 {
		r.plans[e.job.ID] = strings.Join(e.rest, " ")
	}
	words := strings.Fields(r.plans[e.job.ID])
	return &Plan{e.job, num(words[0]), num(words[1]), r.set(words[2])}
}
