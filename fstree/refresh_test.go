package fstree

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// A tree whose usages have changed judges as one that is made of them does, once it is refreshed.
func TestRefresh(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	list := []Association{{Parent: -1}}
	for i := 1; i < 60; i++ {
		parent := int32(r.IntN(i))
		for list[parent].User {
			parent = list[parent].Parent
		}
		list = append(list, Association{Parent: parent, User: i > 20, Shares: float64(r.IntN(4))})
	}
	tree, err := NewAssociations(list)
	if err != nil {
		t.Fatal(err)
	}
	for range 50 {
		for i := range list {
			list[i].Usage = 0
		}
		for i := len(list) - 1; i > 0; i-- {
			if list[i].User {
				list[i].Usage = r.Float64() * float64(r.IntN(3))
			}
			list[list[i].Parent].Usage += list[i].Usage
		}
		if err := tree.Refresh(); err != nil {
			t.Fatal(err)
		}
		anew, err := NewAssociations(slices.Clone(list))
		if err != nil {
			t.Fatal(err)
		}
		for _, algorithm := range Algorithms {
			got, want := algorithm.Compute(tree, Options{}), algorithm.Compute(anew, Options{})
			if fmt.Sprint(*got) != fmt.Sprint(*want) {
				t.Fatalf("%s: %v, want %v", algorithm.Name, *got, *want)
			}
		}
	}
	list[9].Usage = math.NaN()
	var wrong *AssociationError
	if err := tree.Refresh(); !errors.As(err, &wrong) || wrong.Index != 9 {
		t.Errorf("NaN is taken for a usage: %v", err)
	}
}
