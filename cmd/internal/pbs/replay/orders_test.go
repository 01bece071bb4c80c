package replay

import (
	"encoding/csv"
	"math"
	"strconv"
	"strings"
	"testing"
)

// recordedOrders are the orders in which the cycles of a recording considered jobs, by the scheduler's log, and
// how they compare to the order that the rules give in the recorded state.
type recordedOrders struct {
	of    map[int64][]string // by when the cycle began, in milliseconds
	now   []string           // the order of the cycle, in which those start that did
	all   []string           // the one in which every job starts
	alone []string           // the one in which none does

	cycles, pairs           int
	turned, inAll, inStatic int // of the pairs
}

// turnedAtMost are how many pairs of jobs the rules have the other way round than the scheduler's log, of all pairs
// of all cycles. Where usage alone orders jobs, that is 0.02 to 0.2 % (R1, Q1, R10), which is what an order is off by
// that knows usage to a per mille; if every job started it would be 4, 11 and 30 %.
var turnedAtMost = map[string]int{
	"Q1": 123, "Q4y": 270, "V1": 4595, "V2": 55, "V3": 163, "V4": 100, "V6": 171, "R1": 0, "R2": 0, "R3": 0, "R5": 469, "R9": 55, "R10": 186, "R10 sgpu": 0,
}

// readOrders reads the orders of a recording, nil where it has none.
func readOrders(tb testing.TB, name string) *recordedOrders {
	name, scheduler, isFurther := strings.Cut(name, " ")
	file := name + "/orders.csv.gz"
	if isFurther {
		file = name + "/orders_" + scheduler + ".csv.gz"
	}
	if !exists(recordings + file) {
		return nil
	}
	rows, err := csv.NewReader(unpack(tb, file)).ReadAll()
	if err != nil {
		tb.Fatal(err)
	}
	o := &recordedOrders{of: map[int64][]string{}}
	for _, row := range rows[1:] {
		at, err := strconv.ParseFloat(row[0], 64)
		if err != nil {
			tb.Fatal(err)
		}
		o.of[milliseconds(at)] = strings.Fields(row[1])
	}
	return o
}

func milliseconds(at float64) int64 { return int64(math.Round(at * 1000)) }

// begin prepares for the order of a cycle.
func (o *recordedOrders) begin(e *engine, all []candidate) {
	if o == nil {
		return
	}
	orderIf := func(starts bool) (ids []string) {
		c := e.selection.order(all)
		for i, ok := c.Next(); ok; i, ok = c.Next() {
			ids = append(ids, e.work.Jobs[all[i].job].ID)
			if starts {
				c.Started()
			}
		}
		e.state.EndCycle()
		e.usage.apply()
		return ids
	}
	o.now, o.all, o.alone = nil, orderIf(true), orderIf(false)
}

// look notes a job that the cycle considers.
func (o *recordedOrders) look(id string) {
	if o != nil {
		o.now = append(o.now, id)
	}
}

// end compares the order of a cycle.
func (o *recordedOrders) end(at float64) {
	if o == nil {
		return
	}
	really := o.of[milliseconds(at)]
	if len(really) < 2 {
		return
	}
	turned, pairs := turnedPairs(really, o.now)
	inAll, _ := turnedPairs(really, o.all)
	inStatic, _ := turnedPairs(really, o.alone)
	o.cycles++
	o.pairs, o.turned, o.inAll, o.inStatic = o.pairs+pairs, o.turned+turned, o.inAll+inAll, o.inStatic+inStatic
}

// turnedPairs counts the pairs of jobs that two orders have, and those that stand the other way round in them.
func turnedPairs(a, b []string) (turned, pairs int) {
	places := map[string]int{}
	for i, id := range b {
		places[id] = i
	}
	for i, first := range a {
		for _, second := range a[i+1:] {
			f, hasFirst := places[first]
			s, hasSecond := places[second]
			if !hasFirst || !hasSecond {
				continue
			}
			pairs++
			if f > s {
				turned++
			}
		}
	}
	return turned, pairs
}
