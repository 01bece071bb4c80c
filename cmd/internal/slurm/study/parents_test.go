package study

import (
	"strings"
	"testing"

	"fairshare/fstree"
)

// Users of an account of which all have Fairshare=parent share its part; beside others with shares of their own, one has no part, wherever
// in the tree that is.
func TestIsUnmeasured(t *testing.T) {
	list := []fstree.Association{
		{Name: "root", Parent: -1},
		{Name: "med", Parent: 0, FromParent: true}, {Name: "ola", Parent: 1, User: true, FromParent: true},
		{Name: "ops", Parent: 0, Shares: 5}, {Name: "mia", Parent: 3, User: true, FromParent: true}, {Name: "max", Parent: 3, User: true, FromParent: true},
		{Name: "eng", Parent: 0, Shares: 20}, {Name: "ida", Parent: 6, User: true, FromParent: true}, {Name: "kim", Parent: 6, User: true, Shares: 15},
	}
	tree, err := fstree.NewAssociations(list)
	if err != nil {
		t.Fatal(err)
	}
	areParents := ofParents(tree)
	var got []string
	for i := range list {
		if list[i].User && isUnmeasured(tree, i, areParents) {
			got = append(got, list[i].Name)
		}
	}
	if text := strings.Join(got, " "); text != "ola ida" {
		t.Errorf("without a part of the shares: %s, want ola ida", text)
	}
	if said := unmeasured(list); len(said) != 1 || !strings.Contains(said[0].Text, "2 users with Fairshare=parent") {
		t.Errorf("%v", said)
	}
	list[0].FromParent, list[3].Shares, list[3].FromParent, list[6].Shares, list[6].FromParent, list[8].Shares, list[8].FromParent = false, 0, true, 0, true, 0, true
	if said := unmeasured(list); said != nil {
		t.Errorf("where nobody has shares of its own: %v", said)
	}
}
