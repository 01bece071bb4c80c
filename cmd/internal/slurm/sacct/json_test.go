package sacct

import (
	"encoding/json"
	"strings"
	"testing"
)

// A job of JSON with a value of a type that the field cannot have is left out and named, and those behind it are read.
func TestOddJSON(t *testing.T) {
	job := func(id int, path, value string) map[string]any {
		number := func(n int) map[string]any { return map[string]any{"set": true, "infinite": false, "number": n} }
		of := map[string]any{
			"job_id": id, "user": "eva", "account": "chem", "partition": "main", "state": map[string]any{"current": []string{"COMPLETED"}}, "allocation_nodes": 1, "nodes": "n1", "exit_code": map[string]any{"return_code": number(0)},
			"time": map[string]any{"submission": 1772442000, "eligible": 1772442000, "start": 1772442600, "end": 1772446200, "elapsed": 3600, "limit": number(60)}, "required": map[string]any{"CPUs": 4},
		}
		at := of
		steps := strings.Split(path, "/")
		for _, step := range steps[:len(steps)-1] {
			at = at[step].(map[string]any)
		}
		if path != "" {
			at[steps[len(steps)-1]] = json.RawMessage(value)
		}
		return of
	}
	read := func(path, value string) (jobs int, said string) {
		text, err := json.Marshal(map[string]any{"jobs": []any{job(7, "", ""), job(8, path, value), job(9, "", "")}})
		if err != nil {
			t.Fatal(err)
		}
		got := readSacct(t, string(text))
		for _, p := range got.Problems {
			said += p.Detail
		}
		return len(got.Jobs), said
	}
	if jobs, said := read("", ""); jobs != 3 || said != "" {
		t.Fatal(jobs, said)
	}
	for _, path := range []string{"required/CPUs", "allocation_nodes", "time/limit", "time/submission", "time/end", "time/elapsed", "exit_code/return_code"} {
		for _, odd := range []string{"[5]", "true", `"many"`, `{"set":true,"number":"5"}`} {
			if jobs, said := read(path, odd); jobs != 2 || !strings.Contains(said, "job 2 of the list: its "+strings.ToLower(strings.ReplaceAll(path, "/", "."))+" cannot be "+odd) {
				t.Errorf("%s=%s: %d jobs, %s", path, odd, jobs, said)
			}
		}
	}
	if jobs, said := read("account", "5"); jobs != 2 || !strings.Contains(said, "its account cannot be number") {
		t.Errorf("%d jobs, %s", jobs, said)
	}
	if jobs, said := read("required/CPUs", `"5"`); jobs != 3 || said != "" {
		t.Errorf("%d jobs, %s", jobs, said)
	}
}
