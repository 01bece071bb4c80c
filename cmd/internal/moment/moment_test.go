package moment

import (
	"testing"
	"time"

	"fairshare/cmd/internal/workshop"
)

// A zone is called what people call it, and this machine's not Local.
func TestZoneName(t *testing.T) {
	was := time.Local
	defer func() { time.Local = was }()
	berlin := workshop.Zone(t, "Europe/Berlin")
	const winter, summer = 1772438400, 1782438400
	for _, c := range []struct {
		env   string
		local *time.Location
		at    int64
		want  string
	}{
		{"Europe/Berlin", berlin, winter, "Europe/Berlin"},
		{":Europe/Berlin", berlin, summer, "Europe/Berlin"},
		{"nonsense", time.FixedZone("", 3600), winter, "UTC+1"},
		{"nonsense", time.FixedZone("", -12600), winter, "UTC-3:30"},
		{"Europe/Berlin", time.FixedZone("", 0), winter, "UTC"},
	} {
		t.Setenv("TZ", c.env)
		time.Local = c.local
		if got := ZoneName(time.Local, c.at); got != c.want {
			t.Errorf("%s: %s, want %s", c.env, got, c.want)
		}
	}
	if got := ZoneName(berlin, winter); got != "Europe/Berlin" {
		t.Error(got)
	}
}

// A time of day is the next one after a time, in the zone, whatever the clocks do in between.
func TestNextTimeOfDay(t *testing.T) {
	berlin := workshop.Zone(t, "Europe/Berlin")
	for _, c := range []struct{ text, after, want, wrong string }{
		{"18:00", "2026-03-02T11:55:00+01:00", "2026-03-02T18:00:00+01:00", ""},
		{"18:00", "2026-03-02T18:00:00+01:00", "2026-03-03T18:00:00+01:00", ""},
		{"06:30:15", "2026-03-28T22:00:00Z", "2026-03-29T06:30:15+02:00", ""},
		{"02:30", "2026-03-28T22:00:00+01:00", "", "2026-03-29 02:30:00 does not occur in Europe/Berlin: the clocks are put forward then"},
		{"2026-03-02 11:00", "2026-03-02T11:55:00+01:00", "2026-03-02T11:00:00+01:00", ""},
		{"2.3.2026", "2026-03-02T11:55:00+01:00", "2026-03-02T00:00:00+01:00", ""},
		{"23.11.2026 08:15", "2026-03-02T11:55:00+01:00", "2026-11-23T08:15:00+01:00", ""},
		{"Monday", "2026-03-02T11:55:00+01:00", "2026-03-09T00:00:00+01:00", ""},
		{"monday 18:00", "2026-03-02T11:55:00+01:00", "2026-03-02T18:00:00+01:00", ""},
		{"6pm", "2026-03-02T11:55:00+01:00", "2026-03-02T18:00:00+01:00", ""},
		{"6:30 AM", "2026-03-02T11:55:00+01:00", "2026-03-03T06:30:00+01:00", ""},
		{"tomorrow", "2026-03-28T23:30:00Z", "2026-03-30T00:00:00+02:00", ""},
		{"Tomorrow 18:00", "2026-03-02T11:55:00+01:00", "2026-03-03T18:00:00+01:00", ""},
		{"yesterday 9am", "2026-03-02T11:55:00+01:00", "2026-03-01T09:00:00+01:00", ""},
		{"today", "2026-03-02T11:55:00+01:00", "2026-03-02T00:00:00+01:00", ""},
		{"2026-03-02T11", "2026-03-02T11:55:00+01:00", "2026-03-02T11:00:00+01:00", ""},
		{"tomorrow 02:30", "2026-03-28T11:00:00+01:00", "", "2026-03-29 02:30:00 does not occur in Europe/Berlin: the clocks are put forward then"},
		{"Tue 06:30", "2026-03-02T23:55:00Z", "2026-03-03T06:30:00+01:00", ""},
	} {
		m, err := Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		after, err := time.Parse(time.RFC3339, c.after)
		if err != nil {
			t.Fatal(err)
		}
		got, err := m.After(after, berlin)
		switch {
		case c.wrong != "":
			if err == nil || err.Error() != c.wrong {
				t.Errorf("%s: %v", c.text, err)
			}
		case err != nil || got.Format(time.RFC3339) != c.want:
			t.Errorf("%s: %v %v", c.text, got, err)
		}
	}
	for _, text := range []string{"25:00", "Monday 25:00", "Monday 1", "Mond", "31.2.2026", "13pm", "tomorrow 25:00", "2026-03-02T25", ""} {
		if _, err := Parse(text); err == nil {
			t.Errorf("%q is taken for a time", text)
		}
	}
}

// Of the past, a time of day and a weekday are the last ones.
func TestLastTimeOfDay(t *testing.T) {
	for _, c := range []struct{ text, until, want string }{
		{"18:00", "2026-03-02T11:55:00Z", "2026-03-01T18:00:00Z"},
		{"11:55", "2026-03-02T11:55:00Z", "2026-03-02T11:55:00Z"},
		{"Monday", "2026-03-02T11:55:00Z", "2026-03-02T00:00:00Z"},
		{"Monday 12:00", "2026-03-02T11:55:00Z", "2026-02-23T12:00:00Z"},
		{"Sat", "2026-03-02T11:55:00Z", "2026-02-28T00:00:00Z"},
	} {
		m, err := Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		until, err := time.Parse(time.RFC3339, c.until)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := m.until(until, time.UTC); err != nil || got.Format(time.RFC3339) != c.want {
			t.Errorf("%s: %v %v", c.text, got, err)
		}
	}
	m, err := Parse("00:00")
	if err != nil {
		t.Fatal(err)
	}
	year, month, day := time.Now().UTC().Date()
	if got, err := m.In(time.UTC); err != nil || got.Sub(time.Date(year, month, day, 0, 0, 0, 0, time.UTC)).Abs() > 24*time.Hour {
		t.Errorf("the last midnight is %v %v", got, err)
	}
}

// A day begins at midnight, or where the clocks are put forward then, when they are; a day that has no midnight is a day
// for whoever names it without a time.
func TestDays(t *testing.T) {
	for _, c := range []struct{ zone, day, begin, next string }{
		{"Europe/Berlin", "2026-03-29", "2026-03-29T00:00:00+01:00", "2026-03-30T00:00:00+02:00"},
		{"Africa/Cairo", "2026-04-23", "2026-04-23T00:00:00+02:00", "2026-04-24T01:00:00+03:00"},
		{"Africa/Cairo", "2026-04-24", "2026-04-24T01:00:00+03:00", "2026-04-25T00:00:00+03:00"},
		{"Africa/Cairo", "2026-10-29", "2026-10-29T00:00:00+03:00", "2026-10-30T00:00:00+02:00"},
		{"America/Asuncion", "2023-10-01", "2023-10-01T01:00:00-03:00", "2023-10-02T00:00:00-03:00"},
		{"Asia/Beirut", "2026-03-29", "2026-03-29T01:00:00+03:00", "2026-03-30T00:00:00+03:00"},
	} {
		zone := workshop.Zone(t, c.zone)
		day, err := ParseDay(c.day, zone)
		if err != nil {
			t.Errorf("%s in %s: %v", c.day, c.zone, err)
			continue
		}
		if got := day.Format(time.RFC3339); got != c.begin {
			t.Errorf("%s in %s begins at %s, want %s", c.day, c.zone, got, c.begin)
		}
		if got := DayAfter(day, 1).Format(time.RFC3339); got != c.next {
			t.Errorf("the day after %s in %s begins at %s, want %s", c.day, c.zone, got, c.next)
		}
		if got := DayOf(day.Add(7*time.Hour).Unix(), zone); got != day.Unix() {
			t.Errorf("the day of a morning of %s in %s begins at %d, want %d", c.day, c.zone, got, day.Unix())
		}
		m, err := Parse(c.day)
		if err != nil {
			t.Fatal(err)
		}
		if at, err := m.In(zone); err != nil || !at.Equal(day) {
			t.Errorf("%s in %s is %v, %v", c.day, c.zone, at, err)
		}
	}
	for _, text := range []string{"2026-03-02 08:00", "Monday", "08:00", "x", ""} {
		if day, err := ParseDay(text, time.UTC); err == nil {
			t.Errorf("%q is the day %v", text, day)
		}
	}
}
