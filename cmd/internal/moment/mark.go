package moment

import (
	"slices"
	"time"

	"fairshare/cmd/internal/trace"
)

// Fits reports whether a zone is as far ahead of UTC as marks say, whenever they do.
func Fits(zone *time.Location, marks []trace.Mark) bool {
	return !slices.ContainsFunc(marks, func(m trace.Mark) bool {
		_, offset := time.Unix(m.At, 0).In(zone).Zone()
		return int64(offset) != m.Offset
	})
}

// ZoneOf returns the zone of local times of which marks tell, where a zone is named as well: that one where it fits, or where there is
// no mark, else this machine's, or where clocks were changed meanwhile one that changes them then. Otherwise no more is known (isFixed) than how
// far ahead of UTC the times of the first mark are.
func ZoneOf(marks []trace.Mark, named *time.Location) (zone *time.Location, isFixed bool) {
	if len(marks) == 0 {
		return named, false
	}
	known := []*time.Location{named, time.Local}
	first := marks[0].Offset
	if slices.ContainsFunc(marks, func(m trace.Mark) bool { return m.Offset != first }) {
		known = append(known, Changing()...)
	}
	if i := slices.IndexFunc(known, func(zone *time.Location) bool { return Fits(zone, marks) }); i >= 0 {
		return known[i], false
	}
	return OffsetZone(int(first)), true
}
