package cluster

// index finds the first vnode that may have what is needed: a binary tree with the
// largest amounts that any vnode below has free. Its last amount is whether one is
// unused.
type index struct {
	width  int
	leaves int // a power of two
	most   []float64
	isFlat bool // whether the leaves alone are as things are
}

func newIndex(s *State) index {
	x := index{width: len(s.Consumables) + 1, leaves: 1}
	for x.leaves < len(s.Vnodes) {
		x.leaves *= 2
	}
	x.most = make([]float64, 2*x.leaves*x.width)
	for i := range x.most {
		x.most[i] = nothing
	}
	for v := range s.Vnodes {
		x.set(s, int32(v))
	}
	x.joinAll()
	return x
}

// joinAll makes all nodes of the leaves.
func (x *index) joinAll() {
	x.isFlat = false
	for i := x.leaves - 1; i > 0; i-- {
		x.join(i)
	}
}

// nothing is less than what anybody needs.
const nothing = -1

func (x *index) at(node int) []float64 { return x.most[node*x.width : (node+1)*x.width] }

// set makes the leaf of a vnode.
func (x *index) set(s *State, v int32) {
	leaf := x.at(x.leaves + int(v))
	if s.isClosed(v) {
		for i := range leaf {
			leaf[i] = nothing
		}
		return
	}
	copy(leaf, s.free[v])
	leaf[x.width-1] = 0
	if s.jobs[v] == 0 {
		leaf[x.width-1] = 1
	}
}

// join makes a node of its children and reports whether it has changed.
func (x *index) join(node int) bool {
	w := x.width
	at := x.most[node*w : (node+1)*w : (node+1)*w]
	below := x.most[2*node*w : (2*node+2)*w]
	changed := false
	for i, was := range at {
		most := below[i]
		if right := below[i+w]; right > most {
			most = right
		}
		if was != most {
			at[i], changed = most, true
		}
	}
	return changed
}

func (x *index) update(s *State, v int32) {
	x.set(s, v)
	for node := (x.leaves + int(v)) / 2; node > 0 && x.join(node); node /= 2 {
	}
}

// next returns the first vnode from one on that has what is needed, -1 if none has.
// Where it has to be unused, its last amount says so.
func (x *index) next(from int, need []float64, unused bool) int32 {
	if from >= x.leaves {
		return -1
	}
	node := x.leaves + from
	if x.isFlat {
		for ; node < 2*x.leaves; node++ {
			if x.has(node, need, unused) {
				return int32(node - x.leaves)
			}
		}
		return -1
	}
	if from == 0 {
		node = 1
	}
	for {
		switch {
		case !x.has(node, need, unused):
			for node&1 == 1 { // up from right children
				node /= 2
			}
			if node == 0 {
				return -1
			}
			node++
		case node < x.leaves:
			node *= 2
		default:
			return int32(node - x.leaves)
		}
	}
}

func (x *index) has(node int, need []float64, unused bool) bool {
	at := x.at(node)
	for i, amount := range need {
		if at[i] < amount {
			return false
		}
	}
	if unused {
		return at[x.width-1] > 0
	}
	return at[x.width-1] >= 0
}
