package dump

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/file"
)

// A file that is too large is said to be left out, in a folder and in an archive.
func TestTooLarge(t *testing.T) {
	all, err := Open("../../../../testdata/slurm-site/t2_busy.tgz")
	if err != nil {
		t.Fatal(err)
	}
	d := all.Empty()
	for _, name := range []string{"scontrol-show-config.txt", "scontrol-show-job.txt", "sprio-pipe.txt"} {
		d.Set(name, all.Text(name))
	}
	for _, name := range []string{"site", "site.tgz"} {
		at := filepath.Join(t.TempDir(), name)
		if err := d.Write(at); err != nil {
			t.Fatal(err)
		}
		const largest = 20_000 // less than the list of jobs has
		tree, err := file.OpenTree(at)
		if err != nil {
			t.Fatal(err)
		}
		d, err := findWithin(tree, largest)
		if err != nil {
			t.Fatal(err)
		}
		if len(d.All(KindJobs)) > 0 || len(d.All(KindPriorities)) == 0 || len(d.Remarks) != 1 || !strings.Contains(d.Remarks[0].Text, "scontrol-show-job.txt has more than 20000 bytes and is left out") {
			t.Error(name, d.Remarks)
		}
	}
}

// Each row that cannot be read is named by its own line, also where another one is the same.
func TestLinesLeftOut(t *testing.T) {
	q, err := parseQueue("\nJOBID|USER|PARTITION|ST|REASON|PRIORITY\n7|bob\n8|bob|main|PD|Priority|5\n\n7|bob\n9|bob|main|XX|Priority|5\n")
	if err != nil {
		t.Fatal(err)
	}
	if want := []oddRow{{3, "7|bob"}, {6, "7|bob"}, {7, "9|bob|main|XX|Priority|5"}}; !slices.Equal(q.odd, want) {
		t.Errorf("%v, not %v", q.odd, want)
	}
}
