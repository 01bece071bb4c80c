package cluster

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Wanted is what a request asks for, beside what is free now on the vnodes that may take it.
type Wanted struct {
	Asks   string   // such as "2 x 8 ncpus, place=scatter"
	Free   string   // such as "21 of 256 ncpus are free, at most 8 on one vnode"
	Scarce []Scarce // that of which there is too little
	Sets   string   // how much of it one placement set has room for, where that alone keeps it; else ""
	Chunks string   // how many of its chunks fit, where there is enough of all and they do not all fit; else ""
	Jobs   string   // how many jobs vnodes run of how many, where that alone keeps it; else ""
}

// Scarce is a consumable of which less is free than is asked for.
type Scarce struct {
	Name, Asked, Free string
	IsInAll           bool // whether there is enough in all, and too little on each vnode or host
	IsOfIdle          bool // whether vnodes without jobs alone count, so that the others are as scarce for want of those
}

// Wanted returns what a request asks for, and what of that is free for it.
func (s *State) Wanted(r *Request) Wanted {
	w := Wanted{Asks: s.asksText(r)}
	switch {
	case s.IsFullOfJobs(r):
		w.Jobs = s.jobsText(r)
	case s.IsShortOfSets(r):
		w.Sets = s.SetRoom(r)
	}
	var free []string
	for _, i := range r.consumables() {
		of := s.supply(r, i)
		free = append(free, of.text(s, i))
		switch all, atOnce := r.Total[i], r.atOnce(i); {
		case all > of.free:
			asked, free := s.amountsText(i, all, of.free)
			w.Scarce = append(w.Scarce, Scarce{Name: s.Consumables[i], Asked: asked, Free: free + " free" + of.where(), IsOfIdle: of.isOfIdle})
		case atOnce > of.most:
			asked, most := s.amountsText(i, atOnce, of.most)
			w.Scarce = append(w.Scarce, Scarce{Name: s.Consumables[i], Asked: asked, Free: "at most " + most + " free on one " + of.on, IsInAll: true, IsOfIdle: of.isOfIdle})
		}
	}
	if w.Scarce == nil && w.Jobs == "" && w.Sets == "" && r.was == nil && !s.Fits(r) {
		w.Chunks = s.ChunkRoom(r)
	}
	w.Free = strings.Join(free, "; ")
	return w
}

// asksText returns a request as people read it.
func (s *State) asksText(r *Request) string {
	var chunks []string
	for _, chunk := range r.Chunks {
		chunks = append(chunks, strconv.Itoa(chunk.Count)+" x "+s.chunkText(&chunk))
	}
	text := strings.Join(chunks, " + ")
	if place := strings.Trim(arrangementNames[r.arrangement]+":"+sharingNames[r.sharing], ":"); place != "" {
		text += ", place=" + place
	}
	return text
}

// chunkText returns what a chunk asks for as people read it.
func (s *State) chunkText(chunk *Chunk) string {
	var parts []string
	for _, i := range chunk.asked {
		if need := chunk.Need[i]; need > 0 {
			parts = append(parts, s.amountText(i, need)+" "+s.Consumables[i])
		}
	}
	for _, w := range chunk.words {
		parts = append(parts, w.name+"="+w.value)
	}
	return cmp.Or(strings.Join(parts, ", "), "nothing")
}

// consumables returns what a request has of consumables, in the order in which it asks for them.
func (r *Request) consumables() (list []int) {
	for _, chunk := range r.Chunks {
		for _, i := range chunk.asked {
			if chunk.Need[i] > 0 && !slices.Contains(list, i) {
				list = append(list, i)
			}
		}
	}
	return list
}

// The ways of placing a job as place has them, "" for those that it need not name.
var (
	arrangementNames = [...]string{free: "", pack: "pack", scatter: "scatter", vscatter: "vscatter"}
	sharingNames     = [...]string{byVnode: "", shared: "shared", excl: "excl", exclhost: "exclhost"}
)

// atOnce returns how much of a consumable a request needs at least on one vnode, or on one host.
func (r *Request) atOnce(consumable int) float64 {
	if r.arrangement == pack {
		return r.Total[consumable]
	}
	most := 0.
	for _, chunk := range r.Chunks {
		most = max(most, chunk.Need[consumable])
	}
	return most
}

// supply is what there is of a consumable on the vnodes that may take a job.
type supply struct {
	free, all float64
	away      float64 // of vnodes on which nothing may start now, such as busy or offline ones
	most      float64 // free on one vnode or host
	on        string  // which of them
	isOfSome  bool    // whether other vnodes that are up have some of it as well
	isOfIdle  bool    // whether what is free on vnodes that others use does not count
	isOfOpen  bool    // whether what is free on vnodes whose cpus are all in use does not count
}

// supply adds up a consumable on the vnodes that may take a request.
func (s *State) supply(r *Request, consumable int) supply {
	of := supply{on: "vnode"}
	isByHost := s.hasLargeHosts() && r.arrangement != vscatter // over whose vnodes a chunk may be broken
	if isByHost {
		of.on = "host"
	}
	onHost := map[int32]float64{}
	for v := range s.Vnodes {
		vnode, at := &s.Vnodes[v], int32(v)
		if s.away[v] {
			of.away += vnode.Amounts[consumable]
		}
		if s.away[v] || vnode.Amounts[consumable] == 0 {
			continue
		}
		takes := slices.IndexFunc(r.Chunks, func(c Chunk) bool { return c.Need[consumable] > 0 && s.matches(vnode, r, &c) })
		if takes < 0 {
			of.isOfSome = true
			continue
		}
		of.all += vnode.Amounts[consumable]
		none := r.Chunks[takes]
		none.Need = make([]float64, len(none.Need))
		switch has := max(0, s.free[v][consumable]); {
		case s.isClosed(at) || has == 0:
		case s.isFull(at):
			of.isOfOpen = true
		case s.room(r, none, at, 1) == 0:
			of.isOfIdle = of.isOfIdle || r.sharing == excl || r.sharing == exclhost
		case isByHost:
			of.free += has
			onHost[s.hostOf[v]] += has
			of.most = max(of.most, onHost[s.hostOf[v]])
		default:
			of.free += has
			of.most = max(of.most, has)
		}
	}
	return of
}

// text says how much of a consumable is free.
func (of supply) text(s *State, consumable int) string {
	text := s.amountText(consumable, of.free) + " of " + s.amountText(consumable, of.all) + " " + s.Consumables[consumable] + " are free"
	switch { // who counts all vnodes finds more
	case of.isOfSome:
		text += of.where()
	case of.away > 0:
		text += " on the vnodes" + of.which() + " that take jobs now"
	case s.isOfScheduler:
		text += " on the vnodes" + of.which() + " of its scheduler"
	default:
		text += of.where()
	}
	if of.free > 0 {
		text += ", at most " + s.amountText(consumable, of.most) + " on one " + of.on
	}
	if of.away > 0 {
		text += " (" + s.amountText(consumable, of.away) + " more are on vnodes that take none now)"
	}
	return text
}

// where says of which vnodes a supply is, "" for all.
func (of supply) where() string {
	switch which := of.which(); {
	case of.isOfSome:
		return " on the vnodes" + which + " that it may use"
	case which != "":
		return " on vnodes" + which
	}
	return ""
}

// which tells the vnodes on which what is free counts from others, "" where it counts on all.
func (of supply) which() string {
	switch {
	case of.isOfIdle:
		return " without jobs"
	case of.isOfOpen:
		return " with free cpus"
	}
	return ""
}
