package flux

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"testing"

	"fairshare/cmd/internal/report"
	"fairshare/fstree"
)

// The trees of a recorded site with disabled users have the fairshare that account-update-fshare stored.
func TestActiveTrees(t *testing.T) {
	f, err := os.Open("../../../testdata/flux-site/trees.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	trees, same, values := 0, 0, 0
	for lines.Scan() {
		var recorded struct {
			Kind  string
			Banks []struct {
				Bank   string
				Parent string `json:"parent_bank"`
				Shares float64
				Active int
			}
			Users []struct {
				Username, Bank string
				Shares         float64
				Usage          float64 `json:"job_usage"`
				Active         int
				Fairshare      *float64
			}
		}
		if err := json.Unmarshal(lines.Bytes(), &recorded); err != nil {
			t.Fatal(err)
		}
		var banks []Bank
		var associations []Association
		for _, b := range recorded.Banks {
			banks = append(banks, Bank{Name: b.Bank, Parent: b.Parent, Shares: b.Shares, IsActive: b.Active == 1})
		}
		for _, u := range recorded.Users {
			associations = append(associations, Association{User: u.Username, Bank: u.Bank, Shares: u.Shares, Usage: u.Usage, IsActive: u.Active == 1})
		}
		tree, _, err := ActiveTree(banks, associations)
		if err != nil {
			t.Fatal(err)
		}
		s := fstree.WeightedWalk(tree, fstree.Options{})
		got := map[[2]string]string{}
		for i := range tree.Len() {
			if x := tree.At(i); x.User {
				got[[2]string{tree.At(int(x.Parent)).Name, x.Name}] = report.Fixed(s.Fairshare[i], 6)
			}
		}
		isSame := true
		for _, u := range recorded.Users {
			want := ""
			if u.Fairshare != nil && u.Active == 1 {
				want = report.Fixed(*u.Fairshare, 6)
			}
			values++
			if got[[2]string{u.Bank, u.Username}] != want {
				t.Logf("tree %d (%s): %s in %s: %s, flux has %s", trees, recorded.Kind, u.Username, u.Bank, got[[2]string{u.Bank, u.Username}], want)
				isSame = false
			}
		}
		trees++
		if isSame {
			same++
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if trees != 134 || same != trees {
		t.Errorf("%d of %d trees with %d values", same, trees, values)
	}
}
