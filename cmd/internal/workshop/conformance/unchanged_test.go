package conformance

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/outcome"
)

// closedQueue is what a queue has that takes no jobs any more.
const closedQueue = "    enabled = False\n    max_queued = [u:PBS_GENERIC=0]\n    acl_user_enable = True\n    resources_max.nodect = 0\n"

var queueLine = regexp.MustCompile(`(?m)^Queue: .*$`)

// The row of a job of PBS as it is, beside what it might ask for, is what when says of that job alone, also where its queue takes
// no more jobs.
func TestUnchanged(t *testing.T) {
	holdForecasts(t, sites(t), func(t testing.TB, p place, d *differences) (hasForecast bool) {
		if p.isSlurm {
			return true
		}
		files := filesBelow(t, p.dir)
		for name, text := range files {
			if strings.HasSuffix(name, "qstat_Qf.out") {
				files[name] = queueLine.ReplaceAllString(text, "${0}\n"+closedQueue)
			}
		}
		p.dir = write(t, p.name+" closed", files)
		forecast := forecastOf(t, p)
		jobs := slices.DeleteFunc(slices.Sorted(maps.Keys(forecast)), func(id string) bool {
			return strings.Contains(id, "[") || forecast[id]["place"] == "" || strings.HasPrefix(forecast[id]["reason"], outcome.Held)
		})
		for _, id := range jobs[:min(len(jobs), 2)] {
			options := []string{p.dir, id, "--runs", "3", "--tz", "UTC"}
			alone := asked(t, append([]string{"when"}, options...)...).rows[0]
			as := asked(t, append([]string{"when", "--try", "walltime=0:10:00"}, options...)...).rows[0]
			for _, column := range []string{"p10", "p50", "p90", "reason"} {
				d.equal(column+" of job "+id+" alone and beside a change", alone[column], as[column])
			}
		}
		return len(jobs) > 0
	})
}
