package fstree

import (
	"fmt"
	"math"
	"slices"
)

// Association is a bank account or a user in one, as Slurm and flux know them;
// of a PBS tree it is a resgroup or an entity.
type Association struct {
	Parent     int32 // the place of its account in the list, -1 for the root
	User       bool  // a user, who has nothing below; else an account
	FromParent bool  // Slurm's Fairshare=parent: no shares of its own
	Name       string
	Partition  string  // of a user, where it is of their jobs in one of Slurm's partitions alone
	Shares     float64 // raw shares, 0 or more
	Usage      float64 // raw usage, 0 or more; an account's with all below it
}

// Associations is a tree that every algorithm works on. Its nodes keep their
// places in the list that it was made from; the root is 0.
type Associations struct {
	list  []Association
	users int
	from  *Tree // a copy of the PBS tree that it was made from, or nil

	// competes is where an association's shares count: its nearest ancestor
	// that has shares of its own, or the root (Slurm's fs_assoc_ptr).
	competes []int32
	// rivals are the associations that compete at each account, its own order
	// kept: rivals[first[a]:first[a+1]]. An account without shares of its own
	// stands beside its members there.
	rivals []int32
	first  []int32
	below  []int32 // how many users compete at an account and below

	// longUsage are the sums of accounts whose members' usage a double cannot
	// sum exactly, as Slurm has them, by place in the list; zero for others,
	// nil where there is none.
	longUsage []longDouble
	sumMemory sumMemory // of Refresh

	changed int // how often usages were taken over since it was made
}

// sumMemory is memory that sums of usage use again, by account.
type sumMemory struct {
	sums      []float64
	isInexact []bool
	exact     []longDouble
}

// An AssociationError says which association of a list is wrong, and why.
type AssociationError struct {
	Index   int
	Message string
}

func (e *AssociationError) Error() string { return e.Message }

// NewAssociations makes a tree of a list whose first member is the root and in
// which accounts come before their members. Its errors are *AssociationError.
func NewAssociations(list []Association) (*Associations, error) {
	if len(list) == 0 {
		return nil, &AssociationError{0, "there is no association, and not even a root"}
	}
	if len(list) > math.MaxInt32 {
		return nil, &AssociationError{0, "more than 2147483647 associations"}
	}
	for i := range list {
		if err := list[i].check(list, i); err != "" {
			return nil, &AssociationError{i, err}
		}
	}
	a := &Associations{list: list}
	a.link()
	return a, nil
}

// Refresh takes over what has changed of the usages, and of nothing else, in the list that a tree was made
// from. Its error is an *AssociationError if one of them is no usage any more.
func (a *Associations) Refresh() error {
	for i := range a.list {
		if err := a.list[i].check(a.list, i); err != "" {
			return &AssociationError{i, err}
		}
	}
	a.changed++
	a.sumUsage(&a.sumMemory)
	return nil
}

// check returns what is wrong with the i-th association, "" if nothing is.
func (x *Association) check(list []Association, i int) string {
	if i == 0 {
		if x.Parent != -1 || x.User {
			return "the first association is the root, an account without a parent"
		}
	} else if x.Parent < 0 || int(x.Parent) >= i {
		return "an account comes before its members"
	} else if list[x.Parent].User {
		return fmt.Sprintf("%q is a user, who has no members", list[x.Parent].Name)
	}
	// Written so that NaN fails.
	if !(x.Shares >= 0 && x.Shares <= math.MaxFloat64) {
		return fmt.Sprintf("%v are no shares: a finite number of 0 or more is needed", x.Shares)
	}
	if !(x.Usage >= 0 && x.Usage <= math.MaxFloat64) {
		return fmt.Sprintf("%v is not a usage: a finite number of 0 or more is needed", x.Usage)
	}
	return ""
}

// link derives who competes with whom.
func (a *Associations) link() {
	n := len(a.list)
	a.competes = make([]int32, n)
	a.competes[0] = -1
	a.first = make([]int32, n+1)
	for i := 1; i < n; i++ {
		x := &a.list[i]
		if x.User {
			a.users++
		}
		at := x.Parent
		if a.list[at].FromParent && at != 0 {
			at = a.competes[at]
		}
		a.competes[i] = at
		a.first[at+1]++
	}
	a.below = make([]int32, n)
	for i := n - 1; i > 0; i-- {
		if a.list[i].User {
			a.below[i] = 1
		}
		a.below[a.competes[i]] += a.below[i]
	}
	for i := range n {
		a.first[i+1] += a.first[i]
	}
	a.rivals = make([]int32, a.first[n])
	for i := range a.Preorder {
		if i != 0 {
			next := &a.first[a.competes[i]]
			a.rivals[*next] = i
			*next++
		}
	}
	copy(a.first[1:], a.first[:n]) // each is where the next one begins by now
	a.first[0] = 0
	a.sumUsage(&sumMemory{})
}

// sumUsage finds the accounts whose usage is the sum of their members' and no
// double. Slurm adds up in long doubles, so that .3 and .7 are not 1.
func (a *Associations) sumUsage(memory *sumMemory) {
	a.longUsage = nil
	if !a.isWhole() {
		a.sumExactly(memory)
	}
}

// sumExactly does what sumUsage does, whatever the usages are.
func (a *Associations) sumExactly(memory *sumMemory) {
	sums, isInexact := room(&memory.sums, len(a.list)), room(&memory.isInexact, len(a.list))
	for i := 1; i < len(a.list); i++ {
		at, usage := a.list[i].Parent, a.list[i].Usage
		sum := sums[at] + usage
		kept := sum - sums[at] // Knuth's exact difference
		isInexact[at] = isInexact[at] || (sums[at]-(sum-kept))+(usage-kept) != 0
		sums[at] = sum
	}
	if !slices.Contains(isInexact, true) {
		return
	}
	exact := room(&memory.exact, len(a.list))
	for i := 1; i < len(a.list); i++ {
		if at := a.list[i].Parent; isInexact[at] {
			exact[at] = exact[at].add(toLongDouble(a.list[i].Usage))
		}
	}
	for at, sum := range exact {
		if sum == (longDouble{}) {
			continue
		}
		if f := sum.float64(); math.Abs(f-a.list[at].Usage) <= 1e-12*f {
			a.longUsage = exact
		} else {
			exact[at] = longDouble{}
		}
	}
}

// isWhole reports whether all usages are whole numbers of which each sum is a double.
func (a *Associations) isWhole() bool {
	const most = 1 << 53
	all := 0.0
	for i := range a.list {
		usage := a.list[i].Usage
		if all += usage; usage != math.Trunc(usage) {
			return false
		}
	}
	return all <= most
}

// usage returns an association's raw usage as Slurm keeps it.
func (a *Associations) usage(i int32) longDouble {
	if a.longUsage != nil && a.longUsage[i] != (longDouble{}) {
		return a.longUsage[i]
	}
	return toLongDouble(a.list[i].Usage)
}

// Preorder yields the associations, each before what is below it and siblings
// in the list's order.
func (a *Associations) Preorder(yield func(at int32) bool) {
	n := len(a.list)
	if a.isPreorder() {
		for i := range n {
			if !yield(int32(i)) {
				return
			}
		}
		return
	}
	a.linkedOrder(yield)
}

// linkedOrder yields what Preorder does, whatever the order of the list is.
func (a *Associations) linkedOrder(yield func(at int32) bool) {
	n := len(a.list)
	// Members by account, linked in the list's order.
	child, sibling := make([]int32, n), make([]int32, n)
	for i := range n {
		child[i], sibling[i] = -1, -1
	}
	for i := n - 1; i > 0; i-- {
		p := a.list[i].Parent
		sibling[i], child[p] = child[p], int32(i)
	}
	for i := int32(0); yield(i); {
		switch {
		case child[i] >= 0:
			i = child[i]
		default:
			for sibling[i] < 0 {
				if i = a.list[i].Parent; i <= 0 {
					return
				}
			}
			i = sibling[i]
		}
	}
}

// isPreorder reports whether the list itself has each association before what is below it, and that before others, as sshare prints it.
func (a *Associations) isPreorder() bool {
	for i := 1; i < len(a.list); i++ {
		at := int32(i - 1)
		for at >= 0 && at != a.list[i].Parent {
			at = a.list[at].Parent
		}
		if at < 0 {
			return false
		}
	}
	return true
}

// Len returns the number of associations, the root included.
func (a *Associations) Len() int { return len(a.list) }

// At returns the association at a place in the list.
func (a *Associations) At(i int) Association { return a.list[i] }

// Counted returns the usage of a member as the scheduler of the tree counts it, which begins with 1 at PBS, where
// Association.Usage leaves that out.
func (a *Associations) Counted(i int) float64 {
	if a.from != nil {
		return a.from.usage[i]
	}
	return a.list[i].Usage
}

// Users returns the number of users.
func (a *Associations) Users() int { return a.users }

// Competes returns the place of the account at which an association's shares
// count:
// its nearest ancestor with shares of its own, or the root.
func (a *Associations) Competes(i int) int { return int(a.competes[i]) }

// rivalsAt returns the associations that compete at an account.
func (a *Associations) rivalsAt(account int32) []int32 {
	return a.rivals[a.first[account]:a.first[account+1]]
}

// LevelShares returns the sum of the shares that compete at each account, by its
// place in the list, in the 32 bits that Slurm has for them.
func (a *Associations) LevelShares() []float64 {
	var sums []float64
	return a.levelShares(&sums)
}

// levelShares returns what LevelShares does, in the memory of other sums.
func (a *Associations) levelShares(in *[]float64) []float64 {
	sums := a.sums(in, func(i int) float64 { return a.list[i].Shares })
	for i, s := range sums {
		if s >= 1<<32 {
			sums[i] = math.Mod(s, 1<<32)
		}
	}
	return sums
}

// sums adds up a number of those that compete with shares of their own, by
// the account at which they do, in the memory of other sums.
func (a *Associations) sums(in *[]float64, of func(i int) float64) []float64 {
	sums := room(in, len(a.list))
	for i := 1; i < len(a.list); i++ {
		if !a.list[i].FromParent {
			sums[a.competes[i]] += of(i)
		}
	}
	return sums
}

// Associations returns the entities and resgroups of a PBS tree by their IDs,
// for the other algorithms. An entity that PBS counts from 1 has used nothing;
// a group's total leaves out the 1 that PBS starts it with.
func (t *Tree) Associations() *Associations {
	t.init()
	list := make([]Association, t.Len())
	for i := range list {
		id := ID(i)
		x := Association{
			Parent: int32(t.parent[id]),
			Name:   t.name[id],
			User:   !t.IsGroup(id) && id > Unknown,
			Shares: max(0, float64(t.shares[id])),
			Usage:  t.usage[id],
		}
		if !x.User || x.Usage == StartUsage {
			x.Usage = max(0, x.Usage-StartUsage)
		}
		list[i] = x
	}
	a := &Associations{list: list, from: t.Clone()}
	a.from.Update()
	a.link()
	return a
}
