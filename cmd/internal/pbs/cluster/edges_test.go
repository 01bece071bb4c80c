package cluster

import (
	"slices"
	"testing"

	"fairshare/formula"
)

// A vnode with ignore_excl is shared, whatever a job asks for.
func TestIgnoredExclusion(t *testing.T) {
	for _, test := range []struct{ sharing, place, want string }{
		{"ignore_excl", "excl", "(a:ncpus=1)"},
		{"ignore_excl", "exclhost", "(a:ncpus=1)"},
		{"ignore_excl", "pack:excl", "(a:ncpus=1)"},
		{"default_shared", "excl", "(b:ncpus=1)"},
		{"default_shared", "pack:excl", "(b:ncpus=1)"},
		{"default_excl", "shared", "(a:ncpus=1)"},
	} {
		c := parse(t, "a\n sharing = "+test.sharing+"\n resources_available.ncpus = 4\n\nb\n resources_available.ncpus = 4\n")
		s := c.NewState()
		first, _ := s.Place(request(t, c, "1:ncpus=1", "shared"), nil)
		s.Occupy(first)
		second, ok := s.Place(request(t, c, "1:ncpus=1", test.place), nil)
		if got := second.String(c); !ok || got != test.want {
			t.Errorf("%s beside another job with sharing %s: %s, want %s", test.place, test.sharing, got, test.want)
		}
	}
}

// plans are vnodes for which jobs are planned, by when they are.
type plans struct {
	s           *State
	then, later []int32
}

func (p plans) Left(v int32) (amounts []float64, then, ever bool) {
	then = slices.Contains(p.then, v)
	return p.s.Free(v), then, then || slices.Contains(p.later, v)
}

// A job that wants vnodes for itself gets one that is planned for others later before those that nothing is planned
// for, and never one that is planned for while it runs, as PBS's bucket_match.
func TestPlannedVnodes(t *testing.T) {
	for _, test := range []struct {
		name        string
		then, later []int32
		place, want string
	}{
		{"nothing is planned", nil, nil, "excl", "(a:ncpus=1)"},
		{"the first is planned later", nil, []int32{0}, "excl", "(a:ncpus=1)"},
		{"the second is planned later", nil, []int32{1}, "excl", "(b:ncpus=1)"},
		{"all are planned later", nil, []int32{0, 1}, "excl", "(a:ncpus=1)"},
		{"the first is planned while it runs", []int32{0}, nil, "excl", "(b:ncpus=1)"},
		{"the first is planned while it runs, the other later", []int32{0}, []int32{1}, "excl", "(b:ncpus=1)"},
		{"all are planned while it runs", []int32{0, 1}, nil, "excl", ""},
		{"one that shares takes the first", nil, []int32{0}, "free", "(a:ncpus=1)"},
		{"one that shares takes what is left of the first", []int32{0}, nil, "free", "(a:ncpus=1)"},
	} {
		c := parse(t, "a\n resources_available.ncpus = 4\n\nb\n resources_available.ncpus = 4\n")
		s := c.NewState()
		a, ok := s.Place(request(t, c, "1:ncpus=1", test.place), plans{s, test.then, test.later})
		if got := a.String(c); got != test.want || ok != (got != "") {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// What flag h alone marks has to be there in the amount that is asked for, and is not used up.
func TestLeastAmount(t *testing.T) {
	own := Checks{
		Resources: []string{"ncpus", "scratch"}, Flags: map[string]string{"scratch": "h"},
		Types: map[string]formula.Type{"scratch": formula.Size},
	}
	c, err := clusterOf("a\n resources_available.ncpus = 4\n resources_available.scratch = 10gb\n\nb\n resources_available.ncpus = 4\n resources_available.scratch = 20gb\n", own, false)
	if err != nil {
		t.Fatal(err)
	}
	s := c.NewState()
	for _, test := range []struct{ wants, want string }{
		{"1:ncpus=1:scratch=9gb", "(a:ncpus=1)"},
		{"1:ncpus=1:scratch=10gb", "(a:ncpus=1)"},
		{"1:ncpus=1:scratch=11gb", "(b:ncpus=1)"},
		{"1:ncpus=1:scratch=20971520kb", "(b:ncpus=1)"},
		{"1:ncpus=1:scratch=20971521kb", ""},
	} {
		a, ok := s.Place(request(t, c, test.wants, "free"), nil)
		if got := a.String(c); got != test.want || ok != (got != "") {
			t.Errorf("%s: %q, want %q", test.wants, got, test.want)
		}
		s.Occupy(a)
	}
}

// The first key of node_sort_key counts most. Those by what is unused are passed over.
func TestSortKeysOfVnodes(t *testing.T) {
	const nodes = "a\n Priority = 1\n resources_available.ncpus = 8\n resources_available.mem = 16gb\n\nb\n Priority = 3\n resources_available.ncpus = 4\n resources_available.mem = 8gb\n\n" +
		"c\n Priority = 2\n resources_available.ncpus = 8\n resources_available.mem = 32gb\n"
	for _, test := range []struct {
		keys []string
		want string
	}{
		{nil, "abc"},
		{[]string{"ncpus LOW"}, "bac"},
		{[]string{"ncpus HIGH"}, "acb"},
		{[]string{"mem HIGH unused", "ncpus LOW"}, "cab"},
		{[]string{"mem HIGH assigned", "ncpus LOW"}, "bac"},
		{[]string{"mem HIGH total", "ncpus LOW"}, "cab"},
		{[]string{"ncpus HIGH", "mem HIGH"}, "cab"},
		{[]string{"sort_priority HIGH"}, "bca"},
		{[]string{"sort_priority low"}, "acb"},
		{[]string{"mem"}, "abc"},
	} {
		by := checks
		by.SortKeys = test.keys
		c, err := clusterOf(nodes, by, false)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, v := range c.NewState().placer.inOrder() {
			got += c.Vnodes[v].Name
		}
		if got != test.want {
			t.Errorf("%q: %s, want %s", test.keys, got, test.want)
		}
	}
}

// In which states a vnode takes no job.
func TestAwayStates(t *testing.T) {
	for state, isAway := range map[string]bool{
		"free": false, "job-busy": false, "job-exclusive": false, "resv-exclusive": false, "busy": false, "job-busy,resv-exclusive": false,
		"down": true, "offline": true, "state-unknown": true, "unknown": true, "Stale": true, "stale": true, "provisioning": true, "wait-provisioning": true,
		"initializing": true, "unresolvable": true, "maintenance": true, "free,maintenance": true, "job-busy, offline": true,
	} {
		text := "a\n state = " + state + "\n resources_available.ncpus = 4\n\nb\n state = free\n resources_available.ncpus = 4\n"
		if c := parse(t, text); slices.Equal(c.LeftOut, []string{"a"}) != isAway || len(c.Vnodes)+len(c.LeftOut) != 2 {
			t.Errorf("%s: %q are left out", state, c.LeftOut)
		}
		if c, err := clusterOf(text, checks, true); err != nil || len(c.Vnodes) != 2 {
			t.Errorf("%s: not all vnodes count: %v", state, err)
		}
	}
}
