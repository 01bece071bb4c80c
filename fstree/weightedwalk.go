package fstree

import "math"

// flux-accounting's weighted walk (its flux-accounting guide, "fair share":
// flux-framework.readthedocs.io). Among the members of a bank
//
//	weight = (shares / siblings' shares) / (usage / siblings' usage)
//
// 0 where there are no shares, else 2^64, more than any ratio, where nothing
// was used. The tree is walked, the highest weight first, and fairshare is
// rank / number of users as in Fair Tree. Banks that tie are treated as one.
// A user who ties with a bank comes before its users. Weights within epsilon *
// max(1, the larger) of each other tie. The siblings' usage is added up in whole
// node-seconds: each sum loses its fraction.

// unused is the weight of those who have used nothing.
const unused = 1 << 64

// WeightedWalk computes flux-accounting's weighted walk. Level FS is the weight,
// which for those who have used nothing is infinite; norm shares and effective
// usage are parts of the level. flux knows no Fairshare=parent: such an
// association has 1 share, flux's default.
func WeightedWalk(a *Associations, o Options) *Standing {
	a = a.ownShares()
	s := newStanding(a.Len(), o)
	shares := a.sums(&s.shares, func(i int) float64 { return a.list[i].Shares })
	usage := a.wholeUsage(&s.usage)
	weights := room(&s.keys, a.Len())
	s.NormShares[0], s.EffectiveUsage[0] = 1, 1
	for i := 1; i < a.Len(); i++ {
		x := &a.list[i]
		at := a.competes[i]
		s.NormShares[i], s.EffectiveUsage[i] = 0, 0
		if x.Shares > 0 {
			s.NormShares[i] = x.Shares / shares[at]
		}
		if x.Usage > 0 {
			s.EffectiveUsage[i] = x.Usage / usage[at]
		}
		switch {
		case x.Shares == 0:
			weights[i], s.LevelFS[i] = longDoubleZero, 0
		case x.Usage == 0:
			weights[i], s.LevelFS[i] = toLongDouble(unused), math.Inf(1)
		default:
			s.LevelFS[i] = s.NormShares[i] / s.EffectiveUsage[i]
			weights[i] = toLongDouble(s.LevelFS[i])
		}
	}
	walk(a, s, walkRules{merge: true, tied: func(x, y int32) bool {
		return nearlySame(min(s.LevelFS[x], unused), min(s.LevelFS[y], unused))
	}})
	return s
}

// wholeUsage returns what the members of each bank have used, in whole node-seconds: flux adds it up in a number that
// drops the fraction of each sum.
func (a *Associations) wholeUsage(in *[]float64) []float64 {
	sums := room(in, len(a.list))
	for i := 1; i < len(a.list); i++ {
		at := a.competes[i]
		sums[at] = math.Trunc(sums[at] + a.list[i].Usage)
	}
	return sums
}

// nearlySame reports that two weights, x the larger, tie.
func nearlySame(x, y float64) bool {
	const epsilon = 0x1p-52
	return x-y <= epsilon*max(x, 1)
}

// ownShares returns the tree with 1 share for each association that has none of
// its own, for algorithms that know no Fairshare=parent.
func (a *Associations) ownShares() *Associations {
	has := false
	for i := range a.list {
		has = has || a.list[i].FromParent
	}
	if !has {
		return a
	}
	own := &Associations{list: append([]Association(nil), a.list...)}
	for i := range own.list {
		if own.list[i].FromParent {
			own.list[i].FromParent, own.list[i].Shares = false, 1
		}
	}
	own.link()
	return own
}
