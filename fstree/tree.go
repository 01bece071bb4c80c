package fstree

import (
	"iter"
	"slices"
	"sync"
	"sync/atomic"
)

// Fixed names of every PBS tree.
const (
	RootName    = "TREEROOT" // the root; resource_group calls it "root"
	UnknownName = "unknown"  // parent of the entities that resource_group does not name
)

// ID is an entity's or a resgroup's place in its Tree: parents come before
// their children, Root is 0 and Unknown is 1.
type ID int32

const (
	Root    ID = 0
	Unknown ID = 1
	none    ID = -1
)

// StartUsage is the usage that every node begins with and the least that
// decay leaves (PBS's FAIRSHARE_MIN_USAGE).
const StartUsage = 1

// A Tree holds resgroups and entities in one arena of parallel slices.
// Children are linked newest first, the order in which PBS keeps, prints and
// writes them. Nothing here recurses, so depth costs no stack.
type Tree struct {
	name      []string
	parent    []ID
	child     []ID // newest child
	sibling   []ID // next older child of the same parent
	cresgroup []int32
	shares    []int32
	usage     []float64
	groupPct  []float32
	treePct   []float32
	treeUsage []float32
	byName    index
	derived   *derivation
}

// derivation is whether percentages and tree usage have been derived since nodes, shares or
// the usage file last changed. Who reads them first derives them; several may read at once.
type derivation struct {
	mutex  sync.Mutex
	isDone atomic.Bool
}

// Entity is what the tree knows of one node.
type Entity struct {
	Name      string
	Resgroup  int32 // the parent's cresgroup; -1 for the root
	Cresgroup int32 // -1 for entities that only the usage file names
	Shares    int32
	Usage     float64 // in units of fairshare_usage_res, 1 when never used

	// GroupPercentage is shares / siblings' shares, TreePercentage the same
	// times the parent's, both as fractions: 1 is all of the machine.
	GroupPercentage float32
	TreePercentage  float32
	// TreeUsage is the formula's fairshare_tree_usage. With u = usage / root's
	// usage, it is u for the root's children and
	//
	//	u + (parent's tree usage - u) * group percentage
	//
	// below them: what a group has used counts against those of its members who
	// have used little, in proportion to their share of the group. It stays as it
	// is while usage changes, until Update.
	TreeUsage float32
}

// New returns a tree of the root and "unknown", as PBS's preload_tree.
// size is a hint of how many nodes will be added.
func New(unknownShares int32, size int) *Tree {
	size = max(size, 0)
	t := &Tree{byName: newIndex(size + 2), derived: &derivation{}}
	t.reserve(size + 2)
	t.addNew(RootName, none, 0, -1)
	t.treePct[Root] = 1
	t.addNew(UnknownName, Root, 1, unknownShares)
	return t
}

// init makes the zero Tree one of the root and "unknown".
func (t *Tree) init() {
	if t.derived == nil {
		*t = *New(0, 0)
	}
}

// derive derives percentages and tree usage if that is due, and reports whether it was.
func (t *Tree) derive() bool {
	return (t.derived == nil || !t.derived.isDone.Load()) && t.deriveNow()
}

func (t *Tree) deriveNow() bool {
	t.init()
	t.derived.mutex.Lock()
	defer t.derived.mutex.Unlock()
	if t.derived.isDone.Load() {
		return false
	}
	t.calcPercentages()
	t.calcUsage()
	t.derived.isDone.Store(true)
	return true
}

func (t *Tree) reserve(n int) {
	t.name = make([]string, 0, n)
	t.parent = make([]ID, 0, n)
	t.child = make([]ID, 0, n)
	t.sibling = make([]ID, 0, n)
	t.cresgroup = make([]int32, 0, n)
	t.shares = make([]int32, 0, n)
	t.usage = make([]float64, 0, n)
	t.groupPct = make([]float32, 0, n)
	t.treePct = make([]float32, 0, n)
	t.treeUsage = make([]float32, 0, n)
}

// addNew adds a node whose name is not in the tree yet.
func (t *Tree) addNew(name string, parent ID, cresgroup, shares int32) ID {
	_, slot, _ := t.byName.find(name, t.name)
	return t.add(name, slot, parent, cresgroup, shares)
}

// add appends a node that Lookup will find. slot is what find gave for its
// name.
func (t *Tree) add(name string, slot slot, parent ID, cresgroup, shares int32) ID {
	id := t.push(name, parent, cresgroup, shares)
	t.byName.set(slot, id, t.name)
	return id
}

// push appends a node and links it as its parent's newest child.
func (t *Tree) push(name string, parent ID, cresgroup, shares int32) ID {
	id := ID(len(t.name))
	sibling := none
	if parent != none {
		sibling = t.child[parent]
		t.child[parent] = id
	}
	t.name = append(t.name, name)
	t.parent = append(t.parent, parent)
	t.child = append(t.child, none)
	t.sibling = append(t.sibling, sibling)
	t.cresgroup = append(t.cresgroup, cresgroup)
	t.shares = append(t.shares, shares)
	t.usage = append(t.usage, StartUsage)
	t.groupPct = append(t.groupPct, 0)
	t.treePct = append(t.treePct, 0)
	t.treeUsage = append(t.treeUsage, 0)
	t.derived.isDone.Store(false)
	return id
}

// AddUnknown returns the node of a name. It adds an entity that resource_group does not
// name: under "unknown", with one share, as PBS's find_alloc_ginfo.
func (t *Tree) AddUnknown(name string) ID {
	t.init()
	id, slot, ok := t.byName.find(name, t.name)
	if ok {
		return id
	}
	return t.add(name, slot, Unknown, -1, 1)
}

// SetShares sets a node's shares.
func (t *Tree) SetShares(id ID, shares int32) {
	t.init()
	t.shares[id] = shares
	t.derived.isDone.Store(false)
}

// Len returns the number of nodes, the root and "unknown" included.
func (t *Tree) Len() int {
	t.init()
	return len(t.name)
}

// Lookup returns the node with exactly this name; ok is false if there is none.
func (t *Tree) Lookup(name string) (id ID, ok bool) {
	t.init()
	id, _, ok = t.byName.find(name, t.name)
	return id, ok
}

// Entity returns what the tree knows of a node.
func (t *Tree) Entity(id ID) Entity {
	t.derive()
	resgroup := int32(-1)
	if p := t.parent[id]; p != none {
		resgroup = t.cresgroup[p]
	}
	return Entity{
		Name:            t.name[id],
		Resgroup:        resgroup,
		Cresgroup:       t.cresgroup[id],
		Shares:          t.shares[id],
		Usage:           t.usage[id],
		GroupPercentage: t.groupPct[id],
		TreePercentage:  t.treePct[id],
		TreeUsage:       t.treeUsage[id],
	}
}

// TreeShare returns what Entity says of a node as TreePercentage and TreeUsage.
func (t *Tree) TreeShare(id ID) (percentage, usage float32) {
	t.derive()
	return t.treePct[id], t.treeUsage[id]
}

// IsGroup reports whether a node has children. Only the others, the entities,
// are written to the usage file.
func (t *Tree) IsGroup(id ID) bool {
	t.init()
	return t.child[id] != none
}

// Path returns the nodes from the root to id, both included. The root's own
// path is empty, as in PBS.
func (t *Tree) Path(id ID) []ID {
	t.init()
	depth := 0
	for i := id; i != none; i = t.parent[i] {
		depth++
	}
	if depth == 1 {
		return nil
	}
	path := make([]ID, depth)
	for i := id; i != none; i = t.parent[i] {
		depth--
		path[depth] = i
	}
	return path
}

// Preorder yields every node and its depth, a parent before its children and
// the newest child first: the order in which pbsfs prints.
func (t *Tree) Preorder() iter.Seq2[ID, int] {
	return func(yield func(ID, int) bool) {
		t.init()
		id, depth := Root, 0
		for {
			if !yield(id, depth) {
				return
			}
			if c := t.child[id]; c != none {
				id, depth = c, depth+1
				continue
			}
			for t.sibling[id] == none {
				id, depth = t.parent[id], depth-1
				if id == Root || id == none {
					return
				}
			}
			id = t.sibling[id]
		}
	}
}

// Clone returns a copy of the tree that can be changed on its own.
func (t *Tree) Clone() *Tree {
	t.init()
	t.derived.mutex.Lock() // somebody may be the first to read just now
	defer t.derived.mutex.Unlock()
	c := *t
	c.derived = &derivation{}
	c.derived.isDone.Store(t.derived.isDone.Load())
	c.name = slices.Clone(t.name)
	c.parent = slices.Clone(t.parent)
	c.child = slices.Clone(t.child)
	c.sibling = slices.Clone(t.sibling)
	c.cresgroup = slices.Clone(t.cresgroup)
	c.shares = slices.Clone(t.shares)
	c.usage = slices.Clone(t.usage)
	c.groupPct = slices.Clone(t.groupPct)
	c.treePct = slices.Clone(t.treePct)
	c.treeUsage = slices.Clone(t.treeUsage)
	c.byName.slots = slices.Clone(t.byName.slots)
	return &c
}
