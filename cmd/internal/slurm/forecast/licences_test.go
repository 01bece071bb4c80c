package forecast

import (
	"context"
	"strings"
	"testing"

	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/sched"
)

// A job that waits for licences, beside one that has three of four for long on the other node.
func TestLicences(t *testing.T) {
	o := forecast.Options{Runs: 10, Seed: 1, Horizon: forecast.DefaultHorizon}
	begin := func(asks string, inUse int64) *Site {
		s := begun(t)
		s.Setup.Licences = []sched.Licence{{Name: "matlab", Total: 4, InUse: inUse}}
		for _, j := range []slurm.ListedJob{
			job("3", 4, func(j *slurm.ListedJob) {
				j.State, j.Nodes, j.Started, j.TimeLimit, j.Licenses, j.Partitions = "RUNNING", []string{"n2"}, ago(60), 5000, "matlab:3", []string{"r"}
			}),
			job("7", 1, func(j *slurm.ListedJob) {
				j.TimeLimit, j.Licenses, j.Priority, j.Partitions = 60, asks, 5, []string{"p"}
			}),
		} {
			j.User, j.Account, j.QOS = "u", "a", "q"
			if j.State == "" {
				j.State = "PENDING"
			}
			s.Queue = append(s.Queue, j)
		}
		s.addJobs()
		if _, isListed := s.listed["3"]; !isListed {
			t.Fatal("the job on the other node is left out")
		}
		s.settle()
		return s
	}
	for _, test := range []struct {
		asks   string
		inUse  int64 // of matlab, as scontrol show lic says; the job on the other node has three
		isSoon bool
		reason string
		isSaid bool
	}{
		{"", 3, true, outcome.StartsNow, false},
		{"matlab:1", 3, true, outcome.StartsNow, false},
		{"matlab:2", 3, false, sched.WaitsForLicences, false},
		{"matlab:5", 3, false, outcome.Never + "Licenses, whatever else runs", false},
		{"matlab:1", 4, false, sched.WaitsForLicences, false},
		{"octave", 3, true, outcome.StartsNow, true},
		{"matlab|octave", 3, true, outcome.StartsNow, true},
	} {
		s := begin(test.asks, test.inUse)
		f, err := forecast.MakeOf(context.Background(), s.state, s, o)
		if err != nil {
			t.Fatal(err)
		}
		if j := f.Jobs[0]; (j.Median < now+60) != test.isSoon || j.Reason != test.reason {
			t.Errorf("%q: it starts in %.0f s: %s", test.asks, j.Median-now, j.Reason)
		}
		isSaid := false
		for _, r := range s.unmodelled() {
			isSaid = isSaid || strings.Contains(r.Text, "licences")
		}
		if isSaid != test.isSaid {
			t.Errorf("%q: that it needs others is said: %v", test.asks, isSaid)
		}
	}
	for _, test := range []struct {
		asks, refused string
		isSoon        bool
	}{
		{"cpus=1,licenses=matlab:1,time=1:00:00", "", true},
		{"-n1 -L matlab:2 -t 60", "", false},
		{"-n1 -L matlab:5 -t 60", "Licenses, whatever else runs", false},
		{"-n1 -L octave -t 60", "the site has no licences of octave", false},
		{"-n1 -L matlab|octave -t 60", `"matlab|octave" is no value of licenses`, false},
		{"cpus=1,licenses=matlab:1,matlab:1,time=1:00:00", "", false},
	} {
		of, err := begin("", 3).New("u", "p", test.asks)
		var advice []forecast.Advice
		if err == nil {
			_, advice, err = forecast.Advise(context.Background(), o, of, nil)
		}
		switch {
		case err != nil && (test.refused == "" || !strings.Contains(err.Error(), test.refused)):
			t.Errorf("%s: %v, want %q", test.asks, err, test.refused)
		case err == nil && (test.refused != "" || (advice[0].Job.Median < now+60) != test.isSoon):
			t.Errorf("%s: it starts in %.0f s", test.asks, advice[0].Job.Median-now)
		}
	}
}
