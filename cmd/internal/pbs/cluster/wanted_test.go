package cluster

import (
	"fmt"
	"testing"
)

// What a request asks for is told beside what is free on the vnodes that may take it, and what is scarce: in all, or on each.
func TestWanted(t *testing.T) {
	const nodes = "a\n resources_available.ncpus = 8\n\nb\n resources_available.ncpus = 8\n\ng\n resources_available.ncpus = 8\n resources_available.ngpus = 2\n"
	for _, test := range []struct{ wants, place, taken, asks, free, scarce string }{
		{"2:ncpus=4", "free", "", "2 x 4 ncpus", "24 of 24 ncpus are free, at most 8 on one vnode", "[]"},
		{"1:ncpus=6", "free", "(a:ncpus=4)+(b:ncpus=4)+(g:ncpus=4)", "1 x 6 ncpus", "12 of 24 ncpus are free, at most 4 on one vnode", "[{ncpus 6 at most 4 free on one vnode true}]"},
		{"3:ncpus=6", "scatter", "(a:ncpus=4)+(b:ncpus=8)", "3 x 6 ncpus, place=scatter", "12 of 24 ncpus are free, at most 8 on one vnode", "[{ncpus 18 12 free false}]"},
		{"2:ncpus=6", "pack", "", "2 x 6 ncpus, place=pack", "24 of 24 ncpus are free, at most 8 on one vnode", "[{ncpus 12 at most 8 free on one vnode true}]"},
		{"2:ncpus=4", "scatter:excl", "(a:ncpus=1)+(b:ncpus=1)+(g:ncpus=1)", "2 x 4 ncpus, place=scatter:excl", "0 of 24 ncpus are free where nobody runs", "[{ncpus 8 0 free where nobody runs false}]"},
		{"1:ngpus=2:ncpus=1", "free", "(g:ncpus=8)", "1 x 2 ngpus, 1 ncpus", "0 of 2 ngpus are free where cpus are free; 16 of 24 ncpus are free, at most 8 on one vnode", "[{ngpus 2 0 free where cpus are free false}]"},
		{"2:ncpus=8:host=g", "free", "", "2 x 8 ncpus, host=g", "8 of 8 ncpus are free on the vnodes that it may use, at most 8 on one vnode", "[{ncpus 16 8 free on the vnodes that it may use false}]"},
	} {
		c := parse(t, nodes)
		s := c.NewState()
		if test.taken != "" {
			a, ok := s.ParseVnodes(test.taken, request(t, c, "1:ncpus=1", "free"))
			if !ok {
				t.Fatal(test.taken)
			}
			s.Occupy(a)
		}
		w := s.Wanted(request(t, c, test.wants, test.place))
		if got := fmt.Sprint(w.Scarce); w.Asks != test.asks || w.Free != test.free || got != test.scarce {
			t.Errorf("%s of %s: %q, %q, %s", test.wants, test.taken, w.Asks, w.Free, got)
		}
	}
}
