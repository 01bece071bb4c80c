package conformance

import (
	"encoding/json"
	"math"
	"strconv"
	"testing"
)

// The starts that witness judges are those that history counts, of as many cpu hours as the machine was in use for them: what a job
// had while it was suspended is not of them, whether it went on before the record ended or not. A run came at the same
// time for both, also that of a task of an array that has to wait for others of it.
func TestHoursInWitness(t *testing.T) {
	list, by := records(t)
	hold(t, list, 11, func(t testing.TB, p place, d *differences) {
		r := by[p.name]
		args := append([]string{p.dir}, r.ways(t)[""]...)
		if r.usage != "" {
			args = append(args, "--usage", r.usage)
		}
		var judged struct {
			Starts int
			Hours  float64 `json:"cpu_hours"`
		}
		if err := json.Unmarshal([]byte(answered(t, append([]string{"witness", "--tz", "UTC", "-o", "json"}, args...)...)), &judged); err != nil {
			t.Fatal(err)
		}
		starts, hours := 0.0, 0.0
		for _, month := range asked(t, append([]string{"history", "--tz", "UTC", "--by", "month", p.dir}, r.ways(t)[""]...)...).rows {
			for column, sum := range map[string]*float64{"jobs_started": &starts, "cpu_hours": &hours} {
				n, err := strconv.ParseFloat(month[column], 64)
				if err != nil {
					t.Fatal(err)
				}
				*sum += n
			}
		}
		d.equal("starts in history and witness", starts, judged.Starts)
		if math.Abs(hours-judged.Hours) > 0.001*hours {
			d.add("history has %.2f cpu hours, witness %.2f", hours, judged.Hours)
		}
		came := map[[2]string]string{} // of the last run of jobs, by when that started
		for _, job := range asked(t, append([]string{"history", "--tz", "UTC", p.dir}, r.ways(t)[""]...)...).rows {
			came[[2]string{job["job"], job["start"]}] = job["arrival"]
		}
		for _, start := range asked(t, append([]string{"witness", "--tz", "UTC"}, args...)...).rows {
			if at := came[[2]string{start["job"], start["start"]}]; at != "" {
				d.equal("when job "+start["job"]+" came, in history and witness", at, start["arrival"])
			}
		}
	})
}
