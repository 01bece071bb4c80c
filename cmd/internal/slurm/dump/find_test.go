package dump

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/workshop"
)

// The tables of sacct that an archive has within it are read in one pass, since each is opened for its first time as
// well: once the first of them is open, the archive is asked no more.
func TestTablesOfAnArchive(t *testing.T) {
	const head = "JobID|User|Account|Partition|QOS|Submit|Start|End|State\n"
	month := func(row string) string {
		return head + strings.Repeat(row+"|u|a|p|q|2026-03-02T09:00:00|||PENDING\n", 3000)
	}
	name := filepath.Join(t.TempDir(), "site.tar")
	if err := os.WriteFile(name, workshop.Archive(t, "s/slurm.conf", "ClusterName=x\n", "s/1.txt", month("1"), "s/2.txt", month("2")), 0o600); err != nil {
		t.Fatal(err)
	}
	tree, err := file.OpenTree(name)
	if err != nil {
		t.Fatal(err)
	}
	tables, _, err := Accounting(tree)
	if err != nil || len(tables) != 2 {
		t.Fatal(tables, err)
	}
	for i, from := range slices.Backward(tables) {
		text, err := from.Text(1 << 20)
		if want := month([]string{"1", "2"}[i]); text != want || err != nil {
			t.Errorf("%s: %d bytes of %d (%v)", from.Name, len(text), len(want), err)
		}
		if err := os.RemoveAll(name); err != nil {
			t.Fatal(err)
		}
	}
}

// A file that stands twice in an archive is damage where it is something of a site.
func TestTwice(t *testing.T) {
	for again, want := range map[string]int{"s/README": 0, "s/slurm.conf": 1} {
		tree, err := file.ReadTree("x", bytes.NewReader(workshop.Archive(t, "s/slurm.conf", "ClusterName=x\n", "s/README", "1", again, "more")))
		if err != nil {
			t.Fatal(err)
		}
		d, err := Find(tree)
		damaged := 0
		for _, r := range d.Remarks {
			if r.IsDamage || r.Kind == diag.Warning {
				damaged++
			}
		}
		if err != nil || damaged != want {
			t.Errorf("%s: %v (%v)", again, d.Remarks, err)
		}
	}
}
