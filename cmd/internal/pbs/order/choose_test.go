package order

import (
	"strings"
	"testing"

	"fairshare/cmd/internal/pbs"
)

// What is said of waiting jobs that are left out beside others that are considered.
func TestSayClosed(t *testing.T) {
	const header = "Job_Id,job_state,euser,queue\n"
	queues := []pbs.Queue{{Name: "R5", Stopped: true}, {Name: "q"}, {Name: "off", Stopped: true}}
	const fair, groups = "fair_share: true\nfairshare_enforce_no_shares: true\n", "a 10 root 10\nz 11 root 0\n"
	for _, test := range []struct {
		jobs     string
		showsAll bool
		want     string // "" for nothing
	}{
		{"1,Q,a,q\n2,H,a,off\n3,R,z,q\n", false, ""},
		{"1,Q,a,q\n2,Q,a,off\n", true, ""},
		{"1,Q,a,q\n2,Q,a,off\n", false, "1 waiting job not considered now (1: queue off is not started); --all shows them"},
		{"1,Q,a,q\n2,Q,z,q\n3,Q,a,off\n4,Q,a,off\n", false,
			"3 waiting jobs not considered now (2: queue off is not started; 1: zero shares for fairshare); --all shows them"},
		{"1,Q,a,q\n2,Q,a,R5\n", false, "1 waiting job not considered now (1: in a reservation that has not begun); --all shows them"},
	} {
		s := situation{config: fair, groups: groups, queues: queues, jobs: header + test.jobs}
		o, _, err := s.order(t)
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, remark := range o.Remarks(0, test.showsAll) {
			said = append(said, remark.Text)
		}
		if got := strings.Join(said, "\n"); got != test.want {
			t.Errorf("%q, all %t: %q, want %q", test.jobs, test.showsAll, got, test.want)
		}
	}
}
