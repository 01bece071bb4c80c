package conformance

import (
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// --tz is the zone of what is printed and typed: at a site of PBS whose records tell their own, no command has another start, end, order
// or forecast in it. Reasons name times of day in it.
func TestZones(t *testing.T) {
	var list []place
	for _, run := range matching(t, "replay/*/snapshot") {
		list = append(list, place{name: filepath.Base(filepath.Dir(run)), dir: run})
	}
	clock := regexp.MustCompile(`20\d\d-\d\d-\d\d \d\d:\d\d|\d\d:\d\d`)
	hold(t, list, 23, func(t testing.TB, p place, d *differences) {
		for _, args := range [][]string{
			words("sort SITE --now --all -o csv"), words("when SITE --runs 1 -o csv"), words("nodes SITE -o csv"),
			words("history SITE -o csv"), words("replay SITE -o starts"),
		} {
			args[1] = p.dir
			at := func(zone string) answer { return ask(append(slices.Clone(args), "--tz", zone)...) }
			utc := at("UTC")
			for _, zone := range words("Asia/Tokyo America/New_York Europe/Berlin") {
				other := at(zone)
				d.equal(args[0]+" --tz "+zone, clock.ReplaceAllString(utc.out, "CLOCK"), clock.ReplaceAllString(other.out, "CLOCK"))
				d.equal("exit of "+args[0]+" --tz "+zone, utc.code, other.code)
			}
		}
	})
}
