package dump

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/slurm"
)

// Lists are read once, and what is said of their jobs is the same each time, whatever was done with the jobs before.
func TestListsAreReadOnce(t *testing.T) {
	const list = `{"jobs": [{"job_id": 7, "name": "a", "user_name": "kim", "user_id": 6001, "group_name": "g", "group_id": 6001, "partition": "main",
		"account": "chem", "qos": "normal", "job_state": ["PENDING"], "priority": 9, "nice": 0, "submit_time": 1772448900, "time_limit": 60, "node_count": 1, "cpus": 1, "tasks": 1, "state_reason": "Priority", "eligible_time": 1772448900, "accrue_time": 1772448900, "shared": "none", "tres_req_str": "cpu=1,mem=1G,node=1"},
		{"job_id": 8, "user_name": "kim"}]}`
	opened := func(t *testing.T, kinds ...Kind) *Dump {
		d := &Dump{Name: "a"}
		for _, k := range kinds {
			d.Parts = append(d.Parts, Part{Source: file.Source{Name: parts[k]}, Kind: k, Text: list})
		}
		if err := d.findStrangers(); err != nil {
			t.Fatal(err)
		}
		return d
	}
	for _, kinds := range [][]Kind{{KindJobs}, {KindQueue}, {KindJobs, KindQueue}} {
		type answer struct {
			jobs     []slurm.ListedJob
			isListed bool
			remarks  []diag.Remark
		}
		ask := func(d *Dump) (a answer) {
			a.jobs, a.isListed, a.remarks = d.Jobs()
			return a
		}
		d := opened(t, kinds...)
		first := ask(d)
		if len(first.jobs) != 1 || first.jobs[0].Submitted.IsZero() {
			t.Fatalf("%v: %+v", kinds, first)
		}
		for range 2 {
			changed := ask(d)
			if !reflect.DeepEqual(changed, first) {
				t.Fatalf("%v: %+v, and first %+v", kinds, changed, first)
			}
			changed.jobs[0].Submitted, changed.jobs[0].User = time.Time{}, "sam"
		}
		if !reflect.DeepEqual(ask(opened(t, kinds...)), first) {
			t.Errorf("%v: it depends on what was asked before", kinds)
		}
		d.Parts[0].Text = strings.ReplaceAll(list, `"kim"`, `"sam"`)
		if got, _, _ := d.Jobs(); got[0].User != "sam" {
			t.Errorf("%v: another text has the jobs of the first", kinds)
		}
	}
}
