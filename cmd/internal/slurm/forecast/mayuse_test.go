package forecast

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/sched"
)

// TestMayUse asks for a job of a QOS that its association may not use, and of the one that it usually has.
func TestMayUse(t *testing.T) {
	s := begun(t)
	s.Setup.QOS = append(s.Setup.QOS, sched.QOS{Name: "high", Limits: sched.Unlimited(0), UsageFactor: 1}, sched.QOS{Name: "normal", Limits: sched.Unlimited(0), UsageFactor: 1})
	s.Setup.MayUse, s.Setup.UsualQOS = [][]string{nil, {"q", "normal"}}, []string{"", "q"}
	for asked, want := range map[string]string{"qos=high,": "a/u may not use QOS high: theirs are q, normal", "qos=normal,": "", "": ""} {
		o, err := s.New("u", "p", asked+"ntasks=1")
		if err != nil {
			t.Fatal(err)
		}
		if got := o.Refused(); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%q: %q, want %q", asked, got, want)
		}
	}
	o, _ := s.New("u", "p", "ntasks=1")
	if j, err := o.(*offer).job(); err != nil || s.Setup.QOS[j.QOS].Name != "q" {
		t.Error(j, err)
	}
}

// TestDefaults asks for jobs that name no partition, no account and no QOS: they get those that sbatch gives, and what nothing
// tells is asked for, or taken as the user's last job had it.
func TestDefaults(t *testing.T) {
	s := begun(t)
	if _, err := s.New("u", "", "ntasks=1"); !errors.Is(err, forecast.ErrNowhere) {
		t.Errorf("without a default partition: %v", err)
	}
	s.Setup.Partitions[1].IsDefault = true
	s.Setup.QOS = append(s.Setup.QOS, sched.QOS{Name: "high", Limits: sched.Unlimited(0), UsageFactor: 1})
	s.last["u"] = membership{1, 1}
	const asBefore = "as the last job of u was"
	for _, test := range []struct {
		account, qos, asked string
		missing, taken      []string
	}{
		{"", "", "ntasks=1", []string{"partition", "account", "QOS"}, []string{"partition r (Default=YES)", "account a (" + asBefore + ")", "QOS high (" + asBefore + ")"}},
		{"a", "q", "ntasks=1", []string{"partition", "account", "QOS"}, []string{"partition r (Default=YES)", "account a (DefAccount of u)", "QOS q (the default of the association)"}},
		{"b", "q", "ntasks=1,qos=high,partition=p", []string{"account"}, []string{"account a (" + asBefore + ")"}},
		{"a", "q", "ntasks=1,qos=high,partition=p,account=a", nil, nil},
	} {
		s.Setup.UsualAccount, s.Setup.UsualQOS = map[string]string{"u": test.account}, []string{"", test.qos}
		of, err := s.New("u", "", test.asked)
		if err != nil {
			t.Fatal(err)
		}
		o := of.(*offer)
		j, err := o.job()
		if err != nil {
			t.Fatal(err)
		}
		if missing, taken := o.usual(j); !slices.Equal(missing, test.missing) || !slices.Equal(taken, test.taken) {
			t.Errorf("%+v: %q, %q", test, missing, taken)
		}
	}
}

// TestMostMemory asks for jobs of more memory than MaxMemPerCPU gives to their CPUs.
func TestMostMemory(t *testing.T) {
	s := begun(t)
	s.Setup.MostMemory = []int64{1000, 0}
	for asked, want := range map[string]int32{"ntasks=1,mem=4000": 4, "ntasks=1,cpus-per-task=2,mem=1500": 2, "ntasks=1,mem-per-cpu=2000": 2, "ntasks=2,mem-per-cpu=2000": 4, "ntasks=2": 2} {
		for queue, cpus := range map[string]int32{"p": want, "r": 0} {
			o, err := s.New("u", queue, asked)
			if err != nil {
				t.Fatal(err)
			}
			j, err := o.(*offer).job()
			if err != nil || cpus > 0 && j.Request.CPUs != cpus {
				t.Errorf("%s in %s: %+v, want %d CPUs; %v", asked, queue, j.Request, cpus, err)
			}
		}
	}
}

// TestUsualMemory asks for jobs that say nothing of memory: they get what their partition says, or all memory of their nodes.
// Recorded jobs of a partition with DefMemPerNode=8000 that were submitted with -n12 alone have ReqMem 8000M.
func TestUsualMemory(t *testing.T) {
	for _, test := range []struct {
		ofCPU, ofNode int64
		isUncounted   bool
		asked         string
		want          sched.Request
		said          string
	}{
		{2000, 0, false, "ntasks=12", sched.Request{CPUMemory: 2000}, "2000 MB for each CPU, the DefMemPerCPU that counts in partition p"},
		{0, 8000, false, "ntasks=12", sched.Request{NodeMemory: 8000}, "8000 MB of each node, the DefMemPerNode that counts in partition p"},
		{0, 8000, false, "ntasks=12,mem=10", sched.Request{NodeMemory: 10}, ""},
		{0, 8000, false, "ntasks=12,mem-per-cpu=10", sched.Request{CPUMemory: 10}, ""},
		{0, 8000, false, "ntasks=12,mem=0", sched.Request{AllMemory: true}, ""},
		{0, 0, false, "ntasks=12", sched.Request{AllMemory: true}, "all memory of its nodes, since neither DefMemPerCPU nor DefMemPerNode is set for partition p"},
		{0, 0, true, "ntasks=12", sched.Request{}, ""},
	} {
		s := begun(t)
		s.Setup.UsualCPUMemory, s.Setup.UsualNodeMemory, s.Setup.HasNoMemory = []int64{test.ofCPU, 1}, []int64{test.ofNode, 1}, test.isUncounted
		o, err := s.New("u", "p", test.asked)
		if err != nil {
			t.Fatal(err)
		}
		j, err := o.(*offer).job()
		if err != nil || j.Request.CPUMemory != test.want.CPUMemory || j.Request.NodeMemory != test.want.NodeMemory || j.Request.AllMemory != test.want.AllMemory {
			t.Errorf("%+v: %+v; %v", test, j.Request, err)
		}
		if said := o.(*offer).usualMemory(j); said != test.said {
			t.Errorf("%+v: said %q", test, said)
		}
	}
}

// TestSeveralQOS asks for the QOS of a job that names several, of which that of the highest priority is first.
func TestSeveralQOS(t *testing.T) {
	s := begun(t)
	s.Setup.QOS = append(s.Setup.QOS, sched.QOS{Name: "high", Priority: 5, Limits: sched.Unlimited(0), UsageFactor: 1})
	n := job("7", 1, func(j *slurm.ListedJob) { j.Reason = "Priority" })
	n.User, n.Account, n.State, n.QOS, n.Partitions, n.TimeLimit = "u", "a", "PENDING", "q,high", []string{"p"}, 60
	j, why := s.maker.Listed(&n, s.At)
	if why != "" || s.Setup.QOS[j.QOS].Name != "high" || len(j.AnyQOS) != 2 || s.Setup.QOS[j.AnyQOS[1]].Name != "q" {
		t.Fatal(j, why)
	}
	s.Queue = append(s.Queue, n)
	var said []string
	for _, r := range s.unmodelled() {
		said = append(said, r.Text)
	}
	if !slices.ContainsFunc(said, func(text string) bool { return strings.Contains(text, "several QOS") }) {
		t.Error(said)
	}
}
