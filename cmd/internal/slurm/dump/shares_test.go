package dump

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/accounts"
	"fairshare/cmd/internal/file"
)

// What the reader of the tree takes as the factors of a table is what its rows have, of which none is damaged; also of tables in
// which something has changed.
func TestPrinted(t *testing.T) {
	names, _ := filepath.Glob("../../../../testdata/slurm/*/*.sshare.txt")
	if len(names) < 50 {
		t.Fatalf("%d tables", len(names))
	}
	r := rand.New(rand.NewPCG(1, 1))
	isTaken, isLeft, tables := 0, 0, 0
	for _, name := range names {
		recorded, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for round := range 100 {
			text := string(recorded)
			if round > 0 {
				at := r.IntN(len(text))
				pieces := []string{"", "|", "1", " ", ".", "x", "-", "\n", "parent", "2", "nan"}
				text = text[:at] + pieces[r.IntN(len(pieces))] + text[min(len(text), at+r.IntN(3)):]
			}
			tables++
			var rows Shares
			damage := rows.takePrinted(Part{Source: file.Source{Name: name}, Text: text})
			read, err := accounts.ParseSwept(text)
			var got accounts.Factors
			if err != nil || !read.Printed(&got) {
				isLeft++
				continue
			}
			isTaken++
			want := slices.Collect(rows.Printed.All)
			have := slices.Collect(got.All)
			isSame := func(a, b accounts.Factor) bool {
				return a.Account == b.Account && a.User == b.User && a.Printed == b.Printed && (a.Effective == b.Effective || a.Effective != a.Effective && b.Effective != b.Effective)
			}
			if len(damage) > 0 || !slices.EqualFunc(have, want, isSame) || got.Len != len(have) {
				t.Fatalf("%s: %v, want %v (%v) of\n%s", name, have, want, damage, strings.TrimSpace(text))
			}
		}
	}
	if isTaken < tables/4 || isLeft < tables/10 {
		t.Errorf("of %d tables %d are taken, and %d are left to who looks at each row", tables, isTaken, isLeft)
	}
}
