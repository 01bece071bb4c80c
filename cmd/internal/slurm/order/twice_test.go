package order

import (
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/setup"
)

// A moment, or an end of a job that runs, in the hour that the clock has twice in autumn is said to be open.
func TestHourThatComesTwice(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ at, ends, says string }{
		{"2026-10-25T00:15:00Z", "", "in which the site was asked"}, // 02:15 for the first time
		{"2026-10-25T01:15:00Z", "", "in which the site was asked"}, // and for the second
		{"2026-10-24T23:15:00Z", "2026-10-25T00:30:00Z", "of 1 running job is"},
		{"2026-10-24T23:15:00Z", "2026-10-25T01:30:00Z", "of 1 running job is"},
		{"2026-10-24T23:15:00Z", "2026-10-25T02:30:00Z", ""},
		{"2026-10-25T02:15:00Z", "", ""},
	} {
		at, _ := time.Parse(time.RFC3339, test.at)
		job := slurm.ListedJob{Started: at.Add(-time.Hour * 9)}
		job.ID, job.State = "7", "RUNNING"
		if test.ends != "" {
			job.Ends, _ = time.Parse(time.RFC3339, test.ends)
		}
		remarks := sayTwice(&setup.Site{At: at.Unix(), Queue: []slurm.ListedJob{job}}, berlin)
		if (test.says == "") != (len(remarks) == 0) || test.says != "" && !strings.Contains(remarks[0].Text, test.says) {
			t.Errorf("%+v: %v", test, remarks)
		}
		if said := sayTwice(&setup.Site{At: at.Unix(), Queue: []slurm.ListedJob{job}}, time.UTC); said != nil {
			t.Errorf("%s in UTC: %v", test.at, said)
		}
	}
}
