package accounts

import (
	"math"
	"testing"
)

// What is left of usage is no more than a part at the time that is told, and more before it.
func TestDecay(t *testing.T) {
	const hour = 3600
	for _, c := range []struct {
		name  string
		decay Decay
		left  float64
		want  float64
		says  string
	}{
		{"all the time", Decay{HalfLife: 24 * hour}, 0.25, 48 * hour, "after 2.0 days"},
		{"in steps: nothing before the next one", Decay{HalfLife: 24 * hour, Step: 24 * hour, Next: hour}, 0.999, hour, "after 1h0m0s"},
		{"in steps: one is just enough", Decay{HalfLife: 24 * hour, Step: 24 * hour, Next: hour}, 0.5, hour, "after 1h0m0s"},
		{"in steps: a second one", Decay{HalfLife: 24 * hour, Step: 24 * hour, Next: hour}, 0.49, 25 * hour, "after 25h0m0s"},
		{"in steps of another factor", Decay{HalfLife: hour * math.Ln2 / -math.Log(0.9), Step: hour, Next: 60}, 0.9 * 0.9 * 0.9, 2*hour + 60, "after 2h1m0s"},
		{"the next step is not known", Decay{HalfLife: 24 * hour, Step: 24 * hour, Next: 0}, 0.4, 48 * hour, "within 2.0 days"},
	} {
		if got := c.decay.Until(c.left); got != c.want {
			t.Errorf("%s: %v s, not %v", c.name, got, c.want)
		}
		if got := c.decay.after(c.left); got != c.says {
			t.Errorf("%s: %q, not %q", c.name, got, c.says)
		}
	}
}
