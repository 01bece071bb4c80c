package conformance

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/slurm"
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
	counted, excused := 0, map[string]bool{}
	for _, p := range some(t, inPlain(5, 2)) {
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
	if counted < fewest(15, 2) {
		t.Errorf("only %d sites have jobs that run", counted)
	}
	for prefix, why := range notAsSaid {
		isThere := false
		for name := range excused {
			isThere = isThere || strings.HasPrefix(name, prefix)
		}
		if !isThere && !testing.Short() { // which asks of a few
			t.Errorf("all sites of %s are as their nodes say, and not otherwise (%s)", prefix, why)
		}
	}
}

// perNode finds what JSON has of a job's nodes beside their sums.
var perNode = regexp.MustCompile(`"(job_resources|gres_detail)"`)

// What running jobs have of their nodes is what the JSON of a site says of each; and where it does not say it, the same as
// its text has, with whatever order of the jobs.
func TestSharesAsSlurmSays(t *testing.T) {
	t.Parallel()
	told := 0
	for _, archive := range matching(t, "slurm-json/*.tgz") {
		name := strings.TrimSuffix(filepath.Base(archive), ".tgz")
		of := func(archive, kind string, change func(text string) string) map[string]string {
			files := members(t, archive)
			for file, text := range files {
				files[file] = change(text)
			}
			now, ok := nowOf(t, write(t, "shares/"+name+kind, files))
			if !ok {
				t.Fatalf("%s%s is no site", name, kind)
			}
			s, _ := forecast.ReadNodes(now, time.UTC)
			has, says := heldOf(s)
			if !maps.Equal(has, says) {
				t.Errorf("%s%s: %v is in use, and Slurm says %v", name, kind, has, says)
			}
			return sharesOf(s)
		}
		same := func(text string) string { return text }
		text := of(filepath.Join(testdata, "slurm-now", name+".tgz"), "-text", same)
		untold := of(archive, "-untold", func(text string) string { return perNode.ReplaceAllString(text, `"${1}_not"`) })
		for id, want := range text {
			if untold[id] != want {
				t.Errorf("%s: by text job %s has %s, by JSON %s", name, id, want, untold[id])
			}
		}
		whole := of(archive, "-whole", same)
		for _, p := range members(t, archive) {
			jobs, _, err := slurm.ParseNow(p, time.UTC)
			if err != nil {
				continue
			}
			for i := range jobs {
				j := &jobs[i]
				for _, x := range j.OfNodes {
					has := whole[cmp.Or(j.Task, j.ID)]
					if told++; j.State == "RUNNING" && !strings.Contains(has, fmt.Sprintf("%d of %s ", x.CPUs, x.Name)) {
						t.Errorf("%s: job %s has %s, and Slurm says %+v", name, j.ID, has, x)
					}
				}
			}
		}
	}
	if told < 50 {
		t.Errorf("the JSON tells only %d shares", told)
	}
}
