package slurm

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestDuration(t *testing.T) {
	for text, want := range map[string]float64{
		"7-0": 604800, "90": 5400, "1:30": 90, "02:00:00": 7200, "1-2:3:4": 93784, "1-2:3": 93780, "UNLIMITED": unlimited * 60,
	} {
		if got, err := Duration(text); err != nil || got != want {
			t.Errorf("%s: %v %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "x", "1:2:3:4", "1-", "-5", "1-2:3:4:5", "1.5"} {
		if got, err := Duration(text); err == nil {
			t.Errorf("%q is taken for %v", text, got)
		}
	}
}

func TestHostlist(t *testing.T) {
	for text, want := range map[string][]string{
		"n[01-03,7],login":  {"n01", "n02", "n03", "n7", "login"},
		"r[1-2]n[8-9]":      {"r1n8", "r1n9", "r2n8", "r2n9"},
		"n[098-101]":        {"n098", "n099", "n100", "n101"},
		"":                  nil,
		"a[1-2]-ib,b[3]x,c": {"a1-ib", "a2-ib", "b3x", "c"},
	} {
		got, err := Hostlist(text)
		if err != nil || !cmp.Equal(got, want) {
			t.Errorf("%s: %v %v", text, got, err)
		}
	}
	for _, text := range []string{"n[1-", "n[]", "n[2-1]", "n[1-99999999]", "n[a-b]", "n[1-1000000]m[1-1000000]"} {
		if _, err := Hostlist(text); err == nil {
			t.Errorf("%s is accepted", text)
		}
	}
}

func TestTRES(t *testing.T) {
	got, err := ParseAmounts("cpu=4,mem=62.50G,node=1,gres/gpu:a100=2,mem=1024K,billing=2K")
	want := []Amount{{"cpu", 4}, {"mem", 64000}, {"node", 1}, {"gres/gpu:a100", 2}, {"mem", 1}, {"billing", 2048}}
	if err != nil || !cmp.Equal(got, want) {
		t.Errorf("%v %v", got, err)
	}
	for _, text := range []string{"cpu", "=1", "cpu=", "cpu=-1", "cpu=nan", "cpu=1e300"} {
		if _, err := ParseAmounts(text); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}

const conf = `# a comment
PriorityType=priority/multifactor
PriorityWeightAge=100 PriorityWeightJobSize=\
1000
PriorityMaxAge=1-0
PriorityFlags=SMALL_RELATIVE_TO_TIME,NO_NORMAL_PART,BOGUS
PriorityWeightPartition=10
Include other.conf
NodeName=DEFAULT CPUs=8 RealMemory=1000
NodeName=n[1-4] Gres=gpu:a100:2(S:0),gpu:1
NodeName=big Sockets=2 CoresPerSocket=8 ThreadsPerCore=2 CPUs=32 RealMemory=4000
NodeSet=fast Nodes=n[1-2]
PartitionName=DEFAULT MaxTime=60
PartitionName=all Nodes=ALL PriorityJobFactor=3
PartitionName=fast Nodes=fast,big MaxTime=1-0
`

func TestParseConf(t *testing.T) {
	c, problems, err := ParseConf(conf, Beside{})
	if err != nil {
		t.Fatal(err)
	}
	if len(problems) != 0 || len(c.Missing) != 1 || len(c.Unknown) != 1 {
		t.Errorf("problems %q, missing %q, unknown %q", problems, c.Missing, c.Unknown)
	}
	if c.Nodes != 5 || c.CPUs != 64 || c.MaxAge != 86400 || c.Weights.JobSize != 1000 || !c.SizeRelative || !c.NoNormal["PART"] {
		t.Errorf("%+v", c)
	}
	again, _, err := ParseConf("PriorityWeightAge = 5 PriorityMaxAge= 1-0\nNodeName=DEFAULT Boards=2\nNodeName=DEFAULT SocketsPerBoard=2 CoresPerSocket=8\nNodeName=n1\nPartitionName=p Nodes=n1,n1\nPriorityWeightQOS=7\\", Beside{})
	if err != nil || again.Weights.Age != 5 || again.MaxAge != 86400 || again.Partitions["p"].TRES["cpu"] != 32 || again.Weights.QOS != 7 {
		t.Errorf("%+v %v", again, err)
	}
	// Sockets are those of all boards.
	boards, _, err := ParseConf("NodeName=n1 Boards=2 Sockets=4 CoresPerSocket=8\nPartitionName=p Nodes=n1", Beside{})
	if err != nil || boards.CPUs != 32 {
		t.Errorf("%v CPUs, %v", boards.CPUs, err)
	}
	if all := c.Partitions["all"]; all.MaxTime != 60 || all.TRES["mem"] != 8000 || all.TRES["gres/gpu"] != 12 || all.TRES["gres/gpu:a100"] != 8 {
		t.Errorf("all: %+v", all)
	}
	if fast := c.Partitions["fast"]; fast.Nodes != 3 || fast.MaxTime != 1440 || fast.JobFactor != 1 {
		t.Errorf("fast: %+v", fast)
	}
	// A NodeSet has some nodes and all that have a feature.
	for set, want := range map[string]int{"Nodes=n[1-2]": 2, "Feature=ib": 3, "Nodes=n1 Feature=ib": 4, "Feature=i": 0, "Nodes=n[2-3] Feature=ib": 3} {
		c, _, err := ParseConf("NodeName=DEFAULT CPUs=2 Features=big,ib\nNodeName=n1 Features=slow\nNodeName=n[2-4]\nNodeSet=s "+set+"\nPartitionName=p Nodes=s", Beside{})
		if err != nil || c.Partitions["p"].Nodes != want {
			t.Errorf("%s: %v, %v nodes, want %d", set, err, c, want)
		}
	}
	for text, want := range map[string]string{
		"PriorityWeightAge=x\n":                                `line 1: PriorityWeightAge: "x" is not a whole number from 0 to 4294967295`,
		"PriorityWeightAge=4294967296\n":                       `line 1: PriorityWeightAge: "4294967296" is not a whole number from 0 to 4294967295`,
		"PriorityWeightAge=2_000\n":                            `line 1: PriorityWeightAge: "2_000" is not a whole number from 0 to 4294967295`,
		"PriorityWeightAge=0b11\n":                             `line 1: PriorityWeightAge: "0b11" is not a whole number from 0 to 4294967295`,
		"PriorityWeightAge=0o7\n":                              `line 1: PriorityWeightAge: "0o7" is not a whole number from 0 to 4294967295`,
		"PriorityWeightAge=++5\n":                              `line 1: PriorityWeightAge: "++5" is not a whole number from 0 to 4294967295`,
		"PriorityWeightAge=unlimited\n":                        `line 1: PriorityWeightAge: "unlimited" is not read as a weight: Slurm takes it for a number with which sums of factors have no meaning`,
		"PriorityWeightQOS=0.5\n":                              `line 1: PriorityWeightQOS: "0.5" is not a whole number from 0 to 4294967295`,
		"PriorityWeightAge=1e16\n":                             `line 1: PriorityWeightAge: "1e16" is not a whole number from 0 to 4294967295`,
		"NodeName=n1 CPUs=1\nPriorityMaxAge=soon":              `line 2: PriorityMaxAge: "soon" is not a time`,
		"NodeName=n1 CPUs=1\nPartitionName=p MaxTime=soon":     `line 2: PartitionName=p: MaxTime: "soon" is not a time`,
		"PriorityWeightJobSize=1":                              "there is no NodeName line with CPUs: job size and TRES are parts of the cluster",
		"NodeName=n1\nNodeName=n1":                             "line 2: node n1 is defined on two lines, with which slurmctld does not start",
		"NodeName=n1\nPartitionName=p\nPartitionName=p":        "line 3: partition p is defined on two lines, with which slurmctld does not start",
		"NodeName=n1\nPartitionName=p Nodes=n2":                "line 2: PartitionName=p: there is no node n2",
		"NodeName=n1 Gres=\"gpu":                               "line 1: the value of Gres has no closing quote",
		"PriorityFavorSmall=maybe\nNodeName=n1":                `line 1: PriorityFavorSmall: "maybe" is neither YES nor NO`,
		"NodeName=n[1-200000]\nNodeName=m[1-200000]":           "line 2: more than 262144 nodes",
		"NodeName=" + strings.Repeat("n", 9999) + "[1-200000]": "line 1: a host list has more than 262144 names or 67108864 bytes",
		"nonsense": `line 1: "nonsense" is not KEY=VALUE`,
		"FairShareDampeningFactor=0\nNodeName=n1":     `line 1: FairShareDampeningFactor: "0" is not 1 or more`,
		"PriorityWeightTRES=cpu=1,mem\nNodeName=n[1-": `line 1: PriorityWeightTRES: "mem" is not NAME=NUMBER`,
	} {
		if _, _, err := ParseConf(text, Beside{}); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// Lines that cannot be read end nothing: all of them are told, and the others count. Keys and words that slurmctld does not start
// with are told, and those that it passes over.
func TestParseConfGoesOn(t *testing.T) {
	c, _, err := ParseConf("PriorityWeightQOS=-5 PriorityWeightAge=7\nPriorityMaxAge=soon\nPriorityWeigthFairshare=1\nShedulerType=sched/backfill\nSlurmdPort=1\n"+
		"PriorityType=priority/multifacto\npriorityflags=fair_treee\nPriorityWeightAssoc=3\n"+
		"PriorityUsageResetPeriod=MONTLY\nNodeName=n[1-2] CPUs=4 Feture=a Gres=gpu:1\n"+
		"PartitionName=DEFAULT PriorityTeir=2 OverSubscribe=FORCE:4\nPartitionName=short Nodes=ALL PriorityJobFactr=50 \\\n  PreemptMode=gang,REQUE State=UPP AllowQos=normal,hihg QOS=high DefMemPerGPU=1\nDownNodes=n3 Sate=DOWN\n", Beside{})
	if err == nil || c == nil || len(c.Unread) != 2 || c.Weights.Age != 7 || c.Weights.Assoc != 3 {
		t.Fatalf("%+v, %v", c, err)
	}
	want := []string{
		"line 3: PriorityWeigthFairshare is no key of slurm.conf in Slurm 22.05 to 25.05: slurmctld does not start with one that it does not know; did you mean PriorityWeightFairshare?",
		"line 4: ShedulerType is no key of slurm.conf in Slurm 22.05 to 25.05: slurmctld does not start with one that it does not know; did you mean SchedulerType?",
		"line 6: PriorityType: priority/multifacto is unknown, and slurmctld does not start with it; did you mean priority/multifactor?",
		"line 9: PriorityUsageResetPeriod: MONTLY is unknown, and slurmctld does not start with it; did you mean MONTHLY?",
		"line 10: NodeName=n[1-2]: Feture is no key of NodeName in Slurm 22.05 to 25.05: slurmctld does not start with one that it does not know; did you mean Feature?",
		"line 11: PartitionName=DEFAULT: PriorityTeir is no key of PartitionName in Slurm 22.05 to 25.05: slurmctld does not start with one that it does not know; did you mean PriorityTier?",
		"line 13: PartitionName=short: PriorityJobFactr is no key of PartitionName in Slurm 22.05 to 25.05: slurmctld does not start with one that it does not know; did you mean PriorityJobFactor?",
		"line 13: PartitionName=short: PreemptMode: REQUE is unknown, and slurmctld does not start with it; did you mean REQUEUE?",
		"line 13: PartitionName=short: State: UPP is unknown, and slurmctld does not start with it; did you mean UP?",
		"line 14: DownNodes=n3: Sate is no key of DownNodes in Slurm 22.05 to 25.05: slurmctld does not start with one that it does not know; did you mean State?",
	}
	if diff := cmp.Diff(want, c.Refused); diff != "" || c.ResetPeriod != "" {
		t.Error(diff, c.ResetPeriod)
	}
	if len(c.Passed) != len(want) || c.Passed[0] != "line 3: PriorityWeigthFairshare is unknown and has no effect here; did you mean PriorityWeightFairshare?" {
		t.Errorf("of a site that runs: %q", c.Passed)
	}
	want = []string{"line 7: PriorityFlags: FAIR_TREEE is unknown and has no effect here; did you mean FAIR_TREE?"}
	if diff := cmp.Diff(want, c.Unknown); diff != "" {
		t.Error(diff)
	}
}

// TestFactors are rules that the recordings do not show.
func TestFactors(t *testing.T) {
	c, _, err := ParseConf(conf, Beside{})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(1_000_000, 0)
	cluster := &Cluster{Conf: c, Now: now, Fairshare: func(string, string, string) (float64, bool) { return 0, true }}
	cluster.Prepare()
	job := Job{ID: "1", State: "PENDING", Priority: 1, Partitions: []string{"all"}, Submitted: now.Add(-48 * time.Hour), Eligible: now.Add(-48 * time.Hour), Accrued: now.Add(-48 * time.Hour), TimeLimit: 10,
		TRES: map[string]float64{"cpu": 4, "node": 2}}
	f := cluster.Factors(&job, "all", job.QOS)
	// 2 nodes of 64/5 CPUs on average, more than 4, in 10 minutes, of 64.
	if want := 2 * 64. / 5 / 10 / 64; math.Abs(f.Norm.JobSize-want) > 1e-15 {
		t.Errorf("job size %v, want %v", f.Norm.JobSize, want)
	}
	if f.Norm.Age != 1 || f.Norm.Partition != 3 || f.Weighted.Partition != 30 {
		t.Errorf("%+v", f.Norm)
	}
	job.TimeLimit = math.NaN() // the partition's
	if got := cluster.Factors(&job, "fast", job.QOS).Norm.JobSize; math.Abs(got-2./5/1440) > 1e-15 {
		t.Errorf("job size without a limit: %v", got)
	}
	c.FavorSmall = true
	if got := cluster.Factors(&job, "fast", job.QOS).Norm.JobSize; math.Abs(got-(1-2./5/1440)) > 1e-15 {
		t.Errorf("favouring small ones: %v", got)
	}
	for nice, want := range map[float64]float64{1e9: 1, -9e9: maxPriority} {
		job.Nice = nice
		if got := cluster.Factors(&job, "all", job.QOS).Priority; got != want {
			t.Errorf("nice %v: %v", nice, got)
		}
	}
	if f := cluster.Factors(&job, "nowhere", job.QOS); f.Norm.Partition != 0 {
		t.Errorf("unknown partition: %+v", f.Norm)
	}
	job.Nice = 0
	job.TRES = map[string]float64{"cpu": 65, "node": 2}
	if got := cluster.Factors(&job, "all", job.QOS).Norm.JobSize; math.Abs(got-(1-65./60/64)) > 1e-15 {
		t.Errorf("larger than the cluster, relative to time: %v", got)
	}
	c.SizeRelative = false
	if got := cluster.Factors(&job, "all", job.QOS).Norm.JobSize; got != 1 {
		t.Errorf("larger than the cluster: %v", got)
	}
	waits := Job{State: "PENDING", Priority: 5, Submitted: now.Add(-time.Hour)}
	if cluster.LeavesOut(&waits) == "" {
		t.Error("a job that depends on another is listed")
	}
	c.AccrueAlways = true
	if cluster.LeavesOut(&waits) != "" {
		t.Error("with ACCRUE_ALWAYS it is not")
	}
	c.AccrueAlways = false
	waits.Eligible = waits.Submitted // but an accrue limit holds it
	if f := cluster.Factors(&waits, "all", waits.QOS); cluster.LeavesOut(&waits) != "" || f.Norm.Age != 0 {
		t.Errorf("without AccrueTime: %v", f.Norm.Age)
	}
	runs := Job{State: "RUNNING", Priority: 5, Eligible: waits.Eligible}
	if cluster.LeavesOut(&runs) == "" {
		t.Error("a running job is listed")
	}
	if c.Running = true; cluster.LeavesOut(&runs) != "" {
		t.Error("with CALCULATE_RUNNING it is not")
	}
	c.Weights = Weights{TRES: []Amount{{"cpu", 2}}}
	if f := cluster.Factors(&job, "all", job.QOS); f.Norm.Age != 0 || f.Norm.JobSize != 0 || len(f.Norm.TRES) != 1 {
		t.Errorf("factors without weight: %+v", f.Norm)
	}
}

func TestParseWeights(t *testing.T) {
	got, err := parseWeights("CPU=2,Mem=0.5G,Mem=3M,Mem=7K,GRES/gpu=2K")
	want := []Amount{{"cpu", 2}, {"mem", 0.5 / 1024}, {"mem", 3}, {"mem", 7}, {"gres/gpu", 2. / 1024}}
	if err != nil || !cmp.Equal(got, want) {
		t.Errorf("%v %v", got, err)
	}
}

func TestParseJobs(t *testing.T) {
	const head = " UserId=ann(2) GroupId=g(2) MCS_label=N/A Priority=7 Nice=-3 Account=a QOS=normal"
	const rest = " JobState=PENDING TimeLimit=1:00 SubmitTime=2026-01-01T00:00:00 NumNodes=1 NumCPUs=1"
	one := "JobId=5 JobName=x Priority=99 UserId=eve(1) JobState=Y" + head + " JobState=PENDING Partition=p,q NumNodes=1 NumCPUs=1 " +
		"SubmitTime=2026-01-01T00:00:00 AccrueTime=Unknown TimeLimit=UNLIMITED TRES=cpu=1,mem=1G Comment=Nice=5\n"
	jobs, problems, err := ParseJobs(one, time.UTC)
	if err != nil || len(jobs) != 1 {
		t.Fatal(jobs, problems, err)
	}
	j := jobs[0]
	if j.User != "ann" || j.State != "PENDING" || j.Priority != 7 || j.Nice != -3 || len(j.Partitions) != 2 || !j.Accrued.IsZero() || j.TimeLimit != unlimited || j.TRES["mem"] != 1024 {
		t.Errorf("%+v", j)
	}
	named := "JobId=6 JobName=a UserId=bob(0) Nice=-9 Partition=x JobState=RUNNING\n   UserId=ann(2) GroupId=g(1)\n   Priority=7 Partition=p" + rest + " TRES=cpu=1\n\n"
	jobs, _, err = ParseJobs(named, time.UTC)
	if err != nil || len(jobs) != 1 || jobs[0].User != "ann" || jobs[0].Nice != 0 || jobs[0].Partitions[0] != "p" {
		t.Errorf("a job's name is taken for fields: %+v %v", jobs, err)
	}
	if _, _, err := ParseJobs("what\n", time.UTC); err == nil || err.Error() != "line 1: this is not output of scontrol show job, whose records begin with JobId=" {
		t.Errorf("no job list: %v", err)
	}
	for text, want := range map[string]string{
		"JobId=1 JobName=a\n UserId=u(1)\n":                                                "line 1: job 1 has no Partition, which Slurm prints of every job",
		"\nJobId=1\nUserId=u(1) Partition=p Priority=x":                                    `line 2: Priority "x" of job 1 is not a number from 0 to 4294967295`,
		"JobId=1\nUserId=u(1) Partition=p SubmitTime=now":                                  `line 1: SubmitTime "now" of job 1 is not a time`,
		"JobId=1\nUserId=u(1) Partition=p TRES=cpu":                                        `line 1: TRES of job 1: "cpu" is not NAME=NUMBER`,
		"JobId=1\nUserId=u(1) Partition=p TRES=cpu=1":                                      "line 1: job 1 has no Priority, which Slurm prints of every job",
		"JobId=1\nUserId=u(1) Partition=p Priority=1 TRES=" + rest:                         "line 1: job 1 has no TRES, which say its size",
		"JobId=3\nUserId=u(1) Partition=p Nice=99e99 TRES=cpu=1":                           `line 1: Nice "99e99" of job 3 is not a number from -2147483648 to 2147483648`,
		"JobId=4 JobName=" + head + head + " Partition=p TRES=cpu=1":                       "line 1: the job's name or comment looks like its fields: use scontrol show job without -o",
		"JobId=3\nUserId=u(1) Partition=p Priority=1 TRES=cpu=1" + rest + "\nload error\n": "line 3: this belongs to no job: load error",
	} {
		good := "JobId=9\nUserId=u(1) Partition=p Priority=1 TRES=cpu=1" + rest + "\n"
		jobs, problems, err := ParseJobs(text+"\n"+good, time.UTC)
		if err != nil || len(problems) != 1 || problems[0].Error() != want || len(jobs) == 0 || jobs[len(jobs)-1].ID != "9" {
			t.Errorf("%q: %v %v %v, want %s", text, jobs, problems, err, want)
		}
	}
}

func TestParseQOS(t *testing.T) {
	qos, err := ParseQOS("Name|Priority\nnormal|0\nhigh|100\n", true)
	if err != nil || !cmp.Equal(qos, map[string]float64{"normal": 0, "high": 100}) {
		t.Error(qos, err)
	}
	for _, text := range []string{"a|b\n", "Name|Priority\nx\n", "Name|Priority\nx|y\n", "Name|Priority\nx|-1\n"} {
		if _, err := ParseQOS(text, true); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}

// A priority that is no number is refused in a file that is named, and counts as 0 in what a site prints.
func TestPriorityThatIsNone(t *testing.T) {
	qos, err := ParseQOS("Name|Priority\nnormal|-1\nhigh|100\n", false)
	if err != nil || !cmp.Equal(qos, map[string]float64{"normal": 0, "high": 100}) {
		t.Error(qos, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(conf)
	f.Add("JobId=1\nUserId=u(1) Partition=p TRES=cpu=1\n")
	f.Add("Name|Priority\nnormal|0\n")
	f.Fuzz(func(t *testing.T, text string) {
		c, _, err := ParseConf(text, Beside{})
		if err == nil && math.IsNaN(c.CPUs) {
			t.Errorf("CPUs %v", c.CPUs)
		}
		jobs, _, err := ParseJobs(text, time.UTC)
		if err == nil && len(jobs) > strings.Count(text, "JobId=") {
			t.Errorf("%d jobs", len(jobs))
		}
		for i := range jobs {
			if c == nil {
				continue
			}
			cluster := &Cluster{Conf: c, Now: time.Unix(0, 0), Fairshare: func(string, string, string) (float64, bool) { return 0, true }}
			cluster.Prepare()
			if p := cluster.Factors(&jobs[i], jobs[i].Partitions[0], jobs[i].QOS).Priority; !(p >= minPriority && p <= maxPriority) {
				t.Errorf("priority %v", p)
			}
		}
		ParseQOS(text, true)
	})
}

// A list in JSON of which an element is nothing that Slurm prints is refused as a whole.
func TestParseObjects(t *testing.T) {
	if objects, err := ParseObjects(`{"jobs":[{"job_id":1},{}]}`, "jobs"); err != nil || len(objects) != 2 {
		t.Error(objects, err)
	}
	for _, text := range []string{`{"jobs":[{},null]}`, `{"jobs":["x"]}`, `{"jobs":[[]]}`, `{"jobs":null}`, `{"jobs":7}`, `{}`, `[]`} {
		if objects, err := ParseObjects(text, "jobs"); err == nil {
			t.Errorf("%s: %v", text, objects)
		}
	}
}

// Weights are read as C reads numbers.
func TestWeights(t *testing.T) {
	for value, want := range map[string]float64{"5": 5, "+5": 5, "010": 8, "0x10": 16, "0X1f": 31, "4294967295": 4294967295} {
		if conf, _, err := ParseConf("PriorityWeightAge="+value+"\n", Beside{}); err != nil || conf.Weights.Age != want {
			t.Errorf("%s: %v, %v", value, conf.Weights.Age, err)
		}
	}
}
