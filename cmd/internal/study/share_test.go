package study

import (
	"math"
	"testing"

	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/replay"
	"fairshare/cmd/internal/trace"
	"fairshare/fstree"
)

// ann and bob have 3 and 1 shares. ann's job runs from 0 to 1000, bob's from 1000 to
// 2000, both wait from 0 on: as ann goes, bob alone has demand.
func TestShares(t *testing.T) {
	const swf = `1 0 0 1000 4 -1 -1 4 1000 -1 1 ann g -1 q -1 -1 -1
2 0 1000 1000 4 -1 -1 4 1000 -1 1 bob g -1 q -1 -1 -1
`
	config, _ := fstree.ParseConfig("fair_share: true ALL\nfairshare_usage_res: ncpus*walltime\nfairshare_decay_time: 900:00:00\n")
	tree, problems := fstree.ParseResourceGroup("ann 10 root 3\nbob 11 root 1\n", 0)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	tree.CalcPercentages()
	tree.CalcUsage()
	site := &pbs.Site{SchedPriv: &pbs.SchedPriv{Config: config, Tree: tree}, Sched: pbs.Sched{Formula: "fairshare_perc"}}
	zero := 0.
	in := &Inputs{Site: site, IsKnown: true, ClusterSpec: "4", StartLatency: &zero}
	tr, err := trace.ReadSWF(source(swf), trace.Keep{Requests: true})
	if err != nil {
		t.Fatal(err)
	}
	s := newStudy(t, in, tr)
	shares := s.mustRun(t)[1].First.Shares()
	at := func(second float64) float64 { return shares.Distance[int(math.Round(second/2000*samples))] }
	// At 500 ann has used 2000 (and all begin with 1), bob nothing: 1 - 3/4.
	if got, want := at(500), 2001./2002-.75; math.Abs(got-want) > 1e-9 {
		t.Errorf("at 500 the distance is %v, want %v", got, want)
	}
	// From 1000 on bob is the only one with demand: all is his.
	if got := at(1500); got != 0 {
		t.Errorf("at 1500 the distance is %v, want 0", got)
	}
	if got := shares.Convergence; got < 990 || got > 1010 {
		t.Errorf("it stays under %v after %v s, want 1000", Near, got)
	}
	if len(shares.Groups) != 2 || shares.Groups[0].Name != "ann" || shares.Groups[0].Target != .75 {
		t.Errorf("%+v", shares.Groups)
	}
	if used := shares.Groups[1].Used; math.Abs(used[samples]-4001./8002) > .003 {
		t.Errorf("in the end bob has used %v of all", used[samples])
	}
}

// However short the decay time is, usage decays in each period, and is at hand at once.
func TestDecayingUsage(t *testing.T) {
	for _, period := range []int64{1, 7, 10, 100, 1000, 5000} {
		f := &flow{UsageCourse: &replay.UsageCourse{DecayTime: period, DecayFactor: .9, LastDecay: -3}, usage: []float64{1000}, rate: []float64{2}, since: []int64{0}}
		f.settle(0, 5000)
		usage, next := 1000., -3+period
		for next < 0 {
			next += period
		}
		for at := int64(0); at < 5000; at++ { // second by second
			if at == next {
				usage = max(1, usage*.9)
				next += period
			}
			usage += 2
		}
		if math.Abs(f.usage[0]-usage) > 1e-6*usage {
			t.Errorf("every %d s: %v, want %v", period, f.usage[0], usage)
		}
	}
}

// A user who is called as the root is nobody's child.
func TestUserNamedRoot(t *testing.T) {
	config, _ := fstree.ParseConfig("fair_share: true ALL\n")
	tree, _ := fstree.ParseResourceGroup("ann 10 root 3\n", 1)
	tree.CalcPercentages()
	tree.CalcUsage()
	in := &Inputs{Site: &pbs.Site{SchedPriv: &pbs.SchedPriv{Config: config, Tree: tree}}, IsKnown: true, ClusterSpec: "5"}
	tr, err := trace.ReadSWF(source("1 0 0 100 4 -1 -1 4 100 -1 1 TREEROOT g -1 q -1 -1 -1\n2 0 1 100 1 -1 -1 4 100 -1 1 ann g -1 q -1 -1 -1\n"), trace.Keep{Requests: true})
	if err != nil {
		t.Fatal(err)
	}
	newStudy(t, in, tr).mustRun(t)
}
