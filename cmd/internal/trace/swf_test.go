package trace

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairshare/cmd/internal/file"
)

// What is written in the Standard Workload Format is read back alike.
func TestSWF(t *testing.T) {
	for _, run := range runs {
		tr, err := Read(logsOf(t, run), time.UTC, Keep{})
		if err != nil {
			t.Fatal(err)
		}
		jobs := slices.DeleteFunc(slices.Clone(tr.Jobs), func(j *Job) bool { return j.IsArray })
		var first, second bytes.Buffer
		if err := tr.WriteSWF(&first, jobs); err != nil {
			t.Fatal(err)
		}
		again, err := Read([]file.Source{text(first.String())}, time.UTC, Keep{})
		if err != nil || len(again.Problems) > 0 {
			t.Fatal(err, again.Problems)
		}
		if err := again.WriteSWF(&second, again.Jobs); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.Split(first.String(), "\n"), strings.Split(second.String(), "\n")); diff != "" {
			t.Errorf("%s (-first +second):\n%s", run, diff)
		}
		a, b := figuresOf(jobs), figuresOf(again.Jobs)
		if run == "A" && a != b {
			t.Errorf("%+v\n%+v", a, b)
		}
	}
}

// Traces as they are found: no header, submissions since 1970, names, floats, more
// columns, and lines that are none.
func TestSWFInTheWild(t *testing.T) {
	const trace = `1 1577836800 10 3600.5 16 -1 -1 16 7200 -1 1 alice chem -1 batch -1 -1 -1 extra more
2 1577836900 -1 -1 -1 -1 -1 8 600 -1 5 bob bio -1 batch -1 -1 -1
x 1577836900 1 1 1
3 1577837000 5
1 1577837000 5 5 5
4 1577837000.0 0 60 4 55 1024 -1 -1 2048 0 -1 -1 -1 -1 -1 -1 -1
5 1577837000 0 60 1e12
`
	tr, err := Read([]file.Source{text(trace)}, time.UTC, Keep{})
	if err != nil || len(tr.Jobs) != 3 || len(tr.Problems) != 4 || !strings.Contains(tr.Problems[3].Detail, "more processors than any machine") {
		t.Fatalf("%d jobs, %v (%v)", len(tr.Jobs), tr.Problems, err)
	}
	j := tr.Jobs[0]
	if wait, _ := j.Wait(); j.Arrival != 1577836800 || wait != 10 || j.End-j.Start != 3601 || j.NCPUs != 16 || tr.Names.List[j.User] != "alice" || tr.Names.List[j.Queue] != "batch" {
		t.Errorf("%+v", j)
	}
	if j := tr.Jobs[1]; j.State != Deleted || j.NCPUs != 8 {
		t.Errorf("%+v", j)
	}
	if j := tr.Jobs[2]; j.Exit != 1 || j.UsedCput != 220 || j.Mem != 8192 || j.User != 0 {
		t.Errorf("%+v", j)
	}
}
