package order

import (
	"encoding/json"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/slurm/dump"
)

// withoutSweep returns the tables of sshare that a site has without the usage of the last computation of priorities, as sshare prints them
// without -l.
func withoutSweep(d *dump.Dump) (list []dump.Part) {
	for _, p := range d.All(dump.KindShares) {
		header, rest, _ := strings.Cut(p.Text, "\n")
		at := slices.Index(strings.Split(header, "|"), "NormUsage")
		if at < 0 {
			continue
		}
		lines := strings.SplitAfter(header+"\n"+rest, "\n")
		for i, line := range lines {
			if cells := strings.Split(line, "|"); len(cells) > at {
				lines[i] = strings.Join(slices.Delete(cells, at, at+1), "|")
			}
		}
		p.Text = strings.Join(lines, "")
		list = append(list, p)
	}
	return list
}

// What the files of a site are called, and so in which order they are read, changes no answer: of several prints of the same, the one
// that says most counts.
func TestNamesOfFiles(t *testing.T) {
	var names []string
	for _, pattern := range []string{"../../../../testdata/slurm-site/*.tgz", "../../../../testdata/slurm-now/*.tgz", "../../../../testdata/slurm-replay/*/site.tgz"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, found...)
	}
	compared, added := 0, 0
	for _, name := range names {
		d, err := dump.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		answer := func(d *dump.Dump) string {
			s, err := New(d)
			if err != nil {
				return err.Error()
			}
			text := ""
			for _, r := range s.Rows() {
				line, err := json.Marshal(s.Explain(nil, r))
				if err != nil {
					t.Fatal(err)
				}
				text += string(line) + "\n"
			}
			return text
		}
		want := answer(d)
		r := rand.New(rand.NewPCG(1, 1))
		for range 4 {
			var kinds []dump.Kind
			for _, p := range d.Parts {
				kinds = append(kinds, p.Kind)
			}
			other := d.Only(kinds...)
			other.Parts = slices.Concat(other.Parts, withoutSweep(other))
			r.Shuffle(len(other.Parts), func(i, j int) { other.Parts[i], other.Parts[j] = other.Parts[j], other.Parts[i] })
			compared, added = compared+1, added+len(withoutSweep(d))
			if got := answer(other); got != want {
				t.Errorf("%s in another order:\n%s\nwant\n%s", name, got, want)
				break
			}
		}
	}
	if compared < 20 || added < 20 {
		t.Errorf("only %d orders were compared, with %d tables that say less", compared, added)
	}
}
