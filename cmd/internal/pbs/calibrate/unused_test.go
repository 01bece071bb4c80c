package calibrate

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"fairshare/cmd/internal/pbs/study/studytest"
)

// What is found in recordings if nothing is told of failures and reservations. All of it is of
// vnodes that were away or reserved then, as the recordings' actions.json has it.
func TestUnused(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{
		"A": nil, "L1": nil, "P1x": nil, "P2": nil, "P3": nil, "P4": nil, "P5": nil, "P6": nil, "P6r": nil,
		"Q1": nil, "Q3y": nil, "Q4y": nil, "V2": nil, "V3": nil, "V5": nil, // in which nothing was
		"V1": { // n01 to n04 10:00 to 12:00, n01 to n02 11:00 to 11:40, n01 to n03 16:00 to 17:30, n01 to n03 19:00 to 20:30, and drained before
			"n02 15:39:54 to 18:00:12", "n03 18:44:13 to 20:30:08", "n03 10:45:12 to 12:00:54", "n04 10:45:12 to 12:00:54", "n01 16:44:41 to 17:40:08", "n02 11:30:26 to 12:00:54",
		},
		"V4": { // n06 to n08 16:00 to 19:00, n03 8:10 to 10:00, g02 9:00 to 11:00, n01 and n02 10:30 to 12:00
			"n08 16:01:10 to 19:05:21", "n06 16:48:31 to 19:03:30", "n03 08:11:08 to 10:03:55", "g02 10:16:02 to 11:05:11", "n07 17:32:16 to 19:03:30", "n02 11:01:08 to 12:02:02",
		},
		"V4m": { // g01 14:00 to 16:01, n07 11:01 to 12:35, n03 9:00 to 10:33, n06 11:00 to 12:33
			"g01 14:07:36 to 16:04:15", "n07 11:06:19 to 12:50:41", "n03 09:07:45 to 10:43:48", "n06 11:08:17 to 12:35:11",
		},
		"V6": { // n03 and n04 10:00 to 11:30, g01 10:55 to 12:10, n05 to n08 14:00 to 15:30, n01 to n03 14:30 to 15:30, g01 17:00 to 18:30
			"g01 11:11:27 to 12:11:33", "n04 09:35:59 to 11:30:16", "n03 09:41:02 to 11:30:16", "n05 13:54:20 to 15:30:26", "g01 17:48:35 to 18:30:33", "n03 14:18:24 to 15:30:20",
		},
	} {
		found, isKnown := findUnused(studytest.OfRun(t, name))
		var got []string
		for _, u := range found {
			at := func(at int64) string { return time.Unix(at, 0).UTC().Format(time.TimeOnly) }
			got = append(got, fmt.Sprintf("%s %s to %s", u.Vnode, at(u.From), at(u.To)))
		}
		if !isKnown || !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if found, isKnown := findUnused(studytest.OfTrace(t, studytest.SmallTrace, "1x4", "ncpus")); isKnown || found != nil {
		t.Errorf("a trace without vnodes tells %v", found)
	}
}
