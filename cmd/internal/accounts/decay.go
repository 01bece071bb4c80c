package accounts

import (
	"fmt"
	"math"

	"fairshare/cmd/internal/report"
)

// Decay is how usage decays if nothing is added to it.
type Decay struct {
	HalfLife float64 // in seconds, after which half of any usage is left; 0 for never, NaN where it is not known
	Step     float64 // seconds from one decay to the next, 0 where usage decays all the time
	Next     float64 // seconds to the next decay, 0 where that is not known

	Lacks string // what would tell it, of one that is not known
}

// Until returns after how many seconds no more than a part of usage is left, which is above 0 and below 1; the most that it
// can take where it is not known when usage decays next.
func (d Decay) Until(left float64) float64 {
	wait := -math.Log2(left) * d.HalfLife
	if d.Step == 0 {
		return math.Ceil(wait)
	}
	const noise = 1e-9 // of as many steps as are whole
	steps := math.Ceil(wait/d.Step - noise)
	if d.Next == 0 {
		return steps * d.Step
	}
	return d.Next + (steps-1)*d.Step
}

// after returns in words when no more than a part of usage is left.
func (d Decay) after(left float64) string {
	word := "after "
	if d.Step > 0 && d.Next == 0 {
		word = "within "
	}
	return word + report.Span(d.Until(left))
}

// Less says after how long decay alone lets a usage be less by some amount, as the end of a sentence; "" where usage does
// not decay, or would have to be none. running is how many jobs of its run now, whose usage grows meanwhile.
func (d Decay) Less(usage, less float64, running int) string {
	if !(d.HalfLife > 0) || usage <= less {
		return ""
	}
	nothing := "if it runs nothing"
	if running > 0 {
		nothing = fmt.Sprintf("if it ran nothing (%d of its jobs now run)", running)
	}
	return fmt.Sprintf(": by decay alone, %s, %s and the others run as much as decays of theirs", d.after((usage-less)/usage), nothing)
}

// String says how usage decays, and when next.
func (d Decay) String() string {
	if d.Step == 0 {
		return "by the half-life of " + report.Span(d.HalfLife) + " alone"
	}
	text := "by decay alone, which comes every " + report.Span(d.Step)
	if d.Next > 0 {
		text += " and next after " + report.Span(d.Next)
	}
	return text
}
