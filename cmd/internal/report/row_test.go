package report

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// Rows that are made anew in memory of their own, walked for the widths in whatever order, are printed as the same rows that are
// kept.
func TestLong(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	pieces := []string{"", "a", "12.50", " ", "é", "\x1b[1m", "\xff", "…", "\t", strings.Repeat("x", 150), strings.Repeat("ü", 60)}
	for range 1000 {
		kept := Table{Rows: [][]string{{"ONE", "TWO", "THREE"}}, Right: func(column int) bool { return column == 1 }}
		made := kept
		var rows [][]string
		for range r.IntN(5) {
			var cells []string
			for range 3 {
				cells = append(cells, pieces[r.IntN(len(pieces))]+pieces[r.IntN(len(pieces))])
			}
			rows = append(rows, cells)
		}
		kept.Rows = append(kept.Rows, rows...)
		var memory Row
		walk := func(rows [][]string) func(func(*Row) bool) {
			return func(yield func(*Row) bool) {
				for _, cells := range rows {
					memory.Clear()
					for _, cell := range cells {
						memory.Add(cell)
					}
					if !yield(&memory) {
						return
					}
				}
			}
		}
		made.Long = walk(rows)
		if r.IntN(2) == 0 {
			turned := slices.Clone(rows)
			slices.Reverse(turned)
			made.AnyOrder = walk(turned)
		}
		terminal := Terminal{Width: []int{0, 20, 80}[r.IntN(3)]}
		var want, got strings.Builder
		if err := kept.Write(&want, terminal); err != nil {
			t.Fatal(err)
		}
		if err := made.Write(&got, terminal); err != nil || got.String() != want.String() {
			t.Fatalf("%v %q:\n%s, want\n%s", err, rows, got.String(), want.String())
		}
	}
}
