package cluster

// rooms tell how many chunks of a request vnodes have room for at most, whatever is planned: a placement set that has too few is passed
// over, and its vnodes are not asked. They are brought up to date vnode by vnode, as these change.
type rooms struct {
	asked     int // how often somebody has asked; they are counted from fewAsks on
	sets      *sets
	chunks    []chunkRooms
	isCounted bool
	upTo      int // up to where changes are known, of all that there have been
}

// chunkRooms are those of one kind of chunk.
type chunkRooms struct {
	takes []bool  // by vnode, whether it may take one ever
	of    []int32 // by vnode
	in    []int   // by set
}

// fewAsks is how often a request is placed before its rooms are counted, which takes as long as to ask all vnodes.
const fewAsks = 3

// changes are vnodes that have changed, in the order in which they did, for those who ask for rooms.
type changes struct {
	list []int32
	gone int   // how many came before the list
	at   []int // by vnode, where it is among all that there have been
	read int   // up to where somebody knows them
}

// add notes that a vnode has changed. One that nobody has heard of since its last change is there already.
func (c *changes) add(v int32, vnodes int) {
	if c.at == nil {
		c.at = make([]int, vnodes)
		for i := range c.at {
			c.at[i] = -1
		}
	}
	if c.at[v] >= c.read {
		return
	}
	if len(c.list) >= vnodes { // who has not heard of these asks all vnodes sooner
		c.gone, c.list = c.gone+len(c.list), c.list[:0]
	}
	c.at[v] = c.end()
	c.list = append(c.list, v)
}

// end returns how many there have been.
func (c *changes) end() int { return c.gone + len(c.list) }

// LooksAtAll lets each request be tried on all vnodes, for tests: it gets the same ones.
func (s *State) LooksAtAll() { s.looksAtAll = true }

// rooms returns those of the request within placement sets, nil where they are not counted.
func (p *placer) rooms(within *sets) *rooms {
	s := p.s
	if s.looksAtAll || p.r.arrangement == pack || s.hasLargeHosts() { // chunks may be broken over a host
		return nil
	}
	k := s.rooms[p.r]
	if k == nil {
		const most = 1 << 22 // vnodes of requests in memory
		if s.rooms == nil || len(s.rooms)*len(s.Vnodes) > most {
			s.rooms = map[*Request]*rooms{}
		}
		k = &rooms{}
		s.rooms[p.r] = k
	}
	if k.asked++; k.asked < fewAsks {
		return nil
	}
	if k.sets != within {
		k.begin(s, p.r, within)
	}
	c := &s.changes
	if !k.isCounted || k.upTo < c.gone {
		for v := range s.Vnodes {
			p.count(k, int32(v))
		}
		k.isCounted = true
	} else {
		for _, v := range c.list[k.upTo-c.gone:] {
			p.count(k, v)
		}
	}
	k.upTo, c.read = c.end(), c.end()
	return k
}

// begin lets no vnode have any room.
func (k *rooms) begin(s *State, r *Request, within *sets) {
	k.sets, k.chunks, k.isCounted = within, make([]chunkRooms, len(r.Chunks)), false
	for i := range k.chunks {
		chunk := &k.chunks[i]
		*chunk = chunkRooms{make([]bool, len(s.Vnodes)), make([]int32, len(s.Vnodes)), make([]int, len(within.list))}
		for v := range s.Vnodes {
			chunk.takes[v] = s.matches(&s.Vnodes[v], r, &r.Chunks[i])
		}
	}
}

// count counts the rooms of a vnode anew.
func (p *placer) count(k *rooms, v int32) {
	for i := range k.chunks {
		chunk, n := &k.chunks[i], int32(0)
		if chunk.takes[v] {
			n = p.mostOn(v, &p.r.Chunks[i])
		}
		if more := int(n - chunk.of[v]); more != 0 {
			chunk.of[v] = n
			for _, set := range k.sets.of[v] {
				chunk.in[set] += more
			}
		}
	}
}

// mostOn returns how many of a chunk a vnode has room for at most.
func (p *placer) mostOn(v int32, chunk *Chunk) int32 {
	s := p.s
	if s.isClosed(v) || s.isFull(v) || s.jobs[v] > 0 && p.sharingOf(v) == excl {
		return 0
	}
	most := chunk.Count
	if p.r.arrangement == scatter || p.r.arrangement == vscatter {
		most = 1
	}
	return int32(times(s.free[v], chunk.Need, most))
}

// lack reports whether a placement set has room for too few chunks of the request. Without rooms it is not known.
func (k *rooms) lack(r *Request, set int) bool {
	if k == nil {
		return false
	}
	for i := range k.chunks {
		if k.chunks[i].in[set] < r.Chunks[i].Count {
			return true
		}
	}
	return false
}
