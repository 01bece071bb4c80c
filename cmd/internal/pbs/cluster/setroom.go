package cluster

import (
	"fmt"

	"fairshare/cmd/internal/report"
)

// Sets returns the resources within one placement set of which a request has to be placed, such as "rack,switch"; "" for
// none.
func (r *Request) Sets() string { return r.group }

// IsShortOfSets reports whether a request would fit now if its vnodes could be of several placement sets, and does not as
// it is.
func (s *State) IsShortOfSets(r *Request) bool {
	if r.was != nil || s.setsOf(r) == nil || s.Fits(r) {
		return false
	}
	spanned := *r
	spanned.Span()
	return s.Fits(&spanned)
}

// SetRoom says how many chunks of a request the placement set has room for that has it for most of them.
func (s *State) SetRoom(r *Request) string {
	all, most, name := r.count(), 0, ""
	sets := s.setsOf(r)
	for _, set := range sets.ordered(s, nil) {
		if n := s.chunksWithin(r, sets.list[set], most, all); n > most {
			most, name = n, sets.names[set]
		}
	}
	switch {
	case len(sets.list) == 0:
		return "no vnode is in one"
	case all == 1:
		return fmt.Sprintf("none of the %s has room for it", report.Count(len(sets.list), "set"))
	case most == 0:
		return fmt.Sprintf("none of the %s has room for any of its %d chunks", report.Count(len(sets.list), "set"), all)
	}
	return fmt.Sprintf("at most %d of its %d chunks fit in one: %s", most, all, name)
}

// chunksWithin returns how many chunks of a request fit on some vnodes, if those are more than some: the first ones, in
// the order in which it asks for them.
func (s *State) chunksWithin(r *Request, vnodes []int32, more, all int) int {
	for more < all { // more of them fit, and all do not
		middle := (more + all + 1) / 2
		if _, fits := s.PlaceOn(r.first(middle), nil, vnodes); fits {
			more = middle
		} else {
			all = middle - 1
		}
	}
	return more
}

// ChunkRoom says how many chunks of a request there is room for now, of one that does not fit.
func (s *State) ChunkRoom(r *Request) string {
	all := r.count()
	n := s.chunksWithin(r, nil, 0, all)
	switch {
	case all == 1 && len(r.Chunks[0].asked)+len(r.Chunks[0].words) > 1:
		return "no " + s.unit(r) + " has " + s.chunkText(&r.Chunks[0]) + " together now"
	case all == 1:
		return "no " + s.unit(r) + " has room for it now"
	case n == 0:
		return fmt.Sprintf("none of its %d chunks fits now", all)
	}
	return fmt.Sprintf("%d of its %d chunks %s now%s", n, all, map[bool]string{true: "fits", false: "fit"}[n == 1], arrangementText[r.arrangement])
}

// arrangementText says on what the chunks of a request have to be by its place, "" for anything.
var arrangementText = [...]string{free: "", pack: " on one host", scatter: ", each on a host of its own", vscatter: ", each on a vnode of its own"}

// count returns how many chunks a request has.
func (r *Request) count() (all int) {
	for _, chunk := range r.Chunks {
		all += chunk.Count
	}
	return all
}

// first returns a request for so many chunks, the first ones, that may be placed in any placement set.
func (r *Request) first(count int) *Request {
	part := *r
	part.Span()
	part.Chunks, part.Total = nil, make([]float64, len(r.Total))
	for _, chunk := range r.Chunks {
		if chunk.Count = min(chunk.Count, count); chunk.Count == 0 {
			break
		}
		count -= chunk.Count
		for i, need := range chunk.Need {
			part.Total[i] += float64(chunk.Count) * need
		}
		part.Chunks = append(part.Chunks, chunk)
	}
	return &part
}
