package sacct

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
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

// A group of a job's fields that lacks or is null changes nothing without a word; numbers without a bound end no list.
func TestJSONThatLacks(t *testing.T) {
	const job = `{"job_id":7,"user":"eva","association":{"user":"eva","account":"chem"},"account":"chem","group":"g","name":"n","partition":"main","qos":"normal","cluster":"c","state":{"current":["COMPLETED"]},"allocation_nodes":1,"nodes":"n1",
"exit_code":{"return_code":{"set":true,"infinite":false,"number":3},"signal":{"id":{"set":false,"infinite":false,"number":0}}},"time":{"submission":1772442000,"eligible":1772442100,"start":1772442600,"end":1772446200,"elapsed":3600,"limit":{"set":true,"infinite":false,"number":60},"suspended":0,"total":{"seconds":9}},
"required":{"CPUs":4},"tres":{"allocated":[{"type":"cpu","count":4},{"type":"mem","count":100}],"requested":[{"type":"cpu","count":4}]},"array":{"job_id":0,"task":null},"het":{"job_id":0},"constraints":"","licenses":"","submit_line":"sbatch","reservation":{"name":""},"restart_cnt":0}`
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(job), &fields); err != nil {
		t.Fatal(err)
	}
	told := func(of map[string]json.RawMessage) (job, said string) {
		text, err := json.Marshal(map[string]any{"jobs": []any{of}})
		if err != nil {
			t.Fatal(err)
		}
		tr := readSacct(t, string(text))
		for _, j := range tr.Jobs {
			job += sayJob(tr, j) + fmt.Sprint(j.UsedCput, j.Nodes)
		}
		return job, fmt.Sprint(tr.Problems, tr.Untold(), tr.Remarks)
	}
	want, before := told(fields)
	mayLack := []string{"account", "group", "name", "nodes", "partition", "allocation_nodes"} // that are shown as empty
	for name := range fields {
		for _, form := range []string{"null", ""} {
			of := maps.Clone(fields)
			if of[name] = json.RawMessage(form); form == "" {
				delete(of, name)
			}
			if name == "allocation_nodes" && form == "" { // by which it is told
				continue
			}
			if got, said := told(of); got != want && said == before && !slices.Contains(mayLack, name) {
				t.Errorf("%s %q: %s\nwant %s\n%s", name, form, got, want, said)
			}
		}
	}
	for _, word := range []string{"Infinity", "-Infinity", "NaN"} {
		tr := readSacct(t, `{"jobs": [`+job+`,`+strings.ReplaceAll(strings.ReplaceAll(job, `"number":60`, `"number":`+word), `"job_id":7`, `"job_id":8`)+`,`+strings.ReplaceAll(job, `"job_id":7`, `"job_id":9`)+`]}`)
		if len(tr.Jobs) != 3 || len(tr.Problems) > 0 {
			t.Errorf("%s: %d jobs, %v", word, len(tr.Jobs), tr.Problems)
		}
	}
}
