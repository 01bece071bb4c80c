package study

import (
	"testing"

	"fairshare/cmd/internal/outcome"
)

// Starts that are farther away than jobs wait are those of a replay that does not follow the record, be the mean waits the same; seconds are not.
func TestIsFar(t *testing.T) {
	for _, test := range []struct {
		shift, wait float64
		want        bool
	}{{20 * 3600, 19 * 3600, true}, {1800, 7000, false}, {9, 1, false}} {
		if got := isFar(outcome.Trust{Jobs: 9, Mean: test.shift, MeanWait: [2]float64{test.wait, test.wait}}); got != test.want {
			t.Errorf("%v: %v", test, got)
		}
	}
	if isFar(outcome.Trust{}) {
		t.Error("no start is far")
	}
}
