package forecast

import (
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/setup"
)

// TestClosed asks for jobs of partitions that take no jobs like it, and for what is advised: none of them is.
func TestClosed(t *testing.T) {
	for want, access := range map[string]sched.Access{
		"root alone submits to partition r": {IsOfRoot: true}, "are to name a reservation": {NeedsReservation: true},
		"partition r does not let in account a with QOS q (DenyAccounts)": {DeniedAccounts: []string{"a"}}, "with QOS q (AllowQos)": {QOS: []string{"other"}}, "": {},
	} {
		s := begun(t)
		s.Setup.Access, s.Setup.Enforces = []sched.Access{{}, access}, "ALL"
		of, err := s.New("u", "r", "ntasks=1,qos=q")
		if err != nil {
			t.Fatal(err)
		}
		if got := of.Refused(); !strings.Contains(got, want) || (want == "") != (got == "") {
			t.Errorf("%+v: %q, want %q", access, got, want)
		}
		open, err := s.New("u", "p", "ntasks=1,qos=q")
		if err != nil {
			t.Fatal(err)
		}
		if is := slices.Contains(open.Sensible(), "partition=r"); is != (want == "") {
			t.Errorf("%+v: that it is advised: %v", access, is)
		}
	}
	s := begun(t)
	s.Setup.Access = []sched.Access{{}, {Groups: []string{"staff"}}}
	if of, _ := s.New("u", "p", "ntasks=1"); slices.Contains(of.Sensible(), "partition=r") {
		t.Error("a partition of a group of which nobody knows the members is advised")
	}
}

// TestSensibleKeepsGPUs asks for a job without GPUs: a partition of which all nodes have some is not advised, but to a job that asks for one.
func TestSensibleKeepsGPUs(t *testing.T) {
	s := begun(t)
	s.Setup.GRES, s.Setup.IsGRESTold = []string{"gpu"}, true
	both := sched.NewSet(2)
	both.Add(0)
	both.Add(1)
	s.Setup.Partitions = append(s.Setup.Partitions, sched.Partition{Name: "both", Nodes: both})
	s.Setup.DefaultTimes = append(s.Setup.DefaultTimes, 0)
	s.Setup.UsualCPUMemory = append(s.Setup.UsualCPUMemory, 500)
	for i, n := range []int32{0, 2} {
		s.Setup.Nodes[i].GRES = []int32{n}
	}
	s.maker = setup.NewJobMaker(s.Setup)
	for _, x := range []struct {
		of, ask, change string
		isAdvised       bool
	}{
		{"p", "ntasks=1", "partition=r", false},
		{"p", "ntasks=1", "partition=both", true},
		{"both", "ntasks=1,gpus=1", "partition=r", true},
		{"r", "ntasks=1", "partition=both", true},
	} {
		of, err := s.New("u", x.of, x.ask)
		if err != nil {
			t.Fatal(err)
		}
		if list := of.Sensible(); slices.Contains(list, x.change) != x.isAdvised {
			t.Errorf("%s in %s: advised are %q", x.ask, x.of, list)
		}
	}
}

// TestSensibleCanBeAsked asks for a job on two nodes: half its CPUs are not advised where it would have one node then.
func TestSensibleCanBeAsked(t *testing.T) {
	s := begun(t)
	s.Setup.Partitions[0].Nodes.Add(1)
	s.maker = setup.NewJobMaker(s.Setup)
	for ask, isAdvised := range map[string]bool{"ntasks=4": true, "ntasks=2,nodelist=n1,n2": false} {
		of, err := s.New("u", "p", ask)
		if err != nil {
			t.Fatal(err)
		}
		if err := of.Check(); err != nil {
			t.Fatal(ask, err)
		}
		list := of.Sensible()
		if is := slices.ContainsFunc(list, func(change string) bool { return strings.HasPrefix(change, "cpus=") }); is != isAdvised || len(list) == 0 {
			t.Errorf("%s: %q", ask, list)
		}
		for _, change := range list {
			if changed, err := of.With(change); err != nil || changed.Check() != nil {
				t.Errorf("%s: %s cannot be asked", ask, change)
			}
		}
	}
}
