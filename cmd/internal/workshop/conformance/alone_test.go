package conformance

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"fairshare/cmd/internal/workshop"
)

// The forecast of a job is the same whether it is asked about alone, with others, or in the whole queue: a run ends once each
// of the jobs that are asked about has started, and one that is preempted and starts again counts once.
func TestForecastsAlone(t *testing.T) {
	list, step, least := sites(t), 9, 2
	if workshop.TestsAll() {
		step, least = 1, 60
	}
	var seen, compared atomic.Int32
	t.Cleanup(func() { // after all sites, unless some alone were asked for
		if n := int(compared.Load()); int(seen.Load()) >= (len(list)+step-1)/step && n < least {
			t.Errorf("only %d sites have a forecast", n)
		}
	})
	list = slices.Clone(list)
	isPreempting := func(p place) bool { return strings.HasPrefix(p.name, "slurm-now/24.11-evening.tgz") }                                             // where jobs wait that others take off their nodes again
	list = slices.Concat(slices.DeleteFunc(slices.Clone(list), func(p place) bool { return !isPreempting(p) }), slices.DeleteFunc(list, isPreempting)) // so that a short run asks it
	hold(t, list, step, func(t testing.TB, p place, d *differences) {
		seen.Add(1)
		when := func(jobs ...string) (rows []line) {
			a := ask(slices.Concat([]string{"when", p.dir}, jobs, []string{"--runs", "8", "--tz", "UTC", "-o", "csv"})...)
			if a.isGiven() && a.out != "" {
				rows = ofCSV(t, a.out).rows
			}
			return rows
		}
		whole := when()
		if len(whole) < 2 {
			return
		}
		compared.Add(1)
		latest, some := whole[0], []string{} // the job that starts last, or in some run never, though it may start, and every third one
		for i, row := range whole {
			if row["requested"] != "" && (row["p90"] == "" || latest["p90"] != "" && row["p90"] > latest["p90"]) {
				latest = row
			}
			if i%3 == 0 {
				some = append(some, row["job"])
			}
		}
		for _, jobs := range [][]string{{latest["job"]}, some} {
			for _, row := range when(jobs...) {
				i := slices.IndexFunc(whole, func(of line) bool { return of["job"] == row["job"] })
				if i < 0 {
					d.add("job %s, asked about with %v, is not in the whole queue", row["job"], jobs)
					continue
				}
				for column, value := range row { // some columns stand only where a job has them
					if value != whole[i][column] {
						d.add("job %s, asked about with %v: %v, and in the whole queue: %v", row["job"], jobs, row, whole[i])
						break
					}
				}
			}
		}
	})
}
