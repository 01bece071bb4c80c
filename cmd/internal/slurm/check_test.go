package slurm

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAdvice(t *testing.T) {
	conf, _, err := ParseConf("PriorityWeightFairshare=10\nPriorityWeightAge=0\nPriorityDecayHalfLife=0\nPriorityWeightPartition=100000\n"+
		"PriorityWeightTRES=Mem=100,GRES/fpga=5\nNodeName=n1 CPUs=4 RealMemory=1000\nPartitionName=a Nodes=n1\nPartitionName=b Nodes=n1\n", Beside{})
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(conf.Advice(20), "\n")
	for _, want := range []string{
		"PriorityWeightFairshare is 10 of ", "adds the same to each job", "for 20 associations", "never forgotten",
		"counts gres/fpga, mem, and TRESBillingWeights", "counts gres/fpga, and no node has it",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// A weight of fairshare that an hour of waiting or the next partition outweighs hardly decides, which is said with the figures.
func TestAdviceOnSmallFairshare(t *testing.T) {
	const partitions = "NodeName=n1 CPUs=4\nPartitionName=a Nodes=n1 PriorityJobFactor=10\nPartitionName=b Nodes=n1 PriorityJobFactor=20\nPartitionName=c Nodes=n1 PriorityJobFactor=40\n"
	for text, want := range map[string]string{
		"PriorityWeightFairshare=9\nPriorityWeightAge=240\nPriorityMaxAge=1-0\n":                    "PriorityWeightFairshare is 9, so much at most between two jobs, and an hour of waiting makes 10 points: ",
		"PriorityWeightFairshare=10\nPriorityWeightAge=240\nPriorityMaxAge=1-0\n":                   "",
		"PriorityWeightFairshare=249\nPriorityWeightPartition=1000\n" + partitions:                  "PriorityWeightFairshare is 249, so much at most between two jobs, and the least difference between two partitions makes 250 points: ",
		"PriorityWeightFairshare=250\nPriorityWeightPartition=1000\n" + partitions:                  "",
		"PriorityWeightFairshare=0\nPriorityWeightAge=240\nPriorityMaxAge=1-0\n" + partitions:       "",
		"PriorityWeightFairshare=9\nPriorityWeightAge=240\nPriorityMaxAge=UNLIMITED\n" + partitions: "",
	} {
		conf, _, err := ParseConf(text, Beside{})
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(conf.Advice(0), "\n")
		if is := strings.Contains(got, "hardly decides"); is != (want != "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// What decides about the order is said in the order of the weights.
func TestCounts(t *testing.T) {
	for text, want := range map[string][]string{
		"PriorityType=priority/basic\nPriorityWeightAge=10\n": {"priorities: those of the order in which jobs came, less their nice values (priority/basic)"},
		"PriorityWeightFairshare=10\nPriorityWeightAge=3000\nNodeName=n1 CPUs=4 RealMemory=1000\nPriorityWeightTRES=Mem=990\nPriorityDecayHalfLife=1:00:00\nPriorityMaxAge=2-0\nPriorityFlags=NO_FAIR_TREE\n": {
			"priorities: the weights, and what each is of all together: age 3000 (75%), TRES mem 990 (25%), fairshare 10 (less than 1%)", "age: counts in full after 2.0 days",
			"fairshare: Slurm's classic fairshare; usage halves in 1h0m0s, and priorities are computed every 5m0s",
		},
		"PriorityWeightFairshare=10\nPriorityDecayHalfLife=0\n": {"priorities: the weights, and what each is of all together: fairshare 10 (100%)", "fairshare: Fair Tree as Slurm computes it; usage never decays, and priorities are computed every 5m0s"},
		"": nil,
	} {
		conf, _, err := ParseConf(text, Beside{})
		if err != nil {
			t.Fatal(err)
		}
		if got := conf.Counts(); !slices.Equal(got, want) {
			t.Errorf("%q: %q", text, got)
		}
		if advice := conf.Advice(0); conf.Basic && advice != nil {
			t.Errorf("%q: %q", text, advice)
		}
	}
}

// How often priorities are computed is said with its unit.
func TestAdviceOnPeriod(t *testing.T) {
	conf, _, err := ParseConf("PriorityWeightFairshare=1000\nPriorityWeightAge=10\n", Beside{})
	if err != nil {
		t.Fatal(err)
	}
	const want = "line 2: age adds one point in 60480 seconds, and priorities are computed every 5m0s"
	if got := conf.Advice(0); !slices.Contains(got, want) {
		t.Errorf("no %q in %q", want, got)
	}
}

// No advice follows from what cannot be read, and the rest is said.
func TestNoAdviceOnUnread(t *testing.T) {
	const whole = "PriorityWeightFairshare=1000\nPriorityWeightAge=10\nPriorityDecayHalfLife=0\nNodeName=n1 CPUs=4\n"
	for _, test := range []struct{ text, without, with string }{
		{"PriorityWeightFairshare=1000\nPriorityDecayHalfLife=0\nPriorityWeightAge=abc\n", "PriorityWeightAge is", "never forgotten"},
		{"PriorityWeightFairshare=1000\nPriorityDecayHalfLife=0\nPriorityWeightAge abc\n", "PriorityWeightAge is", "never forgotten"},
		{"ClusterName=c\nPriorityFavorSmall=yes\nPriorityWeightJobSize=x\n", "PriorityFavorSmall has", "PriorityWeightAge is 0"},
		{"ClusterName=c\nPriorityWeightFairshare=1000\nPriorityDecayHalfLife=0\nPriorityUsageResetPeriod=\"NONE\n", "never forgotten", "PriorityWeightAge is 0"},
		{whole + "PriorityWeightQOS=1e99\n", "nearly tie", "never forgotten"},
		{whole + "PriorityMaxAge=x\n", "age adds", "never forgotten"},
		{"ClusterName=c\nPriorityWeightTRES=gres/gpu=1000\nNodeName=n1 CPUs=x Gres=gpu:1\nNodeName=n2 CPUs=4\n", "no node has it", "PriorityWeightAge is 0"},
		{"ClusterName=c\nPriorityWeightPartition=1000\nPartitionName=a\nPartitionName=b PriorityJobFactor=x\n", "the same to each", "PriorityWeightAge is 0"},
		{"ClusterName=c\nPriorityWeightPartition=1000\nPartitionName=a\nPartitionName b\n", "the same to each", "PriorityWeightAge is 0"},
		{"ClusterName=c\nPriorityWeightPartition=1000\nPartitionName=a\nPartitionName=b MaxTime=x\n", "never forgotten", "the same to each"},
	} {
		conf, problems, err := ParseConf(test.text, Beside{})
		if err == nil {
			t.Errorf("%q is read", test.text)
			continue
		}
		got := strings.Join(conf.Advice(0), "\n")
		if strings.Contains(got, test.without) || !strings.Contains(got, test.with) {
			t.Errorf("%q: want %q, and not %q:\n%s", test.text, test.with, test.without, got)
		}
		if text := strings.Join(problems, "\n"); strings.Contains(test.text, "JobSize=x") && strings.Contains(text, "no PriorityWeight") {
			t.Errorf("%q: %s", test.text, text)
		}
	}
	conf, _, _ := ParseConf(whole+"PriorityWeightQOS=x\n", Beside{})
	if got := conf.Counts(); !strings.Contains(got[0], "of all together without PriorityWeightQOS, which cannot be read: fairshare 1000") {
		t.Errorf("%q", got)
	}
}

// What is set twice is said, since the last one counts, as for Slurm; lines of several nodes and partitions are none.
func TestSetTwice(t *testing.T) {
	for text, want := range map[string][]string{
		"PriorityWeightAge=1\nPriorityWeightQOS=2\n":                                                nil,
		"PriorityWeightAge=1\nNodeName=n1 CPUs=4\nPRIORITYWEIGHTAGE=7\n":                            {"line 3: PRIORITYWEIGHTAGE is set again, as on line 1: the last one counts, 7"},
		"PriorityWeightAge=1 PriorityWeightAge=2\n":                                                 {"line 1: PriorityWeightAge stands there twice: the last one counts, 2"},
		"NodeName=n1 CPUs=4 cpus=8\nNodeName=n2 CPUs=4\nPartitionName=p Nodes=n1\n":                 {"line 1: cpus stands there twice: the last one counts, 8"},
		"PartitionName=p MaxTime=1 MaxTime=2\nPartitionName=q MaxTime=3\n":                          {"line 1: MaxTime stands there twice: the last one counts, 2"},
		"PriorityWeightAge=7\nPriorityWeightAge=7\nPriorityWeightAge=7 PriorityWeightAge=7\n":       nil,
		"SchedulerParameters=bf_window=60\nSchedulerParameters=defer\n":                             {"line 2: SchedulerParameters is set again, as on line 1: the last one counts, defer"},
		"SlurmctldParameters=a\nslurmctldparameters=b\nSlurmctldParameters=b\n":                     {"line 2: slurmctldparameters is set again, as on line 1: the last one counts, b"},
		"PriorityWeightTRES=CPU=5,Mem=1,cpu=7\nNodeName=n1 CPUs=4\n":                                {"line 1: PriorityWeightTRES names cpu twice: the last one counts, 7"},
		"PriorityWeightTRES=CPU=5,CPU=5\nNodeName=n1 CPUs=4\n":                                      nil,
		"PartitionName=DEFAULT Default=YES\nPartitionName=p Default=NO\nPartitionName=q\n":          nil,
		"PartitionName=p Default=YES\nPartitionName=q Default=NO\nPartitionName=r Default=1\n":      {"line 3: Default=1 of partition r takes that of partition p: the last one counts"},
		"DownNodes=n1 State=DOWN\nDownNodes=n2 State=DRAIN\nEpilog=a\nEpilog=b\n":                   nil,
		"DownNodes=n3 State=DOWN Reason=\"no fan\"\nFrontendName=f1 FrontendAddr=10.0.0.1 Port=7\n": nil,
		"NodeName=n1\nSlurmctldHost=a\nSlurmctldHost=b\nInclude x\n\nInclude y\n":                   {"line 4: Include x is not followed: no such file stands beside it: put it there, or the lines themselves in its place", "line 6: Include y is not followed: no such file stands beside it: put it there, or the lines themselves in its place"},
	} {
		conf, problems, _ := ParseConf(text+"PriorityWeightFairshare=1\n", Beside{})
		if conf.Refused != nil {
			t.Errorf("%q: refused: %q", text, conf.Refused)
		}
		if problems = append(problems, conf.Missing...); !cmp.Equal(problems, want) {
			t.Errorf("%q: %q, want %q", text, problems, want)
		}
		if conf.Weights.Age == 1 && want != nil {
			t.Errorf("%q: the first one counts", text)
		}
	}
}

// Of a part of a slurm.conf nothing is said that follows from what it does not set, and that is told; what stands there is checked.
func TestPartOfConf(t *testing.T) {
	const ageless, unbilled, whole, nodeless = "PriorityWeightAge is 0", "TRESBillingWeights of no partition", "a part of a slurm.conf", "which nodes there are is not known"
	const gpus = "PriorityWeightTRES=gres/gpu=1000\nPriorityWeightFairshare=1000\n"
	const site = gpus + "NodeName=n1 CPUs=4 Gres=gpu:2\nPartitionName=a Nodes=n1\n"
	for _, test := range []struct {
		text          string
		with, without []string
	}{
		{"PreemptType=preempt/qos\n", []string{whole}, []string{ageless, nodeless}},
		{"ClusterName=c\nPreemptType=preempt/qos\n", []string{ageless}, []string{whole, nodeless}},
		{"PriorityWeightAge=0\n", []string{ageless, whole}, nil},
		{gpus, []string{whole}, []string{unbilled, ageless}},
		{"PartitionName=a Nodes=n[1-2]\nPartitionName=b Nodes=n3\n", []string{nodeless, whole}, []string{ageless, "there is no node"}},
		{"SlurmctldHost=h\nPartitionName=a Nodes=n1 PriorityTier=x\n", []string{nodeless, ageless, "not a whole number"}, []string{whole, "there is no node"}},
		{"NodeName=n1 CPUs=4\nPartitionName=a Nodes=n2\n", []string{"there is no node n2", ageless}, []string{whole, nodeless}},
		{"NodeName=n[1-2 CPUs=4\nNodeName=n3\nPartitionName=a Nodes=n[1-2]\nPartitionName=b Nodes=n3\n", []string{"no closing bracket"}, []string{"there is no node", nodeless}},
		{site, []string{unbilled, ageless}, []string{whole}},
		{site + "PartitionName=b Nodes=n1 PriorityTier=x\n", []string{unbilled}, nil},
		{site + "PartitionName=b Nodes=n1 PriorityTier=x TRESBillingWeights=gres/gpu=1\n", nil, []string{unbilled}},
		{site + "PartitionName=b Nodes=n1 Hidden TRESBillingWeights=gres/gpu=1\n", nil, []string{unbilled}},
		{site + "PartitionName=a Nodes=n1 TRESBillingWeights=gres/gpu=1\n", nil, []string{unbilled}},
	} {
		conf, _, _ := ParseConf(test.text, Beside{})
		got := slices.Concat(conf.Advice(0), conf.NotChecked(), conf.Refused)
		for _, line := range conf.Unread {
			got = append(got, line.Error())
		}
		all := strings.Join(got, "\n")
		for _, want := range test.with {
			if !strings.Contains(all, want) {
				t.Errorf("%q: no %q in\n%s", test.text, want, all)
			}
		}
		for _, not := range test.without {
			if strings.Contains(all, not) {
				t.Errorf("%q: %q in\n%s", test.text, not, all)
			}
		}
	}
}
