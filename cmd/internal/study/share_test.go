package study_test

import (
	"math"
	"testing"

	"fairshare/cmd/internal/pbs"
	pbsstudy "fairshare/cmd/internal/pbs/study"
	"fairshare/cmd/internal/pbs/study/studytest"
	"fairshare/cmd/internal/study"
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
	tree.Update()
	site := &pbs.Site{SchedPriv: &pbs.SchedPriv{Config: config, Tree: tree}, Sched: pbs.Sched{Formula: "fairshare_perc"}}
	zero := 0.
	in := &pbsstudy.Inputs{Site: site, IsKnown: true, ClusterSpec: "4", StartLatency: &zero}
	tr, err := trace.ReadSWF(studytest.Source(swf), trace.Keep{Requests: true})
	if err != nil {
		t.Fatal(err)
	}
	s := studytest.New(t, in, tr)
	shares := studytest.Run(t, s)[1].First.Shares()
	samples := float64(len(shares.Times) - 1)
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
		t.Errorf("it stays under %v after %v s, want 1000", study.Near, got)
	}
	if len(shares.Groups) != 2 || shares.Groups[0].Name != "ann" || shares.Groups[0].Target != .75 {
		t.Errorf("%+v", shares.Groups)
	}
	if used := shares.Groups[1].Used; math.Abs(used[len(used)-1]-4001./8002) > .003 {
		t.Errorf("in the end bob has used %v of all", used[len(used)-1])
	}
}

// A user who is called as the root is nobody's child.
func TestUserNamedRoot(t *testing.T) {
	config, _ := fstree.ParseConfig("fair_share: true ALL\n")
	tree, _ := fstree.ParseResourceGroup("ann 10 root 3\n", 1)
	tree.Update()
	in := &pbsstudy.Inputs{Site: &pbs.Site{SchedPriv: &pbs.SchedPriv{Config: config, Tree: tree}}, IsKnown: true, ClusterSpec: "5"}
	tr, err := trace.ReadSWF(studytest.Source("1 0 0 100 4 -1 -1 4 100 -1 1 TREEROOT g -1 q -1 -1 -1\n2 0 1 100 1 -1 -1 4 100 -1 1 ann g -1 q -1 -1 -1\n"), trace.Keep{Requests: true})
	if err != nil {
		t.Fatal(err)
	}
	studytest.Run(t, studytest.New(t, in, tr))
}
