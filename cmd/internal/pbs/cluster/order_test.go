package cluster

import (
	"slices"
	"testing"
)

// ofVnodes returns a state of vnodes with some cpus each, n1 and so on.
func ofVnodes(checks Checks, cpus ...string) *State {
	var vnodes []Vnode
	for i, n := range cpus {
		name := "n" + string(rune('1'+i))
		vnodes = append(vnodes, Vnode{Name: name, Host: name, Words: map[string]string{"ncpus": n}})
	}
	return newCluster(vnodes, checks).NewState()
}

// placed returns where a request gets its place.
func placed(t *testing.T, s *State, selected, place string, planned Calendar) (*Request, Allocation) {
	t.Helper()
	r, err := s.Request(selected, place, "q")
	if err != nil {
		t.Fatal(err)
	}
	a, ok := s.Place(r, planned)
	if !ok {
		t.Fatalf("%s with %s has no place", selected, place)
	}
	return r, a
}

// later is a calendar with a top job on some vnodes, after whatever is placed has ended.
type later struct {
	s      *State
	vnodes []int32
}

func (l later) Left(v int32) (amounts []float64, then, ever bool) {
	return l.s.Free(v), false, slices.Contains(l.vnodes, v)
}

// A job that has vnodes for itself takes those that are alike, and of them first those where a top job starts later.
func TestBuckets(t *testing.T) {
	for _, test := range []struct {
		place string
		later []int32
		want  string
	}{
		{"scatter:excl", nil, "(n1:ncpus=4)+(n3:ncpus=4)"},
		{"scatter", nil, "(n1:ncpus=4)+(n2:ncpus=4)"},
		{"scatter:excl", []int32{1, 3}, "(n1:ncpus=4)+(n3:ncpus=4)"},
		{"scatter:excl", []int32{2}, "(n3:ncpus=4)+(n1:ncpus=4)"},
		{"scatter:excl", []int32{2, 4}, "(n3:ncpus=4)+(n5:ncpus=4)"},
		{"scatter", []int32{2, 4}, "(n1:ncpus=4)+(n2:ncpus=4)"},
	} {
		s := ofVnodes(Checks{}, "8", "16", "8", "16", "8")
		var planned Calendar
		if test.later != nil {
			planned = later{s, test.later}
		}
		if _, a := placed(t, s, "2:ncpus=4", test.place, planned); a.String(s.Cluster) != test.want {
			t.Errorf("%s beside %v: %s, not %s", test.place, test.later, a.String(s.Cluster), test.want)
		}
	}
}

// With smp_cluster_dist round_robin jobs of one chunk that are packed go from host to host, and others do not.
func TestInTurn(t *testing.T) {
	for place, want := range map[string][]string{"pack": {"(n1:ncpus=1)", "(n2:ncpus=1)", "(n3:ncpus=1)", "(n1:ncpus=1)"}, "free": {"(n1:ncpus=1)", "(n1:ncpus=1)"}} {
		s := ofVnodes(Checks{InTurn: true}, "8", "8", "8")
		for i, where := range want {
			r, a := placed(t, s, "1:ncpus=1", place, nil)
			s.Occupy(a)
			s.Deal(r, a, float64(i+1))
			if got := a.String(s.Cluster); got != where {
				t.Errorf("job %d with %s: %s, not %s", i, place, got, where)
			}
		}
	}
}
