package dump

import (
	"strings"
	"testing"

	"fairshare/cmd/internal/slurm"
)

// Of an array of which one list has all tasks together and the other one some of them, one each, the others alone are lacking.
func TestLackingTasks(t *testing.T) {
	array := slurm.ListedJob{Job: slurm.Job{ID: "306", Array: "306", Indices: "0-10:5", State: "PENDING"}}
	task := func(index string) slurm.ListedJob {
		return slurm.ListedJob{Job: slurm.Job{ID: "306_" + index, Task: "306_" + index, State: "PENDING"}}
	}
	for _, test := range []struct {
		list []slurm.ListedJob
		want string
	}{
		{[]slurm.ListedJob{task("0"), task("5"), task("10")}, ""},
		{[]slurm.ListedJob{array}, ""},
		{[]slurm.ListedJob{task("0"), task("10")}, "306_5"},
		{[]slurm.ListedJob{task("0"), task("5")}, ""}, // the last one of a span of steps, which squeue -r leaves out
		{[]slurm.ListedJob{task("5")}, "306_0 306_10"},
		{[]slurm.ListedJob{{Job: slurm.Job{ID: "7"}}}, "306"},
	} {
		if got := strings.Join(lackingIn(test.list)(&array), " "); got != test.want {
			t.Errorf("%v: %q, want %q", test.list, got, test.want)
		}
	}
}
