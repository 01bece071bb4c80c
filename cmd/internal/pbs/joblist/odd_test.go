package joblist

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairshare/formula"
)

// What PBS itself would not print of a job is said, in each form of a list, and what may be so is not.
func TestOddJobs(t *testing.T) {
	const plain = `"job_state": "Q", "queue": "workq", "euser": "ann", "egroup": "g"`
	of := func(name, value string) string {
		return plain + `, "Resource_List": {"ncpus": 1, "` + name + `": ` + value + `}`
	}
	tests := []struct {
		of    string // the job, in JSON
		want  []string
		forms string // in which a job can be so
	}{
		{"{" + of("walltime", `"01:00:00"`) + "}", nil, "json text dsv"},
		{"{" + of("custom", "-4") + "}", nil, "json text dsv"}, // which PBS takes
		{"null", []string{"a job without attributes"}, "json"},
		{"[]", []string{"a job without attributes"}, "json"},
		{`"x"`, []string{"a job without attributes"}, "json"},
		{"{" + plain + "}", []string{"Resource_List"}, "json text dsv"},
		{"{" + plain + `, "Resource_List": []}`, []string{"Resource_List", "a Resource_List that is no list of resources"}, "json"},
		{"{" + plain + `, "Resource_List": "x"}`, []string{"Resource_List", "a Resource_List that is no list of resources"}, "json"},
		{"{" + plain + `, "Resource_List": null}`, []string{"Resource_List"}, "json"},
		{"{" + of("mpiprocs", "-4") + "}", []string{"an amount of mpiprocs below 0"}, "json text dsv"},
		{"{" + of("mem", `"1e308"`) + "}", []string{"unreadable"}, "json text dsv"},
		{"{" + of("nodect", "1e308") + "}", []string{"an amount of nodect that is more than PBS can count"}, "json text dsv"},
		{"{" + of("walltime", `"-01:00:00"`) + "}", []string{"an amount of walltime below 0"}, "json text dsv"},
		{"{" + of("nodect", `"nan"`) + "}", []string{"unreadable"}, "json text dsv"},
		{"{" + strings.Replace(of("nodect", "1"), `"Q"`, `"?"`, 1) + "}", []string{"a job in a state that PBS does not have"}, "json text dsv"},
		{"{" + strings.Replace(of("nodect", "1"), `"Q"`, `"Queued"`, 1) + "}", []string{"a job in a state that PBS does not have"}, "json text dsv"},
		{"{" + of("nodect", "1") + `, "eligible_time": "-00:10:00"}`, []string{"an amount of eligible_time below 0"}, "json text dsv"},
		{"{" + strings.Replace(of("nodect", "1"), `"workq"`, `""`, 1) + "}", []string{"queue"}, "json dsv"},
		{"{" + strings.Replace(of("nodect", "1"), `"ann"`, `""`, 1) + "}", []string{"euser"}, "json dsv"},
	}
	options := Options{Columns: []string{"eligible_time", "nodect", "walltime"}, Symbols: formula.NewSymbols(nil), Entity: "euser"}
	for _, test := range tests {
		for form := range strings.FieldsSeq(test.forms) {
			list, err := Read(strings.NewReader(written(t, form, test.of)), options)
			if err != nil {
				t.Errorf("%s as %s: %v", test.of, form, err)
				continue
			}
			got := slices.Sorted(maps.Keys(list.Problems))
			got = append(got, slices.Sorted(maps.Keys(list.Missing))...)
			if len(list.Unreadable) > 0 {
				got = append(got, "unreadable")
			}
			slices.Sort(got)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%s as %s (-want +got):\n%s", test.of, form, diff)
			}
		}
	}
}

// written returns a list of one job of no interest and one that is given in JSON, in a form of qstat.
func written(t *testing.T, form, job string) string {
	t.Helper()
	if form == "json" {
		return fmt.Sprintf(`{"Jobs": {"1.s": {"job_state": "Q", "queue": "workq", "euser": "bob", "egroup": "g", "Resource_List": {"ncpus": 1}}, "2.s": %s}}`, job)
	}
	var lines []string
	flat := strings.NewReplacer(`"Resource_List": {`, "", "{", "", "}", "", `"`, "").Replace(job)
	for part := range strings.SplitSeq(flat, ", ") {
		name, value, _ := strings.Cut(part, ": ")
		if !slices.Contains([]string{"job_state", "queue", "euser", "egroup", "eligible_time"}, name) {
			name = "Resource_List." + name
		}
		lines = append(lines, name+"="+value)
	}
	if form == "dsv" {
		return "Job Id: 2.s|Job_Name=x|" + strings.Join(lines, "|") + "\n"
	}
	return "Job Id: 2.s\n    " + strings.ReplaceAll(strings.Join(lines, "\n    "), "=", " = ") + "\n\n"
}

// Jobs without a queue_rank that can be read are counted where others have one. Those that have left need none, nor does a
// list in which no job has one.
func TestJobsWithoutRank(t *testing.T) {
	for list, want := range map[string]int{
		"1,Q,5\n2,Q,6\n": 0, "1,Q,5\n2,Q,\n": 1, "1,Q,x\n2,R,\n3,Q,5\n": 2, "1,Q,5\n2,F,\n": 0, "1,Q,\n2,Q,\n": 0,
	} {
		l, err := Read(strings.NewReader("Job_Id,job_state,queue_rank\n"+list), Options{Symbols: formula.NewSymbols(nil), Entity: "euser"})
		if err != nil {
			t.Fatal(err)
		}
		said := 0
		for _, r := range l.Remarks("list") {
			fmt.Sscanf(r.Text, "%d job", &said)
			if strings.Contains(r.Text, "without a queue_rank") {
				break
			}
			said = 0
		}
		if said != want {
			t.Errorf("%q: %d jobs are said to have no rank, not %d: %v", list, said, want, l.Remarks("list"))
		}
	}
}
