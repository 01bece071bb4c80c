package compare

import (
	"fmt"
	"math"

	"fairshare/cmd/internal/report"
)

// TurningPoint is a change of one number that would turn the order of two jobs.
type TurningPoint struct {
	Job      string        `json:"job"`      // whose number it is
	Variable string        `json:"variable"` // what would have to change
	From     report.Number `json:"from"`
	To       report.Number `json:"to"`
	Text     string        `json:"text"`
}

// Trial is what a change comes to.
type Trial struct {
	Gain   float64 // the second value above the first
	Turned bool    // the second goes first
}

// Bounds of what is tried in order to turn an order.
const (
	samples       = 64   // at which the values must change in one direction until the order turns
	smallInterval = 2048 // in which every whole number is tried
	mostDip       = 0.01 // of what the gain lacks: by so much it may go back, since schedulers round what values are made of
)

// LeastWhole returns the least whole change from 1 to most that turns the order of two jobs. ok is false if none does, if the
// gain does not grow with the change until it turns, but for what rounding takes from it, or if a larger change turns it back.
func LeastWhole(most float64, try func(change float64) Trial) (change float64, ok bool) {
	most = math.Floor(most)
	if !(most >= 1) {
		return 0, false
	}
	last := try(0)
	if math.IsNaN(last.Gain) || last.Turned {
		return 0, false
	}
	best, rounding := last.Gain, math.Abs(last.Gain)*mostDip
	steps, at := samples, func(i int) float64 { return math.Floor(math.Pow(most, float64(i)/samples)) }
	if most <= smallInterval {
		steps, at = int(most), func(i int) float64 { return float64(i) }
	}
	low, high := 0., 0.
	for i := 1; i <= steps; i++ {
		t := try(at(i))
		if !last.Turned && !(t.Gain >= best-rounding) || last.Turned && !t.Turned {
			return 0, false
		}
		switch {
		case !t.Turned:
			low = at(i)
		case !last.Turned:
			high = at(i)
		}
		last, best = t, max(best, t.Gain)
	}
	if !last.Turned {
		return 0, false
	}
	return FirstTurned(low, high, try), true
}

// FirstTurned returns the least whole change that turns an order, where one of low does not and one of high does, and all
// beyond it do.
func FirstTurned(low, high float64, try func(change float64) Trial) float64 {
	for high-low > 1 {
		middle := math.Floor(low + (high-low)/2)
		if middle <= low || middle >= high { // there is no number between them
			break
		}
		if try(middle).Turned {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

// LeastAbout returns a whole change from 1 to most that turns an order, where one smaller by 1 does not, nor one smaller by a
// tenth: the search begins at one that may do. ok is false if none is found. Each change is tried by making the whole order,
// so that few are.
func LeastAbout(begin, most float64, turns func(change float64) bool) (change float64, ok bool) {
	most = math.Floor(most)
	if !(most >= 1) {
		return 0, false
	}
	low, high := 0., min(most, max(1, math.Ceil(begin)))
	for !turns(high) {
		if high == most {
			return 0, false
		}
		low, high = high, min(most, 2*high)
	}
	for {
		high = FirstTurned(low, high, func(change float64) Trial { return Trial{Turned: turns(change)} })
		smaller := math.Floor(.9 * high)
		if smaller < 1 || smaller >= high-1 || !turns(smaller) {
			return high, true
		}
		low, high = 0, smaller // some of those between do not
	}
}

// PrintTurns prints what would turn the order of two jobs, and notes on what would not.
func PrintTurns(to *report.Printer, turns []TurningPoint, notes []string) {
	if len(turns) > 0 {
		fmt.Fprintf(to, "\n  The order would be reversed if\n")
		for _, t := range turns {
			fmt.Fprintf(to, "  - %s\n", report.Printable(t.Text))
		}
	}
	for _, note := range notes {
		fmt.Fprintf(to, "  (%s)\n", report.Printable(note))
	}
}
