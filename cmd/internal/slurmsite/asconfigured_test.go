package slurmsite

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/slurmsched"
)

// What else a site is configured to do counts, or is weighed.
func TestAsConfigured(t *testing.T) {
	const priority = "PriorityFlags           = "
	for _, test := range []struct {
		was, is string
		want    string // nodes of the first partition, its MaxNodes, KillWait, batch_sched_delay
		ignored string
	}{
		{"KillWait                = 30 sec", "KillWait                = 5 sec", "12 0 5 3", ""},
		{"OverTimeLimit           = 0 min", "OverTimeLimit           = 2 min", "12 0 150 3", ""},
		{"OverTimeLimit           = 0 min", "OverTimeLimit           = UNLIMITED", "12 0 31536000 3", ""},
		{"max_sched_time=100", "batch_sched_delay=10", "12 0 30 10", ""},
		{"State=UP TotalCPUs=256", "State=DRAIN TotalCPUs=256", "12 0 30 3", ""},
		{"MaxNodes=UNLIMITED MaxTime=2-00:00:00", "MaxNodes=2 MaxTime=2-00:00:00", "12 2 30 3", ""},
		{"SelectTypeParameters=NONE", "SelectTypeParameters=CR_SOCKET", "12 0 30 3", "SelectTypeParameters (CR_SOCKET) of partition main"},
		{"PreemptType             = preempt/none", "PreemptType             = preempt/qos", "12 0 30 3", "preemption (PreemptType=preempt/qos)"},
		{"PriorityUsageResetPeriod = NONE", "PriorityUsageResetPeriod = MONTHLY", "12 0 30 3", "that usage becomes 0 again (PriorityUsageResetPeriod=MONTHLY)"},
		{priority, priority + "INCR_ONLY", "12 0 30 3", "INCR_ONLY of PriorityFlags, so that priorities fall as well as they rise,"},
	} {
		setup, _ := changedSite(t, replayed+"S2a/site.tgz", test.was, test.is)
		main, nodes := setup.PartitionNamed("main"), 0
		for i := range setup.Nodes {
			if setup.Partitions[main].Nodes.Has(i) {
				nodes++
			}
		}
		if got := fmt.Sprint(nodes, setup.MaxNodes[main], setup.KillWait, setup.BatchDelay); got != test.want {
			t.Errorf("%s: %s, want %s", test.is, got, test.want)
		}
		var ignored []string
		for _, x := range setup.Ignored {
			ignored = append(ignored, x.What)
		}
		if got := strings.Join(ignored, "; "); test.ignored == "" && got != "" || !strings.Contains(got, test.ignored) {
			t.Errorf("%s: not modelled are %q, want %q", test.is, got, test.ignored)
		}
	}
}

// A limit of amounts is set as sacctmgr sets it: other resources stay as they are, and -1 is none.
func TestSetLimitOfAmounts(t *testing.T) {
	site, _ := changedSite(t, replayed+"S3a/site.tgz", "KillWait", "KillWait")
	at := func(setup *slurmsched.Setup) string {
		for _, q := range setup.QOS {
			if q.Name == "normal" {
				a := q.Limits.UserTRES
				if a == nil {
					return "none"
				}
				return strings.ReplaceAll(fmt.Sprint(a[setup.AmountOf("cpu")], a[setup.AmountOf("gres/gpu")]), fmt.Sprint(int64(slurmsched.None)), "none")
			}
		}
		return ""
	}
	for _, test := range []struct{ value, want string }{
		{"gres/gpu=8", "96 8"}, {"cpu=48", "48 none"}, {"cpu=-1,gres/gpu=8", "none 8"}, {"cpu=-1", "none none"}, {"", "none none"},
	} {
		changed, _, err := ChangeSetup(site, []string{"qos.normal.MaxTRESPU=" + test.value})
		if err != nil {
			t.Fatal(err)
		}
		if got := at(changed); got != test.want || at(site) != "96 none" {
			t.Errorf("%q: %s, want %s; the site itself %s", test.value, got, test.want, at(site))
		}
	}
	if _, _, err := ChangeSetup(site, []string{"PriorityFlags=INCR_ONLY"}); err == nil || !strings.Contains(err.Error(), "INCR_ONLY is not modelled") {
		t.Error(err)
	}
}

// The table of sacctmgr show reservation is one of reservations, in which jobs of a flexible one count as such that ran
// before it.
func TestReservationsAsPrinted(t *testing.T) {
	past, _, err := OpenPast(replayed + "S4a/site.tgz")
	if err != nil {
		t.Fatal(err)
	}
	record, err := ReadRecord(past.Setup, []file.Source{file.At(replayed + "S4a/sacct.txt.gz")}, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ReadWorld(past, nil, record, time.UTC); err != nil {
		t.Fatal(err)
	}
	var kept, in []string
	for _, k := range past.Setup.Kept {
		kept = append(kept, fmt.Sprintf("%s %d", k.Name, k.End-k.Start))
	}
	for _, x := range record.Jobs {
		if x.In > 0 {
			in = append(in, x.ID+" "+past.Setup.Kept[x.In-1].Name)
		}
	}
	if got, want := fmt.Sprint(kept, in), "[course 300 upkeep 180 soft 300] [199 course 210 course 219 course 308 course 318 course 429 soft 435 soft 583 soft 596 soft]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
