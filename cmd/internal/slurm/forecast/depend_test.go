package forecast

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/order"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
)

// named returns what holds a job, with whom it waits for where that is other jobs.
func named(why, dependency string) string {
	if why == outcome.HeldForJobs && dependency != "" {
		return why + ": " + dependency
	}
	return why
}

// Jobs of the list that wait for others come when these have done what they ask for; those are held that wait for what nothing tells,
// and those of whose dependency Slurm says that it has failed never start.
func TestFollow(t *testing.T) {
	const all = "5 waits for "
	for text, want := range map[string]string{
		"afterok:3(unfulfilled)": all + "3", "afterany:3(unfulfilled)": all + "3", "after:4(unfulfilled)": all + "4", "after:3+20(unfulfilled)": all + "3", "aftercorr:3(unfulfilled)": all + "3",
		"afterok:4(unfulfilled),afterany:3(unfulfilled)": all + "4, 3", "singleton(unfulfilled)": all + "3", "afterok:8_*(unfulfilled)": all + "8_1, 8_2", "afterok:8_2(unfulfilled)": all + "8_2",
		"afterany:9(unfulfilled)": "", "afterok:8_7(unfulfilled)": "", // they are over
		"afternotok:3(unfulfilled)": outcome.HeldForJobs, "afterok:77(unfulfilled)": outcome.HeldForJobs, "afterok:6(unfulfilled)": outcome.HeldForJobs, "afterok:7(unfulfilled)": outcome.HeldForJobs, "afterburstbuffer:3(unfulfilled)": outcome.HeldForJobs,
		"afterok:6(unfulfilled)?afterany:3(unfulfilled)": all + "3", "afterok:6(unfulfilled)?afterok:77(unfulfilled)": outcome.HeldForJobs, "afterok:6(unfulfilled),afterany:3(unfulfilled)": outcome.HeldForJobs,
		"afterok:1(failed)": outcome.Never + "what it waits for cannot come about any more (afterok:1(failed))", "": outcome.HeldForJobs, "afterok:x": outcome.HeldForJobs,
	} {
		s := small(
			job("3", 2, func(j *slurm.ListedJob) {
				j.State, j.Nodes, j.Started, j.TimeLimit, j.Name = "RUNNING", []string{"n1"}, ago(600), 100, "one"
			}),
			job("4", 4, func(j *slurm.ListedJob) { j.Priority = 900 }),
			job("5", 1, func(j *slurm.ListedJob) {
				j.Priority, j.Reason, j.Name, j.Dependency = 800, "Dependency", "one", text
			}),
			job("6", 1, func(j *slurm.ListedJob) { j.Reason = "JobHeldUser" }),
			job("7", 1, func(j *slurm.ListedJob) {
				j.Priority, j.Reason, j.Dependency = 700, "Dependency", "afterany:6(unfulfilled)"
			}), // which is held
			job("8", 1, func(j *slurm.ListedJob) { j.Priority, j.Array, j.Indices = 600, "8", "1-2" }),
			job("9", 1, func(j *slurm.ListedJob) { j.State = "COMPLETING" }),
		)
		base := work.New(trace.OfSlurm(), nil)
		s.base, s.state = base, forecast.NewState(base, now, time.UTC)
		s.state.CPUs = 4
		s.addJobs()
		p := s.listed["5"]
		switch {
		case p.why != "" || p.Depends == nil:
			if named := named(want, text); p.why != named {
				t.Errorf("%s: %q, want %q", text, p.why, named)
			}
			continue
		case !strings.HasSuffix(p.Depends.Reason, strings.TrimPrefix(want, all)+")") || want == "":
			t.Errorf("%s: %s, want %s", text, p.Depends.Reason, want)
		}
		f, err := forecast.MakeOf(context.Background(), s.state, s, forecast.Options{Runs: 20, Seed: 1, Horizon: forecast.DefaultHorizon})
		if err != nil {
			t.Fatal(err)
		}
		starts := map[string][]float64{}
		for _, j := range f.Jobs {
			starts[j.ID] = j.Drawn
			if j.ID == "5" && (j.Place != 0 || j.Reason != p.Depends.Reason || math.IsInf(j.Median, 1)) {
				t.Errorf("%s: %+v", text, j)
			}
		}
		for i, at := range starts["5"] {
			if strings.HasPrefix(text, "after:4") && at < starts["4"][i] || strings.HasPrefix(text, "afterok:4") && at <= starts["4"][i] {
				t.Errorf("%s: in run %d it starts at %.0f, and job 4 at %.0f", text, i, at, starts["4"][i])
			}
		}
	}
}

// A job that waits for one of which no end is forecast, though it is not over, is held: one that is suspended, waits to be released
// after it was requeued, or is left out, and tasks of an array behind the first thousand.
func TestFollowUntold(t *testing.T) {
	for text, want := range map[string]string{
		"afterany:1(unfulfilled)": outcome.HeldForJobs, "afterany:2(unfulfilled)": outcome.HeldForJobs, "afterany:3(unfulfilled)": outcome.HeldForJobs, "afterany:4(unfulfilled)": outcome.HeldForJobs,
		"afterok:8_*(unfulfilled)": outcome.HeldForJobs, "afterok:8(unfulfilled)": outcome.HeldForJobs, "afterok:8_1500(unfulfilled)": outcome.HeldForJobs, "aftercorr:8(unfulfilled)": outcome.HeldForJobs,
		"afterok:8_1000(unfulfilled)": "1 job", "afterok:8_1501(unfulfilled)": "", "afterok:9_2(unfulfilled)": outcome.HeldForJobs, "afterok:9_*(unfulfilled)": outcome.HeldForJobs,
		"afterok:9_1(unfulfilled)": "1 job", "afterok:6(unfulfilled)": "", "afterok:10(unfulfilled)": "1 job", "aftercorr:11(unfulfilled)": "2 jobs",
		"singleton(unfulfilled)": outcome.HeldForJobs, "afterany:1(unfulfilled)?afterok:10(unfulfilled)": "1 job",
	} {
		s := small(
			job("1", 1, func(j *slurm.ListedJob) {
				j.State, j.Nodes, j.Started, j.Name = "SUSPENDED", []string{"n1"}, ago(600), "one"
			}),
			job("2", 1, func(j *slurm.ListedJob) { j.State = "REQUEUED" }),
			job("3", 1, func(j *slurm.ListedJob) { j.State = "REQUEUE_HOLD" }),
			job("4", 1, nil), // of a partition that the site does not have
			job("5", 1, func(j *slurm.ListedJob) { j.Priority, j.Reason, j.Name, j.Dependency = 800, "Dependency", "one", text }),
			job("6", 1, func(j *slurm.ListedJob) { j.State = "COMPLETING" }),
			job("8", 1, func(j *slurm.ListedJob) { j.Array, j.Indices = "8", "1-1500" }),
			job("9", 1, func(j *slurm.ListedJob) { j.Array, j.Indices = "9", "1" }),
			job("20", 1, func(j *slurm.ListedJob) {
				j.State, j.Array, j.Task, j.Nodes, j.Started = "SUSPENDED", "9", "9_2", []string{"n1"}, ago(600)
			}),
			job("10", 1, func(j *slurm.ListedJob) {
				j.State, j.Array, j.Task, j.Nodes, j.Started = "RUNNING", "30", "30_2", []string{"n1"}, ago(600)
			}),
			job("11", 1, func(j *slurm.ListedJob) { j.Array, j.Indices = "11", "1-2" }),
		)
		s.Queue[3].Partitions = []string{"gone"}
		base := work.New(trace.OfSlurm(), nil)
		s.base, s.state = base, forecast.NewState(base, now, time.UTC)
		s.addJobs()
		got := s.listed["5"].why
		if d := s.listed["5"].Depends; d != nil {
			jobs := 0
			for _, c := range d.Conditions {
				jobs += len(c.Jobs)
			}
			got = report.Count(jobs, "job")
		}
		if want := named(want, text); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// A job that waits for others is in no queue, and one for which they have done what it asks has a place there like any other.
func TestPlacesOfDependents(t *testing.T) {
	for text, want := range map[string]int{"after:3(unfulfilled)": 1, "after:3+5(unfulfilled)": 1, "after:3+20(unfulfilled)": 0, "afterany:3(unfulfilled)": 0} {
		s := small(
			job("3", 4, func(j *slurm.ListedJob) {
				j.State, j.Nodes, j.Started, j.TimeLimit = "RUNNING", []string{"n1"}, ago(600), 100
			}),
			job("5", 4, func(j *slurm.ListedJob) { j.Priority, j.Dependency = 800, text }),
			job("6", 4, func(j *slurm.ListedJob) { j.Priority = 100 }),
		)
		base := work.New(trace.OfSlurm(), nil)
		s.base, s.state = base, forecast.NewState(base, now, time.UTC)
		s.addJobs()
		f, err := forecast.MakeOf(context.Background(), s.state, s, forecast.Options{Runs: 2, Seed: 1, Horizon: forecast.DefaultHorizon})
		if err != nil {
			t.Fatal(err)
		}
		for _, j := range f.Jobs {
			if other := 1 + want; j.ID == "5" && j.Place != want || j.ID == "6" && j.Place != other {
				t.Errorf("%s: job %s has place %d", text, j.ID, j.Place)
			}
		}
	}
}

// What is taken of jobs that wait for others is said, and where Slurm's reason and the jobs that it names do not agree.
func TestOfDependencies(t *testing.T) {
	for _, test := range []struct {
		reason, dependency, want string
	}{
		{"Dependency", "afterok:3(unfulfilled)", "waiting for others (--dependency), to come when"},
		{"Priority", "afterok:3(unfulfilled)", "Slurm says that it waits for something else: taken to wait for these jobs as well"},
		{"Dependency", "", "not for which in a way that can be read"},
		{"Dependency", "afternotok:3(unfulfilled)", "of which it is not forecast that they end badly"},
		{"Priority", "", ""},
	} {
		s := small(
			job("3", 2, func(j *slurm.ListedJob) {
				j.State, j.Nodes, j.Started, j.TimeLimit = "RUNNING", []string{"n1"}, ago(600), 100
			}),
			job("5", 1, func(j *slurm.ListedJob) {
				j.Priority, j.Reason, j.Dependency = 800, test.reason, test.dependency
			}),
		)
		base := work.New(trace.OfSlurm(), nil)
		s.base, s.state = base, forecast.NewState(base, now, time.UTC)
		s.addJobs()
		said := ""
		for _, r := range s.ofDependencies() {
			said += r.Text
		}
		if !strings.Contains(said, test.want) || (test.want == "") != (said == "") {
			t.Errorf("%s %s: %q", test.reason, test.dependency, said)
		}
	}
}

// At recorded sites, each job of which Slurm says that it waits for others is forecast after these or held, and one that has those
// that it waits for in the list starts in no run before they are over.
func TestRecordedDependencies(t *testing.T) {
	followed := 0
	for _, name := range []string{"slurm-site/t2_busy", "slurm-now/24.11-busy", "slurm-now/25.05-morning", "slurm-now/25.05-evening"} {
		now, _, err := order.OpenNow("../../../../testdata/"+name+".tgz", time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		s, _, err := Read(now, nil, time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		f, err := forecast.MakeOf(context.Background(), s.state, s, forecast.Options{Runs: 4, Seed: 1, Horizon: forecast.DefaultHorizon})
		if err != nil {
			t.Fatal(err)
		}
		of := map[int]*forecast.Job{}
		for _, j := range f.Jobs {
			of[s.listed[j.ID].ID] = j
		}
		for i := range s.Queue {
			n := &s.Queue[i]
			p, isListed := s.listed[n.ID]
			if n.Reason != "Dependency" || !isListed {
				continue
			}
			if p.Depends == nil {
				if !strings.HasPrefix(p.why, outcome.Held) {
					t.Errorf("%s: job %s (%s) is neither held nor waits", name, n.ID, n.Dependency)
				}
				continue
			}
			for _, c := range p.Depends.Conditions {
				for _, parent := range c.Jobs {
					if of[parent] == nil { // it runs
						followed++
						continue
					}
					for run, at := range of[p.ID].Drawn {
						if followed++; at < of[parent].Drawn[run] {
							t.Errorf("%s: job %s starts before %s, for which it waits", name, n.ID, of[parent].ID)
						}
					}
				}
			}
		}
	}
	if followed < 4 {
		t.Errorf("%d dependencies are followed", followed)
	}
}

// A job that nothing lets come cannot be asked for otherwise, and one that waits for others waits for them with whatever is changed.
func TestOffersOfDependents(t *testing.T) {
	for text, isChanging := range map[string]bool{"afternotok:3(unfulfilled)": false, "afterany:3(unfulfilled)": true} {
		s := small(
			job("3", 2, func(j *slurm.ListedJob) {
				j.State, j.Nodes, j.Started, j.TimeLimit = "RUNNING", []string{"n1"}, ago(600), 100
			}),
			job("5", 1, func(j *slurm.ListedJob) { j.Priority, j.Reason, j.Dependency = 800, "Dependency", text }),
		)
		base := work.New(trace.OfSlurm(), nil)
		s.base, s.state = base, forecast.NewState(base, now, time.UTC)
		s.addJobs()
		if is := len(s.Waiting()) == 1; is != isChanging {
			t.Fatalf("%s: that it can be changed is %v", text, is)
		}
		if !isChanging {
			continue
		}
		of, err := s.Offer("5").With("time=10:00")
		if err != nil {
			t.Fatal(err)
		}
		j, err := of.(*offer).job()
		if err != nil || j.Depends == nil || j.Limit != 600 {
			t.Errorf("%s: %+v, %v", text, j, err)
		}
	}
}
