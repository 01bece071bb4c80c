package sacct

import "testing"

func TestSizeInKB(t *testing.T) {
	for text, want := range map[string]float64{"": 0, "0": 0, "7168K": 7168, "1.50G": 1.5 * (1 << 20), "7340032": 7168, "-5K": 0, "NaN": 0, "5X": 0, "1e300P": 0, "K": 0, "5KK": 0} {
		if got := sizeInKB(text); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}
