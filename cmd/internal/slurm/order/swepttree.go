package order

import (
	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/fstree"
)

// Cut returns what sshare prints of a tree that is not whole, nil where there is a whole one or none.
func (s *Site) Cut() error {
	if s.cut == nil {
		return nil
	}
	return s.cut
}

// takeTree takes the tree of which the priorities are, that of the last sweep, and says so if the usage of now leads to other
// factors.
func (s *Site) takeTree(shares dump.Shares) {
	s.Tree, s.newest = shares.Swept, shares.Tree
	if s.Tree == nil {
		s.cut = shares.Cut
	}
	s.newer = shares.SayNewer()
	if shares.Newer == 0 || s.Conf.Weights.Fairshare == 0 {
		return
	}
	factors := func(tree *fstree.Associations) []float64 {
		return s.Conf.Algorithm().Compute(tree, fstree.Options{DampFactor: s.Conf.DampFactor}).Fairshare
	}
	now, swept, other := factors(shares.Tree), factors(shares.Swept), 0
	for i := range now {
		const decimals = 1e-6 // of a factor that moves no priority
		if d := now[i] - swept[i]; shares.Tree.At(i).User && (d > decimals || d < -decimals) {
			other++
		}
	}
	if other > 0 {
		s.newer = nil // it is said with what follows from it
		s.say(diag.Notef("the usage of %s in sshare is newer than the priorities: the factors of %s were others at the last computation of priorities (PriorityCalcPeriod), and these are taken", report.Count(shares.Newer, "user"), report.Count(other, "user")))
	}
}

// Newer says of which moment the usage is that stands beside shares and factors, where sshare has a newer one and that is not
// said already.
func (s *Site) Newer() []diag.Remark { return s.newer }
