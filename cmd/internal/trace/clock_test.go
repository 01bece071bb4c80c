package trace

import (
	"fmt"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // whatever the machine has

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/workshop"
)

// berlin is a zone with daylight saving time: 2026 from 29 March, 2:00, which is 3:00 then,
// to 25 October, 3:00, which is 2:00 again.
func berlin(tb testing.TB) *time.Location {
	tb.Helper()
	zone := workshop.Zone(tb, "Europe/Berlin")
	return zone
}

// at is a time in UTC in seconds since 1970.
func at(tb testing.TB, text string) int64 {
	tb.Helper()
	t, err := time.Parse(time.DateTime, text)
	if err != nil {
		tb.Fatal(err)
	}
	return t.Unix()
}

// By how much a local time is ahead of the time that a record tells: quarters of an hour, up to
// 14 hours, and five minutes more or less.
func TestOffsetOf(t *testing.T) {
	const wall, hour, jitter = 1_772_434_800, 3600, 300
	for _, test := range []struct {
		told, offset int64
		ok           bool
	}{
		{wall, 0, true},
		{wall - hour, hour, true},
		{wall + 5*hour, -5 * hour, true},
		{wall - 5*hour - 45*60, 5*hour + 45*60, true},
		{wall - 10, 0, true}, // logged a little later
		{wall - jitter, 0, true},
		{wall + jitter, 0, true},
		{wall - jitter - 1, 0, false},
		{wall + jitter + 1, 0, false},
		{wall - 14*hour, 14 * hour, true},
		{wall + 14*hour, -14 * hour, true},
		{wall - 14*hour - quarter, 0, false},
		{wall + 14*hour + quarter, 0, false},
		{wall - 1000*hour, 0, false},
		{wall + 1000*hour, 0, false},
		{Unknown, 0, false},
	} {
		if offset, ok := offsetOf(wall, test.told, jitter); ok != test.ok || ok && offset != test.offset {
			t.Errorf("told %d s before: %d %v, want %d %v", wall-test.told, offset, ok, test.offset, test.ok)
		}
	}
}

// What records tell decides between the two times of a doubled hour, and, where they are
// taken to be right about the zone, about all that comes after them as well.
func TestToldTimes(t *testing.T) {
	type line struct{ text, want string }
	for _, test := range []struct {
		name   string
		isTold bool
		lines  []line
	}{
		{"nothing is told", false, []line{
			{"10/25/2026 02:30:00;L;license;", "2026-10-25 00:30:00"},
			{"10/25/2026 02:10:00;L;license;", "2026-10-25 01:10:00"}}},
		{"the second of two hours is told", false, []line{
			{"10/25/2026 02:30:00;S;1.s;start=1792891800", "2026-10-25 01:30:00"},
			{"10/25/2026 02:40:00;L;license;", "2026-10-25 01:40:00"}}},
		{"the first of two hours is told, although time goes back", false, []line{
			{"10/25/2026 02:30:00;Q;1.s;qtime=1792888200", "2026-10-25 00:30:00"},
			{"10/25/2026 02:10:00;Q;1.s;qtime=1792887000", "2026-10-25 00:10:00"}}},
		{"the hours beside the missing one", false, []line{
			{"03/29/2026 01:30:00;L;license;", "2026-03-29 00:30:00"},
			{"03/29/2026 03:30:00;L;license;", "2026-03-29 01:30:00"}}},
		{"the missing hour is told by a clock that stays in winter time", true, []line{
			{"03/29/2026 02:30:00;S;1.s;start=1774747800", "2026-03-29 01:30:00"},
			{"03/29/2026 02:40:00;L;license;", "2026-03-29 01:40:00"},
			{"03/29/2026 03:30:00;L;license;", "2026-03-29 02:30:00"}}},
		{"what is told of summer does not hold in winter", false, []line{
			{"07/02/2026 07:00:00;S;1.s;start=1782968400", "2026-07-02 05:00:00"},
			{"11/02/2026 07:00:00;L;license;", "2026-11-02 06:00:00"}}},
		{"another zone is told, and not believed", false, []line{
			{"03/02/2026 07:00:00;S;1.s;start=1772434800", "2026-03-02 06:00:00"},
			{"03/02/2026 07:00:00;L;license;", "2026-03-02 06:00:00"}}},
		{"another zone is told, and believed from then on", true, []line{
			{"03/02/2026 07:00:00;L;license;", "2026-03-02 06:00:00"},
			{"03/02/2026 07:00:00;S;1.s;start=1772434800", "2026-03-02 07:00:00"},
			{"03/02/2026 07:30:00;L;license;", "2026-03-02 07:30:00"},
			{"03/02/2026 08:00:00;E;1.s;start=1772434800 end=1772420400", "2026-03-02 03:00:00"},
			{"03/02/2026 08:00:00;R;1.s;start=1772434800 end=1772434800", "2026-03-02 07:00:00"},
			{"03/02/2026 08:10:00;D;1.s;end=1772438400", "2026-03-02 07:10:00"}, // what a deletion has is no time of its own
			{"03/02/2026 08:20:00;S;1.s;start=5", "2026-03-02 07:20:00"}}},      // of no zone
	} {
		c := NewClock(berlin(t), test.isTold)
		for i, line := range test.lines {
			l, why := ParseLine([]byte(line.text))
			if why != "" {
				t.Fatal(why)
			}
			if got := time.Unix(c.Unix(l), 0).UTC().Format(time.DateTime); got != line.want {
				t.Errorf("%s: line %d is of %s, want %s", test.name, i+1, got, line.want)
			}
		}
	}
}

// By how much a log read in a zone is off: what most starts tell, and of two that are as
// frequent the nearer one.
func TestZoneOff(t *testing.T) {
	for _, test := range []struct {
		name   string
		zone   *time.Location
		starts []string // local time of the record and time of the start in UTC
		want   time.Duration
	}{
		{"no start", time.UTC, nil, 0},
		{"right", time.UTC, []string{"03/02/2026 07:00:00 2026-03-02 07:00:00"}, 0},
		{"logged late", time.UTC, []string{"03/02/2026 07:05:00 2026-03-02 07:00:00"}, 0},
		{"logged early", time.UTC, []string{"03/02/2026 07:00:00 2026-03-02 07:01:00"}, 0},
		{"ahead", time.UTC, []string{"03/02/2026 07:00:00 2026-03-02 06:00:00"}, time.Hour},
		{"behind", time.UTC, []string{"03/02/2026 07:00:00 2026-03-02 12:30:00"}, -(5*time.Hour + 30*time.Minute)},
		{"most count", time.UTC, []string{"03/02/2026 07:00:00 2026-03-02 07:00:00", "03/02/2026 07:00:00 2026-03-02 06:00:00", "03/02/2026 07:00:01 2026-03-02 06:00:00"}, time.Hour},
		{"the nearer of two", time.UTC, []string{"03/02/2026 07:00:00 2026-03-02 05:00:00", "03/02/2026 07:00:00 2026-03-02 08:00:00"}, -time.Hour},
		{"the later of two as near", time.UTC, []string{"03/02/2026 07:00:00 2026-03-02 06:00:00", "03/02/2026 07:00:00 2026-03-02 08:00:00"}, time.Hour},
		{"summer and winter", berlin(t), []string{"03/02/2026 07:00:00 2026-03-02 06:00:00", "07/02/2026 07:00:00 2026-07-02 05:00:00"}, 0},
		{"the first of two hours", berlin(t), []string{"10/25/2026 02:30:00 2026-10-25 00:30:00"}, 0},
		{"the second of two hours", berlin(t), []string{"10/25/2026 02:30:00 2026-10-25 01:30:00"}, 0},
		{"a doubled hour and a missing one among others", berlin(t), []string{
			"10/25/2026 02:30:00 2026-10-25 01:30:00", "03/29/2026 02:30:00 2026-03-29 01:30:00", "03/30/2026 07:00:00 2026-03-30 05:00:00",
			"03/30/2026 08:00:00 2026-03-30 06:00:00", "03/30/2026 09:00:00 2026-03-30 07:00:00"}, 0},
	} {
		var log strings.Builder
		for i, start := range test.starts {
			local, told := start[:len(stampLayout)], start[len(stampLayout)+1:]
			fmt.Fprintf(&log, "%s;S;%d.s;start=%d\n", local, i, at(t, told))
		}
		log.WriteString("07/03/2026 00:00:00;L;license;\n")
		tr, err := Read([]file.Source{text(log.String())}, test.zone, Keep{})
		if err != nil || len(tr.Problems) > 0 {
			t.Fatal(err, tr.Problems)
		}
		if got := time.Duration(tr.ZoneOff()) * time.Second; got != test.want {
			t.Errorf("%s: off by %v, want %v", test.name, got, test.want)
		}
	}
}
