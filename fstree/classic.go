package fstree

import "math"

// Slurm's classic fairshare (priority/multifactor with NO_FAIR_TREE in
// PriorityFlags), published as "Classic Fairshare Algorithm", slurm.schedmd.com/
// classic_fair_share.html.
//
//	norm shares  S = shares / shares at the level * the account's S
//	usage        u = raw usage / the root's
//	effective    U = u + (the account's U - u) * shares / shares at the level
//	fairshare    F = 2^-(U/S/d), d the damping factor
//
// Below the root U is u. What has no shares of its own (Fairshare=parent) has
// its account's S and U; where nobody at a level has shares, all have the
// account's U. F is 0 where S is 0.

// Classic computes Slurm's classic fairshare, for accounts as well as users. Norm
// shares and effective usage are parts of the whole tree; there is no level
// FS, which Slurm then reports as 0.
func Classic(a *Associations, o Options) *Standing {
	s, level := a.wholeTree(o)
	for i := 1; i < a.Len(); i++ {
		x := &a.list[i]
		at := a.competes[i]
		s.EffectiveUsage[i] = a.usedOfAll(i)
		switch {
		case at == 0:
		case x.FromParent || level[at] == 0:
			s.EffectiveUsage[i] = s.EffectiveUsage[at]
		default:
			gap := s.EffectiveUsage[at] - s.EffectiveUsage[i]
			s.EffectiveUsage[i] += float64(gap * (x.Shares / level[at]))
		}
	}
	s.halve(o)
	return s
}

// wholeTree begins a standing in which norm shares are parts of the tree, and
// returns the shares at each level as well.
func (a *Associations) wholeTree(o Options) (*Standing, []float64) {
	s := newStanding(a.Len(), o)
	level := a.levelShares(&s.shares)
	s.NormShares[0], s.EffectiveUsage[0] = 1, 1
	for i := 1; i < a.Len(); i++ {
		x := &a.list[i]
		at := a.competes[i]
		switch {
		case x.FromParent:
			s.NormShares[i] = s.NormShares[at]
			continue
		case level[at] == 0:
			s.NormShares[i] = 0
		default:
			s.NormShares[i] = x.Shares / level[at] * s.NormShares[at]
		}
		s.LevelFS[i] = 0
	}
	s.LevelFS[0] = 0
	return s, level
}

// usedOfAll is an association's part of all usage, at most 1: Slurm's norm
// usage.
func (a *Associations) usedOfAll(i int) float64 {
	if a.list[0].Usage == 0 {
		return 0
	}
	return min(1, a.list[i].Usage/a.list[0].Usage)
}

// halve sets fairshare to 2^-(effective usage / norm shares / damping factor).
func (s *Standing) halve(o Options) {
	damp := o.DampFactor
	if damp == 0 {
		damp = 1
	}
	for i, share := range s.NormShares {
		if share == 0 {
			s.Fairshare[i] = 0
		} else {
			s.Fairshare[i] = math.Exp2(-(s.EffectiveUsage[i] / share / damp))
		}
	}
}
