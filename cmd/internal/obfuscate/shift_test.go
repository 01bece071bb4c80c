package obfuscate

import (
	"testing"
	"time"
)

// What is nearer to the true time than to the moved one is found in any unit and form.
func TestUnmoved(t *testing.T) {
	taken := time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)
	shift := Shift{Weeks: -156}
	for text, isFound := range map[string]bool{
		"etime=1772437196": true, "queue_rank = 1772437196123": true, `"queue_rank":1.77243719612346e+15`: true, "1772437196123456789": true, "03/02/2026 08:00:00;E": true, "Mon Mar  2 07:39:56 2026": true,
		"etime=1677829196": false, "mem=1772437196kb": false, "4294967295": false, "2147483647": false, "03/02/2023 08:00:00;E;12.host-1": false, "ncpus=128": false, "RawUsage=1772437197": false,
	} {
		if got := shift.unmoved(text, taken, map[string]bool{"1772437197": true}); (got != "") != isFound {
			t.Errorf("%s: %q", text, got)
		}
	}
}
