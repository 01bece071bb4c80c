package order

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/cycle"
	"fairshare/cmd/internal/pbs/joblist"
	"fairshare/fstree"
)

// plainJob is a job as the test makes it.
type plainJob struct {
	state, queue, user, group, project string
	ncpus                              int
	running                            int // of an array
}

// Random sites: the levels of jobs by soft limits are those that come out where each limit is
// counted by itself, over all jobs.
func TestSoftLimitsPlainly(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 1))
	pick := func(words ...string) string { return words[r.IntN(len(words))] }
	over := 0
	for round := range 300 {
		limits := map[string]map[string][]string{} // by queue, "" for the server, and attribute: kind:name=most
		for range 1 + r.IntN(5) {
			queue, name := pick("", "", "q", "p"), pick("max_run_soft", "max_run_res_soft.ncpus")
			limit := pick("u:PBS_GENERIC", "u:ann", "u:bob", "g:PBS_GENERIC", "g:bio", "p:x", "o:PBS_ALL") + "=" + fmt.Sprint(r.IntN(12))
			if limits[queue] == nil {
				limits[queue] = map[string][]string{}
			}
			key, _, _ := strings.Cut(limit, "=")
			isTwice := false
			for _, other := range limits[queue][name] {
				isTwice = isTwice || strings.HasPrefix(other, key+"=")
			}
			if !isTwice {
				limits[queue][name] = append(limits[queue][name], limit)
			}
		}
		attributes := func(queue string) pbs.Attributes {
			a := pbs.Attributes{}
			for name, list := range limits[queue] {
				a[name] = "[" + strings.Join(list, "],[") + "]"
			}
			return a
		}
		var jobs []plainJob
		list := "id,job_state,queue,euser,egroup,project,Resource_List.ncpus,array_state_count,array_indices_remaining\n"
		for i := range 3 + r.IntN(12) {
			j := plainJob{state: pick("R", "R", "Q", "B", "S"), queue: pick("q", "p"), user: pick("ann", "bob", "cat"), group: pick("bio", "art"), project: pick("x", "y"), ncpus: r.IntN(5)}
			id, counts := fmt.Sprintf("%d.s", i), ""
			switch j.state {
			case "R":
				j.running = 1
			case "B":
				j.running = r.IntN(4)
				id, counts = fmt.Sprintf("%d[].s", i), fmt.Sprintf("Queued:2 Running:%d Exiting:0 Expired:0", j.running)
			}
			jobs = append(jobs, j)
			list += fmt.Sprintf("%s,%s,%s,%s,%s,%s,%d,%s,\n", id, j.state, j.queue, j.user, j.group, j.project, j.ncpus, counts)
		}
		config, _ := fstree.ParseConfig("preemptive_sched: true all\n")
		site := &pbs.Site{
			Queues:    []pbs.Queue{{Name: "q", Attributes: attributes("q")}, {Name: "p", Attributes: attributes("p")}},
			SchedPriv: &pbs.SchedPriv{Tree: fstree.New(0, 0), Config: config},
			Sched:     pbs.Sched{PreemptQueuePrio: 150, PreemptPrio: []string{"normal_jobs", "server_softlimits", "queue_softlimits"}, Server: attributes("")},
		}
		plan, _, err := NewPlan(site, Options{})
		if err != nil {
			t.Fatal(err)
		}
		read, err := joblist.Read(strings.NewReader(list), ListOptions(plan))
		if err != nil {
			t.Fatal(err)
		}
		o, _, err := plan.Order(read)
		if err != nil {
			t.Fatal(err)
		}
		for row, j := range jobs {
			var want cycle.Status
			for queue, of := range limits {
				for name, list := range of {
					for _, limit := range list {
						if exceeds(jobs, j, queue, strings.HasSuffix(name, ".ncpus"), limit, list) {
							want |= map[bool]cycle.Status{true: cycle.OverServerLimit, false: cycle.OverQueueLimit}[queue == ""]
						}
					}
				}
			}
			if want != 0 {
				over++
			}
			if got := o.jobs[row].Status; got != want {
				t.Fatalf("round %d, job %d %+v: %b, want %b, with %v of\n%s", round, row, j, got, want, limits, list)
			}
		}
	}
	if over < 500 {
		t.Errorf("only %d jobs exceed a limit", over)
	}
}

// While the server's eligible_time_enable is false, nobody's eligible_time makes a job starve, and it is said that PBS goes by another
// time then.
func TestStarvingWhileClocksAreOff(t *testing.T) {
	for enabled, want := range map[string]cycle.Status{"True": cycle.Starving, "False": 0} {
		config, _ := fstree.ParseConfig("preemptive_sched: true all\nhelp_starving_jobs: true all\nmax_starve: 24:00:00\n")
		site := &pbs.Site{
			SchedPriv: &pbs.SchedPriv{Tree: fstree.New(0, 0), Config: config},
			Sched:     pbs.Sched{PreemptQueuePrio: 150, PreemptPrio: []string{"starving_jobs", "normal_jobs"}, Server: pbs.Attributes{"eligible_time_enable": enabled}},
		}
		plan, _, err := NewPlan(site, Options{})
		if err != nil {
			t.Fatal(err)
		}
		list, err := joblist.Read(strings.NewReader("id,job_state,queue,euser,eligible_time\n1.s,Q,q,ann,25:00:00\n"), ListOptions(plan))
		if err != nil {
			t.Fatal(err)
		}
		o, _, err := plan.Order(list)
		if err != nil {
			t.Fatal(err)
		}
		if got := o.jobs[0].Status; got != want {
			t.Errorf("eligible_time_enable %s: %b, want %b", enabled, got, want)
		}
		if said := fmt.Sprint(site.Lacks()); strings.Contains(said, "by their etime") == (enabled == "True") {
			t.Errorf("eligible_time_enable %s: %s", enabled, said)
		}
	}
}

// exceeds reports whether those of a job's that count under a limit exceed it.
func exceeds(jobs []plainJob, j plainJob, queue string, isResource bool, limit string, list []string) bool {
	who, amount, _ := strings.Cut(limit, "=")
	kind, name, _ := strings.Cut(who, ":")
	nameOf := func(j plainJob) string {
		return map[string]string{"u": j.user, "g": j.group, "p": j.project, "o": "PBS_ALL"}[kind]
	}
	isGeneric := name == "PBS_GENERIC"
	for _, other := range list { // one of his own counts instead
		if isGeneric && strings.HasPrefix(other, kind+":"+nameOf(j)+"=") {
			return false
		}
	}
	if queue != "" && queue != j.queue || !isGeneric && name != nameOf(j) || isResource && j.ncpus == 0 {
		return false
	}
	used := 0
	for _, other := range jobs {
		if nameOf(other) != nameOf(j) || queue != "" && other.queue != queue {
			continue
		}
		if isResource {
			used += other.running * other.ncpus
		} else {
			used += other.running
		}
	}
	var most int
	fmt.Sscan(amount, &most)
	return used > most
}
