package trace

import (
	"math/rand/v2"
	"testing"
)

// The set answers as a map does.
func TestRowSet(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var s rowSet
	plain := map[uint64]bool{}
	for range 50_000 {
		n := random.Uint64N(30_000) * random.Uint64N(3) << random.UintN(40)
		if s.has(n) != plain[max(n, 1)] {
			t.Fatalf("%d: %v", n, s.has(n))
		}
		if random.UintN(2) == 0 {
			s.add(n)
			plain[max(n, 1)] = true
		}
	}
	if s.used != len(plain) {
		t.Errorf("%d numbers, want %d", s.used, len(plain))
	}
}
