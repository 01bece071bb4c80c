package accounts

import (
	"math"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/fstree"
)

// Fit says which algorithm of Slurm, and which FairShareDampeningFactor of those that have one, make the fairshare factors
// that sshare prints of a tree, by account and user; nothing where those of fewer than two users are known, or of a tree for
// which it would take long.
func Fit(tree *fstree.Associations, printed map[[2]string]float64) []diag.Remark {
	const mostDamping, largest, close = 10, 100_000, 1e-4
	if tree == nil || tree.Len() > largest {
		return nil
	}
	best, of, users := math.Inf(1), "", 0
	for _, name := range []string{"fair-tree-slurm", "classic", "depth-oblivious"} {
		a, _ := fstree.AlgorithmNamed(name)
		for damping := 1; damping <= mostDamping && (damping == 1 || !a.ByRank); damping++ {
			off, n := offBy(tree, a, float64(damping), printed)
			if users = n; off >= best {
				continue
			}
			if best, of = off, a.Title; !a.ByRank {
				of += " with FairShareDampeningFactor " + report.Plain(float64(damping))
			}
		}
	}
	switch {
	case users < 2:
		return nil
	case best <= close:
		return []diag.Remark{diag.Notef("the column FairShare of sshare is what this comes to: %s (%d users, none off by more than %s)", of, users, report.Significant(best, 2))}
	}
	return []diag.Remark{diag.Notef("no algorithm makes the column FairShare of sshare of this usage; nearest is %s, off by up to %s", of, report.Significant(best, 2))}
}

// offBy returns by how much the factors of an algorithm are off at most, and of how many users some are printed.
func offBy(tree *fstree.Associations, a fstree.Algorithm, damping float64, printed map[[2]string]float64) (off float64, users int) {
	standing := a.Compute(tree, fstree.Options{DampFactor: damping})
	for i := range tree.Len() {
		x := tree.At(i)
		if !x.User || x.Partition != "" {
			continue
		}
		want, ok := printed[[2]string{tree.At(int(x.Parent)).Name, x.Name}]
		if !ok {
			continue
		}
		off, users = max(off, math.Abs(standing.Fairshare[a.FactorAt(tree, i)]-want)), users+1
	}
	return off, users
}
