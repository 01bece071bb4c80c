package cluster

import (
	"fmt"
	"slices"
	"strconv"
)

// Bar is what keeps a vnode from a chunk: the name of a resource, or of something else.
type Bar struct {
	What string
	Has  string // what is asked of it and what the vnode has, "" where there is nothing to say
}

// Room is how often a vnode has room for a chunk.
type Room struct {
	Times int
	With  []int32 // the others of its host over which a chunk is broken that none of them has whole
	Bars  []Bar   // what keeps the vnode from a chunk, none where it has room
}

// Room returns how often a vnode has room for a chunk of a request, or for a part of one that is broken over the vnodes of its
// host, as it is now, and where it has none, what keeps it from one.
func (s *State) Room(r *Request, chunk *Chunk, v int32) Room {
	switch {
	case s.away[v]:
		return Room{Bars: []Bar{{What: "state"}}}
	case s.owners[v] > 0:
		return Room{Bars: []Bar{{"place", "a job has it to itself"}}}
	}
	of := Room{Times: s.room(r, *chunk, v, maxChunks)}
	if of.Times == maxChunks { // it uses nothing up
		of.Times = chunk.Count
	}
	if of.Times == 0 {
		of.Times, of.With = s.broken(r, chunk, v)
	}
	if of.Times == 0 {
		of.Bars = s.bars(r, chunk, v)
		return of
	}
	if s.Vnodes[v].NoMultinode {
		if _, isRoom := s.PlaceOn(r, nil, s.hosts[s.hostOf[v]]); !isRoom {
			return Room{Bars: []Bar{{"no_multinode_jobs", "its host alone has no room for the job"}}}
		}
	}
	return of
}

// bars returns what keeps a vnode from a chunk. Each thing that the chunk asks for is tried by itself, so that the rules of
// placement say it.
func (s *State) bars(r *Request, chunk *Chunk, v int32) (bars []Bar) {
	none := Chunk{Count: 1, Need: make([]float64, len(s.Consumables))}
	if s.room(r, none, v, 1) == 0 {
		bars = []Bar{s.barOfAny(r, none, v)}
		for i, need := range chunk.Need { // of a full vnode, what it lacks beside cpus
			if bars[0].What == "ncpus" && i != s.ncpus && need > max(0, s.free[v][i]) {
				bars = append(bars, s.barOfAmount(i, need, v))
			}
		}
		return bars
	}
	for _, name := range chunk.cannot {
		bars = append(bars, Bar{name, "no vnode has any"})
	}
	for i, need := range chunk.Need {
		one := none
		one.Need = make([]float64, len(none.Need))
		if one.Need[i] = need; need > 0 && s.room(r, one, v, 1) == 0 {
			bars = append(bars, s.barOfAmount(i, need, v))
		}
	}
	for _, w := range chunk.words {
		one := none
		one.words = []word{w}
		if s.room(r, one, v, 1) == 0 {
			has := s.Vnodes[v].Words[w.name]
			if has == "" {
				has = "none"
			}
			bars = append(bars, Bar{w.name + "=" + w.value, has})
		}
	}
	if limit, n, most := s.reached(v, chunk.owner); limit != "" {
		bars = append(bars, Bar{limit, fmt.Sprintf("%d of %d jobs", n, most)})
	}
	if len(bars) == 0 {
		bars = []Bar{{"all of it together", ""}}
	}
	return bars
}

// barOfAmount says how much of a consumable is asked of a vnode and how much it has.
func (s *State) barOfAmount(i int, need float64, v int32) Bar {
	asked, free := s.amountsText(i, need, max(0, s.free[v][i]))
	return Bar{s.Consumables[i], asked + " asked, " + free + " of " + s.amountText(i, s.Vnodes[v].Amounts[i]) + " free"}
}

// broken returns of how many chunks that are broken over the vnodes of a host a vnode gives a part, after those which one of
// them has whole, and which others give the rest.
func (s *State) broken(r *Request, chunk *Chunk, v int32) (times int, with []int32) {
	host := s.hosts[s.hostOf[v]]
	if len(host) == 1 || r.arrangement == vscatter {
		return 0, nil
	}
	p := s.placerOf(r)
	p.several = true
	for range maxChunks {
		if p.fillWhole(host, chunk, maxChunks) > 0 {
			continue
		}
		from := len(p.parts)
		if !p.breakOver(host, chunk) {
			break
		}
		if slices.ContainsFunc(p.parts[from:], func(part Part) bool { return part.Vnode == v }) {
			times++
			for _, part := range p.parts[from:] {
				if part.Vnode != v && !slices.Contains(with, part.Vnode) {
					with = append(with, part.Vnode)
				}
			}
		}
	}
	return times, with
}

// room returns how often a vnode has room for a chunk, at most so often.
func (s *State) room(r *Request, chunk Chunk, v int32, most int) int {
	return s.placerOf(r).fits(v, &chunk, most)
}

// placerOf returns the placer of the state for a request of which nothing is placed.
func (s *State) placerOf(r *Request) *placer {
	p := &s.placer
	p.r, p.planned, p.byBucket, p.within = r, nil, false, nil
	p.begin()
	return p
}

// barOfAny returns what keeps a vnode from a chunk that asks for nothing.
func (s *State) barOfAny(r *Request, none Chunk, v int32) Bar {
	free := *r
	free.queue = s.Vnodes[v].Queue
	if free.queue == "" && s.queues[r.queue] {
		return Bar{"queue", "its vnodes are others"}
	}
	if free.queue != r.queue && free.queue != "" {
		return Bar{"queue", free.queue}
	}
	if s.isFull(v) {
		return Bar{"ncpus", "0 of " + s.amountText(s.ncpus, s.Vnodes[v].Amounts[s.ncpus]) + " free"}
	}
	return Bar{"place", "others run there, and it is taken whole"}
}

// amountText returns an amount of a consumable as people read it.
func (c *Cluster) amountText(at int, amount float64) string {
	return c.Amount(c.Consumables[at], amount)
}

// amountsText returns two amounts of a consumable as people read them, exactly where they differ and would read alike.
func (c *Cluster) amountsText(at int, first, second float64) (string, string) {
	return c.Amounts(c.Consumables[at], first, second)
}

// Amounts returns two amounts of a resource as people read them, exactly where they differ and would read alike.
func (c *Cluster) Amounts(resource string, first, second float64) (string, string) {
	if c.readAlike(resource, first, second) {
		return exactSize(first), exactSize(second)
	}
	return c.Amount(resource, first), c.Amount(resource, second)
}

// readAlike reports whether two sizes differ, and not as people read them.
func (c *Cluster) readAlike(resource string, first, second float64) bool {
	return c.checks.isSize(resource) && first != second && c.Amount(resource, first) == c.Amount(resource, second)
}

// exactSize returns a size as PBS itself prints it.
func exactSize(kb float64) string { return strconv.FormatFloat(kb, 'f', -1, 64) + "kb" }

// Use returns how much of a limit is used, how much it is and how much is asked for as people read them, exactly where what
// is left and what is asked for would read alike: "60", "64" and "8".
func (c *Cluster) Use(resource string, used, most, asked float64) (of, all, more string) {
	if c.readAlike(resource, most-used, asked) {
		return exactSize(used), exactSize(most), exactSize(asked)
	}
	return c.Amount(resource, used), c.Amount(resource, most), c.Amount(resource, asked)
}

// Amount returns an amount of a resource as people read it.
func (c *Cluster) Amount(resource string, amount float64) string {
	const kbOfGB = 1 << 20
	if c.checks.isSize(resource) {
		return strconv.FormatFloat(amount/kbOfGB, 'f', 1, 64) + "gb"
	}
	return strconv.FormatFloat(amount, 'g', 8, 64)
}

// Takes reports for each of some queues whether its jobs may run on a vnode at all: whether what vnodes are for and what
// the queue adds to each chunk lets them.
func (s *State) Takes(v int32, queues []string) []bool {
	takes := make([]bool, len(queues))
	for i, queue := range queues {
		r, err := s.Request("1", "free", queue)
		if err != nil {
			continue
		}
		chunk := r.Chunks[0]
		chunk.Need = make([]float64, len(s.Consumables))
		takes[i] = s.matches(&s.Vnodes[v], r, &chunk)
	}
	return takes
}

// Properties returns what a vnode has besides what jobs use up and its names, as NAME=VALUE in the order of the names.
func (v *Vnode) Properties(c *Cluster) []string {
	var list []string
	for name, value := range v.Words {
		isName := name == "vnode" || name == "host" || name == "arch"
		if !isName && value != "" && !slices.Contains(c.Consumables, name) && !c.checks.isConsumed(name) {
			list = append(list, name+"="+value)
		}
	}
	slices.Sort(list)
	return list
}

// Has returns how much of a consumable a vnode has, and how much of that is free; nothing of what is no consumable.
func (s *State) Has(v int32, consumable string) (free, all float64) {
	at := slices.Index(s.Consumables, consumable)
	if at < 0 {
		return 0, 0
	}
	if all = s.Vnodes[v].Amounts[at]; s.owners[v] == 0 {
		free = max(0, s.free[v][at])
	}
	return free, all
}

// Hold takes of a vnode what the scheduler says that jobs have there and that is not taken yet, as one job would.
func (s *State) Hold(v int32, assigned map[string]string) (isMore bool) {
	need := make([]float64, len(s.Consumables))
	for i, name := range s.Consumables {
		if x, ok := parseAmount(assigned[name]); ok {
			need[i] = max(0, x-(s.Vnodes[v].Amounts[i]-s.free[v][i]))
			isMore = isMore || need[i] > 0
		}
	}
	if isMore {
		s.Occupy(Allocation{Parts: []Part{{v, 1, &Chunk{Count: 1, Need: need}}}})
	}
	return isMore
}
