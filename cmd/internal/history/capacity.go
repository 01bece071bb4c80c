package history

import (
	"fairshare/cmd/internal/trace"
)

// Capacity is what a site has of its resources over time. The nil Capacity is one that is not
// known.
type Capacity struct {
	totals     map[string]float64 // of what never changes
	pieces     []piece            // of what does; of what was reserved less than nothing
	queues     map[string]bool    // of the reservations
	IsLess     bool               // whether what was down or offline is left out
	IsReserved bool               // whether there were reservations, whose time is left out but for what their jobs occupied
	words      Words
}

// Words are what a scheduler calls that of which a capacity is.
type Words struct {
	Nodes  string // such as "nodes"
	Away   string // the states that take one away, such as "down or drained"
	Closed string // that of these in which its jobs go on
}

// piece is what there is of resources for a time.
type piece struct {
	Span
	amounts map[string]float64
}

// Forever is longer than any log.
var Forever = Span{trace.Unknown, -trace.Unknown - 1}

// NewCapacity returns the capacity of what is there all the time: so much of each resource.
func NewCapacity(always map[string]float64, words Words) *Capacity {
	return &Capacity{totals: always, queues: map[string]bool{}, words: words}
}

// Add adds amounts that are there for a time. Those below nothing are taken away.
func (c *Capacity) Add(in Span, amounts map[string]float64) {
	c.pieces = append(c.pieces, piece{in, amounts})
}

// Reserve says that a queue is that of a reservation, whose jobs run in what was taken away.
func (c *Capacity) Reserve(queue string) { c.queues[queue] = true }

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
