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

	walked // of an algorithm that ranks users

	spare
}

// spare is memory that the next standing uses again.
type spare struct {
	numbers       []float64 // those of a standing
	keys          []longDouble
	sorted        [2][]uint64 // what sorts ranks, and rivals of a level
	ranks, better []int32
	shares, usage []float64   // sums by account
	order         []int32     // of the rivals of each account
	rivals        []rival     // of a walk
	stack         []walkLevel // of a walk
}

// room returns n zeros in the memory of a list that nobody needs any more, where it has so much.
func room[T any](of *[]T, n int) []T {
	if cap(*of) < n {
		*of = make([]T, n)
	} else {
		*of = (*of)[:n]
		clear(*of)
	}
	return *of
}

// newStanding returns a standing of so many associations without numbers, in the memory that options give where it has room.
func newStanding(n int, o Options) *Standing {
	s := &Standing{}
	if o.Memory != nil {
		s.spare = o.Memory.spare
	}
	numbers := room(&s.numbers, 4*n)
	for i := range numbers {
		numbers[i] = math.NaN()
	}
	s.NormShares, s.EffectiveUsage, s.Fairshare, s.LevelFS = numbers[:n:n], numbers[n:2*n:2*n], numbers[2*n:3*n:3*n], numbers[3*n:]
	return s
}

// Options are the settings that algorithms have.
type Options struct {
	// DampFactor is Slurm's FairShareDampeningFactor: classic and
	// depth-oblivious divide use by it. 0 means 1, Slurm's default.
	DampFactor float64

	// Memory is a standing that nobody needs any more, whose memory the new one takes; nil for none. Large trees take much. Of both ways
	// to walk Fair Tree, the second one takes over what both of them say of the levels.
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
// share a rank. The rank of an account is 0. They stand in memory that a standing which takes this one's uses again, and so does Ranks itself.
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
	better := room(&s.better, a.users+1) // by the parts, how many users have as many; then how many have more
	for i := range a.list {
		if !a.list[i].User {
			continue
		}
		x := s.Fairshare[i]*parts + .5
		if !(x >= .5 && x < parts+1 && float64(int(x))/parts == s.Fairshare[i]) {
			return nil
		}
		better[int(x)]++
	}
	more := int32(0)
	for of := a.users; of >= 0; of-- {
		better[of], more = more, more+better[of]
	}
	ranks := room(&s.ranks, len(a.list))
	for i := range a.list {
		if a.list[i].User {
			ranks[i] = 1 + better[int(s.Fairshare[i]*parts+.5)]
		}
	}
	return ranks
}

// sortedRanks returns what Ranks does, whatever the fairshare is.
func (s *Standing) sortedRanks(a *Associations) []int32 {
	keys, other := room(&s.sorted[0], a.users)[:0], room(&s.sorted[1], a.users)
	// Of each user, the first bits of a key and, behind them, the place in the tree.
	for i := range a.list {
		if a.list[i].User {
			keys = append(keys, descending(s.Fairshare[i])&^placeMask|uint64(i))
		}
	}
	keys = sortByFirst(keys, other)
	ranks := room(&s.ranks, len(a.list))
	for from := 0; from < len(keys); {
		to := from + 1
		for to < len(keys) && keys[to]^keys[from] <= placeMask {
			to++
		}
		same := keys[from:to]
		if len(same) > 1 { // those few whose keys differ in the other bits alone, or not at all
			slices.SortFunc(same, func(x, y uint64) int {
				return cmp.Compare(descending(s.Fairshare[x&placeMask]), descending(s.Fairshare[y&placeMask]))
			})
		}
		for i, key := range same {
			at := key & placeMask
			ranks[at] = int32(from + i + 1)
			if i > 0 && s.Fairshare[same[i-1]&placeMask] == s.Fairshare[at] {
				ranks[at] = ranks[same[i-1]&placeMask]
			}
		}
		from = to
	}
	return ranks
}

// placeMask is the bits of a place in a tree.
const placeMask = math.MaxInt32

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

// sortByFirst sorts keys by their first bits, those before the place, in as many passes as these have digits. Trees of a million users
// take a sixth of what comparing all takes. The keys stand where they stood or in place of as many others.
func sortByFirst(keys, other []uint64) []uint64 {
	const digit, passes, places = 11, 3, 31 // bits
	if len(keys) == 0 {
		return keys
	}
	var digits [passes][1 << digit]int32 // how many keys have each
	for _, key := range keys {
		for pass := range passes {
			digits[pass][key>>(places+pass*digit)%(1<<digit)]++
		}
	}
	for pass := range passes {
		next := &digits[pass]
		if isSame := int(next[keys[0]>>(places+pass*digit)%(1<<digit)]) == len(keys); isSame {
			continue
		}
		place := int32(0)
		for d, n := range next { // by digit, the place of the next key that has it
			next[d], place = place, place+n
		}
		for _, key := range keys {
			d := key >> (places + pass*digit) % (1 << digit)
			other[next[d]] = key
			next[d]++
		}
		keys, other = other, keys
	}
	return keys
}
