package replay

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/accrual"
	"fairshare/cmd/internal/pbs/cluster"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
	"fairshare/formula"
	"fairshare/fstree"
)

// zero is the time that jobs of a scenario count from.
const zero = 1_772_434_800

// asked is a job of a scenario. What is not set is 1 cpu for an hour of user u.
type asked struct {
	id          string
	at, run     int
	user, group string
	queue       string
	wants       string // select
	place       string
	walltime    int
	least, most int    // min_walltime and max_walltime, 0 for none
	soft        int    // soft_walltime, 0 for none
	targets     string // preempt_targets
	cput        int
	depend      string
	exit        int
	more        []string // further lines of its log, with AT for a time
}

// scenario is a small site and jobs on it.
type scenario struct {
	nodes    string
	formula  string
	settings []string
	queues   []pbs.Queue
	groups   string // resource_group
	config   string // sched_config
	known    map[string]work.ListFacts
	jobs     []asked

	holidays, dedicated string
}

func log(tb testing.TB, jobs []asked, used []string) *trace.Trace {
	type line struct {
		at   int
		text string
	}
	var lines []line
	for _, j := range jobs {
		user, queue := cmp.Or(j.user, "u"), cmp.Or(j.queue, "workq")
		common := fmt.Sprintf("user=%s group=%s project=p jobname=j queue=%s ctime=%[4]d qtime=%[4]d etime=%[4]d", user, cmp.Or(j.group, "g"), queue, zero+j.at)
		request := fmt.Sprintf("Resource_List.select=%s Resource_List.place=%s", cmp.Or(j.wants, "1:ncpus=1"), cmp.Or(j.place, "free"))
		length := fmt.Sprintf(" Resource_List.walltime=%d", cmp.Or(j.walltime, 3600))
		if j.least > 0 {
			request += fmt.Sprintf(" Resource_List.min_walltime=%d", j.least)
		}
		if j.most > 0 {
			request += fmt.Sprintf(" Resource_List.max_walltime=%d", j.most)
		} else {
			request, length = request+length, ""
		}
		if j.soft > 0 {
			request += fmt.Sprintf(" Resource_List.soft_walltime=%d", j.soft)
		}
		if j.targets != "" {
			request += " Resource_List.preempt_targets=" + j.targets
		}
		if j.depend != "" {
			common += " depend=" + j.depend
		}
		cpus := 0
		for chunk := range strings.SplitSeq(cmp.Or(j.wants, "1:ncpus=1"), "+") {
			var count, each int
			fmt.Sscanf(chunk, "%d:ncpus=%d", &count, &each)
			cpus += count * each
		}
		const most = 100_000_000 // more is damage
		request = fmt.Sprintf("Resource_List.ncpus=%d %s", min(cpus, most), request)
		if !slices.ContainsFunc(j.more, func(l string) bool { return strings.Contains(l, ";Q;") }) {
			lines = append(lines, line{j.at, fmt.Sprintf("Q;%s;%s %s", j.id, common, request)})
		}
		if j.run > 0 {
			lines = append(lines, line{j.at, fmt.Sprintf("S;%s;%s start=%d %s", j.id, common, zero+j.at, request+length)})
			lines = append(lines, line{j.at + j.run, fmt.Sprintf("E;%s;%s start=%d %s end=%d Exit_status=%d run_count=1 resources_used.cput=%d", j.id, common, zero+j.at, request+length, zero+j.at+j.run, j.exit, j.cput)})
		}
		for _, more := range j.more {
			var at int
			kind, rest, _ := strings.Cut(more, " ")
			fmt.Sscan(kind, &at)
			lines = append(lines, line{at, rest})
		}
	}
	slices.SortStableFunc(lines, func(a, b line) int { return cmp.Compare(a.at, b.at) })
	var text strings.Builder
	for _, l := range lines {
		text.WriteString(time.Unix(int64(zero+l.at), 0).UTC().Format("01/02/2006 15:04:05;") + l.text + "\n")
	}
	t, err := trace.Read([]file.Source{textSource(text.String())}, time.UTC, trace.Keep{Used: used, Requests: true})
	if err != nil || len(t.Problems) > 0 {
		tb.Fatal(err, t.Problems)
	}
	return t
}

// textSource is a text as a file.
func textSource(text string) file.Source {
	return file.Source{Name: "log", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
}

// load returns what a scenario is replayed with.
func (s scenario) load(tb testing.TB) (*work.Work, *order.Plan, *cluster.Cluster) {
	site, _, err := pbs.Files{}.Read()
	if err != nil {
		tb.Fatal(err)
	}
	tree, problems := fstree.ParseResourceGroup(s.groups, 10)
	config, more := fstree.ParseConfig("preemptive_sched: false\n" + s.config)
	if len(problems)+len(more) > 0 {
		tb.Fatal(problems, more)
	}
	site.SchedPriv = &pbs.SchedPriv{Tree: tree, Config: config}
	site.Sched.Formula, site.Queues = s.formula, s.queues
	if site.Queues == nil {
		site.Queues = []pbs.Queue{{Name: "workq"}}
	}
	if site, err = site.WithReplayed(s.settings); err != nil {
		tb.Fatal(err)
	}
	plan, _, err := order.NewPlan(site, order.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	checks := cluster.ChecksOf(site, nil)
	checks.Resources, checks.Types, checks.Flags = []string{"ncpus", "mem", "ngpus"}, map[string]formula.Type{"ngpus": formula.Long, "colour": formula.String}, map[string]string{"ngpus": "hn", "colour": "h"}
	var nodes *cluster.Cluster
	if strings.Contains(s.nodes, "=") || strings.Contains(s.nodes, "\n") {
		nodes, err = clusterOf(s.nodes, checks, false)
	} else {
		nodes, err = cluster.ParseSpec(cmp.Or(s.nodes, "4"), checks)
	}
	if err != nil {
		tb.Fatal(err)
	}
	used, err := accrual.Resources(config)
	if err != nil {
		tb.Fatal(err)
	}
	return work.New(log(tb, s.jobs, used), s.known), plan, nodes
}

// starts replays a scenario and returns when each job starts, in seconds from zero, as
// "id start" in the order of the starts.
func (s scenario) starts(tb testing.TB, o Options) string {
	w, plan, nodes := s.load(tb)
	o.Watch = -1
	r, err := Run(context.Background(), w, plan, nodes, o)
	if err != nil {
		return err.Error()
	}
	at := map[string]float64{}
	for i, j := range w.Jobs {
		if r.Start[i] > 0 {
			at[j.ID] = math.Floor(r.Start[i]) - zero
		}
	}
	ids := slices.SortedFunc(maps.Keys(at), func(a, b string) int { return cmp.Or(cmp.Compare(at[a], at[b]), cmp.Compare(a, b)) })
	for i, id := range ids {
		ids[i] = fmt.Sprintf("%s %g", id, at[id])
	}
	return strings.Join(ids, ", ")
}

// express is a queue whose jobs preempt.
var express = []pbs.Queue{{Name: "workq"}, {Name: "expressq", Priority: 200}}

func TestRules(t *testing.T) {
	const strict = "strict_ordering: true\n"
	const fair = "fair_share: true\nfairshare_usage_res: ncpus*walltime\nfairshare_decay_time: 24:00:00\n"
	full := asked{id: "0", run: 100, wants: "1:ncpus=4", walltime: 100}
	for _, test := range []struct {
		name string
		scenario
		want string
	}{
		{"at once", scenario{jobs: []asked{{id: "1", run: 50}, {id: "2", at: 5, run: 50}}}, "1 0, 2 5"},
		{"when one ends", scenario{jobs: []asked{full, {id: "1", at: 1, run: 50}}}, "0 0, 1 100"},
		{"the formula decides", scenario{formula: "ncpus", jobs: []asked{full, {id: "1", at: 1, run: 10, wants: "1:ncpus=3"}, {id: "2", at: 2, run: 10, wants: "1:ncpus=4"}}},
			"0 0, 2 100, 1 110"},
		{"greedy: the first does not fit", scenario{jobs: []asked{{id: "0", run: 100, wants: "1:ncpus=3"}, {id: "1", at: 1, run: 10, wants: "1:ncpus=2"}, {id: "2", at: 2, run: 500}}},
			"0 0, 2 2, 1 100"},
		{"strict: nobody passes", scenario{config: strict, settings: []string{"server.backfill_depth=0"},
			jobs: []asked{{id: "0", run: 100, wants: "1:ncpus=3"}, {id: "1", at: 1, run: 10, wants: "1:ncpus=2"}, {id: "2", at: 2, run: 500}}}, "0 0, 1 100, 2 100"},
		{"backfilled before the top job", scenario{config: strict,
			jobs: []asked{{id: "0", run: 100, wants: "1:ncpus=3", walltime: 100}, {id: "1", at: 1, run: 10, wants: "1:ncpus=4", walltime: 10},
				{id: "2", at: 2, run: 50, walltime: 50}, {id: "3", at: 3, run: 50, walltime: 500}}}, "0 0, 2 2, 1 100, 3 110"},
		{"beside the top job", scenario{config: strict,
			jobs: []asked{{id: "0", run: 100, wants: "1:ncpus=3", walltime: 100}, {id: "1", at: 1, run: 10, wants: "1:ncpus=3", walltime: 10}, {id: "2", at: 2, run: 500, walltime: 500}}},
			"0 0, 2 2, 1 100"},
		{"a queue without backfilling", scenario{config: strict, queues: []pbs.Queue{{Name: "workq"}, {Name: "q"}}, settings: []string{"queue.workq.backfill_depth=0"},
			jobs: []asked{{id: "0", run: 100, wants: "1:ncpus=3"}, {id: "1", at: 1, run: 10, wants: "1:ncpus=2"}, {id: "2", at: 2, run: 5}, {id: "3", at: 3, run: 5, queue: "q"}}},
			"0 0, 3 3, 1 100, 2 100"},
		{"limit of a user", scenario{settings: []string{"server.max_run=[u:PBS_GENERIC=1],[u:bob=2]"},
			jobs: []asked{{id: "0", run: 100}, {id: "1", at: 1, run: 10}, {id: "2", at: 2, run: 10, user: "bob"}, {id: "3", at: 3, run: 10, user: "bob"}}}, "0 0, 2 2, 3 3, 1 100"},
		{"limit of a group on cpus", scenario{settings: []string{"server.max_run_res.ncpus=[g:g=2]"},
			jobs: []asked{{id: "0", run: 100, wants: "1:ncpus=2"}, {id: "1", at: 1, run: 10}}}, "0 0, 1 100"},
		{"limit of a queue", scenario{settings: []string{"queue.workq.max_run=[o:PBS_ALL=1]"}, jobs: []asked{{id: "0", run: 100}, {id: "1", at: 1, run: 10, user: "v"}}}, "0 0, 1 100"},
		{"limit of old", scenario{settings: []string{"server.max_user_run=1"}, jobs: []asked{{id: "0", run: 100}, {id: "1", at: 1, run: 10}}}, "0 0, 1 100"},
		{"a stopped queue", scenario{settings: []string{"queue.workq.started=false"}, jobs: []asked{{id: "0", run: 100}}}, ""},
		{"a job of a closed queue is no top job", scenario{config: "strict_ordering: true\nprimetime_prefix: p_\nnonprimetime_prefix: np_\n", holidays: "YEAR 2026\n weekday 0600 1500\n saturday none all\n sunday none all\n",
			queues: []pbs.Queue{{Name: "np_night", Priority: 9}}, jobs: []asked{full, {id: "1", at: 1, queue: "np_night", wants: "1:ncpus=4"}, {id: "2", at: 2, run: 10, walltime: 36000, wants: "1:ncpus=4"}}}, "0 0, 2 100, 1 28910"},
		{"at or below the threshold", scenario{formula: "ncpus", settings: []string{"server.job_sort_formula_threshold=1"}, jobs: []asked{{id: "0", run: 100}}}, ""},
		{"deleted while it waits", scenario{jobs: []asked{full, {id: "1", at: 1, more: []string{"50 D;1;requestor=u@h"}}}}, "0 0"},
		{"deleted too late", scenario{jobs: []asked{{id: "1", at: 1, more: []string{"50 D;1;requestor=u@h"}}}}, "1 1"},
		{"altered while it waits", scenario{formula: "job_priority", jobs: []asked{full, {id: "1", at: 1, run: 10, wants: "1:ncpus=4"},
			{id: "2", at: 2, run: 10, wants: "1:ncpus=4", more: []string{"50 a;2;Priority=100"}}}}, "0 0, 2 100, 1 110"},
		{"priority from a list", scenario{formula: "job_priority", known: map[string]work.ListFacts{"2": {Priority: 5}},
			jobs: []asked{full, {id: "1", at: 1, run: 10, wants: "1:ncpus=4"}, {id: "2", at: 2, run: 10, wants: "1:ncpus=4"}}}, "0 0, 2 100, 1 110"},
		{"subjobs at a time", scenario{known: map[string]work.ListFacts{"1[].s": {MaxSubjobs: 1}},
			jobs: []asked{{id: "1[1].s", run: 10}, {id: "1[2].s", run: 10}, {id: "1[].s", more: []string{"0 Q;1[].s;user=u group=g queue=workq ctime=1772434800 qtime=1772434800 etime=1772434800 array_indices=1-2"}}}},
			"1[1].s 0, 1[2].s 10"},
		{"subjobs that never started", scenario{jobs: []asked{{id: "1[1].s", run: 10}, {id: "1[].s", more: []string{
			"0 Q;1[].s;user=u group=g queue=workq ctime=1772434800 qtime=1772434800 etime=1772434800 array_indices=1-2 Resource_List.select=1:ncpus=4 Resource_List.walltime=5"}}}}, "1[1].s 0, 1[2].s 10"},
		{"run again", scenario{jobs: []asked{{id: "1", run: 30, more: []string{
			"10 R;1;user=u group=g queue=workq ctime=1772434800 qtime=1772434800 etime=1772434800 start=1772434800 Resource_List.select=1:ncpus=1 end=1772434810",
			"10 S;1;user=u group=g queue=workq ctime=1772434800 qtime=1772434800 etime=1772434800 start=1772434810 Resource_List.select=1:ncpus=1"}}}}, "1 10"},
		{"fairshare decides between equals", scenario{config: fair, groups: "a 10 root 10\nb 11 root 10\n", jobs: []asked{
			{id: "0", run: 1000, user: "a", wants: "1:ncpus=4", walltime: 1000}, {id: "1", at: 1, run: 10, user: "a", wants: "1:ncpus=4"}, {id: "2", at: 2, run: 10, user: "b", wants: "1:ncpus=4"}}},
			"0 0, 2 1000, 1 1010"},
		{"starts of a cycle count at once", scenario{config: fair, groups: "a 10 root 10\nb 11 root 10\n", jobs: []asked{
			{id: "0", run: 100, user: "c", wants: "1:ncpus=4", walltime: 100}, {id: "1", at: 1, run: 10, user: "a", wants: "1:ncpus=2"}, {id: "2", at: 2, run: 10, user: "a", wants: "1:ncpus=2"},
			{id: "3", at: 3, run: 10, user: "b", wants: "1:ncpus=2"}}}, "0 0, 1 100, 3 100, 2 110"},
		{"what was used counts, not what was asked for", scenario{config: "fair_share: true\nfairshare_usage_res: cput\n", groups: "a 10 root 10\nb 11 root 10\n", jobs: []asked{
			{id: "0", run: 900, user: "a", wants: "1:ncpus=2", cput: 1800}, {id: "1", run: 1000, user: "b", wants: "1:ncpus=2", cput: 10},
			{id: "2", at: 1, run: 10, user: "a", wants: "1:ncpus=4"}, {id: "3", at: 2, run: 10, user: "b", wants: "1:ncpus=4"}}}, "0 0, 1 0, 3 1000, 2 1010"},
		{"zero shares", scenario{config: fair, groups: "a 10 root 0\nb 11 root 10\n", jobs: []asked{{id: "0", run: 10, user: "a"}, {id: "1", run: 10, user: "b"}}}, "1 0"},
		{"preempted and resumed", scenario{config: "preemptive_sched: true\n", queues: express, jobs: []asked{
			{id: "0", run: 100, wants: "1:ncpus=2"}, {id: "1", at: 1, run: 100, wants: "1:ncpus=2"}, {id: "2", at: 10, run: 20, wants: "1:ncpus=2", queue: "expressq"},
			{id: "3", at: 11, run: 20, wants: "1:ncpus=2"}, {id: "4", at: 120, run: 5, wants: "1:ncpus=4"}}}, "0 0, 1 1, 2 10, 3 100, 4 121"},
		{"preempted and queued again", scenario{config: "preemptive_sched: true\n", queues: express, settings: []string{"sched.preempt_order=R"}, jobs: []asked{
			{id: "0", run: 100, wants: "1:ncpus=4"}, {id: "2", at: 10, run: 20, wants: "1:ncpus=4", queue: "expressq"}}}, "2 10, 0 30"},
		{"not preempted", scenario{queues: express, jobs: []asked{{id: "0", run: 100, wants: "1:ncpus=4"}, {id: "2", at: 10, run: 20, wants: "1:ncpus=4", queue: "expressq"}}}, "0 0, 2 100"},
		{"strict: suspended jobs are not passed either", scenario{config: "preemptive_sched: true\n" + strict, queues: express, settings: []string{"server.backfill_depth=0"}, jobs: []asked{
			{id: "0", run: 100, wants: "1:ncpus=4"}, {id: "2", at: 10, run: 20, wants: "1:ncpus=2", queue: "expressq"}, {id: "3", at: 11, run: 5}}}, "0 0, 2 10, 3 120"},
		{"altered while it runs", scenario{settings: []string{"server.max_run_res.ncpus=[u:PBS_GENERIC=2]"}, jobs: []asked{
			{id: "0", run: 100, wants: "1:ncpus=2", more: []string{"50 a;0;Resource_List.ncpus=1"}}, {id: "1", at: 110, run: 50, wants: "1:ncpus=1"},
			{id: "2", at: 111, run: 50, wants: "1:ncpus=1"}, {id: "3", at: 112, run: 10, wants: "1:ncpus=1"}}}, "0 0, 1 110, 2 111, 3 160"},
		{"a limit of an array is its own", scenario{known: map[string]work.ListFacts{"1[].s": {MaxSubjobs: 1}}, jobs: []asked{{id: "0.s", run: 50}, {id: "1[1].s", run: 10}, {id: "1[2].s", run: 10},
			{id: "1[].s", more: []string{"0 Q;1[].s;user=u group=g queue=workq ctime=1772434800 qtime=1772434800 etime=1772434800 array_indices=1-2"}}}},
			"0.s 0, 1[1].s 0, 1[2].s 10"},
		{"an array that is deleted", scenario{jobs: []asked{full, {id: "1[1].s", at: 1, run: 10, wants: "1:ncpus=4"}, {id: "1[].s", at: 1, more: []string{
			"1 Q;1[].s;user=u group=g queue=workq ctime=1772434801 qtime=1772434801 etime=1772434801 array_indices=1-2 Resource_List.select=1:ncpus=4 Resource_List.walltime=5",
			"60 D;1[].s;requestor=u@h"}}}}, "0 0, 1[1].s 100"},
		{"an end that comes twice", scenario{jobs: []asked{full, {id: "1", at: 50, run: 10, wants: "1:ncpus=4", more: []string{
			"61 E;1;user=u group=g queue=workq ctime=1772434850 qtime=1772434850 etime=1772434850 start=1772434850 exec_vnode=(n1:ncpus=4) Resource_List.ncpus=4 end=1772434860"}}}}, "0 0, 1 100"},
		{"a stopped queue does not hide the others", scenario{queues: []pbs.Queue{{Name: "workq"}, {Name: "q", Stopped: true}}, formula: "queue_priority", settings: []string{"queue.q.priority=10"},
			jobs: []asked{full, {id: "1", at: 1, run: 10, queue: "q", wants: "1:ncpus=4"}, {id: "2", at: 2, run: 10, wants: "1:ncpus=4"}}}, "0 0, 2 100"},
		{"moved from a stopped queue", scenario{queues: []pbs.Queue{{Name: "workq"}, {Name: "q", Stopped: true}}, jobs: []asked{{id: "1", queue: "q", more: []string{
			"30 Q;1;user=u group=g queue=workq ctime=1772434800 qtime=1772434830 etime=1772434800 Resource_List.select=1:ncpus=1",
			"0 Q;1;user=u group=g queue=q ctime=1772434800 qtime=1772434800 etime=1772434800 Resource_List.select=1:ncpus=1",
			"31 S;1;user=u group=g queue=workq ctime=1772434800 qtime=1772434830 etime=1772434800 start=1772434831 Resource_List.select=1:ncpus=1",
			"41 E;1;user=u group=g queue=workq ctime=1772434800 qtime=1772434830 etime=1772434800 start=1772434831 end=1772434841 Resource_List.select=1:ncpus=1"}}}}, "1 30"},
		{"impossible", scenario{jobs: []asked{{id: "7", run: 100, wants: "1:ncpus=5"}, {id: "8", at: 3, run: 5}}}, "8 3"},
		{"no limit", scenario{queues: []pbs.Queue{{Name: "workq", Attributes: pbs.Attributes{"max_run": "many"}}}, jobs: []asked{{id: "7", run: 100}}}, "queue workq: max_run = many is not a limit, such as [u:PBS_GENERIC=3]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := test.starts(t, Options{World: test.world(t)}); got != test.want {
				t.Errorf("started %q, want %q", got, test.want)
			}
		})
	}
}
