package accounts

import (
	"fmt"
	"math"
	"slices"

	"fairshare/cmd/internal/file"
)

// CutError says that a table of sshare lacks rows of the tree, as one that is asked without -a does, and sshare -U. What it
// prints of the rows that are there is true all the same.
type CutError struct {
	Printed Factors // FairShare as sshare prints it, where that is read

	problem *file.Problem
	list    []line
}

// Error says which row tells it.
func (e *CutError) Error() string { return e.problem.Error() }

// Unwrap returns the same as a *file.Problem.
func (e *CutError) Unwrap() error { return e.problem }

// Targets returns what the user of an account and the accounts above have used beside their shares, as the table prints both,
// from the level below the root on.
func (e *CutError) Targets(account, user, partition string, decay Decay) (list []Target) {
	at := slices.IndexFunc(e.list, func(l line) bool {
		return l.User && l.Name == user && (l.Partition == "" || l.Partition == partition) && e.list[l.Parent].Name == account
	})
	for ; at >= 0; at = int(e.list[at].Parent) {
		l := e.list[at]
		if l.Parent >= 0 && !l.FromParent && l.due == l.due && l.used == l.used {
			list = append(list, NewTarget(l.Name, float64(l.used), 1, float64(l.due), decay))
		}
	}
	slices.Reverse(list)
	return list
}

// findCut returns a *CutError if a table lacks rows: the part of the shares of its level that it prints of a member (NormShares) is
// not what the rows that are there come to. Algorithms before Fair Tree print parts of all shares, of which the root has 1. Levels
// whose members compete in the one above are not looked at.
func findCut(list []line) error {
	sums, isOther := make([]float64, len(list)), make([]bool, len(list)) // by account
	for _, l := range list {
		if l.Parent >= 0 {
			sums[l.Parent] += l.Shares
			isOther[l.Parent] = isOther[l.Parent] || l.FromParent && !l.User || list[l.Parent].FromParent
		}
	}
	for i, l := range list {
		if l.number == 0 {
			return &CutError{problem: &file.Problem{Line: list[i+1].number, Message: "the table begins with a user, as that of sshare -U does: sshare -a -l -P prints the whole tree"}, list: list}
		}
		if l.Parent < 0 || l.FromParent || isOther[l.Parent] || l.due != l.due || sums[l.Parent] == 0 {
			continue
		}
		sum, whole := sums[l.Parent], 1.0
		if list[0].due == 1 {
			whole = float64(list[l.Parent].due)
		}
		const decimals = 1e-6
		if math.Abs(float64(l.due)*sum-l.Shares*whole) > decimals*(sum+l.Shares) {
			return &CutError{problem: &file.Problem{Line: l.number, Message: fmt.Sprintf("NormShares of %s are %.6f, and by the RawShares of the rows beside it %.6f: some rows lack, as where sshare is asked without -a", l.Name, l.due, l.Shares*whole/sum)}, list: list}
		}
	}
	return nil
}
