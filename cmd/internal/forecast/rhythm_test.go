package forecast

import (
	"testing"
	"time"
)

// How many jobs come when, where little is known: by the hour and the day of a zone, whose hours may begin
// in the middle of one.
func TestUsualRhythm(t *testing.T) {
	const monday = 1_772_409_600 // 2026-03-02 00:00 UTC
	for _, zone := range []*time.Location{time.UTC, time.FixedZone("ahead", 5*hour+hour/2), time.FixedZone("behind", -3*hour)} {
		_, offset := time.Unix(monday, 0).In(zone).Zone()
		r := usualRhythm(zone, monday)
		local := func(weekday, h, minute int64) int64 { return monday + weekday*day + h*hour + minute*60 - int64(offset) }
		for _, test := range []struct {
			weekday, hour int64
			want          float64
		}{{0, 7, .6}, {0, 8, 1}, {0, 17, 1}, {0, 18, .6}, {0, 20, .35}, {0, 0, .35}, {4, 12, 1}, {4, 23, .35}, {5, 0, .35 / 2}, {5, 12, .5}, {6, 12, .5}, {6, 23, .35 / 2}, {7, 8, 1}} {
			if got := r.at(local(test.weekday, test.hour, 59)); got != test.want {
				t.Errorf("%s: %v on day %d at %d:59, want %v", zone, got, test.weekday, test.hour, test.want)
			}
		}
		for _, test := range []struct {
			from    int64
			seconds float64
			to      int64
		}{{local(0, 8, 0), 1800, local(0, 8, 30)}, {local(0, 17, 30), 3600, local(0, 18, 50)}, {local(0, 6, 30), 630, local(0, 7, 0)}, {local(4, 17, 0), 6840, local(4, 19, 30)}} {
			if got := r.after(test.from, test.seconds, local(9, 0, 0)); got < test.to-1 || got > test.to {
				t.Errorf("%s: %.0f s after %d are over at %d, want %d", zone, test.seconds, test.from, got, test.to)
			}
			if got := r.between(test.from, test.to); got < test.seconds-1 || got > test.seconds+1 {
				t.Errorf("%s: from %d to %d are %v s, want %v", zone, test.from, test.to, got, test.seconds)
			}
		}
		if got := r.after(local(0, 8, 0), 7200, local(0, 9, 0)); got != local(0, 9, 0) {
			t.Errorf("%s: %d is behind the bound", zone, got)
		}
	}
}
