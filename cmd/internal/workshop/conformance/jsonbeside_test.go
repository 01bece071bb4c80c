package conformance

import (
	"path/filepath"
	"strings"
	"testing"

	"fairshare/cmd/internal/workshop"
)

// What sacct prints as JSON and as a table at one moment tells the same of each run, and does not contradict itself, also where the clock
// has an hour twice.
func TestJSONBesideTable(t *testing.T) {
	zones := map[string]string{"site-23.11": "Europe/Berlin", "site-25.05": "America/New_York"}
	for i, table := range matching(t, "slurm-json/sacct/*.txt.gz") {
		if !workshop.Among(i, 1) {
			continue
		}
		name := strings.TrimSuffix(filepath.Base(table), ".txt.gz")
		zone := zones[name]
		if zone == "" {
			zone = "UTC"
		}
		json := strings.Replace(table, ".txt.gz", ".json.gz", 1)
		args := []string{"history", "--by", "user", "-o", "csv", "--tz", zone}
		want, both := ask(append(args, json)...), ask(append(args, table, json)...)
		if strings.Contains(both.said, "contradict") {
			t.Errorf("%s: %s", name, both.said)
		}
		var d differences
		compareText(&d, name, want, both)
		d.tell(t)
	}
}
