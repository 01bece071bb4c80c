package flux

import (
	"strings"
	"testing"
)

// A list of jobs that flux never prints is refused, and the message says what is wrong with which job.
func TestBadJobs(t *testing.T) {
	const job = `{"id":7,"username":"ann","state":"SCHED","urgency":16,"priority":5,"ncores":4,"nnodes":1,"duration":60,"t_submit":1700000000,"annotations":{"user":{"fairshare":0.5}}}`
	if jobs, err := ParseJobs(`{"jobs":[` + job + `]}`); err != nil || len(jobs) != 1 {
		t.Fatal(jobs, err)
	}
	if _, err := ParseJobs(`{"jobs":[` + job + `,` + job + `]}`); err == nil || !strings.Contains(err.Error(), "job 2 of the list (7) stands earlier") {
		t.Error(err)
	}
	for was, bad := range map[string][]string{
		`"urgency":16`: {"-1", "99", `"x"`}, `"priority":5`: {"-5", "1e30", `"x"`}, `"ncores":4`: {"-3", "4000000000000", "1e308", "{}"}, `"nnodes":1`: {"-1", "1e308"},
		`"duration":60`: {"-5", "1e308", `"long"`}, `"t_submit":1700000000`: {"-1", "1e300"}, `"fairshare":0.5`: {"-0.5", "7"},
	} {
		name, _, _ := strings.Cut(was, ":")
		for _, value := range bad {
			jobs, err := ParseJobs(`{"jobs":[` + strings.Replace(job, was, name+":"+value, 1) + `]}`)
			if err == nil {
				t.Errorf("%s %s: %+v", name, value, jobs)
			}
		}
	}
}
