package cluster

import "testing"

// What a request lacks is what the vnode lacks that is looked at last: neither full ones are, nor those of a kind that
// can never hold it once one was. What was placed before makes no difference.
func TestShortageOf(t *testing.T) {
	const ncpus, ngpus = 0, 1
	for _, test := range []struct {
		name, wants, place string
		taken              []string // of vnodes a and b, which have 4 cpus, and c and d, which have 2 GPUs as well
		want               Shortage
	}{
		{"too few cpus on all", "1:ncpus=3", "free", []string{"(a:ncpus=2)", "(b:ncpus=2)", "(c:ncpus=2)", "(d:ncpus=2)"}, Shortage{TooLittle, ncpus, -1}},
		{"cpus where there are GPUs", "1:ncpus=3:ngpus=1", "free", []string{"(c:ncpus=2)", "(d:ncpus=2)"}, Shortage{TooLittle, ncpus, -1}},
		{"GPUs where there are cpus", "1:ncpus=1:ngpus=2", "free", []string{"(c:ncpus=1:ngpus=1)", "(d:ncpus=1:ngpus=1)"}, Shortage{TooLittle, ngpus, -1}},
		{"the last vnode decides", "1:ncpus=3:ngpus=2", "free", []string{"(c:ncpus=2)", "(d:ncpus=1:ngpus=1)"}, Shortage{TooLittle, ngpus, -1}},
		{"GPUs on vnodes without, as the others are full", "1:ncpus=1:ngpus=1", "free", []string{"(c:ncpus=4)", "(d:ncpus=4)"}, Shortage{TooLittle, ngpus, -1}},
		{"likewise on one host", "1:ncpus=1:ngpus=1", "pack", []string{"(c:ncpus=4)", "(d:ncpus=1:ngpus=2)"}, Shortage{TooLittle, ngpus, -1}},
		{"no vnode is left for the second chunk", "2:ncpus=1:ngpus=1", "scatter", []string{"(d:ncpus=4)"}, Shortage{NoVnodeLeft, -1, -1}},
		{"nor one that the first chunk was too large for", "2:ncpus=3:ngpus=1", "scatter", []string{"(c:ncpus=2)"}, Shortage{NoVnodeLeft, -1, -1}},
		{"but the one that it is on", "2:ncpus=2:ngpus=2", "free", []string{"(c:ncpus=3)"}, Shortage{TooLittle, ngpus, -1}},
		{"too few in all", "5:ncpus=3", "free", []string{"(a:ncpus=2)"}, Shortage{TooLittle, ncpus, -1}},
		{"it fits", "1:ncpus=2", "free", nil, Shortage{NoShortage, -1, -1}},
		{"the vnode is another's", "1:ncpus=1:ngpus=1", "excl", []string{"(c:ncpus=1)", "(d:ncpus=1)"}, Shortage{Another, -1, -1}},
	} {
		c := parse(t, "a\n resources_available.ncpus = 4\n\nb\n resources_available.ncpus = 4\n\nc\n resources_available.ncpus = 4\n resources_available.ngpus = 2\n\nd\n resources_available.ncpus = 4\n resources_available.ngpus = 2\n")
		s, r := c.NewState(), request(t, c, test.wants, test.place)
		var taken []Allocation
		for _, text := range test.taken {
			a, ok := s.ParseVnodes(text, request(t, c, "1:ncpus=1", "free"))
			if !ok {
				t.Fatal(text)
			}
			taken = append(taken, a)
		}
		s.Fits(r)
		for _, a := range taken {
			s.Occupy(a)
		}
		if got := s.ShortageOf(r, nil); got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
}
