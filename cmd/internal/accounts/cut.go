package accounts

import (
	"fmt"
	"math"
	"slices"

	"fairshare/cmd/internal/file"
	"fairshare/fstree"
)

// CutError says that a table of sshare lacks rows of the tree, as one that is asked without -a does, and sshare -U. What it
// prints of the rows that are there is true all the same.
type CutError struct {
	Printed Factors // FairShare as sshare prints it, where that is read

	problem *file.Problem
	list    *listed
}

// Error says which row tells it.
func (e *CutError) Error() string { return e.problem.Error() }

// Unwrap returns the same as a *file.Problem.
func (e *CutError) Unwrap() error { return e.problem }

// Targets returns what the user of an account and the accounts above have used beside their shares, as the table prints both,
// from the level below the root on.
func (e *CutError) Targets(account, user, partition string, decay Decay) (list []Target) {
	nodes := e.list.nodes
	at := slices.IndexFunc(nodes, func(x fstree.Association) bool {
		return x.User && x.Name == user && (x.Partition == "" || x.Partition == partition) && nodes[x.Parent].Name == account
	})
	for ; at >= 0; at = int(nodes[at].Parent) {
		x, of := nodes[at], e.list.notes[at]
		if x.Parent >= 0 && !x.FromParent && of.due == of.due && of.used == of.used {
			list = append(list, NewTarget(x.Name, float64(float32(of.used)), 1, float64(of.due), decay))
		}
	}
	slices.Reverse(list)
	return list
}

// findCut returns a *CutError if a table lacks rows: the part of the shares of its level that it prints of a member (NormShares) is
// not what the rows that are there come to. Algorithms before Fair Tree print parts of all shares, of which the root has 1. Levels
// whose members compete in the one above are not looked at.
func findCut(list *listed) error {
	nodes := list.nodes
	above := numberParents(nodes)
	sums, isOther := make([]float64, len(above.places)), make([]bool, len(above.places))
	for i := range nodes {
		if x := &nodes[i]; x.Parent >= 0 {
			at := above.of(x.Parent)
			sums[at] += x.Shares
			isOther[at] = isOther[at] || x.FromParent && !x.User || nodes[x.Parent].FromParent
		}
	}
	for i := range nodes {
		x, due := &nodes[i], list.notes[i].due
		if list.notes[i].number == 0 {
			return &CutError{problem: &file.Problem{Line: int(list.notes[i+1].number), Message: "the table begins with a user, as that of sshare -U does: sshare -a -l -P prints the whole tree"}, list: list}
		}
		if x.Parent < 0 || x.FromParent || due != due {
			continue
		}
		at := above.of(x.Parent)
		sum, whole := sums[at], 1.0
		if isOther[at] || sum == 0 {
			continue
		}
		if list.notes[0].due == 1 {
			whole = float64(list.notes[x.Parent].due)
		}
		const decimals = 1e-6
		if math.Abs(float64(due)*sum-x.Shares*whole) > decimals*(sum+x.Shares) {
			return &CutError{problem: &file.Problem{Line: int(list.notes[i].number), Message: fmt.Sprintf("NormShares of %s are %.6f, and by the RawShares of the rows beside it %.6f: some rows lack, as where sshare is asked without -a", x.Name, due, x.Shares*whole/sum)}, list: list}
		}
	}
	return nil
}
