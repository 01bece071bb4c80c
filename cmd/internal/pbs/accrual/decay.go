package accrual

import (
	"fmt"
	"time"

	"fairshare/fstree"
	"fairshare/usagefile"
)

// FirstDecay returns when usage decayed last before a first cycle: as the database says
// that is known at the begin, else in the phase of a decay that is known of any time,
// else at the cycle itself. Times are in seconds, 0 for those that are not known.
func FirstDecay(cycle, known, period int64, begin *usagefile.Database) int64 {
	switch {
	case begin != nil && begin.LastDecay > 0:
		return begin.LastDecay
	case known > 0:
		since := (cycle - known) % max(1, period)
		if since < 0 {
			since += max(1, period)
		}
		return cycle - since
	}
	return cycle
}

// Decays returns how many times usage decays at a cycle, as PBS's
// decay_fairshare_tree: not at all before the decay time is over. next is the last decay
// from then on.
func Decays(last, cycle, period int64) (times, next int64) {
	period = max(1, period)
	diff := cycle - last
	if diff <= period {
		return 0, last
	}
	return (diff+period-1)/period - 1, cycle - diff%period
}

// findDecays finds the cycles at which usage decays.
func (c *computer) findDecays() error {
	period := max(1, c.Config.DecayTime)
	if len(c.cycles.events) == 0 {
		c.last = c.LastDecay
		return nil
	}
	first := c.cycles.events[0]
	const most = 5_000_000 // decays
	if (c.Until-first)/period > most {
		return fmt.Errorf("%w: from %s to %s", ErrSpan, time.Unix(first, 0).UTC().Format(time.RFC3339), time.Unix(c.Until, 0).UTC().Format(time.RFC3339))
	}
	c.last = FirstDecay(first, c.LastDecay, period, c.Begin)
	for c.last <= c.Until-period {
		at := c.cycles.after(c.last + period)
		if at > c.Until {
			break
		}
		d := decay{at: at}
		d.times, c.last = Decays(c.last, at, period)
		c.decays = append(c.decays, d)
	}
	return nil
}

func (c *computer) decayed(usage float64) float64 {
	return max(fstree.StartUsage, usage*float64(c.Config.DecayFactor))
}
