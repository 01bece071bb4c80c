package slurm

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// A job of JSON in which a field is no number that is one is left out, and the field is named: whatever field it is, and of whatever
// type.
func TestOddNumbers(t *testing.T) {
	read := func(name, value string) string {
		job := map[string]any{"job_id": 7, "name": "sim", "user_name": "eva", "user_id": 1, "job_state": []string{"PENDING"}, "partition": "main", "tres_req_str": "cpu=1"}
		if name != "" {
			job[name] = json.RawMessage(value)
		}
		text, err := json.Marshal(map[string]any{"jobs": []any{job}})
		if err != nil {
			t.Fatal(err)
		}
		jobs := 0
		problems, err := EachFields(string(text), time.UTC, func(map[string]string) error { jobs++; return nil })
		if err != nil || jobs+len(problems) != 1 {
			t.Fatalf("%s: %v, %v", text, problems, err)
		}
		if len(problems) > 0 {
			return problems[0].Message
		}
		return ""
	}
	if said := read("", ""); said != "" {
		t.Fatal(said)
	}
	for _, name := range numberFields {
		for _, good := range []string{"5", `{"set":true,"infinite":false,"number":5}`, `{"set":false,"infinite":true,"number":0}`, `"5"`, "null", `"Infinity"`} {
			if said := read(name, good); said != "" {
				t.Errorf("%s: %s: %s", name, good, said)
			}
		}
		for _, odd := range []string{"[5]", "{}", "true", `"many"`, `"NaN"`, `"inf"`, `{"number":"5","set":true}`} {
			if said := read(name, odd); !strings.Contains(said, name+" of job ") || !strings.Contains(said, odd+", which is no number") {
				t.Errorf("%s: %s: %s", name, odd, said)
			}
		}
	}
}
