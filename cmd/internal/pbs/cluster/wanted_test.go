package cluster

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// What a request asks for is told beside what is free on the vnodes that may take it, and what is scarce: in all, or on each.
func TestWanted(t *testing.T) {
	const nodes = "a\n resources_available.ncpus = 8\n\nb\n resources_available.ncpus = 8\n\ng\n resources_available.ncpus = 8\n resources_available.ngpus = 2\n"
	for _, test := range []struct{ wants, place, taken, asks, free, scarce string }{
		{"2:ncpus=4", "free", "", "2 x 4 ncpus", "24 of 24 ncpus are free, at most 8 on one vnode", "[]"},
		{"1:ncpus=6", "free", "(a:ncpus=4)+(b:ncpus=4)+(g:ncpus=4)", "1 x 6 ncpus", "12 of 24 ncpus are free, at most 4 on one vnode", "[{ncpus 6 at most 4 free on one vnode true false}]"},
		{"3:ncpus=6", "scatter", "(a:ncpus=4)+(b:ncpus=8)", "3 x 6 ncpus, place=scatter", "12 of 24 ncpus are free, at most 8 on one vnode", "[{ncpus 18 12 free false false}]"},
		{"2:ncpus=6", "pack", "", "2 x 6 ncpus, place=pack", "24 of 24 ncpus are free, at most 8 on one vnode", "[{ncpus 12 at most 8 free on one vnode true false}]"},
		{"2:ncpus=4", "scatter:excl", "(a:ncpus=1)+(b:ncpus=1)+(g:ncpus=1)", "2 x 4 ncpus, place=scatter:excl", "0 of 24 ncpus are free on vnodes without jobs", "[{ncpus 8 0 free on vnodes without jobs false true}]"},
		{"1:ngpus=2:ncpus=1", "free", "(g:ncpus=8)", "1 x 2 ngpus, 1 ncpus", "0 of 2 ngpus are free on vnodes with free cpus; 16 of 24 ncpus are free, at most 8 on one vnode", "[{ngpus 2 0 free on vnodes with free cpus false false}]"},
		{"2:ncpus=8:host=g", "free", "", "2 x 8 ncpus, host=g", "8 of 8 ncpus are free on the vnodes that it may use, at most 8 on one vnode", "[{ncpus 16 8 free on the vnodes that it may use false false}]"},
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

// A request that does not fit is told amounts: of what there is too little, or how many of its chunks fit, which are as many
// as fit by themselves.
func TestWantedAlwaysHasAmounts(t *testing.T) {
	chunks, scarce := map[string]int{}, 0
	for seed := range uint64(4000) {
		r := rand.New(rand.NewPCG(seed, 3))
		pick := func(of ...string) string { return of[r.IntN(len(of))] }
		var nodes strings.Builder
		for v := range 2 + r.IntN(4) {
			fmt.Fprintf(&nodes, "v%d\n resources_available.host = h%d\n resources_available.ncpus = %d\n resources_available.mem = %dgb\n resources_available.ngpus = %d\n sharing = %s\n\n",
				v, v/(1+int(seed%2)), 2+2*r.IntN(3), 2+2*r.IntN(3), r.IntN(3), pick("default_shared", "default_shared", "default_excl", "ignore_excl", "force_excl", "force_exclhost"))
		}
		c := parse(t, nodes.String())
		s := c.NewState()
		wants := func() string {
			return fmt.Sprintf("ncpus=%d", r.IntN(5)) + pick("", ":mem=2gb", ":mem=4gb", ":ngpus=1", ":host=h0", ":vnode=v1")
		}
		places := []string{"free", "scatter", "vscatter", "pack", "excl", "scatter:excl", "exclhost"}
		for range r.IntN(6) {
			if a, ok := s.Place(request(t, c, "1:"+wants(), pick(places...)), nil); ok {
				s.Occupy(a)
			}
		}
		n, each, place := 1+r.IntN(4), wants(), pick(places...)
		want := fmt.Sprintf("%d:%s", n, each)
		if r.IntN(4) == 0 {
			want += "+1:" + wants()
		}
		asked := request(t, c, want, place)
		w := s.Wanted(asked)
		switch fits := s.Fits(asked); {
		case fits != (len(w.Scarce) == 0 && w.Chunks == ""):
			t.Fatalf("seed %d: %s, %s: fits %v, %+v\n%s", seed, want, place, fits, w, nodes.String())
		case w.Chunks == "":
			if !fits {
				scarce++
			}
			continue
		}
		fit := 0
		for fit < n && s.Fits(request(t, c, fmt.Sprintf("%d:%s", fit+1, each), place)) {
			fit++
		}
		all, said := 0, 0
		switch got := w.Chunks; {
		case strings.HasPrefix(got, "no "):
			all = 1
		case strings.HasPrefix(got, "none of its "):
			fmt.Sscanf(got, "none of its %d", &all)
		default:
			fmt.Sscanf(got, "%d of its %d", &said, &all)
		}
		if chunks[place]++; said != fit || all != asked.count() {
			t.Fatalf("seed %d: %s, %s: %q, and %d fit\n%s", seed, want, place, w.Chunks, fit, nodes.String())
		}
	}
	if scarce < 300 || len(chunks) < 7 {
		t.Errorf("only %d lack an amount, and chunks %v", scarce, chunks)
	}
}
