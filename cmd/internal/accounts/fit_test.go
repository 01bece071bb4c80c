package accounts

import (
	"math"
	"slices"
	"strings"
	"testing"

	"fairshare/fstree"
)

// factorsOf returns factors of one table.
func factorsOf(list []Factor) (f Factors) {
	f.Add(len(list), slices.Values(list))
	return f
}

// Of factors that an algorithm makes, that algorithm and its damping are said; of others, that none makes them.
func TestFit(t *testing.T) {
	list := []fstree.Association{
		{Parent: -1, Name: "root", Usage: 1000}, {Parent: 0, Name: "a", Shares: 3, Usage: 700}, {Parent: 1, Name: "u", User: true, Shares: 1, Usage: 600}, {Parent: 1, Name: "v", User: true, Shares: 2, Usage: 100},
		{Parent: 0, Name: "b", Shares: 1, Usage: 300}, {Parent: 4, Name: "w", User: true, Shares: 1, Usage: 300},
	}
	tree, err := fstree.NewAssociations(list)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		algorithm string
		damping   float64
		off       float64
		says      string
	}{
		{"fair-tree-slurm", 1, 0, "comes to: Fair Tree"}, {"classic", 1, 0, "FairShareDampeningFactor 1 "}, {"classic", 3, 0, "FairShareDampeningFactor 3 "},
		{"depth-oblivious", 5, 0, "FairShareDampeningFactor 5 "}, {"classic", 3, .01, "no algorithm makes the column"},
	} {
		a, _ := fstree.AlgorithmNamed(test.algorithm)
		standing := a.Compute(tree, fstree.Options{DampFactor: test.damping})
		var printed []Factor
		for i := range tree.Len() {
			if x := tree.At(i); x.User {
				printed = append(printed, Factor{tree.At(int(x.Parent)).Name, x.Name, standing.Fairshare[i] + test.off, math.NaN()})
			}
		}
		own, said := Fit(tree, factorsOf(printed))
		if want := (Own{test.algorithm, test.damping}); test.off == 0 && own != want || test.off > 0 && own != (Own{}) {
			t.Errorf("%s %v: %v", test.algorithm, test.damping, own)
		}
		if len(said) != 1 || !strings.Contains(said[0].Text, test.says) || test.off == 0 && !a.ByRank && !strings.Contains(said[0].Text, a.Title) {
			t.Errorf("%s %v: %v", test.algorithm, test.damping, said)
		}
	}
	for _, known := range []*fstree.Associations{tree, nil} {
		if own, said := Fit(known, factorsOf([]Factor{{"a", "u", .5, math.NaN()}})); own != (Own{}) || said != nil {
			t.Errorf("%v and %v are said of one user, or of no tree", own, said)
		}
	}
}
