package set

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/setup"
	"fairshare/fstree"
)

// change makes a change of shares or usage in a tree, and returns what was.
func (s *setting) change(tree []fstree.Association) (was string, err error) {
	i, err := findAssociation(setup.Names(tree), s.of)
	if err != nil {
		return "", err
	}
	x := &tree[i]
	switch {
	case s.key == "shares" && i == 0:
		return "", errors.New("the root has no shares")
	case s.key == "shares":
		if was = report.Plain(x.Shares); x.FromParent {
			was = "parent"
		}
		x.Shares, x.FromParent = s.number, s.isParent()
		return was, nil
	case !x.User:
		return "", errors.New("the usage of an account is that of its users: set theirs")
	}
	was = report.Fixed(x.Usage, 0) // that of the last sweep is reckoned, and no whole number
	by := s.number - x.Usage
	x.Usage = s.number
	for at := x.Parent; at >= 0; at = tree[at].Parent {
		tree[at].Usage = max(0, tree[at].Usage+by)
	}
	return was, nil
}

// findAssociation returns the place of ACCOUNT, USER or ACCOUNT/USER among all names.
func findAssociation(all []sched.AccountName, name string) (int, error) {
	var names []string
	var found []int
	isAccount := false
	for i, of := range all {
		full := of.String()
		names = append(names, full)
		switch {
		case full == name && of.User == "":
			isAccount = true
			found = []int{i}
		case full == name || of.User == name && !isAccount:
			found = append(found, i)
		}
	}
	switch len(found) {
	case 0:
		isNameless := func(name string) bool { return name == "" } // that of strangers
		return 0, errors.New(report.NoSuch("association", name, slices.DeleteFunc(names, isNameless)))
	case 1:
		return found[0], nil
	}
	var full []string
	for _, i := range found {
		full = append(full, names[i])
	}
	return 0, fmt.Errorf("%s has several associations: %s", name, strings.Join(full, ", "))
}
