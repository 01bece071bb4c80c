package report

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// Rows that are made anew in memory of their own, walked for the widths in whatever order and without those that are no wider than others, are printed as the same rows that are
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
			turned = slices.DeleteFunc(turned, func(cells []string) bool { return strings.Join(cells, "") == "" })
			made.Widest = walk(turned)
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

// A text is plain where each of its characters is, wherever in it others stand.
func TestIsPlain(t *testing.T) {
	for size := range 20 {
		for at := range max(size, 1) {
			for c := range 256 {
				text := []byte(strings.Repeat("x", size))
				if size > 0 {
					text[at] = byte(c)
				}
				want := size == 0 || ' ' <= c && c < 0x7f
				if got := isPlain(text); got != want || isPlain(string(text)) != want {
					t.Fatalf("%q: %v, want %v", text, got, want)
				}
				if got, want := maySteer(text), slices.ContainsFunc(text, steers); got != want {
					t.Fatalf("%q may steer: %v, want %v", text, got, want)
				}
			}
		}
	}
}
