package history

import "testing"

// A queue has its own factor, or that of all others, or none.
func TestCharges(t *testing.T) {
	c, err := ParseCharges([]string{"gpu=8", "*=0.5"})
	if err != nil || c.Of("gpu") != 8 || c.Of("workq") != .5 {
		t.Error(c, err)
	}
	if c, _ := ParseCharges([]string{"gpu=8"}); c.Of("workq") != 1 {
		t.Error(c)
	}
	var none Charges
	if none.Of("gpu") != 1 {
		t.Error("without factors all is charged as it is")
	}
	for _, wrong := range []string{"", "gpu", "=1", "gpu=", "gpu=-1", "gpu=NaN", "gpu=Inf", "gpu=1e10", "gpu=x"} {
		if c, err := ParseCharges([]string{wrong}); err == nil {
			t.Errorf("%q: %v", wrong, c)
		}
	}
}
