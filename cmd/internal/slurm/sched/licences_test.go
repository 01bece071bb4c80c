package sched

import (
	"context"
	"fmt"
	"slices"
	"testing"
)

func TestParseLicences(t *testing.T) {
	for text, want := range map[string]string{
		"": "[] true", "(null)": "[] true", "matlab:4": "[{matlab 4 0 0}] true", "matlab": "[{matlab 1 0 0}] true", "matlab=2,ansys@server:0": "[{matlab 2 0 0} {ansys@server 0 0 0}] true",
		"matlab|octave": "[] false", "matlab:x": "[] false", "matlab:-1": "[] false", "matlab:4294967296": "[] false", ",": "[] false", ":4": "[] false", "a:1,(null)": "[] false",
	} {
		list, ok := ParseLicences(text)
		if got := fmt.Sprint(list, ok); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	s := &Setup{Licences: []Licence{{Name: "matlab", Total: 4}, {Name: "ansys", Total: 2}}}
	asked, others := s.Licensed([]Licence{{Name: "ANSYS", Total: 1}, {Name: "octave", Total: 1}, {Name: "matlab", Total: 2}, {Name: "matlab", Total: 1}})
	if fmt.Sprint(asked, others) != "[3 1] [octave]" {
		t.Error(asked, others)
	}
	if asked, _ := s.Licensed([]Licence{{Name: "octave", Total: 1}, {Name: "ansys", Total: 0}}); asked != nil {
		t.Error(asked)
	}
}

// When the last of some jobs starts on a site with 4 licences of a kind and 1 of another. Times count from the
// first job, which has 3 of the first kind for 500 seconds and a CPU of 8.
func TestLicences(t *testing.T) {
	const begin = 1_000_000
	with := func(j *Job, licences ...int64) *Job {
		j.Licences = licences
		return j
	}
	fill := func(s *Setup) { s.Backfill = &Backfilling{Interval: 30, Resolution: 60, Window: 86_400} }
	for _, test := range []struct {
		name string
		set  func(s *Setup)
		jobs []*Job
		want int64
	}{
		{"the last one that is free", nil, []*Job{with(asks(2, 10, 0, 1, 60), 1, 0)}, 11},
		{"more than are free: they are free at the end of a job, before its nodes are clean", nil, []*Job{with(asks(2, 10, 0, 1, 60), 2, 0)}, 502},
		{"of both kinds", nil, []*Job{with(asks(2, 10, 0, 1, 60), 1, 1)}, 11},
		{"of one too many", nil, []*Job{with(asks(2, 5, 0, 1, 60), 0, 1), with(asks(3, 10, 0, 1, 60), 1, 1)}, 6 + 60 + 1},
		{"who waits for them holds nobody up", nil, []*Job{with(asks(2, 10, 0, 1, 60), 2, 0), asks(3, 20, 0, 7, 60)}, 21},
		{"a cycle makes no plan for them", fill, []*Job{with(asks(2, 10, 0, 1, 60), 2, 0), asks(3, 20, 0, 7, 6000)}, 21},
		{"and starts nobody who lacks them", fill, []*Job{with(asks(2, 10, 0, 1, 60), 2, 0)}, 500}, // with the full pass then
		{"more than there are", nil, []*Job{with(asks(2, 10, 0, 1, 60), 5, 0)}, -begin},
	} {
		s := pair()
		s.Nodes[0].CPUs = 8
		s.Licences = []Licence{{Name: "matlab", Total: 4}, {Name: "ansys", Total: 1}}
		if test.set != nil {
			test.set(s)
		}
		jobs := append([]*Job{with(asks(1, 0, 0, 1, 500), 3, 0)}, test.jobs...)
		for _, j := range jobs {
			j.Submit, j.Eligible = j.Submit+begin, j.Submit+begin
		}
		last := jobs[len(jobs)-1]
		by := s.Barrier().Never(last)
		if isKept := by != nil && by.Name == "Licenses"; isKept != (test.want < 0) || s.IsLicensed(last) != (test.want >= 0) {
			t.Errorf("%s: it is kept by %v", test.name, by)
		}
		result, err := Run(context.Background(), s, jobs, Options{Watch: last})
		if err != nil {
			t.Fatal(err)
		}
		if got := last.Start - begin; got != test.want {
			t.Errorf("%s: it starts at %d, want %d", test.name, got, test.want)
		}
		isLong := test.want < 0 || test.want > 21
		if isLong != slices.ContainsFunc(result.Waits, func(w Wait) bool { return w.Reason == WaitsForLicences }) {
			t.Errorf("%s: it waits for %v", test.name, result.Waits)
		}
	}
}
