package fstree

import "math"

// Fair Tree (Slurm's default), published as "Fair Tree Fairshare Algorithm",
// slurm.schedmd.com/fair_tree.html, by Ryan Cox and Levi Morrison. Among the
// members of an account
//
//	S = shares / shares at the level
//	U = raw usage / the account's raw usage
//	level FS = S/U, 0 where S is 0, else infinite where U is 0
//
// and the tree is walked, the highest level FS first. A user gets as rank the
// number of users not ranked yet, one that ties the rank of the sibling before;
// fairshare is rank / number of users. Fairshare=parent puts a user at the top
// of its level (infinite), and an account's members among its siblings.
//
// As documented, accounts that tie are treated as one, and a user who ties
// with an account has the rank of its best user. Slurm 22.05 walks tied
// accounts one after the other, in the order in which it keeps them; the
// first of the later ones is tied with the user ranked last. An account
// without users, or whose members compete above, stays among its siblings
// (the latter as infinite): where it comes first, it uses up the tie.
//
// Slurm has S as a double, usage, U and level FS as long doubles, compared
// exactly.

// FairTree computes Fair Tree as documented. Norm shares, effective usage and level
// FS are those of the level. Accounts have no fairshare, those without shares
// of their own no level FS.
func FairTree(a *Associations, o Options) *Standing { return a.fairTree(true, o) }

// FairTreeSlurm computes Fair Tree as Slurm computes it, with tied accounts
// in the order of the list.
func FairTreeSlurm(a *Associations, o Options) *Standing { return a.fairTree(false, o) }

func (a *Associations) fairTree(merge bool, o Options) *Standing {
	s := o.Memory
	if s == nil || s.levelsOf != a || s.changed != a.changed {
		s = a.levels(o)
	}
	walk(a, s, walkRules{merge: merge, inherit: true, empty: !merge})
	return s
}

// levels begins a standing under Fair Tree with what does not depend on how it is walked: all but the fairshare. A standing of the same tree
// that nobody needs any more keeps what is due to each, since only usage changes.
func (a *Associations) levels(o Options) *Standing {
	s := o.Memory
	if s == nil || s.levelsOf != a {
		s = newStanding(a.Len(), o)
		s.levelsOf = a
		a.normShares(s)
	}
	s.changed = a.changed
	keys := room(&s.keys, a.Len())
	s.EffectiveUsage[0] = 1
	account, whole := int32(-1), longDouble{} // the last one, and its usage
	for i := 1; i < a.Len(); i++ {
		x := &a.list[i]
		at := a.competes[i]
		all := a.list[at].Usage
		s.EffectiveUsage[i] = 0
		if all > 0 {
			s.EffectiveUsage[i] = x.Usage / all
		}
		switch {
		case x.FromParent:
			keys[i] = longDoubleInf
		case s.NormShares[i] == 0:
			keys[i], s.LevelFS[i] = longDoubleZero, 0
		case x.Usage == 0 || all == 0:
			keys[i], s.LevelFS[i] = longDoubleInf, math.Inf(1)
		default:
			if at != account {
				account, whole = at, a.usage(at)
			}
			keys[i] = toLongDouble(s.NormShares[i]).quo(a.usage(int32(i)).quo(whole))
			s.LevelFS[i] = s.NormShares[i] / s.EffectiveUsage[i]
		}
	}
	s.best = a.bestFirst(keys, &s.spare)
	return s
}

// normShares finds what part of its level is due to each association.
func (a *Associations) normShares(s *Standing) {
	level := a.levelShares(&s.shares)
	s.NormShares[0] = 0
	for i := 1; i < a.Len(); i++ {
		at := a.competes[i]
		switch {
		case a.list[i].FromParent:
			s.NormShares[i] = s.NormShares[at]
		case level[at] > 0:
			s.NormShares[i] = a.list[i].Shares / level[at]
		default:
			s.NormShares[i] = 0
		}
	}
}
