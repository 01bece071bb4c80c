package moment

import (
	"fmt"
	"strconv"

	"fairshare/cmd/internal/pattern"
)

var withUnits = pattern.Of(`^(?:([0-9]+)d)?(?:([0-9]+)h)?(?:([0-9]+)m(?:in)?)?(?:([0-9]+)s)?$`)

// OfUnits reads a length of time as people write it, such as 1h30m or 2d, in seconds.
func OfUnits(text string) (seconds float64, ok bool) {
	parts := withUnits().FindStringSubmatch(text)
	if parts == nil || text == "" {
		return 0, false
	}
	for i, unit := range []float64{86400, 3600, 60, 1} {
		if parts[i+1] == "" {
			continue
		}
		n, err := strconv.ParseFloat(parts[i+1], 64)
		if err != nil {
			return 0, false
		}
		seconds += n * unit
	}
	return seconds, true
}

// AsClock returns such a length as schedulers read it, in hours, minutes and seconds: 1:30:00 for 1h30m; "" for a text that is none.
func AsClock(text string) string {
	seconds, ok := OfUnits(text)
	const most = 1e9
	if !ok || seconds == 0 || seconds > most {
		return ""
	}
	n := int64(seconds)
	return fmt.Sprintf("%d:%02d:%02d", n/3600, n/60%60, n%60)
}
