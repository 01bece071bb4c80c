package order

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/cycle"
	"fairshare/cmd/internal/pbs/joblist"
	"fairshare/fstree"
)

// situation is a small site and a list of jobs.
type situation struct {
	formula   string
	threshold float64 // 0 for none
	config    string  // sched_config
	groups    string  // resource_group; "" for a site without a tree
	usage     map[string]float64
	queues    []pbs.Queue
	server    pbs.Attributes
	isStatic  bool
	jobs      string // as CSV
}

// plan returns the plan for a situation, and what is said of it.
func (s situation) plan(tb testing.TB) (*Plan, []string, error) {
	tb.Helper()
	const none = -1e300
	site := &pbs.Site{Queues: s.queues, Sched: pbs.Sched{Formula: s.formula, Threshold: none, PreemptQueuePrio: 150, Server: s.server}}
	if s.threshold != 0 {
		site.Sched.Threshold = s.threshold
	}
	if s.groups != "" {
		tree, problems := fstree.ParseResourceGroup(s.groups, 10)
		config, more := fstree.ParseConfig("preemptive_sched: false\n" + s.config)
		if len(problems)+len(more) > 0 {
			tb.Fatal(problems, more)
		}
		if err := tree.LoadUsage(maps.All(s.usage), false); err != nil {
			tb.Fatal(err)
		}
		site.SchedPriv = &pbs.SchedPriv{Tree: tree, Config: config}
	}
	plan, remarks, err := NewPlan(site, Options{Static: s.isStatic})
	var said []string
	for _, remark := range remarks {
		said = append(said, remark.Text)
	}
	return plan, said, err
}

// order returns the order of a situation, and what is said of it and of its plan.
func (s situation) order(tb testing.TB) (*Order, []string, error) {
	tb.Helper()
	plan, said, err := s.plan(tb)
	if err != nil {
		return nil, said, err
	}
	list, err := joblist.Read(strings.NewReader(s.jobs), ListOptions(plan))
	if err != nil {
		tb.Fatal(err)
	}
	o, remarks, err := plan.Order(list)
	for _, remark := range remarks {
		said = append(said, remark.Text)
	}
	return o, said, err
}

// ids returns the jobs that are considered, in their order.
func (s situation) ids(tb testing.TB) string {
	tb.Helper()
	o, _, err := s.order(tb)
	if err != nil {
		tb.Fatal(err)
	}
	var ids []string
	for i, row := range o.Rows {
		ids = append(ids, o.List.Job(int(row)).ID)
		if o.Place(int(row)) != i+1 {
			tb.Errorf("job %s has place %d, not %d", ids[i], o.Place(int(row)), i+1)
		}
	}
	return strings.Join(ids, " ")
}

// While the server's eligible_time_enable is false, eligible_time is 0 of all jobs, whatever the list has of it.
func TestStoppedEligibleTime(t *testing.T) {
	const jobs = "Job_Id,job_state,euser,queue,queue_rank,eligible_time\n1,Q,a,q,10,01:00:00\n2,Q,a,q,20,02:00:00\n"
	for _, s := range []situation{
		{formula: "eligible_time", groups: "a 10 root 10\n", jobs: jobs},
		{config: "job_sort_key: \"eligible_time HIGH\"\n", groups: "a 10 root 10\n", jobs: jobs},
	} {
		for enabled, want := range map[string]string{"": "2 1", "True": "2 1", "False": "1 2"} {
			s.server = pbs.Attributes{"eligible_time_enable": enabled}
			if got := s.ids(t); got != want {
				t.Errorf("formula %q, eligible_time_enable=%s: order %s, want %s", s.formula, enabled, got, want)
			}
			o, _, err := s.order(t)
			if err != nil || o.Values == nil {
				continue
			}
			if got := o.Values.Text(0, 1); (got == "0") != (enabled == "False") {
				t.Errorf("eligible_time_enable=%s: eligible_time %s", enabled, got)
			}
		}
	}
}

func TestOrderByFormula(t *testing.T) {
	const header = "Job_Id,job_state,euser,queue,queue_rank,Resource_List.ncpus,Resource_List.walltime,Priority\n"
	const jobs = header + "1,Q,a,q,10,1,04:00:00,0\n2,Q,a,q,20,8,01:00:00,5\n3,Q,b,r,30,4,02:00:00,0\n"
	const arrays = "Job_Id,job_state,euser,queue,queue_rank,array_indices_remaining\n1[],Q,a,q,1,1-3\n2,Q,a,q,2,\n3,Q,a,r,3,\n4,Q,a,r,4,\n"
	for _, test := range []struct {
		name string
		situation
		want string
	}{
		{"the highest value is first", situation{formula: "ncpus", jobs: jobs}, "2 3 1"},
		{"the lowest with a minus", situation{formula: "-ncpus", jobs: jobs}, "1 3 2"},
		{"several terms", situation{formula: "walltime/3600 + 10*job_priority", jobs: jobs}, "2 1 3"},
		{"without a formula as they came", situation{jobs: jobs}, "1 2 3"},
		{"the priority of a queue", situation{formula: "queue_priority", queues: []pbs.Queue{{Name: "q"}, {Name: "r", Priority: 9}}, jobs: jobs}, "3 1 2"},
		{"a value that cannot be computed is 0", situation{formula: "1/(ncpus - 4) - 0.01", jobs: jobs}, "2 3 1"},
		{"fairshare of the entities", situation{formula: "fairshare_perc", groups: "a 10 root 10\nb 11 root 30\n", jobs: jobs}, "3 1 2"},
		{"job_sort_key where there is no formula", situation{config: "job_sort_key: \"ncpus HIGH\"\n", groups: "a 10 root 10\n", jobs: jobs}, "2 3 1"},
		{"job_sort_key by priority", situation{config: "job_sort_key: \"job_priority HIGH\"\n", groups: "a 10 root 10\n", jobs: jobs}, "2 1 3"},
		{"sort_priority is the priority of a job", situation{config: "job_sort_key: \"sort_priority HIGH\"\n", groups: "a 10 root 10\n", jobs: jobs}, "2 1 3"},
		{"who is over the share is no worse unless preempt_prio says so", situation{config: "preemptive_sched: true\n", groups: "a 10 root 10\nb 11 root 10\n", usage: map[string]float64{"a": 9000, "b": 10},
			queues: []pbs.Queue{{Name: "q"}, {Name: "r"}}, jobs: jobs}, "1 2 3"},
		{"the subjobs of an array take turns too", situation{config: "round_robin: true\n", groups: "a 10 root 10\n", queues: []pbs.Queue{{Name: "q"}, {Name: "r"}}, jobs: arrays}, "1[] 3 4 2"},
		{"an array takes one turn where nothing starts", situation{config: "round_robin: true\n", groups: "a 10 root 10\n", queues: []pbs.Queue{{Name: "q"}, {Name: "r"}}, jobs: arrays, isStatic: true}, "1[] 3 2 4"},
		{"queues one after the other", situation{formula: "ncpus", config: "by_queue: true\n", groups: "a 10 root 10\n", queues: []pbs.Queue{{Name: "q"}, {Name: "r", Priority: 9}}, jobs: jobs}, "3 2 1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := test.ids(t); got != test.want {
				t.Errorf("order %s, want %s", got, test.want)
			}
		})
	}
}

func TestOrderByFairshare(t *testing.T) {
	const fair = "fair_share: true\nfairshare_usage_res: ncpus*walltime\n"
	const groups = "a 10 root 10\nb 11 root 10\n"
	const jobs = "Job_Id,job_state,euser,queue,queue_rank,Resource_List.ncpus,Resource_List.walltime\n1,Q,a,q,1,4,100\n2,Q,a,q,2,4,100\n3,Q,b,q,3,1,100\n4,Q,b,q,4,1,100\n"
	for _, test := range []struct {
		name string
		situation
		want string
	}{
		{"who has used less is first", situation{config: fair, groups: groups, usage: map[string]float64{"a": 9000, "b": 1000}, jobs: jobs}, "3 4 1 2"},
		{"who has more shares is first", situation{config: fair, groups: "a 10 root 10\nb 11 root 1000\n", usage: map[string]float64{"a": 1000, "b": 1000}, jobs: jobs}, "3 4 1 2"},
		{"what starts counts at once", situation{config: fair, groups: groups, usage: map[string]float64{"a": 1000, "b": 1100}, jobs: jobs}, "1 3 4 2"},
		{"nothing starts", situation{config: fair, groups: groups, usage: map[string]float64{"a": 1000, "b": 1100}, jobs: jobs, isStatic: true}, "1 2 3 4"},
		{"fairshare is off", situation{config: "fair_share: false\n", groups: groups, usage: map[string]float64{"a": 9000, "b": 1000}, jobs: jobs}, "1 2 3 4"},
		{"the formula comes first", situation{formula: "ncpus", config: fair, groups: groups, usage: map[string]float64{"a": 9000, "b": 1000}, jobs: jobs}, "1 2 3 4"},
		{"who is not in the tree shares what is unknown", situation{config: fair, groups: "b 11 root 1000\n", usage: map[string]float64{"b": 10}, jobs: jobs}, "3 1 4 2"},
		{"of those who are not in the tree each has a usage", situation{config: fair, groups: "z 11 root 10\n", jobs: jobs}, "1 3 4 2"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := test.ids(t); got != test.want {
				t.Errorf("order %s, want %s", got, test.want)
			}
			o, _, err := test.order(t)
			if err != nil {
				t.Fatal(err)
			}
			for name, usage := range test.usage {
				id, _ := o.Tree.Lookup(name)
				if got := o.Tree.Entity(id).Usage; got != usage {
					t.Errorf("the tree has %v of %s after the order, want %v as before", got, name, usage)
				}
			}
		})
	}
}

// What decides between jobs of one value, which PBS keeps as a C float.
func TestTies(t *testing.T) {
	const header = "Job_Id,job_state,euser,queue,queue_rank,Resource_List.ncpus\n"
	for _, test := range []struct {
		name, jobs, want string
		ties             int // jobs that tie as floats only
		key              cycle.Key
	}{
		{"the first in its queue", header + "1,Q,a,q,20,4\n2,Q,a,q,10,4\n", "2 1", 0, cycle.ByRank},
		{"the first of the list", header + "2,Q,a,q,10,4\n1,Q,a,q,10,4\n", "2 1", 0, cycle.ByPlace},
		{"values that are one float", header + "1,Q,a,q,20,16777217\n2,Q,a,q,10,16777216\n", "2 1", 2, cycle.ByRank},
		{"values that are two floats", header + "1,Q,a,q,20,16777218\n2,Q,a,q,10,16777216\n", "1 2", 0, cycle.ByValue},
	} {
		s := situation{formula: "ncpus", jobs: test.jobs}
		o, _, err := s.order(t)
		if err != nil {
			t.Fatal(err)
		}
		first, key := o.Compare(0, 1)
		if got := s.ids(t); got != test.want || len(o.FloatTies()) != test.ties || key != test.key || (first < 0) != (o.Place(0) == 1) {
			t.Errorf("%s: order %s by %s with %d ties, want %s by %s with %d", test.name, got, key, len(o.FloatTies()), test.want, test.key, test.ties)
		}
	}
}

// Who is not considered, and what is said of it.
func TestLeftOut(t *testing.T) {
	const header = "Job_Id,job_state,euser,queue,array_indices_remaining,Resource_List.ncpus\n"
	queues := []pbs.Queue{{Name: "q"}, {Name: "off", Stopped: true}}
	const fair, groups = "fair_share: true\nfairshare_enforce_no_shares: true\n", "a 10 root 10\nz 11 root 0\n"
	for _, test := range []struct{ job, reason, counted string }{
		{"1,Q,a,q,,6", "", ""},
		{"1,Q,a,q,,5", "Job is under job_sort_formula threshold value", "at or below the threshold"},
		{"1,Q,a,q,,4", "Job is under job_sort_formula threshold value", "at or below the threshold"},
		{"1,R,a,q,,6", "it is running (job_state R)", "running"},
		{"1,H,a,q,,6", "it is held (job_state H)", "held"},
		{"1,Y,a,q,,6", "it is in another state (job_state Y)", "in another state"},
		{"1,,a,q,,6", "it has no job_state", "without job_state"},
		{"1,Q,a,off,,6", "queue off is not started", "in a stopped queue"},
		{"1,Q,z,q,,6", "Job has zero shares for fairshare", "with zero shares"},
		{"1[],B,a,q,2-3,6", "", ""},
		{"1[],B,a,q,-,6", "no subjob waits", "without a waiting subjob"},
		{"1[2],Q,a,q,,6\n1[],B,a,q,2-3,6", "its job array is listed too and stands for it", "subjobs of an array that is listed"},
		{"1[2],R,a,q,,6\n1[],B,a,q,3,6", "it is running (job_state R)", "running"},
		{"1,Q,a,q,,inf", "the scheduler cannot read ncpus=inf", "with an amount that the scheduler cannot read"},
	} {
		s := situation{formula: "ncpus", threshold: 5, config: fair, groups: groups, queues: queues, jobs: header + test.job + "\n"}
		o, _, err := s.order(t)
		if err != nil {
			t.Fatal(err)
		}
		line := o.Line(0)
		if line.Reason != test.reason || line.Considered != (test.reason == "") || (o.Place(0) > 0) != line.Considered || (line.Rank != nil) != line.Considered {
			t.Errorf("%s: place %d, reason %q, want %q", test.job, o.Place(0), line.Reason, test.reason)
		}
		want := map[string]int{test.counted: 1}
		if test.counted == "" {
			want = map[string]int{}
		}
		if got := o.LeftOut(); !maps.Equal(got, want) {
			t.Errorf("%s: %v are left out, want %v", test.job, got, want)
		}
	}
}

// What is said where something is not known.
func TestUnknown(t *testing.T) {
	const header = "Job_Id,job_state,euser,queue,Resource_List.ncpus,Resource_List.foo\n"
	const jobs = header + "1,Q,a,q,6,1\n2,Q,a,other,6,1\n"
	const groups = "a 10 root 10\n"
	for _, test := range []struct {
		name string
		situation
		said []string
		err  string
	}{
		{"all is known", situation{formula: "ncpus", queues: []pbs.Queue{{Name: "q"}, {Name: "other"}}, jobs: jobs}, nil, ""},
		{"a queue that the site does not have", situation{formula: "ncpus", queues: []pbs.Queue{{Name: "q"}}, jobs: jobs}, []string{"queue other: not among the site's queues, priority 0"}, ""},
		{"queues of another site", situation{formula: "ncpus", queues: []pbs.Queue{{Name: "main"}, {Name: "fast"}}, jobs: jobs}, []string{"queue q, queue other: not among the site's queues, priority 0; no job is in a queue that is told of: are these another server's?"}, ""},
		{"no queues at all", situation{formula: "ncpus", jobs: jobs}, nil, ""},
		{"no queues at all, and the formula needs them", situation{formula: "queue_priority", jobs: jobs},
			[]string{"no queues are given (--queues, or queues in a test file): queue_priority in the formula is 0"}, ""},
		{"no queues at all, and sched_config needs them", situation{config: "by_queue: true\n", groups: groups, jobs: jobs},
			[]string{"no queues are given (--queues, or queues in a test file): sched_config orders by queue, whose priorities are 0"}, ""},
		{"a resource that jobs have", situation{formula: "foo", jobs: jobs}, nil, ""},
		{"a resource that nobody has", situation{formula: "bar", jobs: jobs}, nil, "NameError: name 'bar' is not defined"},
		{"an amount that no job has", situation{formula: "walltime", jobs: jobs}, []string{"no job of the list has walltime, so that it is 0 for all"}, ""},
		{"no tree", situation{formula: "fairshare_perc", jobs: jobs}, nil, ErrNoTree.Error() + " for fairshare_perc"},
		{"a term that PBS does not have", situation{formula: "fair_tree", groups: groups, jobs: jobs}, []string{"PBS does not know fair_tree, only this program does"}, ""},
		{"a usage that cannot be evaluated", situation{config: "fair_share: true\nfairshare_usage_res: ncpus*\n", groups: groups, jobs: jobs},
			[]string{"fairshare_usage_res \"ncpus*\" cannot be evaluated, so usage does not grow here: SyntaxError: invalid syntax (<string>, line 1)"}, ""},
		{"a usage that cannot be evaluated, where nothing starts", situation{config: "fair_share: true\nfairshare_usage_res: ncpus*\n", groups: groups, jobs: jobs, isStatic: true}, nil, ""},
		{"a usage that fails for a job", situation{config: "fair_share: true\nfairshare_usage_res: 1/(ncpus-6)\n", groups: groups, jobs: jobs},
			[]string{"fairshare_usage_res: nothing is added to usage for 2 jobs: ZeroDivisionError: division by zero"}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, said, err := test.order(t)
			if !slices.Equal(said, test.said) {
				t.Errorf("said %q, want %q", said, test.said)
			}
			text := ""
			if err != nil {
				text = err.Error()
			}
			if text != test.err {
				t.Errorf("error %q, want %q", text, test.err)
			}
		})
	}
	var formulaError *FormulaError
	if _, _, err := (situation{formula: "bar", jobs: jobs}).order(t); !errors.As(err, &formulaError) || formulaError.Source != "bar" {
		t.Errorf("%#v", err)
	}
}
