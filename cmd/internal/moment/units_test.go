package moment

import "testing"

func TestOfUnits(t *testing.T) {
	for text, want := range map[string]float64{"1h": 3600, "90m": 5400, "30min": 1800, "1h30m": 5400, "2d": 172800, "1d2h3m4s": 93784, "45s": 45} {
		if got, ok := OfUnits(text); !ok || got != want {
			t.Errorf("%s: %v, %v, want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "1", "h", "1:00:00", "30m1h", "1x", "1.5h", "-1h"} {
		if got, ok := OfUnits(text); ok {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestAsClock(t *testing.T) {
	for text, want := range map[string]string{"1h": "1:00:00", "90m": "1:30:00", "2d": "48:00:00", "0h": "", "60": "", "1:00:00": "", "99999999999d": ""} {
		if got := AsClock(text); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
