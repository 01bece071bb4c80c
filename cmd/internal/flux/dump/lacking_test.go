package dump

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/flux"
)

// What flux prints of each job is named where one lacks it or has null, of recorded lists none lacks.
func TestLacking(t *testing.T) {
	names, err := filepath.Glob("../../../../testdata/flux-site/R*.tgz")
	if err != nil || len(names) == 0 {
		t.Fatal("there are no sites: ", err)
	}
	for _, name := range names {
		tree, err := file.OpenTree(name)
		if err != nil {
			t.Fatal(err)
		}
		d, err := Find(tree)
		if err != nil {
			t.Fatal(err)
		}
		jobs, from, err := d.Jobs()
		if said := Lacking(from, jobs); err != nil || said != nil {
			t.Errorf("%s: %v %v", name, said, err)
		}
	}
	whole := func(id int, state string) map[string]any {
		return map[string]any{"id": id, "userid": 5001, "username": "eva", "state": state, "urgency": 16, "t_submit": 1.5e9, "t_priority": 1.5e9, "t_run": 1.5e9, "t_inactive": 1.5e9, "ncores": 4, "bank": "phys", "queue": "batch"}
	}
	for i, state := range []string{"SCHED", "RUN", "INACTIVE"} {
		for _, field := range []string{"username", "state", "urgency", "t_submit", "t_priority", "t_run", "t_inactive", "ncores", "bank", "queue"} {
			for _, form := range []string{"null", "none"} {
				list := []map[string]any{whole(1, "SCHED"), whole(2, "RUN"), whole(3, "INACTIVE")}
				if list[i] = maps.Clone(list[i]); form == "null" {
					list[i][field] = nil
				} else {
					delete(list[i], field)
				}
				text, err := json.Marshal(map[string]any{"jobs": list})
				if err != nil {
					t.Fatal(err)
				}
				jobs, err := flux.ParseJobs(string(text))
				if err != nil {
					t.Fatal(err)
				}
				has := map[string]bool{"t_priority": state != "INACTIVE", "t_run": state == "RUN", "t_inactive": state == "INACTIVE"}
				must, isOfState := has[field]
				if said := fmt.Sprint(Lacking("jobs.json", jobs)); strings.Contains(said, field+" (1 of 3)") != (must || !isOfState) {
					t.Errorf("%s of a job that is %s is %s: %s", field, state, form, said)
				}
			}
		}
	}
}
