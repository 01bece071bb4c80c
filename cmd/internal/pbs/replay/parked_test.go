package replay

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/workshop"
)

// Suspended jobs that are asked only once their vnodes have changed go on as they do where each cycle asks all of them, and as they do
// where nothing is left out: at sites where many jobs are suspended for long, with vnodes that fail, jobs that are deleted and what
// suspended jobs keep.
func TestSuspendedJobsWaitForTheirVnodes(t *testing.T) {
	t.Parallel()
	scenarios := uint64(workshop.Part(800))
	pauses, ended := 0, 0
	for seed := range scenarios {
		r := rand.New(rand.NewPCG(seed, 23))
		s := randomScenario(seed + 40_000)
		s.config = strings.ReplaceAll(s.config, "preemptive_sched: true\n", "") + "preemptive_sched: true\n"
		s.settings = slices.DeleteFunc(s.settings, func(setting string) bool { return strings.Contains(setting, "preempt_order") })
		if r.IntN(3) == 0 {
			s.settings = append(s.settings, "server.restrict_res_to_release_on_suspend=ncpus")
		}
		for i := range s.jobs {
			switch j := &s.jobs[i]; {
			case r.IntN(3) == 0:
				j.queue = []string{"expressq", "otherx"}[r.IntN(2)]
			case r.IntN(4) == 0 && !strings.HasSuffix(j.id, "[]"):
				j.run, j.walltime = j.run+2000, j.walltime+2000
			}
		}
		o := Options{World: s.world(t)}
		w, plan, nodes := s.load(t)
		quick, result := resultOf(t, w, plan, nodes, o)
		o.eachClass = true
		each, _ := resultOf(t, w, plan, nodes, o)
		o.Plain = true
		plain, _ := resultOf(t, w, plan, nodes, o)
		name := fmt.Sprintf("seed %d, %s", seed, s.formula)
		s.mustBeSame(t, name, quick, plain)
		s.mustBeSame(t, name+", with a look at each class", each, plain)
		for job, times := range result.Pauses {
			if pauses += len(times); result.End[job] > 0 {
				ended++
			}
		}
		if t.Failed() {
			return
		}
	}
	if pauses < 2*int(scenarios) || ended < int(scenarios) {
		t.Errorf("only %d times were jobs suspended, and %d of the jobs ended", pauses, ended)
	}
}
