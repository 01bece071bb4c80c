package accounts

import (
	"fmt"
	"iter"
	"math"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/fstree"
)

// Factor is the fairshare factor of a user in an account, as sshare prints it.
type Factor struct {
	Account, User string
	Printed       float64
	Effective     float64 // its EffectvUsage, NaN where nothing tells it
}

// Factors are those of a site, in the order of the rows of sshare. They are made when they are asked for.
type Factors struct {
	Len int

	tables []iter.Seq[Factor]
}

// Add adds those of a table.
func (f *Factors) Add(n int, table iter.Seq[Factor]) {
	f.Len, f.tables = f.Len+n, append(f.tables, table)
}

// All yields all of them.
func (f Factors) All(yield func(Factor) bool) {
	for _, table := range f.tables {
		for x := range table {
			if !yield(x) {
				return
			}
		}
	}
}

// ByName returns the factors by account and user: of several rows with the same names that of the last one.
func (f Factors) ByName() map[[2]string]float64 {
	of := make(map[[2]string]float64, f.Len)
	for x := range f.All {
		of[[2]string{x.Account, x.User}] = x.Printed
	}
	return of
}

// Own is how a site computes its fairshare factors; none where nothing tells it.
type Own struct {
	Algorithm string
	Damping   float64 // its FairShareDampeningFactor
}

// Fit returns which algorithm of Slurm, and which FairShareDampeningFactor of those that have one, make the fairshare factors
// that sshare prints of a tree, and says so; none and nothing where those of fewer than two users are known, or of a tree for
// which it would take long.
func Fit(tree *fstree.Associations, factors Factors) (own Own, remarks []diag.Remark) {
	const mostDamping, largest, close = 10, 100_000, 1e-4
	if tree == nil || tree.Len() > largest {
		return Own{}, nil
	}
	printed := byPlace(tree, factors.ByName())
	best, of := math.Inf(1), ""
	var nearest *fstree.Standing
	for _, name := range []string{"fair-tree-slurm", "classic", "depth-oblivious"} {
		a, _ := fstree.AlgorithmNamed(name)
		for damping := 1; damping <= mostDamping && (damping == 1 || !a.ByRank); damping++ {
			standing := a.Compute(tree, fstree.Options{DampFactor: float64(damping)})
			off := offBy(func(i int) float64 { return standing.Fairshare[a.FactorAt(tree, i)] }, printed, best)
			if off >= best {
				continue
			}
			own, nearest = Own{name, float64(damping)}, standing
			if best, of = off, a.Title; !a.ByRank {
				of += " with FairShareDampeningFactor " + report.Plain(float64(damping))
			}
		}
	}
	switch {
	case len(printed) < 2:
		return Own{}, nil
	case best <= close:
		return own, []diag.Remark{diag.Generalf("the column FairShare of sshare is what this comes to: %s (%d users, none off by more than %s)%s", of, len(printed), report.Significant(best, 2), sayEffective(tree, nearest, factors))}
	}
	return Own{}, []diag.Remark{diag.Notef("no algorithm makes the column FairShare of sshare of this usage; nearest is %s, off by up to %s", of, report.Significant(best, 2))}
}

// sayEffective says by how much EffectvUsage, from which LevelFS follows, is off at most; "" where it is not printed.
func sayEffective(tree *fstree.Associations, standing *fstree.Standing, factors Factors) string {
	printed := map[[2]string]float64{}
	for f := range factors.All {
		if f.Effective == f.Effective {
			printed[[2]string{f.Account, f.User}] = f.Effective
		}
	}
	effective := byPlace(tree, printed)
	if len(effective) == 0 {
		return ""
	}
	off := offBy(func(i int) float64 { return standing.EffectiveUsage[i] }, effective, math.Inf(1))
	return fmt.Sprintf("; EffectvUsage, from which LevelFS follows, is off by %s at most", report.Significant(off, 2))
}

// placed is what is printed of the user at a place in the tree.
type placed struct {
	at      int
	printed float64
}

// byPlace returns what is printed of users by account and name as what is printed of those of a tree.
func byPlace(tree *fstree.Associations, printed map[[2]string]float64) (list []placed) {
	for i := range tree.Len() {
		x := tree.At(i)
		if !x.User || x.Partition != "" {
			continue
		}
		if want, ok := printed[[2]string{tree.At(int(x.Parent)).Name, x.Name}]; ok {
			list = append(list, placed{i, want})
		}
	}
	return list
}

// offBy returns by how much a figure of users is off at most from what is printed of them, or something from enough on that one
// is off by.
func offBy(figure func(i int) float64, printed []placed, enough float64) (off float64) {
	for _, p := range printed {
		if off = max(off, math.Abs(figure(p.at)-p.printed)); off >= enough {
			break
		}
	}
	return off
}
