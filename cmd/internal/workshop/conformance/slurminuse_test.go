package conformance

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/slurm/forecast"
	"fairshare/cmd/internal/slurm/order"
	"fairshare/cmd/internal/slurm/setup"
)

// notAsSaid are the recorded sites of which the scheduler has something else in use than their nodes say, by how their names
// begin, with the reason.
var notAsSaid = map[string]string{
	"slurm-replay/": "the nodes were printed before the run, and the jobs are those of a later moment",
}

// nowOf opens a recorded site at its moment.
func nowOf(t *testing.T, dir string) (*setup.Site, bool) {
	t.Helper()
	now, _, err := order.OpenNow(dir, time.UTC)
	return now, err == nil && now.Setup.InUse != nil
}

// heldOf returns by node what the scheduler has in use on those that are up, and what the nodes themselves say of it, both in
// words.
func heldOf(s *forecast.Site) (has, says map[string]string) {
	m := s.Setup.Machine()
	for _, j := range s.Running() {
		m.Hold(j.Job)
	}
	has, says = map[string]string{}, map[string]string{}
	for i := range s.Setup.Nodes {
		n, told := &s.Setup.Nodes[i], &s.Setup.InUse[i]
		if n.CPUs == 0 {
			continue
		}
		cpus, memory, gres := m.Free(i)
		add := func(what string, is, of int64) {
			if of >= 0 {
				has[n.Name] += fmt.Sprintf("%d %s ", is, what)
				says[n.Name] += fmt.Sprintf("%d %s ", of, what)
			}
		}
		add("CPUs", int64(n.CPUs-cpus), int64(told.CPUs))
		add("MB", n.Memory-memory, told.Memory)
		for k, free := range gres {
			add(s.Setup.GRES[k], int64(n.GRES[k]-free), int64(told.GRES[k]))
		}
	}
	return has, says
}

// sharesOf returns what each running job of a site has of its nodes, in words.
func sharesOf(s *forecast.Site) map[string]string {
	shares := map[string]string{}
	for _, j := range s.Running() {
		for at, x := range j.Shares {
			shares[j.ID] += fmt.Sprintf("%d of %s ", x.CPUs, s.Setup.Nodes[x.Node].Name)
			if j.Has != nil {
				shares[j.ID] += fmt.Sprint(j.Has[at], " ")
			}
		}
	}
	return shares
}

// What the scheduler has in use of each node at the moment of a site is what scontrol show node says, of CPUs, memory and
// GPUs; and what jobs have of their nodes does not depend on the order in which they are listed.
func TestInUseAsSlurmSays(t *testing.T) {
	t.Parallel()
	const fewest = 15
	counted, excused := 0, map[string]bool{}
	for _, p := range sites(t) {
		if !p.isSlurm {
			continue
		}
		now, ok := nowOf(t, p.dir)
		if !ok {
			continue
		}
		s, _ := forecast.ReadNodes(now, time.UTC)
		has, says := heldOf(s)
		isExcused := false
		for prefix := range notAsSaid {
			isExcused = isExcused || strings.HasPrefix(p.name, prefix)
		}
		for name := range says {
			switch {
			case has[name] == says[name]:
			case isExcused:
				excused[p.name] = true
			default:
				t.Errorf("%s: of %s %sare in use, and scontrol says %s", p.name, name, has[name], says[name])
			}
		}
		if len(s.Running()) > 0 && !isExcused {
			counted++
		}
		other, _ := nowOf(t, p.dir)
		random := rand.New(rand.NewPCG(1, uint64(len(other.Queue))))
		random.Shuffle(len(other.Queue), func(i, k int) { other.Queue[i], other.Queue[k] = other.Queue[k], other.Queue[i] })
		for i := range other.Queue {
			slices.Reverse(other.Queue[i].Nodes)
		}
		turned, _ := forecast.ReadNodes(other, time.UTC)
		want := sharesOf(s)
		for id, got := range sharesOf(turned) {
			if got != want[id] {
				t.Errorf("%s: job %s has %s, and in another order %s", p.name, id, want[id], got)
			}
		}
	}
	if counted < fewest {
		t.Errorf("only %d sites have jobs that run", counted)
	}
	for prefix, why := range notAsSaid {
		isThere := false
		for name := range excused {
			isThere = isThere || strings.HasPrefix(name, prefix)
		}
		if !isThere {
			t.Errorf("all sites of %s are as their nodes say, and not otherwise (%s)", prefix, why)
		}
	}
}
