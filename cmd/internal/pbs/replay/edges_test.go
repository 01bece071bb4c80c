package replay

import (
	"context"
	"slices"
	"testing"

	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/work"
	"fairshare/fstree"
)

// decaying is a scenario in which decay alone brings a job over the threshold: b's part of all
// usage grows since nobody's falls below 1. What a has used by the last cycle before the end,
// 4 x 2400, takes twelve decays to be less than 2.5, and the next cycle comes 600 s later.
func decaying(decayTime string) scenario {
	return scenario{
		config: "fair_share: true\nfairshare_usage_res: ncpus*walltime\nfairshare_decay_time: " + decayTime + "\n", groups: "a 10 root 1000\nb 11 root 1\n",
		formula: "fairshare_tree_usage", settings: []string{"server.job_sort_formula_threshold=0.4"},
		jobs: []asked{{id: "0", run: 3000, user: "a", wants: "1:ncpus=4"}, {id: "1", at: 1, run: 10, user: "b", wants: "1:ncpus=4"}},
	}
}

// Cases at the edge of a rule, where a slightly different one would let other jobs start.
func TestEdgesOfRules(t *testing.T) {
	const strict = "strict_ordering: true\n"
	const fair = "fair_share: true\nfairshare_usage_res: ncpus*walltime\nfairshare_decay_time: 24:00:00\n"
	full := asked{id: "0", run: 100, wants: "1:ncpus=4", walltime: 100}
	for _, test := range []struct {
		name string
		scenario
		want string
	}{
		{"usage decays for hours until a job is over the threshold", decaying("01:00:00"), "0 0, 1 43800"},
		{"usage decays for days until a job is over the threshold", decaying("12:00:00"), "0 0, 1 519000"},
		{"qalter moves the end of a job that runs", scenario{config: strict, jobs: []asked{
			{id: "0", run: 1000, wants: "1:ncpus=3", walltime: 100, more: []string{"50 a;0;Resource_List.walltime=1000"}},
			{id: "1", at: 55, run: 10, wants: "1:ncpus=4", walltime: 10}, {id: "2", at: 60, run: 500, walltime: 500}}}, "0 0, 2 60, 1 1000"},
		{"a top job is charged in the cycle that plans it", scenario{config: fair + strict, groups: "a 10 root 10\nb 11 root 10\nc 12 root 10\n", jobs: []asked{
			{id: "0", run: 200, walltime: 200, user: "c", wants: "1:ncpus=3"}, {id: "9", run: 100, walltime: 100, user: "c"},
			{id: "1", at: 1, run: 10, walltime: 1000, user: "a", wants: "1:ncpus=4"}, {id: "2", at: 2, run: 40, walltime: 40, user: "a"},
			{id: "3", at: 3, run: 40, walltime: 40, user: "b"}}}, "0 0, 9 0, 3 100, 2 140, 1 200"},
		{"a job may end when the top job starts", scenario{config: strict, jobs: []asked{{id: "0", run: 100, wants: "1:ncpus=3", walltime: 100},
			{id: "3", walltime: 100, more: []string{"50 D;3;requestor=u@h"}}, {id: "1", at: 1, run: 10, wants: "1:ncpus=4", walltime: 10},
			{id: "2", at: 2, run: 50, walltime: 50}}}, "0 0, 3 0, 2 50, 1 100"},
		{"the calendar counts whole seconds, though cycles begin between them", scenario{config: strict, jobs: []asked{{id: "0", run: 100, wants: "1:ncpus=3", walltime: 100},
			{id: "1", at: 1, run: 10, wants: "1:ncpus=4", walltime: 10}, {id: "2", at: 2, run: 98, walltime: 98}}}, "0 0, 2 2, 1 100"},
		{"a job past its walltime is taken to end in a second", scenario{config: strict, jobs: []asked{{id: "0", run: 1000, wants: "1:ncpus=3", walltime: 100},
			{id: "1", at: 1, run: 10, wants: "1:ncpus=4", walltime: 10}, {id: "2", at: 300, run: 200, walltime: 200}, {id: "3", at: 310, run: 100, walltime: 100}}},
			"0 0, 1 1000, 2 1010, 3 1010"},
		{"a job deleted while it would run ends with its walltime at the latest", scenario{jobs: []asked{
			{id: "1", at: 1, wants: "1:ncpus=4", walltime: 20, more: []string{"50 D;1;requestor=u@h"}}, {id: "2", at: 2, run: 10}}}, "1 1, 2 21"},
		{"nothing is left to happen but that the job is deleted which holds the others back", scenario{config: strict, settings: []string{"server.backfill_depth=0", "server.max_run_res.ncpus=[u:PBS_GENERIC=2]"}, jobs: []asked{
			{id: "1", wants: "1:ncpus=3", more: []string{"50 D;1;requestor=u@h"}}, {id: "2", at: 2, run: 10}}}, "2 602"},
		{"accrue_type is 1 under a limit and 2 else", scenario{formula: "accrue_type", settings: []string{"server.max_run=[u:PBS_GENERIC=1]"}, jobs: []asked{full,
			{id: "1", at: 1, run: 10, wants: "1:ncpus=4"}, {id: "2", at: 2, run: 10, wants: "1:ncpus=4", user: "v"}}}, "0 0, 2 100, 1 110"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := test.starts(t, Options{}); got != test.want {
				t.Errorf("started %q, want %q", got, test.want)
			}
		})
	}
}

// A job that is deleted between its cycle and its start ends when it starts, and not before.
func TestDeletedWhileItStarts(t *testing.T) {
	w, plan, nodes := scenario{jobs: []asked{{id: "1", at: 1, wants: "1:ncpus=4", walltime: 20, more: []string{"3 D;1;requestor=u@h"}}, {id: "2", at: 2, run: 10}}}.load(t)
	r, err := Run(context.Background(), w, plan, nodes, Options{Latency: work.Latency{First: 5}, Ask: outcome.Ask{Watch: -1}})
	if err != nil {
		t.Fatal(err)
	}
	at := func(list []float64) []float64 { return []float64{list[0] - zero, list[1] - zero} }
	if starts, ends := at(r.Start), at(r.End); !slices.Equal(starts, []float64{6.5, 11.5}) || !slices.Equal(ends, []float64{6.5, 21.5}) {
		t.Errorf("starts %v, ends %v", starts, ends)
	}
}

// How near a replay comes: a shift as long as a span is within it, and a second more is not.
func TestTrustWithinSpans(t *testing.T) {
	w, _, _ := scenario{jobs: []asked{{id: "1", at: 100, run: 10}, {id: "2", at: 200, run: 10}, {id: "3", at: 300, run: 10}, {id: "4", at: 400, run: 10}}}.load(t)
	r := &outcome.Result{Work: w}
	for i, shift := range []float64{0, 60, 61, -60} {
		r.Start = append(r.Start, float64(w.Jobs[i].Start)+shift)
	}
	trust := r.TrustUntil(outcome.EndOf(r.Work))
	if want := []float64{.75, 1, 1, 1}; trust.Jobs != 4 || trust.Equal != 1 || !slices.Equal(trust.Within, want) {
		t.Errorf("%d jobs, %d equal, within %v, want %v", trust.Jobs, trust.Equal, trust.Within, want)
	}
}

// Of a run that began before the record no more is charged than what no report has told yet:
// the rest is in the usage at the begin.
func TestUsageBeforeTheRecord(t *testing.T) {
	const zero, lag = 1000, 30
	for _, test := range []struct{ start, now, want float64 }{
		{400, 1100, 200}, // of 970 up to 1070, at 2 a second
		{970, 1100, 200},
		{980, 1100, 180},
		{1000, 1100, 140},
		{400, 1000, 0},
		{1000, 1030, 0},
	} {
		tree, _ := fstree.ParseResourceGroup("a 10 root 10\n", 0)
		id, _ := tree.Lookup("a")
		n := tree.Len()
		u := &usage{
			at:   &situation{entities: &entities{Names: []string{"a"}, Of: []int32{0}}},
			isOn: true, accrues: true, tree: tree, lag: lag, zero: zero, lastDecay: zero, runs: make([]runCharge, 1), paths: [][]fstree.ID{tree.Path(id)},
			base: make([]float64, n), rate: make([]float64, n), offset: make([]float64, n), config: fstree.Config{DecayTime: 1e6, DecayFactor: .5},
		}
		u.startAt(0, 2, test.start)
		u.accrue(test.now)
		if got := u.node(int(id)); got != test.want {
			t.Errorf("a start at %v has %v at %v, want %v", test.start, got, test.now, test.want)
		}
	}
}

// A job at which the scheduler does not look is told so, whatever is free.
func TestReasonsOfJobsLeftOut(t *testing.T) {
	waiter := []asked{{id: "0", at: 10}, {id: "1", run: 100}, {id: "2", at: 5000, run: 10}}
	for _, test := range []struct {
		name string
		scenario
		want string
	}{
		{"a stopped queue", scenario{queues: []pbs.Queue{{Name: "workq", Stopped: true}}, jobs: waiter}, "its queue, which is stopped"},
		{"under the threshold", scenario{formula: "ncpus", settings: []string{"server.job_sort_formula_threshold=1"}, jobs: waiter}, "job_sort_formula_threshold"},
		{"over the threshold", scenario{formula: "ncpus", settings: []string{"server.job_sort_formula_threshold=0"}, jobs: waiter}, ""},
		{"no shares", scenario{config: "fair_share: true\nfairshare_enforce_no_shares: true\n", groups: "u 10 root 0\n", jobs: waiter}, "shares, of which its entity has none"},
	} {
		w, plan, nodes := test.load(t)
		at := slices.IndexFunc(w.Jobs, func(j *work.Job) bool { return j.ID == "0" })
		r, err := Run(context.Background(), w, plan, nodes, Options{Ask: outcome.Ask{Watch: int32(at)}})
		if err != nil {
			t.Fatal(test.name, err)
		}
		if len(r.Steps) == 0 != (test.want == "") || len(r.Steps) > 0 && r.Steps[0].Reason != test.want {
			t.Errorf("%s: %v, want %q", test.name, r.Steps, test.want)
		}
		if (r.Start[at] > 0) != (test.want == "") {
			t.Errorf("%s: starts at %v", test.name, r.Start[at])
		}
	}
}
