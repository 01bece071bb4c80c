package trace

import (
	"bytes"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"fairshare/cmd/internal/workshop"
)

// Of the lines of a log that tell its offset the last one counts, whatever stands around it: as from its begin on, so from its end.
func TestLastLineTells(t *testing.T) {
	logs, err := filepath.Glob("../../../testdata/replay/*/snapshot/server_priv/accounting/*.gz")
	if err != nil || len(logs) < 10 {
		t.Fatal(logs, err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	told, untold := 0, 0
	for i, name := range logs {
		if !workshop.Among(i, 4) {
			continue
		}
		lines := bytes.SplitAfter(workshop.Unpacked(t, name), []byte("\n"))
		for _, line := range []string{"\n", "\r\n", "no line", "no line\n", "03/02/2026 07:00:00;Q;1.s;queue=workq\n", "03/02/2026 07:00:00;Q;1.s;qtime=1", "03/02/2026 07:00:00;Q;1.s;qtime=1772434800\n"} {
			lines = append(lines, []byte(line))
		}
		for range 200 {
			part := slices.Concat(lines[random.IntN(len(lines))][:], nil)
			for range random.IntN(6) {
				part = append(part, lines[random.IntN(len(lines))]...)
			}
			if len(part) > 0 {
				part = part[random.IntN(len(part)):] // as the tail of a log begins
			}
			var offset, at int64
			ok := false
			for line := range bytes.Lines(part) {
				if seconds, when, isClear := toldInLine(line); isClear {
					offset, at, ok = seconds, when, true
				}
			}
			if is, when, isClear := ToldOffsetIn(part); is != offset || when != at || isClear != ok {
				t.Fatalf("%d at %d, %t, and from the begin on %d at %d, %t, of %q", is, when, isClear, offset, at, ok, part)
			}
			if ok {
				told++
			} else {
				untold++
			}
		}
	}
	if told < 100 || untold < 100 {
		t.Errorf("%d parts tell, and %d do not", told, untold)
	}
}
