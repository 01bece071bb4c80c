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
	samples       = 64   // at which the values must change in one direction
	smallInterval = 2048 // in which every whole number is tried
)

// LeastWhole returns the least whole change from 1 to most that turns the order of two jobs. ok is false if none does, or
// if the gain does not grow with the change all the way.
func LeastWhole(most float64, try func(change float64) Trial) (change float64, ok bool) {
	most = math.Floor(most)
	if !(most >= 1) {
		return 0, false
	}
	last := try(0)
	if math.IsNaN(last.Gain) || last.Turned {
		return 0, false
	}
	steps, at := samples, func(i int) float64 { return math.Floor(math.Pow(most, float64(i)/samples)) }
	if most <= smallInterval {
		steps, at = int(most), func(i int) float64 { return float64(i) }
	}
	for i := 1; i <= steps; i++ {
		t := try(at(i))
		if !(t.Gain >= last.Gain) || last.Turned && !t.Turned {
			return 0, false
		}
		last = t
	}
	if !last.Turned {
		return 0, false
	}
	return FirstTurned(0, most, try), true
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

// PrintTurns prints what would turn the order of two jobs, and notes on what would not. when tells of which moment the
// order is, "" for now.
func PrintTurns(to *report.Printer, when string, turns []TurningPoint, notes []string) {
	if len(turns) > 0 {
		fmt.Fprintf(to, "\n  The order%s would be reversed if\n", when)
		for _, t := range turns {
			fmt.Fprintf(to, "  - %s\n", report.Printable(t.Text))
		}
	}
	for _, note := range notes {
		fmt.Fprintf(to, "  (%s)\n", report.Printable(note))
	}
}
