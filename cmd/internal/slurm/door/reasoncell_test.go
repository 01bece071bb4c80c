package door

import (
	"strings"
	"testing"
	"unicode/utf8"

	"fairshare/cmd/internal/slurm/order"
)

// A long reason is cut in the table where limits or starts stand behind it, and whole in CSV.
func TestLongReasons(t *testing.T) {
	long := strings.Repeat("DOWN, DRAINED ", 7)
	r := row{Row: order.Row{Reason: long}}
	for _, isHeld := range []bool{false, true} {
		for _, isNow := range []bool{false, true} {
			for _, c := range columns(isHeld, false, isNow) {
				if c.Title == "REASON" && (utf8.RuneCountInString(c.Text(r)) > 40) == (isHeld || isNow) {
					t.Errorf("limits %v, starts %v: the table has %q", isHeld, isNow, c.Text(r))
				}
				if c.Name == "reason" && c.Cell(r) != long {
					t.Errorf("CSV has %q", c.Cell(r))
				}
			}
		}
	}
}
