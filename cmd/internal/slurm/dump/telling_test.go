package dump

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestTellingLines finds the lines with telling words of texts that are searched in several pieces, as they are found line by line.
func TestTellingLines(t *testing.T) {
	r := rand.New(rand.NewPCG(85, 1))
	found := 0
	for range 200 {
		var text strings.Builder
		var want []int
		for line, lines := 0, 1+r.IntN(60); line < lines; line++ {
			begin, word := text.Len(), telling[r.IntN(len(telling))]
			text.WriteString(strings.Repeat("x", r.IntN(3000)))
			switch r.IntN(4) {
			case 0:
				if text.WriteString(word); line > 0 {
					want = append(want, begin)
				}
			case 1:
				text.WriteString(word[:len(word)-1]) // and no more of it, also behind the end of the line
			}
			if text.WriteString(strings.Repeat("x", r.IntN(20))); line+1 < lines || r.IntN(2) == 0 {
				text.WriteByte('\n')
			}
		}
		if got := tellingLines(text.String()); !slices.Equal(got, want) {
			t.Fatalf("%d bytes: lines at %v, not at %v", text.Len(), got, want)
		}
		found += len(want)
	}
	if found < 1000 {
		t.Errorf("only %d lines tell: the test says little", found)
	}
}
