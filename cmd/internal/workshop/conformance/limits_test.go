package conformance

import (
	"encoding/json"
	"path"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/pbs/replay"
	"fairshare/cmd/internal/workshop"
)

// Who may read four prints alone, qstat -f, -Qf and -Bf and pbsnodes, is told by explain of a limit in the words of when, whether the
// place of the job is known or not; but for limits that jobs reach which start first, where it is not known which those are.
func TestLimitsOfFourPrints(t *testing.T) {
	step, limits := 1, 0
	if !workshop.TestsAll() {
		step = 2
	}
	places := momentsOfPBS(t, step)
	for i, at := range matching(t, "replay/*/snapshot/job/qstat_f_F_json.out") {
		if i%step == 0 {
			dir := path.Dir(path.Dir(at))
			places = append(places, place{name: path.Base(path.Dir(dir)), dir: dir})
		}
	}
	for _, p := range places {
		files := filesBelow(t, p.dir)
		for name := range files {
			isPrint := path.Dir(name) == "job" || path.Dir(name) == "node" || strings.HasPrefix(name, "server/qstat_") || name == "ctime"
			if !isPrint {
				delete(files, name)
			}
		}
		dir := write(t, "prints/"+p.name, files)
		forecast, asked := forecastOf(t, place{name: p.name, dir: dir}), map[string]bool{}
		for id, of := range forecast {
			reason := of["reason"]
			if strings.Contains(id, "[") || !replay.IsOfLimit(reason) || asked[reason] {
				continue
			}
			asked[reason] = true
			var said struct {
				Unplaced string
				Now      struct {
					Waits string `json:"waits_for"`
				}
			}
			a := ask("explain", id, dir, "--tz", "UTC", "-o", "json")
			if err := json.Unmarshal([]byte(a.out), &said); err != nil {
				t.Errorf("%s: explain %s: %v: %s", p.name, id, err, a.said)
				continue
			}
			limits++
			isOfStarts := slices.ContainsFunc([]string{outcome.FromThisCycle, outcome.NotDelayed}, func(words string) bool { return strings.Contains(reason, words) })
			if said.Now.Waits != reason && (said.Unplaced == "" || !isOfStarts) {
				t.Errorf("%s: when says of %s that it waits for %q, and explain %q", p.name, id, reason, said.Now.Waits)
			}
		}
	}
	if t.Logf("%d limits", limits); limits < fewest(8, 2) {
		t.Errorf("only %d limits are told", limits)
	}
}
