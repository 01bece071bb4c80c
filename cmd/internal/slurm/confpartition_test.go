package slurm

import (
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/file"
)

// What a line of a partition or a node has wrong, or in vain, is said with whose line it is, in the case of Slurm's keys.
func TestPartitionLines(t *testing.T) {
	const nodes = "PriorityWeightAge=1\nNodeName=n1 CPUs=1\n"
	for _, test := range []struct {
		line, refused, problem string // parts of what is said, "" for nothing
	}{
		{line: "PartitionName=p Nodes=n1 AllowQos=a DenyQos=b", problem: "line 3: PartitionName=p: DenyQos does not count beside AllowQos"},
		{line: "PartitionName=p Nodes=n1 AllowAccounts=a DenyAccounts=b", problem: "line 3: PartitionName=p: DenyAccounts does not count beside AllowAccounts"},
		{line: "PartitionName=p Nodes=n1 AllowQos=ALL DenyQos=b"},
		{line: "PartitionName=p Nodes=n1 AllowAccounts=a DenyQos=b"},
		{line: "PartitionName=p Nodes=n1 DenyAccounts=ALL", problem: "line 3: PartitionName=p: DenyAccounts=ALL keeps nobody out: it is taken for a name, and AllowAccounts or State=INACTIVE keep out all"},
		{line: "PartitionName=p Nodes=n1 DenyQos=all", problem: "line 3: PartitionName=p: DenyQos=all keeps nobody out: it is taken for a name, and AllowQos or State=INACTIVE keep out all"},
		{line: "PartitionName=p Nodes=n1 MinNodes=3 MaxNodes=2", problem: "line 3: PartitionName=p: MinNodes is 3 and MaxNodes 2"},
		{line: "PartitionName=p Nodes=n1 MinNodes=3 MaxNodes=UNLIMITED"},
		{line: "PartitionName=p Nodes=n1 MaxNodes=0", problem: "line 3: PartitionName=p: MaxNodes is 0, so that no job may run there"},
		{line: "PartitionName=p Nodes=n1 DefaultTime=2-0 MaxTime=1-0", problem: "line 3: PartitionName=p: DefaultTime is 2-0, which is more than MaxTime, 1-0"},
		{line: "PartitionName=p Nodes=n1 DefaultTime=NONE MaxTime=1-0", refused: `line 3: PartitionName=p: DefaultTime: "NONE" is not a time`}, // as scontrol prints it
		{line: "PartitionName=p Nodes=n1 DefaultTime=2-0 MaxTime=INFINITE"},
		{line: "PartitionName=p Nodes=n1 DefaultTime=soon", refused: `line 3: PartitionName=p: DefaultTime: "soon" is not a time, and slurmctld does not start with it`},
		{line: "PartitionName=p Nodes=n1 MaxNodes=-2", refused: `line 3: PartitionName=p: MaxNodes: "-2" is neither a whole number from 0 to 4294967295 nor UNLIMITED`},
		{line: "PartitionName=p Nodes=n1 Hidden=maybe", refused: "line 3: PartitionName=p: Hidden: maybe is unknown"},
		{line: "PartitionName=p Nodes=n1 Hidden=yes LLN=NO"},
		{line: "PartitionName=p Nodes=n1 PriorityTier=high", refused: `line 3: PartitionName=p: PriorityTier: "high" is not a whole number from 0 to 65533`},
		{line: "PartitionName=p Nodes=n[1-3,m[1-2],k1", refused: `line 3: PartitionName=p: Nodes: host list "n[1-3,m[1-2],k1" has no closing bracket behind "n[1-3,m"`},
		{line: "priorityweightage=abc", refused: `line 3: PriorityWeightAge: "abc" is not a whole number`, problem: "line 3: priorityweightage is set again"},
		{line: "GresTypes=gpu\nNodeName=n2 Gres=gpu:a100:x", problem: "line 4: NodeName=n2: Gres: gpu:a100:x has no number at its end, and Slurm takes it for one"},
		{line: "GresTypes=gpu\nNodeName=n2 Gres=gpu:2x", problem: "line 4: NodeName=n2: Gres: gpu:2x ends with 2x, which begins as a number does and is none"},
		{line: "GresTypes=gpu\nNodeName=n2 Gres=gpu:-1", problem: "line 4: NodeName=n2: Gres: gpu:-1 ends with -1, which begins as a number does and is none"},
		{line: "GresTypes=gpu\nNodeName=n2 Gres=gpu:1.5", problem: "line 4: NodeName=n2: Gres: gpu:1.5 ends with 1.5, which begins as a number does and is none"},
		{line: "GresTypes=gpu,bandwidth\nNodeName=n2 Gres=gpu:2(S:0-1),bandwidth:lustre:no_consume:4G"},
		{line: "GresTypes=gpu\nNodeName=n2 Gres=gpu:a100:2,gpu:v100:no_consume,gpu:h100"},
		{line: "NodeName=n2 CPUs=17 Sockets=2 CoresPerSocket=8", problem: "line 3: NodeName=n2: CPUs=17 is neither the number of sockets, nor that of cores, nor that of threads: slurmctld takes the last one, 16"},
		{line: "NodeName=n2 CPUs=8 Boards=2 SocketsPerBoard=1 CoresPerSocket=8 ThreadsPerCore=2", problem: "line 3: NodeName=n2: CPUs=8 is neither"},
		{line: "NodeName=n2 CPUs=16 Boards=2 SocketsPerBoard=1 CoresPerSocket=8 ThreadsPerCore=2"},
		{line: "NodeName=n2 CPUs=32 Sockets=2 CoresPerSocket=8 ThreadsPerCore=2"},
		{line: "NodeName=n2 CPUs=2 Sockets=2 CoresPerSocket=8 ThreadsPerCore=2"},
		{line: "NodeName=n2 CPUs=17 ThreadsPerCore=2"}, // whose sockets slurmctld counts
		{line: "NodeName=n2 RealMemory=-8", refused: `line 3: NodeName=n2: RealMemory: "-8" is neither a whole number`},
		{line: "PartitionName=p Nodes=n1 MaxTim=1-0", refused: "line 3: PartitionName=p: MaxTim is no key of PartitionName in Slurm 22.05 to 25.05: slurmctld does not start with one that it does not know; did you mean MaxTime?"},
	} {
		conf, problems, _ := ParseConf(nodes+test.line+"\n", Beside{})
		refused := slices.Clone(conf.Refused)
		for _, line := range conf.Unread {
			refused = append(refused, (*file.Problem).Error(line))
		}
		for _, of := range []struct {
			what, want string
			got        []string
		}{{"refused", test.refused, refused}, {"said", test.problem, problems}} {
			if got := strings.Join(of.got, "\n"); !strings.HasPrefix(got, of.want) || of.want == "" && got != "" {
				t.Errorf("%s: %q is %s, want %q", test.line, got, of.what, of.want)
			}
		}
	}
}

// A setting that Slurm no longer has does nothing, which is said, also where no weight counts.
func TestGoneKeys(t *testing.T) {
	for _, kind := range []string{"multifactor", "basic"} {
		conf, _, _ := ParseConf("PriorityType=priority/"+kind+"\nFastSchedule=1\n", Beside{})
		const want = "line 2: FastSchedule does nothing: Slurm has left it out before 22.05, and has SlurmdParameters=config_overrides for FastSchedule=2"
		if got := conf.Advice(0); !slices.Contains(got, want) {
			t.Errorf("priority/%s: %q", kind, got)
		}
	}
	for name := range goneKeys {
		if !slices.Contains(otherKeys, name) {
			t.Errorf("%s is none of the keys that are known", name)
		}
	}
}

// Where a text stands is cut off its begin as it was put there.
func TestCutPlace(t *testing.T) {
	for _, at := range []Place{{}, {Line: 7}, {File: "conf.d/partitions.conf", Line: 12}} {
		text := "PartitionName=p: line 3: no place"
		text = at.Prefix() + text
		if got, rest := CutPlace(text); got != at || rest != "PartitionName=p: line 3: no place" {
			t.Errorf("%q: %v, %q", text, got, rest)
		}
	}
}

// GRES of a kind that GresTypes lacks are no GRES, which is said where all of a slurm.conf is there.
func TestGresTypes(t *testing.T) {
	const node, known = "NodeName=n1 CPUs=1 Gres=gpu:2\n", "PartitionName=p Nodes=n1\nClusterName=c\n"
	const lacks = "line 1: NodeName=n1: Gres: GresTypes lacks gpu, so that Slurm knows none of it and no job gets any"
	for text, want := range map[string]string{
		node + known: lacks, node + known + "GresTypes=gpus\n": lacks + "; did you mean gpus?", node + "GresTypes=shard\n": lacks,
		node + known + "GresTypes=shard,gpu\n": "", node: "", "NodeName=n1 CPUs=1\n" + known: "",
	} {
		if c, _, _ := ParseConf(text, Beside{}); strings.Join(c.Unknown, "\n") != want {
			t.Errorf("%q: %q", text, c.Unknown)
		}
	}
}

// What decides leaves out how often priorities are computed where slurmctld does not start with it, and damping under Fair Tree is in vain.
func TestInVain(t *testing.T) {
	const weight = "PriorityWeightFairshare=1000\n"
	c, _, _ := ParseConf(weight+"PriorityCalcPeriod=0\n", Beside{})
	if got := strings.Join(c.Counts(), "\n"); strings.Contains(got, "0s") || !strings.HasSuffix(got, "usage halves in 7.0 days") {
		t.Error(got)
	}
	for text, want := range map[string]bool{"": false, "FairShareDampeningFactor=5\n": true, "FairShareDampeningFactor=5\nPriorityFlags=NO_FAIR_TREE\n": false, "FairShareDampeningFactor=1\n": false} {
		c, _, _ := ParseConf(weight+text, Beside{})
		if got := strings.Contains(strings.Join(c.Advice(0), "\n"), "FairShareDampeningFactor has no effect"); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}
