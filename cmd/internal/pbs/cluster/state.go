package cluster

import (
	"iter"
	"slices"
	"strings"
)

// State is what of a cluster is free.
type State struct {
	*Cluster
	free   [][]float64 // by vnode, of the consumables
	jobs   []int32     // by vnode, how many use it
	owners []int32     // by vnode, how many have it for themselves: one, but while the future is tried
	away   []bool      // by vnode, whether nothing may start on it
	total  []float64   // free in all, of vnodes that are not closed
	index  index

	touched   []int32 // vnodes that have changed since the index was brought up to date
	version   uint64  // counts changes of vnodes
	isTouched []bool
	isWatched []bool  // by vnode, whether somebody waits for it to change; nil for none
	changed   []int32 // those of them that have
	placer    placer

	stale []bool // by vnode, whether it is job-exclusive to the server though the job has left that had it so, see Leave

	sets map[setsKey]*sets // that requests were placed within, nil for none

	rooms      map[*Request]*rooms // of requests that are placed within placement sets, nil for none
	changes    changes             // for them
	looksAtAll bool                // see LooksAtAll

	guests []guests // by vnode, nil where none bounds how many jobs it takes

	hostOrder  []int32 // of hosts of several vnodes within a cycle, else nil
	lastHost   int32   // of the last job that was dealt out in turn, see Deal
	lastAt     float64 // when that was, 0 where none was
	vnodeOrder []int32 // of vnodes after the last start of a cycle, nil for that of pbsnodes
}

// NewState returns the state of a cluster that nobody uses.
func (c *Cluster) NewState() *State {
	s := &State{
		Cluster: c, free: make([][]float64, len(c.Vnodes)), jobs: make([]int32, len(c.Vnodes)), owners: make([]int32, len(c.Vnodes)), away: make([]bool, len(c.Vnodes)), isTouched: make([]bool, len(c.Vnodes)),
		total: make([]float64, len(c.Consumables)),
	}
	width := len(c.Consumables)
	all := make([]float64, width*len(c.Vnodes))
	for v := range c.Vnodes {
		s.free[v] = all[v*width : (v+1)*width : (v+1)*width]
		copy(s.free[v], c.Vnodes[v].Amounts)
		s.count(int32(v), 1)
	}
	if c.isLimited() {
		s.guests = make([]guests, len(c.Vnodes))
	}
	s.index = newIndex(s)
	s.placer.s = s
	return s
}

// Free returns what a vnode has free of the consumables, which the caller does not
// change.
func (s *State) Free(vnode int32) []float64 { return s.free[vnode] }

// FreeTotal returns what is free in all, which the caller does not change.
func (s *State) FreeTotal() []float64 { return s.total }

// isClosed reports whether nothing may start on a vnode: it is away, or a job has it for
// itself.
func (s *State) isClosed(v int32) bool { return s.owners[v] > 0 || s.away[v] }

// count adds what a vnode has free to the total, or takes it away. One of which more is in
// use than it has takes nothing from others.
func (s *State) count(v int32, sign float64) {
	if s.isClosed(v) {
		return
	}
	for i, x := range s.free[v] {
		s.total[i] += sign * max(0, x)
	}
}

// SetAway takes a vnode away, so that nothing may start on it, or gives it back. What runs
// there goes on.
func (s *State) SetAway(v int32, isAway bool) {
	s.count(v, -1)
	s.away[v] = isAway
	s.count(v, 1)
	s.touch(v)
	s.Settle()
}

// IsAway reports whether a vnode is away.
func (s *State) IsAway(v int32) bool { return s.away[v] }

// Resize gives a vnode more of a consumable, or less where that is negative. What runs
// there keeps what it has.
func (s *State) Resize(v int32, consumable int, by float64) {
	s.count(v, -1)
	s.free[v][consumable] += by
	s.count(v, 1)
	s.touch(v)
	s.Settle()
}

// AddJob makes a vnode one that a job runs on which nothing else is told of, and which stays there.
func (s *State) AddJob(v int32) {
	s.jobs[v]++
	s.touch(v)
	s.Settle()
}

// Part is what a job has of a vnode: a chunk, some times.
type Part struct {
	Vnode, Count int32
	Chunk        *Chunk
}

// Allocation is where a job runs. The zero value is nowhere.
type Allocation struct {
	Parts []Part
	Own   []int32 // vnodes that it has for itself
}

// longestText bounds what is printed of one allocation.
const longestText = 1 << 20

// String returns an allocation as exec_vnode has it.
func (a Allocation) String(c *Cluster) string {
	var b strings.Builder
	for _, p := range a.Parts {
		if p.Chunk.joined {
			amounts := slices.Clone(p.Chunk.Need)
			for i := range amounts {
				amounts[i] *= float64(p.Count)
			}
			if b.Len() > 0 {
				b.WriteByte('+')
			}
			b.WriteString("(" + c.Vnodes[p.Vnode].Name + c.textOf(amounts) + ")")
			continue
		}
		if p.Chunk.follows {
			text := strings.TrimSuffix(b.String(), ")")
			b.Reset()
			b.WriteString(text + "+" + c.Vnodes[p.Vnode].Name + p.Chunk.text + ")")
			continue
		}
		one := "(" + c.Vnodes[p.Vnode].Name + p.Chunk.text + ")"
		b.Grow(min(int(p.Count)*(len(one)+1), longestText))
		for range p.Count {
			if b.Len() > longestText {
				return b.String() + "+..."
			}
			if b.Len() > 0 {
				b.WriteByte('+')
			}
			b.WriteString(one)
		}
	}
	for _, v := range a.Own { // of a host that it has to itself
		if !slices.ContainsFunc(a.Parts, func(p Part) bool { return p.Vnode == v }) {
			b.WriteString("+(" + c.Vnodes[v].Name + ")")
		}
	}
	return b.String()
}

// Occupy gives an allocation to a job.
func (s *State) Occupy(a Allocation) { s.change(a, 1) }

// Release takes an allocation back.
func (s *State) Release(a Allocation) { s.change(a, -1) }

func (s *State) change(a Allocation, sign int) {
	s.Shift(a, sign)
	s.Settle()
}

// Shift gives an allocation to a job, with sign 1, or takes it back, with -1, but leaves
// the index of what is free as it is until Settle. Between them nothing is placed.
func (s *State) Shift(a Allocation, sign int) {
	s.countGuests(a, sign)
	for i := range a.Parts {
		p := &a.Parts[i]
		s.count(p.Vnode, -1)
		for k, need := range p.Chunk.Need {
			s.free[p.Vnode][k] -= float64(sign*int(p.Count)) * need
		}
		s.jobs[p.Vnode] += int32(sign)
		s.count(p.Vnode, 1)
	}
	for _, v := range a.Own {
		s.count(v, -1)
		s.owners[v] += int32(sign)
		s.count(v, 1)
		s.touch(v)
	}
	for i := range a.Parts {
		s.touch(a.Parts[i].Vnode)
	}
}

// Version counts changes of what is free: where it stays, so does what Fits.
func (s *State) Version() uint64 { return s.version }

func (s *State) touch(v int32) {
	s.version++
	if s.rooms != nil {
		s.changes.add(v, len(s.Vnodes))
	}
	if s.isWatched != nil && s.isWatched[v] {
		s.isWatched[v] = false
		s.changed = append(s.changed, v)
	}
	if !s.isTouched[v] {
		s.isTouched[v] = true
		s.touched = append(s.touched, v)
	}
}

// Settle brings the index up to date after some Shifts.
func (s *State) Settle() {
	const levels = 4 // above that many vnodes a whole index is made sooner than so many paths
	isMany := s.index.isFlat || levels*len(s.touched) > s.index.leaves
	if s.bring(!isMany); isMany {
		s.index.joinAll()
	}
}

// SettleOnce does for a single request what Settle does for many: where it takes less to go from vnode to vnode than to bring all of the
// index up to date, that is left to the next Settle.
func (s *State) SettleOnce() {
	const levels = 16 // of an index, to bring up to date for each vnode
	if s.index.isFlat = s.index.isFlat || levels*len(s.touched) > s.index.leaves; s.index.isFlat {
		s.bring(false)
		return
	}
	s.Settle()
}

// bring brings the leaves of the vnodes that have changed up to date, and with paths all of the index above them too.
func (s *State) bring(paths bool) {
	for _, v := range s.touched {
		s.isTouched[v] = false
		if paths {
			s.index.update(s, v)
		} else {
			s.index.set(s, v)
		}
	}
	s.touched = s.touched[:0]
}

// ParseVnodes returns the allocation that exec_vnode names for a request. ok is false if
// it names vnodes that the cluster does not have.
func (s *State) ParseVnodes(text string, r *Request) (a Allocation, ok bool) {
	a, isWhole := s.parse(text, r)
	return a, isWhole && len(a.Parts) > 0
}

// ParseKnown returns what ParseVnodes does, without the vnodes that the cluster does not have. It may
// be nowhere.
func (s *State) ParseKnown(text string, r *Request) Allocation {
	a, _ := s.parse(text, r)
	return a
}

// parse returns the allocation of those vnodes of a text that the cluster has, and whether it has all. Where r is nil, the
// vnodes say how they are shared.
func (s *State) parse(text string, r *Request) (a Allocation, isWhole bool) {
	c := s.Cluster
	if r == nil {
		r = new(Request)
	}
	p := &s.placer
	p.r, p.parts, isWhole = r, p.parts[:0], true
	for name, resources := range Vnodes(text) {
		v, isKnown := c.numbers[name]
		if !isKnown {
			isWhole = false
			continue
		}
		part := Part{v, 1, &Chunk{Count: 1, Need: make([]float64, len(c.Consumables)), text: ":" + resources}}
		if r != nil && len(r.Chunks) > 0 {
			part.Chunk.owner = r.Chunks[0].owner
		}
		for resource := range strings.SplitSeq(resources, ":") {
			name, value, _ := strings.Cut(resource, "=")
			if at := slices.Index(c.Consumables, name); at >= 0 {
				part.Chunk.Need[at], part.Chunk.asked = amount(value), append(part.Chunk.asked, at)
			}
		}
		p.parts = append(p.parts, part)
	}
	return p.take(), isWhole
}

// Vnodes yields the vnodes of a list such as exec_vnode, (n01:ncpus=16:mem=64gb)+(n02:ncpus=16), with
// what is taken of each: ncpus=16:mem=64gb.
func Vnodes(text string) iter.Seq2[string, string] {
	return func(yield func(vnode, resources string) bool) {
		for chunk := range strings.SplitSeq(text, "+") {
			vnode, resources, _ := strings.Cut(strings.Trim(chunk, "()"), ":")
			if !yield(vnode, resources) {
				return
			}
		}
	}
}

// JobsOn returns the jobs that a vnode names, such as 1.srv/0, 1.srv/1 or, as TORQUE has it, 0/1.srv, 1/1.srv: one for
// each slot.
func JobsOn(text string) (ids []string) {
	isSlot := func(text string) bool { return strings.Trim(text, "0123456789-") == "" }
	for part := range strings.SplitSeq(text, ",") {
		id, second, _ := strings.Cut(strings.TrimSpace(part), "/")
		if isSlot(id) && !isSlot(second) {
			id = second
		}
		if id != "" {
			ids = append(ids, id)
		}
	}
	return ids
}

// HasRoom reports whether an allocation is free as it stands.
func (s *State) HasRoom(a Allocation) bool {
	need := map[int32][]float64{}
	for _, p := range a.Parts {
		if need[p.Vnode] == nil {
			need[p.Vnode] = make([]float64, len(p.Chunk.Need))
		}
		for i, amount := range p.Chunk.Need {
			need[p.Vnode][i] += float64(p.Count) * amount
			if s.isClosed(p.Vnode) || need[p.Vnode][i] > s.free[p.Vnode][i] {
				return false
			}
		}
	}
	return !slices.ContainsFunc(a.Own, func(v int32) bool { return s.jobs[v] > 0 })
}
