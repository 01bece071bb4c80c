package fstree

import "math"

// Slurm's depth-oblivious fairshare (PriorityFlags=DEPTH_OBLIVIOUS), published
// as "Depth-Oblivious Fair-share Factor", slurm.schedmd.com/
// priority_multifactor3.html. As classic, but for effective usage below the
// root's members, so that a deep account is judged as a shallow one is:
//
//	rp  the account's effective usage / norm shares
//	rs  the usage at the level / the account's norm shares
//	rl  (u / norm shares) / rs
//	k   1 where ln rp * ln rl >= 0, else 1/(1 + (5 ln rp)^2)
//	U   rp * rl^k * norm shares
//
// Where a norm share, the account's effective usage or u is 0, U is u. This is
// the steady state; Slurm gets there over several periods.

// DepthOblivious computes Slurm's depth-oblivious fairshare. The numbers are as
// those of Classic.
func DepthOblivious(a *Associations, o Options) *Standing {
	s, _ := a.wholeTree(o)
	used := a.sums(&s.usage, a.usedOfAll)
	for i := 1; i < a.Len(); i++ {
		at := a.competes[i]
		u := a.usedOfAll(i)
		switch {
		case at == 0:
			s.EffectiveUsage[i] = u
		case a.list[i].FromParent:
			s.EffectiveUsage[i] = s.EffectiveUsage[at]
		default:
			s.EffectiveUsage[i] = depthOblivious(u, s.NormShares[i], s.EffectiveUsage[at], s.NormShares[at], used[at])
		}
	}
	s.halve(o)
	return s
}

// depthOblivious returns an association's effective usage: u of all usage against
// its norm shares, in an account with those numbers whose members have used
// levelUsed together.
func depthOblivious(u, share, accountUsed, accountShare, levelUsed float64) float64 {
	const strength = 5 // how strongly an account on target shields its members
	if share == 0 || accountShare == 0 || accountUsed == 0 || u == 0 {
		return u
	}
	rp := accountUsed / accountShare
	rs := levelUsed / accountShare
	rl := u / share / rs
	k := 1.0
	if rp < 1 && rl > 1 || rp > 1 && rl < 1 { // Slurm asks whether log(rp) * log(rl) is below 0, which is the same
		x := strength * math.Log(rp)
		k = 1 / (1 + float64(x*x))
	}
	return rp * math.Pow(rl, k) * share
}
