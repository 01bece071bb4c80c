package forecast

import (
	"context"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/setup"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
)

// begun returns a small site that forecasts can begin with, with a second partition r over a second node.
func begun(t *testing.T, jobs ...slurm.ListedJob) *Site {
	t.Helper()
	s := small(jobs...)
	c := s.Setup.Cluster
	c.Nodes = append(c.Nodes, sched.Node{Name: "n2", CPUs: 4, Memory: 8000})
	node := sched.NewSet(2)
	node.Add(1)
	c.Partitions = append(c.Partitions, sched.Partition{Name: "r", Nodes: node, MaxTime: 5400})
	s.Setup.UsualCPUMemory, s.Setup.Down, s.Setup.DefaultTimes = []int64{500, 500}, []int32{0, 0}, []int64{0, 0}
	for i := range s.Queue {
		if jobs[i].Partitions != nil {
			s.Queue[i].Partitions = jobs[i].Partitions
		}
	}
	s.maker = setup.NewJobMaker(s.Setup) // which knows both nodes
	s.base = work.New(trace.OfSlurm(), nil)
	s.state = forecast.NewState(s.base, now, time.UTC)
	s.state.CPUs = 8
	s.addJobs()
	s.settle()
	return s
}

// Where jobs of several partitions start, beside a node of the first one that is full for long.
func TestSeveralPartitions(t *testing.T) {
	busy := job("3", 4, func(j *slurm.ListedJob) {
		j.State, j.Nodes, j.Started, j.TimeLimit = "RUNNING", []string{"n1"}, ago(60), 5000
	})
	for _, test := range []struct {
		name       string
		partitions []string
		more       func(j *slurm.ListedJob)
		queue      string
		isSoon     bool
	}{
		{"of the first alone", []string{"p"}, nil, "p", false},
		{"of both", []string{"p", "r"}, nil, "r", true},
		{"of both, and longer than the second takes", []string{"p", "r"}, func(j *slurm.ListedJob) { j.TimeLimit = 100 }, "p", false},
		{"of one that the site does not have beside the second", []string{"x", "r"}, nil, "r", true},
		{"one of them is said to be down", []string{"p", "r"}, func(j *slurm.ListedJob) { j.Reason, j.Priority = "PartitionDown", 5 }, "r", true},
	} {
		s := begun(t, busy, job("7", 4, func(j *slurm.ListedJob) {
			j.Partitions = test.partitions
			if test.more != nil {
				test.more(j)
			}
		}))
		f, err := forecast.MakeOf(context.Background(), s.state, s, forecast.Options{Runs: 10, Seed: 1, Horizon: forecast.DefaultHorizon})
		if err != nil {
			t.Fatal(err)
		}
		if j := f.Jobs[0]; j.Queue != test.queue || (j.Median < now+60) != test.isSoon {
			t.Errorf("%s: it starts in %s, in %.0f s (%s)", test.name, j.Queue, j.Median-now, j.Held)
		}
		said := false
		for _, r := range s.unmodelled() {
			said = said || strings.Contains(r.Text, "several partitions")
		}
		if isSeveral := len(test.partitions) > 1; said != isSeveral {
			t.Errorf("%s: it is said that jobs name several: %v", test.name, said)
		}
	}
}

// What is asked for in several partitions, and what becomes of it.
func TestOfferSeveral(t *testing.T) {
	busy := job("3", 4, func(j *slurm.ListedJob) {
		j.State, j.Nodes, j.Started, j.TimeLimit = "RUNNING", []string{"n1"}, ago(60), 5000
	})
	s := begun(t, busy)
	o := forecast.Options{Runs: 10, Seed: 1, Horizon: forecast.DefaultHorizon}
	for _, test := range []struct{ queue, asks, in, refused string }{
		{"p", "cpus=4,time=1:00:00", "p", ""},
		{"p,r", "cpus=4,time=1:00:00", "r", ""},
		{"", "cpus=4,partition=p,r,time=1:00:00", "r", ""},
		{"", "-n4 -p p,r -t 60", "r", ""},
		{"p,r", "cpus=4,time=2:00:00", "p", ""},
		{"p,r", "cpus=4,time=3:00:00", "p", ""}, // in which it never starts
		{"p,x", "cpus=4,time=1:00:00", "", "x"},
		{"", "cpus=4,partition=p,x,time=1:00:00", "", "x"},
		{"", "cpus=4,partition=p,,time=1:00:00", "", `"cpus=4`},
	} {
		of, err := s.New("u", test.queue, test.asks)
		var advice []forecast.Advice
		if err == nil {
			_, advice, err = forecast.Advise(context.Background(), o, of, nil)
		}
		switch {
		case err != nil && (test.refused == "" || !strings.Contains(err.Error(), test.refused)):
			t.Errorf("%s %s: %v, want %q", test.queue, test.asks, err, test.refused)
		case err == nil && (test.refused != "" || advice[0].Job.Queue != test.in):
			t.Errorf("%s %s: it starts in %s, want %s", test.queue, test.asks, advice[0].Job.Queue, test.in)
		}
	}
	limited := sched.Unlimited(0)
	limited.JobTRES = append(sched.Amounts{3}, limited.JobTRES[1:]...) // CPUs
	for _, test := range []struct {
		enforces, queue, asks string
		isDenying             bool // DenyOnLimit
		refused               string
	}{
		{"ALL", "p,r", "cpus=2,time=2:00:00", false, "partition r has jobs of up to 1:30:00"},
		{"ANY", "p,r", "cpus=2,time=2:00:00", false, ""},
		{"ANY", "p,r", "cpus=2,time=3:00:00", false, "partition p has jobs of up to 2:00:00"},
		{"NO", "p,r", "cpus=2,time=3:00:00", false, ""},
		{"", "p", "cpus=2,time=3:00:00", true, ""},
		{"ALL", "p", "cpus=4", false, ""},
		{"NO", "p", "cpus=4", true, "QOSMaxCpuPerJobLimit (QOS q), whatever else runs"},
		{"NO", "p", "cpus=3", true, ""},
	} {
		s.Setup.Enforces, s.Setup.QOS[0].Limits, s.Setup.QOS[0].IsDenying, s.barrier = test.enforces, limited, test.isDenying, nil
		if of, _ := s.New("u", test.queue, test.asks); !strings.HasPrefix(of.Refused(), test.refused) || (test.refused == "") != (of.Refused() == "") {
			t.Errorf("%+v: it is refused: %q", test, of.Refused())
		}
	}
}
