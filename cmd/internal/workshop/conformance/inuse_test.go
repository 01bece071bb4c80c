package conformance

import (
	"fmt"
	"regexp"
	"strconv"
	"testing"
)

var (
	headOfNodes = regexp.MustCompile(`(?m)^([\d.]+) of ([\d.]+) cpus free(?: \(([\d.]+) more are idle on \w+ that take no job just now\))?, .*; ([\d.]+) jobs? there$`)
	metricLine  = regexp.MustCompile(`(?m)^(?:pbs|slurm)_(cpus|cpus_in_use|jobs_running) (\S+)$`)
)

// What metrics say that jobs have of the cpus is what nodes does not list as free or as idle, of as many jobs.
func TestInUseInMetrics(t *testing.T) {
	t.Parallel()
	counted := map[string]int{}
	same := func(name, dir string) (inUse float64) {
		nodes, measured := answersOf(dir).to(question{"nodes", "nodes DIR --tz UTC"}), answersOf(dir).to(question{"metrics", "metrics DIR"})
		head := headOfNodes.FindStringSubmatch(nodes.out)
		if head == nil || measured.code != 0 {
			return 0
		}
		is := map[string]float64{}
		for _, m := range metricLine.FindAllStringSubmatch(measured.out, -1) {
			is[m[1]], _ = strconv.ParseFloat(m[2], 64)
		}
		var n [5]float64
		for i := 1; i < len(n); i++ {
			n[i], _ = strconv.ParseFloat(head[i], 64)
		}
		free, all, idle, jobs := n[1], n[2], n[3], n[4]
		if got := fmt.Sprint(is["cpus"], is["cpus_in_use"], is["jobs_running"]); got != fmt.Sprint(all, all-free-idle, jobs) {
			t.Errorf("%s: metrics say %s, nodes %s", name, got, head[0])
		}
		return is["cpus_in_use"]
	}
	for _, p := range some(t, inPlain(7, 2)) {
		if same(p.name, p.dir) > 0 {
			counted[p.scheduler()]++
		}
	}
	for i, x := range []struct {
		changes string
		inUse   float64
	}{
		{"", 20},
		{"vnode.n4.state=busy", 20},
		{"vnode.n3.state=busy", 20},
		{"vnode.n4.state=offline", 20},
		{"vnode.n4.state=job-exclusive;vnode.n4.jobs=99.srv/0", 28},
		{"vnode.n4.resources_assigned.ncpus=2", 22},
	} {
		site := newSmallSite()
		site.edit(x.changes)
		if got := same(x.changes, site.write(t, fmt.Sprint("inuse", i))); got != x.inUse {
			t.Errorf("%s: %v cpus are in use, not %v", x.changes, got, x.inUse)
		}
	}
	if least := fewest(10, 1); counted["pbs"] < least || counted["slurm"] < least {
		t.Errorf("only %v sites have something in use", counted)
	}
}
