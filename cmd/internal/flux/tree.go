package flux

import (
	"fmt"
	"math"
	"slices"

	"fairshare/fstree"
)

// Bank is a bank, as flux account list-banks prints it.
type Bank struct {
	Name, Parent string // no parent for the root
	Shares       float64
	Usage        float64
	Priority     float64 // NaN where it is not told
	IsActive     bool
}

// Association is a user in a bank, as flux account list-users prints one.
type Association struct {
	User, Bank  string
	UserID      string // "" where it is not told
	DefaultBank string // of the user, "" where it is not told
	Shares      float64
	Usage       float64
	Fairshare   float64 // as stored, NaN where it is not told
	IsActive    bool
	Limits      []Limit
}

// Limit is a limit of an association or of a queue, by the name of its column.
type Limit struct{ Name, Most string }

// ActiveTree returns the tree that account-update-fshare walks: of active banks and associations alone, with the
// usage of a bank that its active associations come to. outside are the names of banks that stand below none of the
// tree, as a parent of theirs is missing or disabled.
func ActiveTree(banks []Bank, associations []Association) (tree *fstree.Associations, outside []string, err error) {
	below := map[string][]Bank{}
	var root *Bank
	for i, b := range banks {
		switch {
		case b.Parent == "" && root != nil:
			return nil, nil, fmt.Errorf("banks %s and %s both have no parent", root.Name, b.Name)
		case b.Parent == "":
			root = &banks[i]
		case b.IsActive:
			below[b.Parent] = append(below[b.Parent], b)
		}
	}
	if root == nil {
		return nil, nil, fmt.Errorf("no bank is the root: each has a parent")
	}
	members := map[string][]Association{}
	for _, a := range associations {
		if a.IsActive {
			members[a.Bank] = append(members[a.Bank], a)
		}
	}
	list := []fstree.Association{{Parent: -1, Name: root.Name, Shares: root.Shares}}
	reached := map[string]bool{root.Name: true}
	for at := 0; at < len(list); at++ {
		if list[at].User {
			continue
		}
		name := list[at].Name
		for _, a := range members[name] {
			list = append(list, fstree.Association{Parent: int32(at), Name: a.User, User: true, Shares: a.Shares, Usage: a.Usage})
		}
		for _, b := range below[name] {
			if reached[b.Name] {
				return nil, nil, fmt.Errorf("bank %s occurs twice", b.Name)
			}
			reached[b.Name] = true
			list = append(list, fstree.Association{Parent: int32(at), Name: b.Name, Shares: b.Shares})
		}
	}
	for i := len(list) - 1; i > 0; i-- { // members come after their banks
		list[list[i].Parent].Usage = min(list[list[i].Parent].Usage+list[i].Usage, math.MaxFloat64)
	}
	for _, b := range banks {
		if b.IsActive && !reached[b.Name] {
			outside = append(outside, b.Name)
		}
	}
	slices.Sort(outside)
	tree, err = fstree.NewAssociations(list)
	return tree, outside, err
}
