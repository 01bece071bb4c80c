package setup

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump/dumptest"
	"fairshare/cmd/internal/slurm/sched"
)

// Words of the configuration on which starts depend are modelled, or said with their weight; others are neither.
func TestParameters(t *testing.T) {
	const was, place = "max_sched_time=100,bf_yield_interval=10000000,bf_max_time=300", "CR_CORE_MEMORY"
	for _, test := range []struct{ parameters, place, ignored, said string }{
		{was, place, "", ""},
		{"bf_max_job_array_resv=3,bf_node_space_size=40,bf_continue", place, "", ""},
		{"defer,bf_busy_nodes,bf_licenses", place, "[defer of SchedulerParameters (here jobs that come are looked at within a second or two) bf_busy_nodes of SchedulerParameters (here plans do not prefer busy nodes) bf_licenses, so that jobs which lack licences get no plans,]", ""},
		{"no_such_thing=1,bf_window=x", place, "[no_such_thing=1 of SchedulerParameters, which is not known here,]", "bf_window needs a whole number from 1 to"},
		{"bf_window=43201,SCHED_INTERVAL=0", place, "", "bf_window needs a whole number from 1 to 43200, not \"43201\": the default counts, as in slurmctld; sched_interval needs"},
		{"sched_interval=-1", place, "[sched_interval=-1 of SchedulerParameters (here a pass over the full queue begins every 60 s)]", ""},
		{was, "CR_SOCKET_MEMORY,CR_LLN", "[CR_SOCKET_MEMORY of SelectTypeParameters (here cores are given one by one, not by sockets) CR_LLN of SelectTypeParameters (here jobs go to the nodes with fewest free CPUs, not to those with most)]", ""},
	} {
		setup, remarks := changedSite(t, dumptest.Replays+"S2a/site.tgz", was, test.parameters, place, test.place)
		var ignored, said []string
		for _, x := range setup.Omissions {
			if strings.Contains(x.What, "Parameters") || strings.Contains(x.What, "bf_") {
				ignored = append(ignored, x.What)
			}
		}
		for _, r := range remarks {
			if text, ok := strings.CutPrefix(r.Text, "SchedulerParameters: "); ok {
				said = append(said, text)
			}
		}
		if got := fmt.Sprint(ignored); ignored != nil && got != test.ignored || ignored == nil && test.ignored != "" {
			t.Errorf("%s, %s: %s, want %s", test.parameters, test.place, got, test.ignored)
		}
		if got := strings.Join(said, "; "); !strings.HasPrefix(got, test.said) || test.said == "" && got != "" {
			t.Errorf("%s: said %s, want %s", test.parameters, got, test.said)
		}
	}
	setup, _ := changedSite(t, dumptest.Replays+"S2a/site.tgz", was, "bf_max_job_array_resv=3,bf_node_space_size=40")
	if setup.Backfill.MaxPerArray != 3 || setup.Backfill.MaxSpans != 40 {
		t.Errorf("%+v", setup.Backfill)
	}
}

// Cores of several threads are given whole, unless CPUs are what is given; memory that is not consumable is not counted,
// and none of that which MemSpecLimit keeps is given.
func TestNodesOfScheduler(t *testing.T) {
	for _, test := range []struct {
		place       string
		threads     int32
		hasNoMemory bool
	}{{"CR_CORE_MEMORY", 2, false}, {"CR_CPU_MEMORY", 0, false}, {"CR_CORE", 2, true}} {
		setup, _ := changedSite(t, "../../../../testdata/slurm-site/t5_end.tgz", "CR_CORE_MEMORY", test.place)
		node := func(name string) sched.Node {
			return setup.Nodes[slices.IndexFunc(setup.Nodes, func(n sched.Node) bool { return n.Name == name })]
		}
		if h, c := node("h01"), node("c01"); h.Threads != test.threads || h.Memory != 124_000 || c.Threads != 0 || setup.HasNoMemory != test.hasNoMemory {
			t.Errorf("%s: %+v %+v, without memory: %v", test.place, h, c, setup.HasNoMemory)
		}
	}
}

// A partition that gives whole nodes is told, and is not said to be left out.
func TestWholeNodes(t *testing.T) {
	setup, _ := changedSite(t, dumptest.Replays+"S2a/site.tgz", "PriorityJobFactor=10 PriorityTier=1 RootOnly=NO ReqResv=NO OverSubscribe=NO", "PriorityJobFactor=10 PriorityTier=1 OverSubscribe=EXCLUSIVE MaxCPUsPerNode=7")
	whole := 0
	for _, is := range setup.WholeNodes {
		if is {
			whole++
		}
	}
	if whole != 1 {
		t.Errorf("%d of %v partitions give whole nodes", whole, setup.WholeNodes)
	}
	for _, x := range setup.Omissions {
		if x.What != "MaxCPUsPerNode (7) of partition main" {
			t.Errorf("said: %s", x.What)
		}
	}
}

// changedSite returns the scheduler of a recorded site of which files are other ones, and what is said of it. Texts to
// replace and what replaces them follow each other.
func changedSite(t *testing.T, site string, texts ...string) (*sched.Setup, []diag.Remark) {
	t.Helper()
	setup, remarks, err := Open(dumptest.Changed(t, site, texts...))
	if err != nil {
		t.Fatal(err)
	}
	return setup, remarks
}

// How long a requeued job waits is told by cred_expire of AuthInfo: where it was 7200, recorded jobs were eligible 7201 s later.
func TestCredentialLife(t *testing.T) {
	for info, want := range map[string]struct {
		life    int64
		remarks int
	}{
		"(null)": {0, 0}, "cred_expire=7200": {7200, 0}, "socket=/run/munge,cred_expire=60,ttl=9": {60, 0}, "cred_expire=4": {0, 1}, "cred_expire=long": {0, 1},
	} {
		setup, remarks := changedSite(t, dumptest.Replays+"S2a/site.tgz", "AuthInfo                = cred_expire=7200", "AuthInfo                = "+info)
		said := 0
		for _, r := range remarks {
			if strings.HasPrefix(r.Text, "AuthInfo") {
				said++
			}
		}
		if setup.CredentialLife != want.life || said != want.remarks {
			t.Errorf("%s: %d with %d warnings, want %d with %d", info, setup.CredentialLife, said, want.life, want.remarks)
		}
	}
}

// Words of TopologyParam by which slurmctld takes other nodes than by the tree of switches alone are said.
func TestTopologyParam(t *testing.T) {
	for words, want := range map[string]string{"(null)": "", "RouteTree": "", "TopoOptional": "[TopoOptional]", "RoutePart,SwitchAsNodeRank,Dragonfly": "[SwitchAsNodeRank Dragonfly]"} {
		setup, _ := changedSite(t, dumptest.Replays+"K4a/site.tgz", "TopologyParam           = (null)", "TopologyParam           = "+words)
		var said []string
		for _, x := range setup.Omissions {
			if word, isIt := strings.CutSuffix(x.What, " of TopologyParam (here all jobs are placed by a tree of switches)"); isIt {
				said = append(said, word)
			}
		}
		if said != nil && fmt.Sprint(said) != want || said == nil && want != "" {
			t.Errorf("%s: said %v, want %q", words, said, want)
		}
	}
}

// That jobs preempt others of their own QOS is said, where slurm.conf lets those of all do so and where one QOS does.
func TestWithin(t *testing.T) {
	const ofAll, ofLow = "PreemptMode             = REQUEUE", "low|0|00:00:00|||requeue|"
	for _, test := range []struct{ was, is, want string }{
		{ofAll, ofAll, ""},
		{ofAll, ofAll + ",WITHIN", "that jobs preempt others of their own QOS (PreemptMode=WITHIN)"},
		{ofLow, "low|0|00:00:00|||within,requeue|", "that jobs of QOS low preempt others of it (PreemptMode=WITHIN)"},
	} {
		setup, _ := changedSite(t, dumptest.Replays+"K1c/site.tgz", test.was, test.is)
		said := ""
		for _, x := range setup.Omissions {
			if strings.Contains(x.What, "WITHIN") && x.Matters(slurm.OnQueue) {
				said += x.What
			}
		}
		if said != test.want {
			t.Errorf("%s: said %q, want %q", test.is, said, test.want)
		}
	}
}

// Plugins and words that are not known are said, and what counts in their place.
func TestUnknownWords(t *testing.T) {
	const ofAll, ofLow = "PreemptMode             = REQUEUE", "low|0|00:00:00|||requeue|"
	const kind, parts, limits = "SchedulerType           = sched/backfill", "EnforcePartLimits       = NO", "AccountingStorageEnforce = associations,limits,qos"
	for _, test := range []struct{ was, is, want string }{
		{kind, kind, ""},
		{kind, "SchedulerType           = sched/builtin", ""},
		{kind, "SchedulerType           = sched/hold", "SchedulerType=sched/hold, which is not known here (here sched/backfill)"},
		{ofAll, "PreemptMode             = HURRY", "PreemptMode=HURRY, of which a word is not known here, so that it counts for nothing,"},
		{ofLow, "low|0|00:00:00|||hurry|", "PreemptMode=hurry of QOS low, of which a word is not known here, so that it counts for nothing,"},
		{parts, "EnforcePartLimits       = SOME", "EnforcePartLimits: SOME is unknown and has no effect here"},
		{limits, limits + ",speed", "AccountingStorageEnforce: speed is unknown and has no effect here"},
	} {
		setup, remarks := changedSite(t, dumptest.Replays+"K1c/site.tgz", test.was, test.is)
		var said []string
		for _, x := range setup.Omissions {
			if strings.Contains(x.What, "not known") {
				said = append(said, x.What)
			}
		}
		for _, r := range remarks {
			if strings.Contains(r.Text, "unknown") {
				said = append(said, r.Text)
			}
		}
		if got := strings.Join(said, "; "); got != test.want && !(test.want != "" && strings.HasPrefix(got, test.want+"; did")) {
			t.Errorf("%s: said %q, want %q", test.is, got, test.want)
		}
		if isBuiltin := setup.Backfill == nil; isBuiltin != strings.Contains(test.is, "builtin") {
			t.Errorf("%s: without backfill %t", test.is, isBuiltin)
		}
	}
}

// What else a site is configured to do counts, or is weighed.
func TestAsConfigured(t *testing.T) {
	const priority = "PriorityFlags           = "
	for _, test := range []struct {
		was, is string
		want    string // nodes of the first partition, its MaxNodes, KillWait, batch_sched_delay, whether JobRequeue=0, whether plugins change jobs
		ignored string
	}{
		{"KillWait                = 30 sec", "KillWait                = 5 sec", "12 0 5 3 false false", ""},
		{"OverTimeLimit           = 0 min", "OverTimeLimit           = 2 min", "12 0 150 3 false false", ""},
		{"OverTimeLimit           = 0 min", "OverTimeLimit           = UNLIMITED", "12 0 31536000 3 false false", ""},
		{"JobRequeue              = 1", "JobRequeue              = 0", "12 0 30 3 true false", ""},
		{"max_sched_time=100", "batch_sched_delay=10", "12 0 30 10 false false", ""},
		{"State=UP TotalCPUs=256", "State=DRAIN TotalCPUs=256", "12 0 30 3 false false", ""},
		{"MaxNodes=UNLIMITED MaxTime=2-00:00:00", "MaxNodes=2 MaxTime=2-00:00:00", "12 2 30 3 false false", ""},
		{"SelectTypeParameters=NONE", "SelectTypeParameters=CR_SOCKET", "12 0 30 3 false false", "SelectTypeParameters (CR_SOCKET) of partition main"},
		{"PreemptType             = preempt/none", "PreemptType             = preempt/qos", "12 0 30 3 false false", ""},
		{"PreemptType             = preempt/none", "PreemptType             = preempt/job_prio", "12 0 30 3 false false", "preemption (PreemptType=preempt/job_prio)"},
		{"PriorityUsageResetPeriod = NONE", "PriorityUsageResetPeriod = MONTHLY", "12 0 30 3 false false", "PriorityUsageResetPeriod=MONTHLY (here usage never becomes 0 again)"},
		{"CompleteWait            = 0 sec", "CompleteWait            = 32 sec", "12 0 30 3 false false", "CompleteWait=32 sec (here jobs start while others complete)"},
		{"SelectType              = select/cons_tres", "SelectType              = select/linear", "12 0 30 3 false false", "SelectType=select/linear (here jobs are placed as select/cons_tres does)"},
		{"JobSubmitPlugins        = (null)", "JobSubmitPlugins        = lua", "12 0 30 3 false true", ""},
		{priority, priority + "INCR_ONLY", "12 0 30 3 false false", "INCR_ONLY of PriorityFlags, so that priorities fall as well as they rise,"},
	} {
		setup, _ := changedSite(t, dumptest.Replays+"S2a/site.tgz", test.was, test.is)
		main, nodes := setup.PartitionNamed("main"), 0
		for i := range setup.Nodes {
			if setup.Partitions[main].Nodes.Has(i) {
				nodes++
			}
		}
		if got := fmt.Sprint(nodes, setup.Partitions[main].MaxNodes, setup.KillWait, setup.BatchDelay, setup.NoRequeue, setup.IsFiltered); got != test.want {
			t.Errorf("%s: %s, want %s", test.is, got, test.want)
		}
		var ignored []string
		for _, x := range setup.Omissions {
			ignored = append(ignored, x.What)
		}
		if got := strings.Join(ignored, "; "); test.ignored == "" && got != "" || !strings.Contains(got, test.ignored) {
			t.Errorf("%s: not modelled are %q, want %q", test.is, got, test.ignored)
		}
	}
}

// Where no table tells of the QOS, a job keeps the one that it has, so that who may be of it and whom a partition lets in is known, and
// none has limits.
func TestUntoldQOS(t *testing.T) {
	names := slices.DeleteFunc(dumptest.Without(dumptest.Needed), func(name string) bool { return name == "sacctmgr-P-qos.txt" })
	site, _, err := Past(dumptest.Of(t, "t2_busy", append(names, "sacctmgr-P-assoc.txt")...))
	if err != nil {
		t.Fatal(err)
	}
	s := site.Setup
	if got := sched.QOSNames(s.QOS); !s.IsQOSUntold || got[0] != "normal" || !slices.Contains(got, "gpuq") || !slices.Contains(got, "high") || s.PartitionQOS != nil {
		t.Errorf("%v %v", got, s.PartitionQOS)
	}
	maker := NewJobMaker(s)
	if got := maker.qosNamed("gpuq"); s.QOS[got].Name != "gpuq" {
		t.Errorf("gpuq is %v", s.QOS[got])
	}
	if got := maker.qosNamed("nobody's"); got != 0 {
		t.Errorf("a QOS that nothing names is %d", got)
	}
}
