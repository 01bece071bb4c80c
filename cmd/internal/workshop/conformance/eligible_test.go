package conformance

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/workshop"
)

// Of each job that PBS calls ineligible (accrue_type 1), explain says that its eligible_time does not grow, and explain --vs that waiting
// does not turn its place; of others neither, but where a limit has been reached since.
func TestIneligibleAsPBSSays(t *testing.T) {
	dir := filepath.Join(testdata, "replay", "Q4y", "snapshot")
	var list struct {
		Jobs map[string]struct {
			State string `json:"job_state"`
			Type  int    `json:"accrue_type"`
		}
	}
	if err := json.Unmarshal([]byte(filesBelow(t, dir)["job/qstat_f_F_json.out"]), &list); err != nil {
		t.Fatal(err)
	}
	still := 0
	for i, id := range slices.Sorted(maps.Keys(list.Jobs)) {
		j := list.Jobs[id]
		if j.State != "Q" {
			continue
		}
		if j.Type == 1 && !workshop.Among(i, 4) {
			continue
		}
		var said struct {
			Ineligible string
			Now        struct {
				Waits string `json:"waits_for"`
			}
		}
		if err := json.Unmarshal([]byte(answered(t, "explain", id, dir, "-o", "json")), &said); err != nil {
			t.Fatal(err)
		}
		switch saysStill := strings.Contains(said.Ineligible, "does not grow"); {
		case j.Type == 1 && !saysStill:
			t.Errorf("%s: PBS calls it ineligible, and explain says %q", id, said.Ineligible)
		case j.Type == 2 && saysStill && !strings.HasPrefix(said.Now.Waits, "limit of "):
			t.Errorf("%s: PBS calls it eligible, and explain says %q", id, said.Ineligible)
		case saysStill:
			still++
		}
	}
	four := filesBelow(t, dir) // which any user may read
	for name := range four {
		if name != "job/qstat_f_F_json.out" && name != "node/pbsnodes_va.out" && !strings.HasPrefix(name, "server/qstat_") {
			delete(four, name)
		}
	}
	prints := write(t, "prints/eligible", four)
	for _, id := range []string{"46", "209"} {
		if said := answered(t, "explain", id, prints); !strings.Contains(said, "its eligible_time does not grow ") {
			t.Errorf("of four prints %s", said)
		}
	}
	if still < fewest(40, 2) {
		t.Errorf("only %d stand still", still)
	}
	text := answered(t, "explain", "46", dir, "--vs", "260")
	if !strings.Contains(text, "46.pbsref had been eligible for 1h20m0s longer") || !strings.Contains(text, "waiting does not reverse the order") {
		t.Error(text)
	}
}
