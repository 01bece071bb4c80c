package dump

import (
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairshare/cmd/internal/slurm"
)

// The complex mode of data_parser writes null, a number or "Infinity" where the plain one writes an object that says whether a number
// is set: of each recorded list, both tell the same.
func TestComplexMode(t *testing.T) {
	const objects = 1000
	sites, _ := filepath.Glob("../../../../testdata/slurm-json/*.tgz")
	converted := 0
	var simplify func(x any) any
	simplify = func(x any) any {
		switch x := x.(type) {
		case map[string]any:
			if isSet, is := x["set"].(bool); is && len(x) == 3 {
				converted++
				switch isInfinite, _ := x["infinite"].(bool); {
				case isInfinite:
					return "Infinity"
				case isSet:
					return x["number"]
				}
				return nil
			}
			for name := range x {
				x[name] = simplify(x[name])
			}
		case []any:
			for i := range x {
				x[i] = simplify(x[i])
			}
		}
		return x
	}
	jobsOf := func(text string) (jobs []map[string]string) {
		problems, err := slurm.EachFields(text, time.UTC, func(fields map[string]string) error { jobs = append(jobs, fields); return nil })
		if len(problems) > 0 || err != nil {
			t.Fatal(problems, err)
		}
		return jobs
	}
	for _, name := range sites {
		d, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range d.Parts {
			var all any
			if !slurm.IsJSON(p.Text) || json.Unmarshal([]byte(p.Text), &all) != nil {
				continue
			}
			simple, _ := json.Marshal(simplify(all))
			if p.Kind == KindJobs {
				if diff := cmp.Diff(jobsOf(p.Text), jobsOf(string(simple))); diff != "" {
					t.Errorf("%s: %s", p.Name, diff)
				}
			}
			if jsonList[p.Kind] == "" {
				continue
			}
			plain, err := jsonRows(p.Kind, p.Text, time.UTC)
			if err != nil {
				continue // of a list that is read elsewhere
			}
			rows, err := jsonRows(p.Kind, string(simple), time.UTC)
			if diff := cmp.Diff(plain, rows); diff != "" || err != nil {
				t.Errorf("%s: %v %s", p.Name, err, diff)
			}
		}
	}
	if converted < objects {
		t.Errorf("only %d numbers are written in two ways: the test says little", converted)
	}
}
