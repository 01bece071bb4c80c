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
