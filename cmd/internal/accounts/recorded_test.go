package accounts

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"fairshare/cmd/internal/report"
	"fairshare/fstree"
)

const testdata = "../../../testdata"

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// place names an association in both tables.
func place(account, user string) string { return account + "/" + user }

// places are a tree's associations by name.
func places(a *fstree.Associations) map[string]int {
	at := map[string]int{}
	for i := range a.Len() {
		x := a.At(i)
		account, user := x.Name, ""
		if x.User {
			account, user = a.At(int(x.Parent)).Name, x.Name
		}
		at[place(account, user)] = i
	}
	return at
}

// TestSlurm compares three algorithms with what sshare printed.
func TestSlurm(t *testing.T) {
	trees, _ := filepath.Glob(testdata + "/slurm/*/tree.json")
	if len(trees) != 24 {
		t.Fatalf("%d recorded trees", len(trees))
	}
	for _, name := range trees {
		dir := filepath.Dir(name)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			a, format, err := Parse(read(t, name), Auto)
			if err != nil || format != JSON {
				t.Fatal(format, err)
			}
			for file, algorithm := range map[string]string{"classic": "classic", "depth_oblivious": "depth-oblivious", "fair_tree": "fair-tree-slurm"} {
				compareSshare(t, a, algorithm, read(t, filepath.Join(dir, file+".wide.txt")))
			}
		})
	}
}

// TestSshare reads each recorded table as input and compares what comes of it
// with the table itself. sshare prints whole usage and sorts by name, which is
// all that a difference may come from.
func TestSshare(t *testing.T) {
	tables, _ := filepath.Glob(testdata + "/slurm/*/*.sshare.txt")
	if len(tables) != 72 {
		t.Fatalf("%d recorded tables", len(tables))
	}
	algorithms := map[string]string{"classic": "classic", "depth_oblivious": "depth-oblivious", "fair_tree": "fair-tree-slurm"}
	for _, name := range tables {
		tree, file := filepath.Base(filepath.Dir(name)), strings.TrimSuffix(filepath.Base(name), ".sshare.txt")
		if file == "fair_tree" && (tree == "fractional_and_huge" || tree == "tie_accounts_reversed") {
			continue // a usage of .25, and Slurm's own order of tied accounts
		}
		t.Run(tree+"/"+file, func(t *testing.T) {
			a, format, err := Parse(read(t, name), Auto)
			if err != nil || format != Sshare {
				t.Fatal(format, err)
			}
			compareSshare(t, a, algorithms[file], read(t, filepath.Join(filepath.Dir(name), file+".wide.txt")))
		})
	}
}

// A table that lacks a user who competes with others of the account is known to, whatever the algorithm; what it prints of
// the others is what the whole one says of them.
func TestCut(t *testing.T) {
	tables, _ := filepath.Glob(testdata + "/slurm/*/*.sshare.txt")
	known := 0
	for _, name := range tables {
		lines := strings.SplitAfter(read(t, name), "\n")
		for i, row := range lines {
			isOwn := func(other string) bool { // of the same account
				cells, of := strings.Split(other, "|"), strings.Split(row, "|")
				return len(cells) > 3 && cells[0] == of[0] && cells[1] != "" && cells[2] != "parent" && cells[2] != "0" && cells[3] != "0.000000"
			}
			siblings := 0
			for k, other := range lines {
				if k > 0 && isOwn(other) {
					siblings++
				}
			}
			if i == 0 || siblings < 2 || !isOwn(row) || strings.Contains(name, "fractional_and_huge") { // where one's shares are nothing beside another's
				continue
			}
			_, _, err := Parse(strings.Join(slices.Delete(slices.Clone(lines), i, i+1), ""), Auto)
			cut := (*CutError)(nil)
			if !errors.As(err, &cut) {
				t.Errorf("%s without %s: %v", name, row, err)
				continue
			}
			known++
			for i, l := range cut.list.nodes {
				if targets := cut.Targets(cut.list.nodes[max(l.Parent, 0)].Name, l.Name, l.Partition, Decay{}); l.User && (len(targets) == 0 || targets[len(targets)-1].Due != report.Number(cut.list.notes[i].due)) {
					t.Errorf("%s without %s: %s: %v", name, row, l.Name, targets)
				}
			}
		}
	}
	if known < 100 {
		t.Errorf("%d tables are known to lack a row", known)
	}
}

func compareSshare(t *testing.T, a *fstree.Associations, name, table string) {
	t.Helper()
	algorithm, _ := fstree.AlgorithmNamed(name)
	s := algorithm.Compute(a, fstree.Options{})
	at := places(a)
	rows := strings.Split(strings.TrimSpace(table), "\n")
	columns := strings.Split(rows[0], "|")
	for _, row := range rows[1:] {
		cells := strings.Split(row, "|")
		cell := func(name string) string { return strings.TrimSpace(cells[slices.Index(columns, name)]) }
		i, ok := at[place(cell("Account"), cell("User"))]
		if !ok && place(cell("Account"), cell("User")) == "root/root" {
			continue // Slurm adds its own user, who is not in every tree
		}
		if !ok {
			t.Errorf("no %s", row)
			continue
		}
		for column, got := range map[string]float64{"NormShares": s.NormShares[i], "EffectvUsage": s.EffectiveUsage[i], "FairShare": s.Fairshare[i], "LevelFS": s.LevelFS[i]} {
			if want := cell(column); sixDecimals(got) != want {
				t.Errorf("%s: %s: %s = %s, Slurm has %s", name, row, column, sixDecimals(got), want)
			}
		}
	}
}

// sixDecimals is a number as sshare prints it.
func sixDecimals(x float64) string {
	switch {
	case math.IsNaN(x):
		return ""
	case math.IsInf(x, 1):
		return "inf"
	}
	return strconv.FormatFloat(x, 'f', 6, 64)
}

// TestFlux compares the weighted walk with what flux-accounting computed.
func TestFlux(t *testing.T) {
	files, _ := filepath.Glob(testdata + "/flux/*.json")
	if len(files) != 17 {
		t.Fatalf("%d recorded trees", len(files))
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			var recorded struct {
				Tree      json.RawMessage
				Fairshare [][2]string
			}
			if err := json.Unmarshal([]byte(read(t, name)), &recorded); err != nil {
				t.Fatal(err)
			}
			a, format, err := Parse(string(recorded.Tree), Auto)
			if err != nil || format != Flux {
				t.Fatal(format, err)
			}
			s := fstree.WeightedWalk(a, fstree.Options{})
			got := map[string]string{}
			for i := range a.Len() {
				if x := a.At(i); x.User {
					got[x.Name] = fmt.Sprintf("%.6g", s.Fairshare[i])
				}
			}
			if len(got) != len(recorded.Fairshare) {
				t.Errorf("%d users, flux has %d", len(got), len(recorded.Fairshare))
			}
			for _, user := range recorded.Fairshare {
				if got[user[0]] != user[1] {
					t.Errorf("%s: %s, flux has %s", user[0], got[user[0]], user[1])
				}
			}
		})
	}
}
