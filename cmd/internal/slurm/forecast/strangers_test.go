package forecast

import (
	"context"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/sched"
)

// A running job of which the tree does not have the association has its nodes until it ends, in each draw, as one has of which it does. One of
// a QOS or a partition that the site does not have keeps what it has, and that is said.
func TestStrangers(t *testing.T) {
	const end = now + 1800
	// At a site with a job on each node, the first one has a QOS, an account and a partition.
	begin := func(qos, account, partition string) (*Site, string) {
		s := begun(t)
		s.Setup.InUse = []sched.Use{{CPUs: 4, Memory: 2000}, {CPUs: 4, Memory: 2000}}
		s.Setup.QOS = append(s.Setup.QOS, sched.QOS{Name: "other", Limits: sched.Unlimited(0), UsageFactor: 1})
		s.Queue = append(s.Queue,
			job("3", 4, func(j *slurm.ListedJob) {
				j.State, j.Nodes, j.Started, j.TimeLimit, j.QOS, j.Account, j.Partitions = "RUNNING", []string{"n1"}, ago(600), 40, qos, account, []string{partition}
				j.User = "x"
				if account == "a" {
					j.User = "u"
				}
			}),
			job("4", 4, func(j *slurm.ListedJob) {
				j.State, j.Nodes, j.Started, j.TimeLimit, j.QOS, j.Account, j.Partitions, j.User = "RUNNING", []string{"n2"}, ago(60), 5000, "q", "a", []string{"r"}, "u"
			}),
			job("7", 4, func(j *slurm.ListedJob) {
				j.State, j.TimeLimit, j.Priority, j.QOS, j.Account, j.Partitions, j.User = "PENDING", 60, 5, "q", "a", []string{"p"}, "u"
			}),
		)
		var said []string
		for _, r := range s.addJobs() {
			said = append(said, r.Text)
		}
		s.settle()
		return s, strings.Join(said, "\n")
	}
	starts := func(s *Site) []float64 {
		f, err := forecast.MakeOf(context.Background(), s.state, s, forecast.Options{Runs: 10, Seed: 1, Horizon: forecast.DefaultHorizon})
		if err != nil || len(f.Jobs) != 1 {
			t.Fatal(f, err)
		}
		return f.Jobs[0].Starts
	}
	s, said := begin("q", "a", "p")
	want := starts(s)
	if said != "" || slices.Min(want) < now || slices.Max(want) > end+300 {
		t.Fatalf("job 7 waits for one of its user until %v: %s", want, said)
	}
	for _, test := range []struct {
		qos, account, partition string
		isOver                  bool
		says                    string
	}{
		{"q", "z", "p", true, "1 running job of the list: of an association that the tree does not have; taken to run as others do, and to count for no limits and shares of accounts and users (3)"},
		{"none", "a", "p", false, "4 CPUs, 2000 MB of memory of 1 node are in use by no running job of the list"},
		{"q", "a", "none", false, "1 job of the list: of a partition that the site does not have, left out"},
		{"none", "z", "p", false, "1 job of the list: of a QOS that the site does not have, left out"},
	} {
		s, said := begin(test.qos, test.account, test.partition)
		got := starts(s)
		if isOver := slices.Max(got) < now+86400; isOver != test.isOver || isOver && !slices.Equal(got, want) || !strings.Contains(said, test.says) {
			t.Errorf("%v: job 7 starts at %v, want %v: %s", test, got, want, said)
		}
		if _, isMember := s.last["x"]; isMember {
			t.Errorf("%v: user x has an association", test)
		}
	}
}
