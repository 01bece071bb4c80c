package site

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"fairshare/cmd/internal/history"
	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/pbs/world"
	"fairshare/formula"
)

// piece is what a vnode has of its resources for a time.
type piece struct {
	history.Span
	amounts map[string]float64
}

// words are what PBS calls that of which a capacity is.
var words = history.Words{Nodes: "vnodes", Away: "down or offline", Closed: "offline"}

// CapacityOf returns what a cluster has, all the time.
func CapacityOf(c *cluster.Cluster) *history.Capacity {
	totals := map[string]float64{}
	for _, name := range c.Consumables {
		totals[name] = c.Total(name)
	}
	return history.NewCapacity(totals, words)
}

// NewCapacity returns what vnodes have, which pbsnodes has described, less those that were
// down or offline as far as it is known what happened, and less what was reserved. A vnode that
// is away in the end and of which nothing is told was away all the time then.
func NewCapacity(vnodes iter.Seq[map[string]string], w *world.World) *history.Capacity {
	isLess := w != nil && w.HasVnodes
	always := map[string]float64{}
	var changing []piece
	events := map[string][]world.VnodeEvent{}
	if w != nil {
		for _, e := range w.Vnodes {
			events[e.Vnode] = append(events[e.Vnode], e)
		}
	}
	byVnode := map[string][]piece{}
	for attributes := range vnodes {
		amounts := amountsOf(attributes)
		switch of := events[attributes[""]]; {
		case len(of) > 0:
			there := pieces(amounts, of)
			byVnode[attributes[""]] = there
			changing = append(changing, there...)
		case !isLess || !isAway(attributes["state"]):
			byVnode[attributes[""]] = []piece{{history.Forever, amounts}}
			for name, amount := range amounts {
				always[name] += amount
			}
		}
	}
	c := history.NewCapacity(always, words)
	c.IsLess = isLess
	for _, p := range changing {
		c.Add(p.Span, p.amounts)
	}
	if w != nil {
		reserve(c, w.Reservations, byVnode)
	}
	return c
}

// reserve takes away what was reserved of the vnodes that were there.
func reserve(c *history.Capacity, reservations []*world.Reservation, byVnode map[string][]piece) {
	for _, r := range reservations {
		c.Reserve(r.Queue)
		for _, h := range r.Holds {
			in := history.Span{Begin: max(h.From, h.Start), End: h.End}
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
					c.Add(history.Span{Begin: begin, End: end}, less)
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
	begin := history.Forever.Begin
	until := func(end int64) {
		if end > begin && !isDown && !isOffline {
			list = append(list, piece{history.Span{Begin: begin, End: end}, amounts})
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
	until(history.Forever.End)
	return list
}
