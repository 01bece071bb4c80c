package replay

import (
	"testing"

	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/work"
)

// What is said of jobs and of the site decides who is preempted, what is kept free for whom, and whose clock stands.
func TestPreemptionRules(t *testing.T) {
	const preemptive, strict = "preemptive_sched: true\n", "strict_ordering: true\n"
	long := asked{id: "0", run: 100, wants: "1:ncpus=4", walltime: 100}
	urgent := asked{id: "2", at: 10, run: 20, wants: "1:ncpus=2", walltime: 20, queue: "expressq"}
	whole := asked{id: "2", at: 10, run: 20, wants: "1:ncpus=4", walltime: 20, queue: "expressq"}
	filler := asked{id: "3", at: 11, run: 500, wants: "1:ncpus=1", walltime: 500}
	fixed := map[string]work.ListFacts{"0": {IsKept: true}}
	onMemory := []asked{
		{id: "0", run: 100, wants: "1:ncpus=4:mem=3gb", walltime: 100},
		{id: "2", at: 10, run: 20, wants: "1:ncpus=2:mem=2gb", walltime: 20, queue: "expressq"},
		{id: "3", at: 11, run: 20, wants: "1:ncpus=2:mem=1gb", walltime: 20, queue: "expressq"},
	}
	const small = "v\n resources_available.ncpus = 4\n resources_available.mem = 4gb\n"
	const four = "v\n resources_available.ncpus = 4\n resources_available.mem = 4gb\n\nw\n resources_available.ncpus = 4\n resources_available.mem = 2gb\n\nx\n resources_available.ncpus = 4\n\ny\n resources_available.ncpus = 4\n"
	levels := []pbs.Queue{{Name: "workq"}, {Name: "expressq", Priority: 200}, {Name: "urgentq", Priority: 300}}
	waits := []asked{
		{id: "0", run: 290, wants: "1:ncpus=4", walltime: 290},
		{id: "1", at: 10, run: 110, wants: "1:ncpus=4"},
		{id: "2", at: 100, run: 110, wants: "1:ncpus=4", user: "v"},
	}
	aged := func(at int) []asked {
		return []asked{{id: "0", run: 400, wants: "1:ncpus=4", walltime: 1000}, {id: "2", at: at, run: 20, wants: "1:ncpus=4", queue: "expressq"}, {id: "3", at: at + 1, run: 5, wants: "1:ncpus=4"}}
	}
	for _, test := range []struct {
		name string
		scenario
		want string
	}{
		{"one that is not rerunable is not requeued", scenario{config: preemptive, queues: express, known: fixed,
			settings: []string{"sched.preempt_order=R"}, jobs: []asked{long, whole}}, "0 0, 2 100"},
		{"but suspended where that is allowed as well", scenario{config: preemptive, queues: express, known: fixed,
			settings: []string{"sched.preempt_order=RS"}, jobs: []asked{long, whole, {id: "3", at: 11, run: 5, wants: "1:ncpus=4"}}}, "0 0, 2 10, 3 120"},
		{"or after a part of its walltime", scenario{config: preemptive, queues: express, known: fixed,
			settings: []string{"sched.preempt_order=R 95 S"}, jobs: []asked{long, whole, {id: "3", at: 11, run: 5, wants: "1:ncpus=4"}}}, "0 0, 2 10, 3 120"},
		{"whose percents are whole ones: of 95.4 % it is suspended", scenario{config: preemptive, queues: express,
			settings: []string{"sched.preempt_order=R 95 S"}, jobs: aged(46)}, "0 0, 2 46, 3 420"},
		{"and of 96 % requeued", scenario{config: preemptive, queues: express,
			settings: []string{"sched.preempt_order=R 95 S"}, jobs: aged(40)}, "2 40, 0 60, 3 460"},
		{"of those that started at once the first one goes", scenario{config: preemptive, queues: express, settings: []string{"sched.preempt_order=R"},
			jobs: []asked{{id: "0", run: 100, wants: "1:ncpus=2", walltime: 100}, {id: "1", run: 100, wants: "1:ncpus=2", walltime: 100}, urgent}}, "1 0, 2 10, 0 30"},
		{"nothing is kept free for a suspended job", scenario{config: preemptive, queues: express, jobs: []asked{long, urgent, filler}}, "0 0, 2 10, 3 11"},
		{"sched_preempt_enforce_resumption keeps it", scenario{config: preemptive, queues: express,
			settings: []string{"sched.sched_preempt_enforce_resumption=True"}, jobs: []asked{long, urgent, filler}}, "0 0, 2 10, 3 120"},
		{"also for one that is ineligible", scenario{config: preemptive, queues: express, known: map[string]work.ListFacts{"0": {NotPlanned: true}},
			settings: []string{"sched.sched_preempt_enforce_resumption=True"}, jobs: []asked{long, urgent, filler}}, "0 0, 2 10, 3 120"},
		{"preempted jobs are planned beyond backfill_depth", scenario{config: preemptive + strict, queues: express, settings: []string{"sched.preempt_order=R", "server.backfill_depth=1"},
			jobs: []asked{{id: "0", run: 100, wants: "1:ncpus=2", walltime: 100}, {id: "1", run: 100, wants: "1:ncpus=2", walltime: 100},
				{id: "2", at: 10, run: 20, wants: "1:ncpus=3", walltime: 20, queue: "expressq"}, filler}}, "2 10, 0 30, 1 30, 3 130"},
		{"a job that was suspended is planned to end its walltime after it first started", scenario{config: preemptive + strict, queues: express,
			jobs: []asked{{id: "0", run: 100, wants: "1:ncpus=3", walltime: 100}, {id: "2", at: 10, run: 20, wants: "1:ncpus=4", walltime: 20, queue: "expressq"},
				{id: "3", at: 40, run: 10, wants: "1:ncpus=4", walltime: 10}, {id: "4", at: 50, run: 55, walltime: 55}}}, "0 0, 2 10, 3 120, 4 130"},
		{"and lets a job pass that ends before", scenario{config: preemptive + strict, queues: express,
			jobs: []asked{{id: "0", run: 100, wants: "1:ncpus=3", walltime: 100}, {id: "2", at: 10, run: 20, wants: "1:ncpus=4", walltime: 20, queue: "expressq"},
				{id: "3", at: 40, run: 10, wants: "1:ncpus=4", walltime: 10}, {id: "4", at: 50, run: 45, walltime: 45}}}, "0 0, 2 10, 4 50, 3 120"},
		{"a suspended job frees all that it has", scenario{nodes: small, config: preemptive, queues: express, jobs: onMemory}, "0 0, 2 10, 3 11"},
		{"or what restrict_res_to_release_on_suspend says", scenario{nodes: small, config: preemptive, queues: express,
			settings: []string{"server.restrict_res_to_release_on_suspend=ncpus"}, jobs: onMemory}, "0 0, 3 11, 2 120"},
		{"a suspended job preempts whom it needs gone of each of its vnodes", scenario{nodes: four, config: preemptive, queues: levels, jobs: []asked{
			{id: "0", run: 100, wants: "2:ncpus=4:mem=1gb", place: "scatter", queue: "expressq"}, {id: "1", at: 10, run: 50, wants: "1:ncpus=2:mem=4gb", queue: "urgentq"},
			{id: "2", at: 11, run: 300, wants: "1:ncpus=2"}, {id: "3", at: 12, run: 900, wants: "1:ncpus=4"},
			{id: "4", at: 70, run: 10, wants: "1:ncpus=1:mem=4gb"}}}, "0 0, 1 10, 2 11, 3 12, 4 150"},
		{"topjob_ineligible: nobody waits for it", scenario{config: strict, known: map[string]work.ListFacts{"1": {NotPlanned: true}},
			jobs: []asked{{id: "0", run: 100, wants: "1:ncpus=3", walltime: 100}, {id: "1", at: 1, run: 10, wants: "1:ncpus=4", walltime: 10},
				{id: "2", at: 2, run: 500, walltime: 500}}}, "0 0, 2 2, 1 502"},
		{"and the next one is planned in its place", scenario{config: strict, known: map[string]work.ListFacts{"1": {NotPlanned: true}},
			jobs: []asked{{id: "0", run: 100, wants: "1:ncpus=3", walltime: 100}, {id: "1", at: 1, run: 10, wants: "1:ncpus=4", walltime: 10},
				{id: "2", at: 2, run: 10, wants: "1:ncpus=4", walltime: 10}, {id: "3", at: 3, run: 500, walltime: 500}}}, "0 0, 1 100, 2 110, 3 120"},
		{"clocks go on", scenario{formula: "eligible_time", jobs: waits}, "0 0, 1 290, 2 400"},
		{"clocks stand over a soft limit", scenario{formula: "eligible_time", config: preemptive, known: fixed, jobs: waits,
			settings: []string{"server.max_run_soft=[u:PBS_GENERIC=0]", "sched.preempt_order=R", "sched.preempt_prio=express_queue, normal_jobs, server_softlimits"}}, "0 0, 2 290, 1 400"},
	} {
		for _, o := range []Options{{}, {Plain: true}} {
			if got := test.starts(t, o); got != test.want {
				t.Errorf("%s (all looked at: %v): %s, want %s", test.name, o.Plain, got, test.want)
			}
		}
	}
}
