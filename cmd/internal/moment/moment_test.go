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
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		workshop.Skip(t, err)
	}
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
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		workshop.Skip(t, err)
	}
	for _, c := range []struct{ text, after, want, wrong string }{
		{"18:00", "2026-03-02T11:55:00+01:00", "2026-03-02T18:00:00+01:00", ""},
		{"18:00", "2026-03-02T18:00:00+01:00", "2026-03-03T18:00:00+01:00", ""},
		{"06:30:15", "2026-03-28T22:00:00Z", "2026-03-29T06:30:15+02:00", ""},
		{"02:30", "2026-03-28T22:00:00+01:00", "", "2026-03-29 02:30:00 does not occur in Europe/Berlin: the clocks are put forward then"},
		{"2026-03-02 11:00", "2026-03-02T11:55:00+01:00", "2026-03-02T11:00:00+01:00", ""},
	} {
		m, err := ParseNext(c.text)
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
	if _, err := ParseNext("25:00"); err == nil {
		t.Error("25:00 is taken for a time of day")
	}
}
