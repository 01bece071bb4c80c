package conformance

import (
	"slices"
	"strings"
	"testing"
)

// The forecast of a job is the same whether it is asked about alone, with others, or in the whole queue: a run ends once each
// of the jobs that are asked about has started, and one that is preempted and starts again counts once.
func TestForecastsAlone(t *testing.T) {
	var first, others []place // first is asked in a short run too: jobs wait there that others take off their nodes again
	for _, p := range sites(t) {
		if strings.HasPrefix(p.name, "slurm-now/24.11-evening.tgz") {
			first = append(first, p)
		} else {
			others = append(others, p)
		}
	}
	holdForecasts(t, append(first, others...), func(t testing.TB, p place, d *differences) (hasForecast bool) {
		when := func(jobs ...string) (rows []line) {
			a := ask(slices.Concat([]string{"when", p.dir}, jobs, []string{"--runs", "4", "--tz", "UTC", "-o", "csv"})...)
			if a.isGiven() && a.out != "" {
				rows = ofCSV(t, a.out).rows
			}
			return rows
		}
		whole := when()
		if len(whole) < 2 {
			return false
		}
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
		return true
	})
}
