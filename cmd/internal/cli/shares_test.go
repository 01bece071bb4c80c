package cli

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"fairshare/cmd/internal/accounts"
	"fairshare/cmd/internal/report"
	"fairshare/fstree"
)

// The table of users under several algorithms is the same whether its columns' widths are found of the rows that may be the widest, or
// of all rows.
func TestRanksTable(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		list := []fstree.Association{{Parent: -1, Name: "root", Usage: 1e7}}
		groups := []int32{0}
		for i := range 1 + r.IntN(40) {
			x := fstree.Association{Parent: groups[r.IntN(len(groups))], Name: fmt.Sprint("n", r.IntN(1000), strings.Repeat("é", r.IntN(4))), User: r.IntN(3) > 0}
			x.Shares, x.Usage, x.FromParent = float64(r.IntN(4)), float64(r.IntN(3))*r.ExpFloat64()*1e4, r.IntN(6) == 0
			switch r.IntN(20) {
			case 0:
				x.Shares = r.ExpFloat64() * 100
			case 1:
				x.Shares = math.Round(r.ExpFloat64() * 1e6)
			case 2:
				x.Usage = math.Exp(r.Float64() * 50)
			}
			if !x.User {
				groups = append(groups, int32(i+1))
			}
			list = append(list, x)
		}
		tree, err := fstree.NewAssociations(list)
		if err != nil {
			t.Fatal(err)
		}
		shares := accounts.NewTable(tree, fstree.Algorithms, fstree.Options{})
		if r.IntN(3) == 0 {
			shares.Top(r.IntN(10))
		}
		table := ranksTable(shares, r.IntN(2) == 0)
		plain := table
		plain.Widest = nil
		var got, want strings.Builder
		if err := table.Write(&got, report.Terminal{}); err != nil {
			t.Fatal(err)
		}
		if err := plain.Write(&want, report.Terminal{}); err != nil || got.String() != want.String() {
			t.Fatalf("%v:\n%s, want\n%s", err, got.String(), want.String())
		}
	}
}
