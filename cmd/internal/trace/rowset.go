package trace

// rowSet is a set of numbers in eight bytes for each, and room for some more: open addressing with
// linear steps. 0 marks an empty place and is taken for 1.
type rowSet struct {
	places []uint64 // a power of two of them
	used   int
}

func (s *rowSet) has(n uint64) bool {
	return len(s.places) > 0 && s.places[s.find(n)] != 0
}

// find returns the place of a number, or the empty one where it belongs.
func (s *rowSet) find(n uint64) int {
	n = max(n, 1)
	mask := uint64(len(s.places) - 1)
	at := n & mask
	for s.places[at] != 0 && s.places[at] != n {
		at = (at + 1) & mask
	}
	return int(at)
}

func (s *rowSet) add(n uint64) {
	const least = 1024
	if s.used*4 >= len(s.places)*3 {
		old := s.places
		s.places = make([]uint64, max(least, 2*len(old)))
		for _, n := range old {
			if n != 0 {
				s.places[s.find(n)] = n
			}
		}
	}
	if at := s.find(n); s.places[at] == 0 {
		s.places[at] = max(n, 1)
		s.used++
	}
}
