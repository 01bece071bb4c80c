package pbs

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"fairshare/cmd/internal/file"
)

// What files ask for is checked as many at once as can be: the same counts as where each is checked by itself, and the same is said.
func TestCheckAsked(t *testing.T) {
	server := text("Server: s\n    job_sort_formula = ncpus\n    backfill_depth = 3\n")
	queues := text("Queue: workq\n    Priority = 1\n    started = True\nQueue: highq\n    Priority = 9\n    max_run = [u:bob=1]\n")
	pool := []string{
		"server.backfill_depth=5", "server.backfill_depth=x", "server.max_run=[u:ann=2]", "server.max_user_run=3", "server.max_run=",
		"queue.workq.max_run=[u:ann=1]", "queue.workq.max_run=zz", "queue.workq.max_user_run=2", "queue.none.priority=3", "queue.highq.priority=12", "queue.highq.max_run=",
		"node.n1.resources_available.ncpus=8", "node.n1.resources_available.ncpus=x", "node.n1.queue=workq", "node.n1.queue=none",
		"sched.preempt_order=SCRX", "sched.preempt_order=C", "sched.fair_share=true",
	}
	r := rand.New(rand.NewPCG(1, 2))
	var accepted, refused int
	for range 3000 {
		site, _, err := Files{Sched: []file.Source{server}, Queues: []file.Source{queues}}.Read()
		if err != nil {
			t.Fatal(err)
		}
		for line := range r.IntN(20) {
			setting := pool[r.IntN(len(pool))]
			site.Asked = append(site.Asked, Asked{setting, Place{"text", line + 1}, setting, true})
		}
		check := func(each bool) (kept []string, said string) {
			checkEach = each
			defer func() { checkEach = false }()
			s := *site
			remarks := s.checkAsked()
			for _, a := range s.Asked {
				kept = append(kept, a.Where.String()+a.Setting)
			}
			refused += len(remarks)
			return kept, fmt.Sprint(remarks)
		}
		kept, said := check(false)
		plainly, saidPlainly := check(true)
		if !slices.Equal(kept, plainly) || said != saidPlainly {
			t.Fatalf("%v:\nat once %v %s\none by one %v %s", site.Asked, kept, said, plainly, saidPlainly)
		}
		accepted += len(kept)
	}
	if accepted == 0 || refused == 0 {
		t.Errorf("%d count, %d do not", accepted, refused)
	}
}
