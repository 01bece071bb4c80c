package study

import (
	"slices"
	"testing"
	"time"
)

// Pages know when the clocks of the logs' zone change: what comes after is not an hour off.
func TestOffsetsOf(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	const winter, spring, autumn = 1772434800, 1774746000, 1792890000 // 2 March, 29 March 01:00, 25 October 01:00 UTC
	got := offsetsOf(berlin, winter)
	if want := [][2]int64{{winter, 3600}, {spring, 7200}, {autumn, 3600}}; len(got) < len(want) || !slices.Equal(got[:len(want)], want) {
		t.Errorf("%v, want %v first", got[:min(len(got), len(want))], want)
	}
	if got := offsetsOf(time.UTC, winter); !slices.Equal(got, [][2]int64{{winter, 0}}) {
		t.Errorf("UTC: %v", got)
	}
}
