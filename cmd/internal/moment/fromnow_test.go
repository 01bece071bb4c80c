package moment

import (
	"testing"
	"time"
)

// Times are told by that of now as Slurm's commands take them, and what is none of these is refused.
func TestFromNow(t *testing.T) {
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"now": "2026-03-10T12:00:00Z", "now-7days": "2026-03-03T12:00:00Z", "NOW-7day": "2026-03-03T12:00:00Z", "now - 2 weeks": "2026-02-24T12:00:00Z", "now+90": "2026-03-10T12:01:30Z",
		"now-1hour": "2026-03-10T11:00:00Z", "now-30minutes": "2026-03-10T11:30:00Z", "now+5seconds": "2026-03-10T12:00:05Z",
		"": "", "nowish": "", "now-": "", "now-7dayz": "", "now-days": "", "now7days": "", "now-s": "", "now-99999999999": "", "2026-03-02": "", "now-999999weeks": "",
	} {
		at, ok := FromNow(text, now)
		if got := at.Format(time.RFC3339); ok != (want != "") || ok && got != want {
			t.Errorf("%q: %s %v, want %q", text, got, ok, want)
		}
	}
}
