package trace

import (
	"math"
	"time"
)

// quarter is a quarter of an hour, of which the offsets of time zones are multiples.
const quarter = 15 * 60

// ZoneOff returns by how many seconds the local times of most records of starts are later
// than the times since 1970 that stand in them, if they are read in the zone that was given:
// 0 if it is right.
func (t *Trace) ZoneOff() int64 {
	most, off := 0, int64(0)
	isNearer := func(quarters int64) bool { // of two that are as frequent
		a, b := max(quarters, -quarters), max(off/quarter, -off/quarter)
		return a < b || a == b && quarters > 0
	}
	for quarters, n := range t.zones {
		if n > most || n == most && isNearer(quarters) {
			most, off = n, quarters*quarter
		}
	}
	return off
}

// TellsZone reports whether the records tell in which zone they were written.
func (t *Trace) TellsZone() bool { return len(t.zones) > 0 }

// clock turns local times of a log into seconds since 1970. An hour that occurs
// twice, when daylight saving time ends, is the one that a record's own times tell, or the
// second one once time would go back otherwise.
type clock struct {
	zone *time.Location
	last int64 // seconds since 1970 of the line before

	hour   int64 // that offset is of, in hours of local time
	offset int64 // that local time is ahead
	again  bool  // whether the hour occurs twice

	isTold  bool  // whether records tell the zone, and the one that was given is for those that do not
	said    int64 // the offset that a record told last
	hasSaid bool
}

// unix returns the time of a line's local time, which is given as if it were UTC. told is a
// time since 1970 that stands in the line and is about the same, Unknown where none does.
func (c *clock) unix(wall, told int64) int64 {
	at := c.inZone(wall)
	const hour, jitter = 3600, 300 // seconds that clocks of servers step back, or that a record comes late
	offset, isClear := offsetOf(wall, told, jitter)
	switch {
	case isClear && (c.isTold || offset == c.offset || c.again && offset == c.offset-hour):
		at = wall - offset
		c.said, c.hasSaid = offset, true
	case c.isTold && c.hasSaid:
		at = wall - c.said
	case c.again && at < c.last-jitter:
		at += hour
	}
	c.last = at
	return at
}

// offsetOf returns by how many seconds a local time is ahead of a time since 1970. ok is
// false where they are not of about the same moment in any zone.
func offsetOf(wall, told, jitter int64) (offset int64, ok bool) {
	const most = 14 * 3600 // no zone is farther ahead
	if told == Unknown || told < wall-2*most || told > wall+2*most {
		return 0, false
	}
	offset = int64(math.Round(float64(wall-told)/quarter)) * quarter
	late := wall - told - offset
	return offset, late >= -jitter && late <= jitter && offset >= -most && offset <= most
}

// inZone returns the time of a local time in the clock's zone, the first one of two.
func (c *clock) inZone(wall int64) int64 {
	const hour = 3600
	if h := wall / hour; h != c.hour || c.zone == nil {
		c.hour = h
		local := time.Unix(wall, 0).UTC()
		at := time.Date(local.Year(), local.Month(), local.Day(), local.Hour(), 0, 0, 0, c.zone)
		if before := at.Add(-hour * time.Second); before.Hour() == at.Hour() {
			at = before // Date returns either
		}
		_, offset := at.Zone()
		c.offset = int64(offset)
		c.again = at.Add(hour*time.Second).Hour() == at.Hour()
	}
	return wall - c.offset
}

// told returns the time since 1970 that stands in a record and is that at which it was
// written, or a little earlier.
func (e *event) told() int64 {
	switch e.kind {
	case 'Q':
		return e.qtime
	case 'S':
		return e.start
	case 'E', 'R':
		return e.end
	}
	return Unknown
}

// Clock turns the stamps of a log, in its order, into seconds since 1970.
type Clock struct{ clock }

// NewClock returns the clock of a log in a zone. isTold says whether records that tell
// another zone are right.
func NewClock(zone *time.Location, isTold bool) *Clock {
	return &Clock{clock{zone: zone, hour: -1, isTold: isTold}}
}

// Unix returns the time of the next line.
func (c *Clock) Unix(l Line) int64 { return c.unix(l.Stamp.wall(), l.told()) }

// told returns the time since 1970 that stands in a line and is that at which it was written, or a little earlier.
func (l Line) told() int64 {
	told := int64(Unknown)
	name := map[string]string{"Q": "qtime", "S": "start", "E": "end", "R": "end"}[l.Type]
	for _, a := range l.Attributes {
		if name != "" && a.Name == name {
			told = Integer([]byte(a.Value))
		}
	}
	return told
}
