package fstree_test

import (
	"fmt"
	"maps"

	"fairshare/fstree"
)

const resourceGroup = `
group1 10 root   40
group2 20 root   60
bob    11 group1 50
cathy  12 group1 50
suzy   21 group2 60
scott  22 group2 40
`

func readTree() (*fstree.Tree, error) {
	tree, problems := fstree.ParseResourceGroup(resourceGroup, 0)
	for _, p := range problems {
		return nil, p
	}
	usage := map[string]float64{"bob": 100, "cathy": 100, "scott": 1000}
	if err := tree.LoadUsage(maps.All(usage), false); err != nil {
		return nil, err
	}
	return tree, nil
}

// The numbers of a tree, and who deserves to run next.
func Example() {
	tree, err := readTree()
	if err != nil {
		fmt.Println(err)
		return
	}
	bob, _ := tree.Lookup("bob")
	suzy, _ := tree.Lookup("suzy")
	for _, id := range []fstree.ID{bob, suzy} {
		e := tree.Entity(id)
		fmt.Printf("%s %.6f %.6f %.6f\n", e.Name, e.TreePercentage, e.TreeUsage, e.Factor())
	}
	fmt.Println("bob goes first:", tree.Compare(bob, suzy) < 0)
	// Output:
	// bob 0.200000 0.125312 0.647718
	// suzy 0.360000 0.500416 0.381553
	// bob goes first: true
}

// What more usage would do, without keeping it.
func ExampleTree_TryCharge() {
	tree, err := readTree()
	if err != nil {
		fmt.Println(err)
		return
	}
	bob, _ := tree.Lookup("bob")
	undo := tree.TryCharge(bob, 500)
	fmt.Printf("%.3f\n", tree.Recalculate(bob).Factor())
	undo()
	fmt.Printf("%.3f\n", tree.Recalculate(bob).Factor())
	// Output:
	// 0.266
	// 0.648
}

// The same users under Slurm's Fair Tree.
func ExampleFairTree() {
	tree, err := readTree()
	if err != nil {
		fmt.Println(err)
		return
	}
	associations := tree.Associations()
	standing := fstree.FairTree(associations, fstree.Options{})
	for i := range associations.Len() {
		if x := associations.At(i); x.User {
			fmt.Printf("%s %.2f\n", x.Name, standing.Fairshare[i])
		}
	}
	// Output:
	// bob 1.00
	// cathy 1.00
	// suzy 0.50
	// scott 0.25
}

func ExampleParseConfig() {
	config, problems := fstree.ParseConfig("fair_share: true ALL\nby_qeue: true\n")
	fmt.Println(config.Prime.FairShare, config.Entity)
	for _, p := range problems {
		fmt.Println(p)
	}
	// Output:
	// true euser
	// line 2: by_qeue is not a setting that PBS knows; did you mean by_queue?
}
