package conformance

import (
	"encoding/json"
	"math"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"fairshare/cmd/internal/workshop"
)

var meanInUse = regexp.MustCompile(`(?m)^cpus in use on average, without the first and the last tenth of the time: ([\d.]+)% of the (\d+) that the site has`)

// What replay says that was in use of a site's cpus in a record is what history does, also where jobs were preempted and
// requeued: the runs that they lost are in both.
func TestInUseOfRecords(t *testing.T) {
	t.Parallel()
	list, by := records(t)
	compared := 0
	for i, p := range list {
		isRequeued := slices.Contains([]string{"K1c", "K5c"}, path.Base(p.name))
		if !p.isSlurm || !isRequeued && !workshop.Among(i, 11) {
			continue
		}
		table := filepath.Join(write(t, "inuse/"+p.name, map[string]string{"sacct.txt": by[p.name].text}), "sacct.txt")
		said := meanInUse.FindStringSubmatch(answered(t, "history", p.dir, table))
		replayed := ask("replay", p.dir, table, "--runs", "1", "-o", "json")
		if said == nil || !replayed.isGiven() {
			continue // the site tells no nodes, or nothing that a replay needs
		}
		var of struct {
			Cluster  struct{ NCPUs int } `json:"cluster"`
			Policies []struct {
				Figures   map[string]struct{ Mean float64 } `json:"figures"`
				Preempted *int                              `json:"preempted"`
			} `json:"policies"`
		}
		if err := json.Unmarshal([]byte(replayed.out), &of); err != nil {
			t.Fatal(err)
		}
		want, _ := strconv.ParseFloat(said[1], 64)
		cpus, _ := strconv.Atoi(said[2])
		if got := 100 * of.Policies[0].Figures["utilisation"].Mean; math.Abs(got-want) > 0.1 || of.Cluster.NCPUs != cpus {
			t.Errorf("%s: replay says that %.2f %% of %d cpus were in use, and history %s %% of %d", p.name, got, of.Cluster.NCPUs, said[1], cpus)
		}
		if path.Base(p.name) == "K1c" && *of.Policies[1].Preempted == 0 {
			t.Errorf("%s: no job is preempted in the replay", p.name)
		}
		compared++
	}
	if compared < 2 {
		t.Errorf("only %d records were compared", compared)
	}
}
