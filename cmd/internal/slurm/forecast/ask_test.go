package forecast

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/slurm/order"
	"fairshare/cmd/internal/slurm/sched"
)

// siteOf returns a recorded site at one of its moments.
func siteOf(tb testing.TB, run string, moment int, settings ...string) *Site {
	tb.Helper()
	now, _, err := order.OpenNow(momentsOf(tb, run)[moment].dir, time.UTC)
	if err != nil {
		tb.Fatal(err)
	}
	s, _, err := Read(now, table(run), time.UTC)
	if err == nil && len(settings) > 0 {
		s, _, err = s.Under(settings, nil)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func made(tb testing.TB, s *Site, runs int) *forecast.Forecast {
	tb.Helper()
	st, scheduler := s.Begin()
	f, err := forecast.MakeOf(context.Background(), st, scheduler, forecast.Options{Runs: runs, Seed: 1, Horizon: forecast.DefaultHorizon})
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

// Each job that waits starts as it is asked for when it is forecast with all others, a change of what it
// asks for to what it asks for already makes no difference in any run, and what is asked for is the same
// request.
func TestAskedAsItIs(t *testing.T) {
	o := forecast.Options{Runs: 4, Seed: 1, Horizon: forecast.DefaultHorizon}
	tried := 0
	for _, run := range []string{"S1a", "S3a"} {
		s := siteOf(t, run, 4)
		whole := made(t, s, o.Runs)
		for i, j := range whole.Jobs {
			if j.Held != "" {
				continue
			}
			is := s.listed[j.ID].Job
			c := s.Setup
			again, err := (&offer{site: s, id: j.ID, user: j.User, asked: options{}}).request(is.Request, is.Partition)
			if err != nil {
				t.Fatal(err)
			}
			// The nodes that are enough for a request may be said in more than one way.
			if fmt.Sprint(again.CPUs, again.MinNodes, again.CPUsPerTask, again.NodeMemory, again.CPUMemory, again.GRES, again.Features, again.Exclusive) !=
				fmt.Sprint(is.Request.CPUs, is.Request.MinNodes, is.Request.CPUsPerTask, is.Request.NodeMemory, is.Request.CPUMemory, is.Request.GRES, is.Request.Features, is.Request.Exclusive) {
				t.Errorf("%s: %s asks for %+v, and again for %+v", run, j.ID, is.Request, again)
			}
			if i%9 != 0 {
				continue
			}
			same := fmt.Sprintf("time=%d:%02d,qos=%s,partition=%s,account=%s", is.Limit/60, is.Limit%60, c.QOS[is.QOS].Name, c.Partitions[is.Partition].Name, c.Names[is.Association].Account)
			_, list, err := forecast.Advise(context.Background(), o, s.Offer(j.ID), []string{same})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(list[0].Job.Starts, j.Starts) {
				t.Errorf("%s: %s starts at %v, and asked for by itself at %v", run, j.ID, j.Starts, list[0].Job.Starts)
			}
			const minute = 60 // its priority is that of now, and not of the last sweep
			if d := list[1].Sooner; d < -10*minute || d > 10*minute {
				t.Errorf("%s: %s starts %v s sooner with %s, which it asks for already", run, j.ID, d, same)
			}
			tried++
		}
	}
	if tried < 8 {
		t.Errorf("only %d jobs were tried", tried)
	}
}

// A job of more than its QOS lets run is refused, as is one of more memory than any node has, one of more nodes than there are is never,
// one of less starts no later, and one that follows others of its kind waits behind them.
func TestAsked(t *testing.T) {
	s := siteOf(t, "S3a", 4)
	o := forecast.Options{Runs: 8, Seed: 1, Horizon: forecast.DefaultHorizon}
	like := s.listed[s.Waiting()[0]]
	names := s.Setup.Names[like.Association]
	of, err := s.New(names.User, "main", "--nodes=2 -n 32 -t 4:00:00 -A "+names.Account)
	if err != nil {
		t.Fatal(err)
	}
	_, list, err := forecast.Advise(context.Background(), o, of, []string{"cpus=2,nodes=1", "cpus=100000", "nodes=99,cpus=99", "time=0:10:00", "mem=9999G"})
	if err != nil {
		t.Fatal(err)
	}
	if list[0].Job.ID != forecast.NewID || len(list[0].Job.Starts) != o.Runs {
		t.Errorf("as it is: %+v", list[0])
	}
	if less := list[1]; less.Sooner <= 0 {
		t.Errorf("less: %+v", less)
	}
	if list[2].Refused == "" && !list[2].Job.IsNever() {
		t.Errorf("more than there is: %+v", list[2])
	}
	if !list[3].Job.IsNever() || list[3].Sooner >= 0 {
		t.Errorf("nodes that there are not: %+v", list[3])
	}
	if short := list[4]; short.Sooner < 0 && !short.IsNoise() {
		t.Errorf("a shorter time limit: %+v", short)
	}
	if more := list[5]; !strings.HasSuffix(more.Refused, "(sbatch refuses it: Requested node configuration is not available)") {
		t.Errorf("memory that no node has: %+v", more)
	}
}

// On which nodes a job is kept that names some, also when it is already in the list, and what is refused.
func TestNamed(t *testing.T) {
	s := siteOf(t, "S3a", 4)
	id := ""
	for _, name := range s.Waiting() {
		if p := s.listed[name]; p.Request.MinNodes == 1 && p.Request.CPUs <= 16 {
			id = name
			break
		}
	}
	user := s.Setup.Names[s.listed[id].Association].User
	for _, test := range []struct{ asked, want string }{
		{"nodelist=n02", "n02 and others"},
		{"nodelist=n02,nodes=1", "n02"},
		{"nodelist=n02,cpus-per-task=2,ntasks=1", "n02"},
		{"nodelist=n0[3,5],nodes=2", "n03 n05"},
		{"exclude=n0[1-7]", "g01 g02 g03 g04 n08"},
		{"nodelist=n99", "the site has no node n99 (sbatch refuses it: Invalid node name specified)"},
		{"nodelist=n0[1-", "nodelist: "},
		{"exclude=n0[1-", "exclude: "},
		{"nodelist=n01,n02,nodes=1", "nodelist=n01,n02 has 2 nodes, and the job asks for 1 (sbatch refuses it: invalid number of nodes (-N 2-1))"},
		{"nodelist=n01,nodes=2", "n01 and others"},
		{"nodelist=n01,nodes=1,cpus-per-task=40", "nodelist=n01: these have too little for the job, which may have no others"},
	} {
		asked := test.asked
		if !strings.Contains(asked, "ntasks=") {
			asked = "ntasks=2," + asked
		}
		fresh, err := s.New(user, "main", asked)
		if err != nil {
			t.Fatal(err)
		}
		changed, err := s.Offer(id).With(asked)
		if err != nil {
			t.Fatal(err)
		}
		for _, of := range []forecast.Offer{fresh, changed} {
			got := ""
			if j, err := of.(*offer).job(); err != nil {
				got = err.Error()
			} else {
				var on []string
				list, more := j.Request.On, ""
				if j.Request.With != nil {
					list, more = j.Request.With, " and others"
				}
				for i, n := range s.Setup.Nodes {
					if list.Has(i) {
						on = append(on, n.Name)
					}
				}
				got = strings.Join(on, " ") + more
			}
			if got != test.want && (!strings.HasSuffix(test.want, ": ") || !strings.HasPrefix(got, test.want)) {
				t.Errorf("%s of %q: %s, want %s", test.asked, of.(*offer).id, got, test.want)
			}
		}
	}
}

// Settings act from now on: priorities are computed with them at once, unless somebody has set them.
func TestSettings(t *testing.T) {
	was := siteOf(t, "S3a", 4)
	is := siteOf(t, "S3a", 4, "PriorityWeightAge=0", "PriorityWeightFairshare=0", "PriorityWeightQOS=0", "PriorityWeightPartition=0", "PriorityWeightJobSize=0", "PriorityWeightTRES=CPU=0")
	if was.Setup == is.Setup || was.Setup.Conf.Weights.Age == 0 {
		t.Fatal("the settings are not other ones")
	}
	before, after := made(t, was, 1), made(t, is, 1)
	moved := 0
	for i, j := range before.Jobs {
		if after.Jobs[i].ID != j.ID {
			moved++
		}
	}
	if moved == 0 {
		t.Error("no job has another place without weights")
	}
	// With all priorities alike, jobs of a tier stand in the order of their numbers.
	last := map[string]int{}
	for _, j := range after.Jobs {
		if j.Held != "" || j.Place == 0 {
			continue
		}
		p := is.listed[j.ID]
		if p.ID < last[j.Queue] {
			t.Errorf("%s is behind a job that came after it", j.ID)
		}
		last[j.Queue] = p.ID
	}
}

// What is given as options of sbatch and by their names is the same, and what is no request is an error.
func TestParse(t *testing.T) {
	s := siteOf(t, "S1a", 0)
	want := options{"nodes": "2", "ntasks": "32", "mem": "8G", "time": "1-0", "gres": "gpu:2", "exclusive": "", "constraint": "a|b", "nodelist": "n01,n02", "hint": "nomultithread"}
	for _, text := range []string{"-N2 -n 32 --mem 8G --time=1-0 --gres=gpu:2 --exclusive -C a|b -w n01,n02 --hint=nomultithread", "nodes=2,ntasks=32,mem=8G,walltime=1-0,gres=gpu:2,exclusive,constraint=a|b,nodelist=n01,n02,hint=nomultithread"} {
		got, err := s.parse(text)
		if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", " ", "-", "--", "job.sh", "-n 4 job.sh", "-n", "nodes=0", "nodes=1-", "ntasks=1e3", "ntasks=99999999", "mem=lots", "time=x", "time=", "gres=", "cpus=4,ntasks=4", "constraint=a;b", "ntasks=4,ntasks=4", "exclusive=all", "nodelist=", "hint=fast", "qos="} {
		if got, err := s.parse(text); !errors.Is(err, forecast.ErrAsk) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}

// Another number of cpus leaves each node what it has, where that divides.
func TestResize(t *testing.T) {
	for _, test := range []struct {
		nodes, cpus int32
		to, want    string
	}{{2, 32, "16", "1"}, {4, 64, "32", "2"}, {4, 64, "24", "4"}, {4, 64, "2", "2"}} {
		o := options{}
		resize(o, options{"cpus": test.to}, &sched.Request{MinNodes: test.nodes, CPUs: test.cpus})
		if o["nodes"] != test.want {
			t.Errorf("%d cpus on %d nodes, with %s: on %s nodes", test.cpus, test.nodes, test.to, o["nodes"])
		}
	}
}

// A job that is asked for held starts in no run, whatever else it asks for, and once it is released as without --hold. What changes
// the answer stands in a line of its own: that it is held, that its script is not read, and who may ask for less nice than 0.
func TestSubmittedHeld(t *testing.T) {
	s := siteOf(t, "S1a", 0)
	o := forecast.Options{Runs: 2, Seed: 1, Horizon: forecast.DefaultHorizon}
	names := s.Setup.Names[s.listed[s.Waiting()[0]].Association]
	of := func(line string) forecast.Offer {
		offer, err := s.New(names.User, "", strings.Replace(line, " ", " -A "+names.Account+" ", 1))
		if err != nil {
			t.Fatal(err)
		}
		return offer
	}
	_, free, err := forecast.Advise(context.Background(), o, of("sbatch -n1"), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, list, err := forecast.Advise(context.Background(), o, of("sbatch -H -n1"), []string{"time=5", "release"})
	if err != nil {
		t.Fatal(err)
	}
	if list[0].Job.Held == "" || list[1].Job.Held == "" || list[2].Job.Held != "" || !slices.Equal(list[2].Job.Starts, free[0].Job.Starts) {
		t.Errorf("held: %q, with another limit: %q, released: %q, %v, want %v", list[0].Job.Held, list[1].Job.Held, list[2].Job.Held, list[2].Job.Starts, free[0].Job.Starts)
	}
	if got := of("sbatch -H -n8 -t 60").Sensible(); !slices.Equal(got, []string{"release"}) {
		t.Errorf("of a job that is held %v are tried", got)
	}
	if _, err := of("sbatch -n1").With("release"); !errors.Is(err, forecast.ErrAsk) {
		t.Errorf("release of a job that nobody holds: %v", err)
	}
	if err := of("sbatch -n1 --nice=-9999999999").Check(); err == nil || !strings.Contains(err.Error(), "nice=-9999999999 is not from -2147483645 to 2147483645") {
		t.Errorf("more nice than there is: %v", err)
	}
	for line, want := range map[string]string{"sbatch -H -n1": "hold: the job starts no sooner", "sbatch -n1 /nowhere/x.sh": "/nowhere/x.sh is not read", "sbatch -n1 --nice=-5": "nice=-5: Slurm lets operators", "sbatch -n1 --deadline=16:00": "deadline=16:00 is not modelled"} {
		if !slices.ContainsFunc(of(line).Assumed(), func(r diag.Remark) bool { return r.IsOfAsked && strings.HasPrefix(r.Text, want) }) {
			t.Errorf("%s: %v", line, of(line).Assumed())
		}
	}
}
