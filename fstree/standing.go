package fstree

import (
	"cmp"
	"math"
	"slices"
)

// Standing is what an algorithm says of every association, by its place in the
// tree. NaN stands where the algorithm has no number, such as the fairshare of
// an account under Fair Tree.
type Standing struct {
	NormShares     []float64 // the part that is due, of the tree or of the level, as the algorithm has it
	EffectiveUsage []float64 // the part that was used, likewise
	Fairshare      []float64 // the factor that enters a priority, 1 is best
	LevelFS        []float64 // due / used within the level; +Inf for due but unused

	numbers []float64 // all of them
}

// newStanding returns a standing of so many associations without numbers, in the memory that options give where it has room.
func newStanding(n int, o Options) *Standing {
	var numbers []float64
	if o.Memory != nil && len(o.Memory.numbers) >= 4*n {
		numbers = o.Memory.numbers[:4*n]
	} else {
		numbers = make([]float64, 4*n)
	}
	for i := range numbers {
		numbers[i] = math.NaN()
	}
	return &Standing{numbers[:n:n], numbers[n : 2*n : 2*n], numbers[2*n : 3*n : 3*n], numbers[3*n:], numbers}
}

// Options are the settings that algorithms have.
type Options struct {
	// DampFactor is Slurm's FairShareDampeningFactor: classic and
	// depth-oblivious divide use by it. 0 means 1, Slurm's default.
	DampFactor float64

	// Memory is a standing that nobody needs any more, whose memory the new one takes; nil for none. Large trees take much.
	Memory *Standing
}

// An Algorithm judges a tree's users by what they have used of their shares.
type Algorithm struct {
	Name  string // as on a command line, such as "fair-tree"
	Title string
	// ByRank says that fairshare is a user's rank among all users, so that
	// only its order means something. Otherwise it is a function of use, 0.5
	// for those who are on target.
	ByRank  bool
	Compute func(*Associations, Options) *Standing
}

// Algorithms are all algorithms that there are.
var Algorithms = []Algorithm{
	{"pbs", "PBS: 2^-(tree usage/tree percentage)", false, PBS},
	{"classic", "Slurm's classic fairshare", false, Classic},
	{"depth-oblivious", "Slurm's depth-oblivious fairshare", false, DepthOblivious},
	{"fair-tree", "Fair Tree as Slurm documents it", true, FairTree},
	{"fair-tree-slurm", "Fair Tree as Slurm computes it", true, FairTreeSlurm},
	{"weighted-walk", "flux-accounting's weighted walk", true, WeightedWalk},
}

// FactorAt returns the place of the association whose fairshare factor counts for one: its own, but where its shares are those of
// its parent that of the account at which they count (as Slurm's _get_fairshare_priority), unless the algorithm ranks users.
func (a Algorithm) FactorAt(tree *Associations, i int) int {
	if a.ByRank || !tree.At(i).FromParent {
		return i
	}
	return tree.Competes(i)
}

// AlgorithmNamed returns the algorithm of a name. ok is false if there is none.
func AlgorithmNamed(name string) (a Algorithm, ok bool) {
	i := slices.IndexFunc(Algorithms, func(a Algorithm) bool { return a.Name == name })
	if i < 0 {
		return Algorithm{}, false
	}
	return Algorithms[i], true
}

// Ranks returns the users' ranks from 1, the highest fairshare first; equal ones
// share a rank. The rank of an account is 0.
func (s *Standing) Ranks(a *Associations) []int32 {
	if ranks := s.countedRanks(a); ranks != nil {
		return ranks
	}
	return s.sortedRanks(a)
}

// countedRanks returns what Ranks does without sorting where the fairshare of each user is a whole number of so many parts as there
// are users, as where an algorithm ranks them; nil for others.
func (s *Standing) countedRanks(a *Associations) []int32 {
	parts := float64(a.users)
	better := make([]int32, a.users+1) // by the parts, how many users have as many; then how many have more
	for i := range a.list {
		if !a.list[i].User {
			continue
		}
		of := math.Round(s.Fairshare[i] * parts)
		if !(of >= 0 && of <= parts && of/parts == s.Fairshare[i]) {
			return nil
		}
		better[int(of)]++
	}
	more := int32(0)
	for of := a.users; of >= 0; of-- {
		better[of], more = more, more+better[of]
	}
	ranks := make([]int32, len(a.list))
	for i := range a.list {
		if a.list[i].User {
			ranks[i] = 1 + better[int(math.Round(s.Fairshare[i]*parts))]
		}
	}
	return ranks
}

// sortedRanks returns what Ranks does, whatever the fairshare is.
func (s *Standing) sortedRanks(a *Associations) []int32 {
	users := make([]rankKey, 0, a.users)
	for i := range a.list {
		if a.list[i].User {
			users = append(users, rankKey{descending(s.Fairshare[i]), int32(i)})
		}
	}
	users = sortByKey(users)
	ranks := make([]int32, len(a.list))
	for i, u := range users {
		ranks[u.at] = int32(i + 1)
		if i > 0 && s.Fairshare[users[i-1].at] == s.Fairshare[u.at] {
			ranks[u.at] = ranks[users[i-1].at]
		}
	}
	return ranks
}

// rankKey is a user with a key by which users are sorted.
type rankKey struct {
	key uint64
	at  int32
}

// descending returns a key that is the smaller the greater a number is: the same for 0 and -0, and the greatest for NaN.
func descending(x float64) uint64 {
	const sign = 1 << 63
	bits := math.Float64bits(x + 0) // -0 + 0 is 0
	switch {
	case x != x:
		return math.MaxUint64
	case bits&sign != 0:
		return bits
	}
	return ^bits &^ sign
}

// sortByKey sorts users by their keys, equal ones in any order: by the first bits of these in as many passes as they have digits,
// and by comparing those few that differ in the other bits alone. Trees of a million users take a sixth of what comparing all takes.
// Its memory is that of the users twice.
func sortByKey(users []rankKey) []rankKey {
	const digit, passes, others = 11, 3, 64 - 33 // bits
	if len(users) == 0 {
		return users
	}
	var digits [passes][1 << digit]int32 // how many users have each
	for _, u := range users {
		for pass := range passes {
			digits[pass][u.key>>(others+pass*digit)%(1<<digit)]++
		}
	}
	other := make([]rankKey, len(users))
	for pass := range passes {
		next := &digits[pass]
		if isSame := int(next[users[0].key>>(others+pass*digit)%(1<<digit)]) == len(users); isSame {
			continue
		}
		place := int32(0)
		for d, n := range next { // by digit, the place of the next user who has it
			next[d], place = place, place+n
		}
		for _, u := range users {
			d := u.key >> (others + pass*digit) % (1 << digit)
			other[next[d]] = u
			next[d]++
		}
		users, other = other, users
	}
	for from := 0; from < len(users); {
		first, to, isSame := users[from].key, from+1, true
		for to < len(users) && users[to].key>>others == first>>others {
			isSame = isSame && users[to].key == first
			to++
		}
		if !isSame {
			slices.SortFunc(users[from:to], func(a, b rankKey) int { return cmp.Compare(a.key, b.key) })
		}
		from = to
	}
	return users
}
