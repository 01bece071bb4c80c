package history

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"fairshare/cmd/internal/cluster"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/world"
	"fairshare/formula"
)

// Capacity is what a site has of its resources over time. The nil Capacity is one that is not
// known.
type Capacity struct {
	totals     map[string]float64 // of the vnodes that never change
	pieces     []piece            // of those that do; of what was reserved less than nothing
	queues     map[string]bool    // of the reservations
	IsLess     bool               // whether what was down or offline is left out
	IsReserved bool               // whether there were reservations, whose time is left out but for what their jobs occupied
}

// piece is what a vnode has of its resources for a time.
type piece struct {
	Span
	amounts map[string]float64
}

// CapacityOf returns what a cluster has, all the time.
func CapacityOf(c *cluster.Cluster) *Capacity {
	totals := map[string]float64{}
	for _, name := range c.Consumables {
		totals[name] = c.Total(name)
	}
	return &Capacity{totals: totals}
}

// forever is longer than any log.
var forever = Span{trace.Unknown, -trace.Unknown - 1}

// NewCapacity returns what vnodes have, which pbsnodes has described, less those that were
// down or offline as far as it is known what happened, and less what was reserved. A vnode that
// is away in the end and of which nothing is told was away all the time then.
func NewCapacity(vnodes []map[string]string, w *world.World) *Capacity {
	c := &Capacity{totals: map[string]float64{}, IsLess: w != nil && w.HasVnodes}
	events := map[string][]world.VnodeEvent{}
	if w != nil {
		for _, e := range w.Vnodes {
			events[e.Vnode] = append(events[e.Vnode], e)
		}
	}
	byVnode := map[string][]piece{}
	for _, attributes := range vnodes {
		amounts := amountsOf(attributes)
		switch of := events[attributes[""]]; {
		case len(of) > 0:
			there := pieces(amounts, of)
			byVnode[attributes[""]] = there
			c.pieces = append(c.pieces, there...)
		case !c.IsLess || !isAway(attributes["state"]):
			byVnode[attributes[""]] = []piece{{forever, amounts}}
			for name, amount := range amounts {
				c.totals[name] += amount
			}
		}
	}
	if w != nil {
		c.reserve(w.Reservations, byVnode)
	}
	return c
}

// reserve takes away what was reserved of the vnodes that were there.
func (c *Capacity) reserve(reservations []*world.Reservation, byVnode map[string][]piece) {
	c.queues = map[string]bool{}
	for _, r := range reservations {
		c.queues[r.Queue] = true
		for _, h := range r.Holds {
			in := Span{max(h.From, h.Start), h.End}
			if h.Until != 0 {
				in.End = min(in.End, h.Until)
			}
			for vnode, held := range heldBy(h.Nodes) {
				for _, there := range byVnode[vnode] {
					begin, end := max(in.Begin, there.Begin), min(in.End, there.End)
					if begin >= end {
						continue
					}
					less := map[string]float64{}
					for name, amount := range held {
						less[name] = -min(amount, there.amounts[name])
					}
					c.pieces = append(c.pieces, piece{Span{begin, end}, less})
					c.IsReserved = true
				}
			}
		}
	}
}

// heldBy yields the vnodes of a text such as (n01:ncpus=16:mem=64gb)+(n02:ncpus=16), with what
// is held of each.
func heldBy(text string) iter.Seq2[string, map[string]float64] {
	return func(yield func(string, map[string]float64) bool) {
		for vnode, rest := range cluster.Vnodes(text) {
			held := map[string]float64{}
			for part := range strings.SplitSeq(rest, ":") {
				name, value, _ := strings.Cut(part, "=")
				parsed, isAmount := formula.ParseAmount(value, "")
				if amount, isNumber := parsed.Number(); isAmount && isNumber && amount > 0 {
					held[name] += amount
				}
			}
			if !yield(vnode, held) {
				return
			}
		}
	}
}

// isOfReservation reports whether a queue is called as PBS calls those of reservations.
func isOfReservation(queue string) bool {
	return len(queue) > 1 && strings.IndexByte("RSM", queue[0]) >= 0 && strings.Trim(queue[1:], "0123456789") == ""
}

// amountsOf returns what a vnode has.
func amountsOf(attributes map[string]string) map[string]float64 {
	const prefix = "resources_available."
	amounts := map[string]float64{}
	for name, value := range attributes {
		resource, ok := strings.CutPrefix(name, prefix)
		parsed, isAmount := formula.ParseAmount(strings.TrimSpace(value), "")
		if amount, isNumber := parsed.Number(); ok && isAmount && isNumber && amount > 0 {
			amounts[resource] = amount
		}
	}
	return amounts
}

// isAway reports whether a vnode's state is one of those that events tell.
func isAway(state string) bool {
	return slices.ContainsFunc(strings.Split(state, ","), func(word string) bool {
		word = strings.TrimSpace(word)
		return word == "down" || word == "offline"
	})
}

// pieces returns what a vnode had between its events, and nothing for when it was away.
func pieces(amounts map[string]float64, events []world.VnodeEvent) []piece {
	var list []piece
	isDown, isOffline := false, false
	begin := forever.Begin
	until := func(end int64) {
		if end > begin && !isDown && !isOffline {
			list = append(list, piece{Span{begin, end}, amounts})
		}
		begin = max(begin, end)
	}
	for _, e := range events {
		until(e.At)
		switch e.Kind {
		case world.Down:
			isDown = true
		case world.Up:
			isDown = false
		case world.Offline:
			isOffline = true
		case world.Online:
			isOffline = false
		case world.Resized:
			amounts = maps.Clone(amounts)
			amounts[e.Resource] = e.Amount
		}
	}
	until(forever.End)
	return list
}

// In returns what there was of a resource in a time, in its unit times seconds. ok is false
// where that is not known.
func (c *Capacity) In(resource string, in Span) (total float64, ok bool) {
	if c == nil {
		return 0, false
	}
	total = c.totals[resource] * float64(in.End-in.Begin)
	_, ok = c.totals[resource]
	for _, p := range c.pieces {
		amount, has := p.amounts[resource]
		ok = ok || has
		total += amount * float64(in.overlap(p.Begin, p.End))
	}
	return total, ok
}

// isReserved reports whether a queue is that of a reservation.
func (c *Capacity) isReserved(queue string) bool { return c != nil && c.queues[queue] }
