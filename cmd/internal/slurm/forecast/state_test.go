package forecast

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/setup"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
	"fairshare/fstree"
)

// now is the moment of small sites.
const now = 1_772_434_800

// ago returns the time so many seconds before it.
func ago(seconds int64) time.Time { return time.Unix(now-seconds, 0) }

// small returns a site of one node of 4 CPUs with a list of jobs. What they do not say is a CPU for an hour.
func small(jobs ...slurm.ListedJob) *Site {
	node := sched.NewSet(1)
	node.Add(0)
	c := &sched.Cluster{Nodes: []sched.Node{{Name: "n1", CPUs: 4, Memory: 8000}}, Partitions: []sched.Partition{{Name: "p", Nodes: node, MaxTime: 7200}}}
	conf := &slurm.Conf{CalcPeriod: 300, HalfLife: 3600, MaxAge: 3600, DampFactor: 1, NoNormal: map[string]bool{}, Partitions: map[string]*slurm.Partition{}}
	fill := sched.DefaultBackfill()
	site := &sched.Setup{
		Cluster: c, Conf: conf, Accounts: []sched.Account{{Parent: -1, User: -1, Limits: sched.Unlimited(0)}, {Parent: 0, User: 0, Limits: sched.Unlimited(0)}},
		Tree:  []fstree.Association{{Parent: -1, Name: "a"}, {Parent: 0, Name: "u", User: true, Shares: 1}},
		Names: []sched.AccountName{{Account: "a"}, {Account: "a", User: "u"}}, QOS: []sched.QOS{{Name: "q", Limits: sched.Unlimited(0), UsageFactor: 1}},
		Backfill: &fill, Interval: 60, Depth: 100, UsualCPUMemory: []int64{500},
	}
	s := newSite(&setup.Site{Setup: site, At: now, IsSet: map[string]bool{}}, time.UTC)
	for _, j := range jobs {
		j.User, j.Account, j.QOS, j.Partitions = "u", "a", "q", []string{"p"}
		if j.State == "" {
			j.State = "PENDING"
		}
		if j.Priority == 0 && j.Reason == "" {
			j.Priority = 1000
		}
		if j.TimeLimit == 0 {
			j.TimeLimit = 60
		}
		s.Queue = append(s.Queue, j)
	}
	return s
}

// job returns a job of the list.
func job(id string, cpus int32, more func(j *slurm.ListedJob)) slurm.ListedJob {
	j := slurm.ListedJob{CPUs: cpus}
	j.ID = id
	if more != nil {
		more(&j)
	}
	return j
}

// What the scheduler gets of a job of the list.
func TestNewJob(t *testing.T) {
	for _, test := range []struct {
		name string
		more func(j *slurm.ListedJob)
		is   func(j *sched.Job) bool
	}{
		{"a time limit of minutes", nil, func(j *sched.Job) bool { return j.Limit == 3600 }},
		{"without one: that of the partition", func(j *slurm.ListedJob) { j.TimeLimit = math.NaN() }, func(j *sched.Job) bool { return j.Limit == 7200 }},
		{"unlimited: longer than MaxTime", func(j *slurm.ListedJob) { j.TimeLimit = math.Inf(1) }, func(j *sched.Job) bool { return j.Limit == sched.Endless && !j.NoLimit }},
		{"nothing is known of when it came", nil, func(j *sched.Job) bool { return j.Submit == now && j.Eligible == now }},
		{"submitted, eligible later", func(j *slurm.ListedJob) { j.Submitted, j.Eligible = ago(900), ago(600) }, func(j *sched.Job) bool { return j.Submit == now-900 && j.Eligible == now-600 }},
		{"its age counts since it could run", func(j *slurm.ListedJob) { j.Eligible, j.Accrued = ago(900), ago(100) }, func(j *sched.Job) bool { return j.Eligible == now-100 }},
		{"eligible from now on", func(j *slurm.ListedJob) { j.Submitted, j.Eligible = ago(900), ago(0) }, func(j *sched.Job) bool { return j.Submit == now-900 }},
		{"it is to begin later", func(j *slurm.ListedJob) { j.Submitted, j.Eligible = ago(900), ago(-50) }, func(j *sched.Job) bool { return j.Submit == now+50 && j.Eligible == now+50 }},
		{"memory of the partition", nil, func(j *sched.Job) bool { return j.Request.CPUMemory == 500 && j.Request.NodeMemory == 0 }},
		{"its own memory", func(j *slurm.ListedJob) { j.NodeMemory = 900 }, func(j *sched.Job) bool { return j.Request.CPUMemory == 0 && j.Request.NodeMemory == 900 }},
		{"fewer CPUs are asked for than are named", func(j *slurm.ListedJob) { j.CPUs, j.TRES = 4, map[string]float64{"cpu": 3} }, func(j *sched.Job) bool { return j.Request.CPUs == 3 }},
		{"fewer nodes likewise", func(j *slurm.ListedJob) { j.MinNodes, j.TRES = 4, map[string]float64{"node": 1} }, func(j *sched.Job) bool { return j.Request.MinNodes == 1 }},
	} {
		n := job("7", 1, test.more)
		s := small(n)
		j, why := s.maker.Listed(&s.Queue[0], s.At)
		if j == nil || !test.is(j) {
			t.Errorf("%s: %q, %+v, %+v", test.name, why, j, j.Request)
		}
	}
}

// Which jobs do not start as things are, and why.
func TestHolds(t *testing.T) {
	for _, test := range []struct {
		name string
		more func(j *slurm.ListedJob)
		want string
	}{
		{"it waits for others", func(j *slurm.ListedJob) { j.Reason = "Priority"; j.Priority = 5 }, ""},
		{"a priority of 0", func(j *slurm.ListedJob) { j.Reason = "None" }, outcome.HeldByUser},
		{"held", func(j *slurm.ListedJob) { j.Reason, j.Priority = "JobHeldUser", 5 }, outcome.HeldByUser},
		{"for other jobs", func(j *slurm.ListedJob) { j.Reason = "Dependency" }, outcome.HeldForJobs},
		{"until a time that is not known", func(j *slurm.ListedJob) { j.Reason = "BeginTime" }, "held until a time that its user gave (--begin), or Slurm, if it was requeued"},
		{"until a time that is not known, and it was not requeued", func(j *slurm.ListedJob) { j.Reason, j.TellsRestarts = "BeginTime", true }, outcome.HeldUntil},
		{"until a time that is", func(j *slurm.ListedJob) { j.Reason, j.Eligible = "BeginTime", ago(-600) }, ""},
		{"until now", func(j *slurm.ListedJob) { j.Reason, j.Priority, j.Eligible = "BeginTime", 5, ago(0) }, ""},
		{"refused", func(j *slurm.ListedJob) { j.Reason, j.Priority = "PartitionTimeLimit", 5 }, "held: PartitionTimeLimit: its time limit is longer than its partition allows, so that it starts only once it asks for less or for another partition (scontrol update JobId=JOB TimeLimit=)"},
		{"too large", func(j *slurm.ListedJob) { j.CPUs, j.MaxNodes = 5, 1 }, outcome.Never + "partition p has 4 CPUs, and it asks for 5"},
		{"as large as the node", func(j *slurm.ListedJob) { j.CPUs, j.MaxNodes = 4, 1 }, ""},
	} {
		s := small(job("7", 1, test.more))
		j, _ := s.maker.Listed(&s.Queue[0], s.At)
		if got, _ := s.holds(&s.Queue[0], j); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// A site whose node is full for at most 3000 seconds more: who waits, at which place, what Slurm has said
// of it, and that what runs has run for a while already.
func TestSmallSite(t *testing.T) {
	s := small(
		job("3", 4, func(j *slurm.ListedJob) {
			j.State, j.Nodes, j.Started, j.TimeLimit = "RUNNING", []string{"n1"}, ago(3000), 100
		}),
		job("5", 4, func(j *slurm.ListedJob) { j.Priority, j.Started = 500, ago(-4000) }),
		job("4", 4, func(j *slurm.ListedJob) { j.Priority, j.Array, j.Indices, j.Started = 900, "4", "1-2", ago(-3000) }),
		job("6", 1, func(j *slurm.ListedJob) { j.Reason = "JobHeldUser" }),
	)
	base := work.New(trace.OfSlurm(), nil)
	s.base, s.state = base, forecast.NewState(base, now, time.UTC)
	s.state.CPUs = 4
	if remarks := s.addJobs(); len(remarks) > 0 {
		t.Fatal(remarks)
	}
	if j := s.listed["3"]; j.Job == nil || j.Start != now-3000 {
		t.Fatalf("%+v", j)
	}
	f, err := forecast.MakeOf(context.Background(), s.state, s, forecast.Options{Runs: 60, Seed: 1, Horizon: forecast.DefaultHorizon})
	if err != nil {
		t.Fatal(err)
	}
	places, told := map[string]int{}, map[string]float64{}
	for _, j := range f.Jobs {
		if j.Held != "" {
			if j.ID != "6" || !strings.Contains(j.Held, outcome.HeldByUser) {
				t.Errorf("%s is held: %s", j.ID, j.Held)
			}
			continue
		}
		places[j.ID], told[j.ID] = j.Place, j.Estimated
	}
	if len(places) != 3 || places["4_1"] != 1 || places["4_2"] != 2 || places["5"] != 3 {
		t.Errorf("places %v", places)
	}
	if told["4_1"] != now+3000 || !math.IsInf(told["4_2"], 1) || told["5"] != now+4000 {
		t.Errorf("told %v", told)
	}
	first := f.Jobs[slices.IndexFunc(f.Jobs, func(j *forecast.Job) bool { return j.ID == "4_1" })]
	if first.Median < now+600 || first.High > now+3100 || first.Requested < now+3000 || first.Requested > now+3100 {
		t.Errorf("the first starts in %.0f s, in %.0f s at the latest, as requested in %.0f s", first.Median-now, first.High-now, first.Requested-now)
	}
}

// A job that starts at once has its place in the order of those that wait, and its nodes are told.
func TestPlaceOfJobThatStartsNow(t *testing.T) {
	s := small(
		job("3", 2, func(j *slurm.ListedJob) {
			j.State, j.Nodes, j.Started, j.TimeLimit = "RUNNING", []string{"n1"}, ago(600), 100
		}),
		job("4", 4, func(j *slurm.ListedJob) { j.Priority = 900 }),
		job("5", 1, func(j *slurm.ListedJob) { j.Priority, j.TimeLimit = 800, 10 }),
		job("6", 4, func(j *slurm.ListedJob) { j.Priority = 700 }),
	)
	base := work.New(trace.OfSlurm(), nil)
	s.base, s.state = base, forecast.NewState(base, now, time.UTC)
	s.state.CPUs = 4
	if remarks := s.addJobs(); len(remarks) > 0 {
		t.Fatal(remarks)
	}
	f, err := forecast.MakeOf(context.Background(), s.state, s, forecast.Options{Runs: 5, Seed: 1, Horizon: forecast.DefaultHorizon, Nodes: true})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"4", "5", "6"} {
		j := f.Jobs[i]
		if j.ID != want || j.Place != i+1 || (j.Reason == outcome.StartsNow) != (want == "5") {
			t.Errorf("%d: %+v", i+1, j)
		}
		if !slices.Equal(j.Nodes, []forecast.Node{{Name: "n1", Part: 1}}) {
			t.Errorf("%s starts on %v", j.ID, j.Nodes)
		}
	}
}

// A running job has of the nodes that the site has what is told of these, or its part of what it has of all of its nodes.
func TestOnNodesThatAreNotThere(t *testing.T) {
	for _, test := range []struct {
		name    string
		nodes   []string
		cpus    int32
		of      []slurm.NodeShare
		want    int32
		isGuess bool
	}{
		{"all of them are there", []string{"n1"}, 3, nil, 3, false},
		{"one of two", []string{"n1", "n2"}, 4, nil, 2, true},
		{"rounded up", []string{"n3", "n1", "n2"}, 4, nil, 2, true},
		{"as is told of each", []string{"n2", "n1"}, 4, []slurm.NodeShare{{Name: "n1", CPUs: 3, Memory: 900}, {Name: "n2", CPUs: 1, Memory: 100}}, 3, false},
	} {
		s := small(job("3", test.cpus, func(j *slurm.ListedJob) {
			j.State, j.Nodes, j.OfNodes, j.Started, j.TimeLimit = "RUNNING", test.nodes, test.of, ago(600), 100
		}))
		base := work.New(trace.OfSlurm(), nil)
		s.base, s.state = base, forecast.NewState(base, now, time.UTC)
		remarks := s.addJobs()
		isSaid := slices.ContainsFunc(remarks, func(r diag.Remark) bool { return strings.Contains(r.Text, "nodes that the list of nodes lacks") })
		if got := s.listed["3"].Shares; len(got) != 1 || got[0].CPUs != test.want || isSaid != test.isGuess {
			t.Errorf("%s: %+v, want %d CPUs, %v", test.name, got, test.want, remarks)
		}
	}
}

// A job that may not start before some time is not forecast to: nor does its interval begin before it.
func TestNotBeforeItMay(t *testing.T) {
	const later = 600
	s := small(job("4", 1, func(j *slurm.ListedJob) { j.Reason, j.Eligible = "BeginTime", ago(-later) }))
	base := work.New(trace.OfSlurm(), nil)
	s.base, s.state = base, forecast.NewState(base, now, time.UTC)
	s.state.CPUs = 4
	if remarks := s.addJobs(); len(remarks) > 0 {
		t.Fatal(remarks)
	}
	f, err := forecast.MakeOf(context.Background(), s.state, s, forecast.Options{Runs: 20, Seed: 1, Horizon: forecast.DefaultHorizon})
	if err != nil {
		t.Fatal(err)
	}
	if j := f.Jobs[0]; j.Low < now+later || j.Low > j.Median || j.Median > j.High || j.Median > now+2*later {
		t.Errorf("it starts at %+.0f, from %+.0f to %+.0f", j.Median-now, j.Low-now, j.High-now)
	}
}
