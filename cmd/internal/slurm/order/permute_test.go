package order

import (
	"math/rand/v2"
	"testing"
)

// TestPermute puts rows into random orders.
func TestPermute(t *testing.T) {
	r := rand.New(rand.NewPCG(46, 2))
	for range 200 {
		n := r.IntN(12)
		rows := make([]Row, n)
		for i := range rows {
			rows[i].Listed = i
		}
		from := r.Perm(n)
		want := append([]int{}, from...)
		permute(rows, from)
		for i := range rows {
			if rows[i].Listed != want[i] {
				t.Fatalf("place %d of %v has row %d", i, want, rows[i].Listed)
			}
		}
	}
}
