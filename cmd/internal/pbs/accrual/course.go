package accrual

import "math"

// Course is how usage runs on after a time: it is multiplied by a factor when decay is due, as
// PBS's decay_fairshare_tree does, and what grows meanwhile grows steadily.
type Course struct {
	Next   int64   // seconds from now to the next decay
	Period int64   // seconds from one decay to the next
	Factor float64 // above 0 and below 1; usage never decays at any other one
}

// NewCourse returns how usage runs on from now. lastDecay is 0 where it is not known: then usage
// is taken to have decayed now.
func NewCourse(now, lastDecay, period int64, factor float64) Course {
	c := Course{Next: max(1, period), Period: max(1, period), Factor: factor}
	if lastDecay > 0 && lastDecay <= now {
		c.Next = c.Period - (now-lastDecay)%c.Period
	}
	return c
}

// decays reports whether usage decays at all.
func (c Course) decays() bool { return c.Factor > 0 && c.Factor < 1 }

// HalfLife returns after how many seconds half of any usage has decayed: ln 2/λ, where
// λ = -ln(factor)/period. It is NaN where usage does not decay.
func (c Course) HalfLife() float64 {
	if !c.decays() {
		return math.NaN()
	}
	return float64(c.Period) * math.Ln2 / -math.Log(c.Factor)
}

// After returns what is left of some usage after some seconds in which nothing is added.
func (c Course) After(usage float64, seconds int64) float64 {
	if !c.decays() || seconds < c.Next {
		return usage
	}
	return usage * math.Pow(c.Factor, float64(1+(seconds-c.Next)/c.Period))
}

// Down returns after how many seconds an amount has come down to a level, NaN for never. Both
// are not negative. The amount grows by rate in a second, which may be negative, and decays.
//
// With the amount x, the rate r, the period d and the factor f, the amount is x' = f(x + r·d)
// after one more decay, and so xs + (x1 - xs)·f^(k-1) after k, where x1 is that after the first
// one and xs = r·d·f/(1-f) that to which it tends.
func (c Course) Down(x, rate, level float64) float64 {
	next, period := float64(c.Next), float64(c.Period)
	switch {
	case x <= level:
		return 0
	case !c.decays() && rate < 0, rate < 0 && x+rate*next <= level:
		return (level - x) / rate
	case !c.decays():
		return math.NaN()
	}
	first := c.Factor * (x + rate*next)
	if first <= level {
		return next
	}
	steady := rate * period * c.Factor / (1 - c.Factor)
	if steady >= level {
		return math.NaN()
	}
	k := math.Ceil(math.Log((level-steady)/(first-steady)) / math.Log(c.Factor)) // decays after the first one
	begin := next + (k-1)*period
	left := steady + (first-steady)*math.Pow(c.Factor, k-1) // at begin
	if by := (level - left) / rate; rate < 0 && by < period {
		return begin + max(0, by)
	}
	return begin + period
}
