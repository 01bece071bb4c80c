package conformance

import (
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/workshop"
)

// A vnode takes no job in any state but free, which nodes says as when does.
func TestVnodesThatAreNotFree(t *testing.T) {
	t.Parallel()
	questions := []question{{"nodes", "nodes DIR --submit select=1:ncpus=2:vnode=n4 --queue workq"}, {"when", "when DIR --submit select=1:ncpus=2:vnode=n4,walltime=0:10:00 --user ann --queue workq --runs 2"}}
	for _, state := range []string{"free", "busy", "job-exclusive", "resv-exclusive", "sleep", "offline", "free,busy"} {
		site := newSmallSite()
		site.edit("vnode.n4.state=" + state)
		a := answersOf(site.write(t, "vnode-"+state))
		room := strings.Contains(a.to(questions[0]).out, "there is room now, on n4")
		starts := !strings.Contains(a.to(questions[1]).out, "after 14d")
		if room != (state == "free") || starts != room {
			t.Errorf("%s: nodes has room: %v, and it starts: %v: %s%s", state, room, starts, a.to(questions[0]).out, a.to(questions[1]).out)
		}
	}
}

// What a site says that nobody can have just now, or that no node has, starts nobody: nothing that is not told counts as free.
func TestWhatIsTakenStartsNobody(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		before, change string
		changes        []string // the questions whose answers change
	}{
		"a node that cleans up":           {"", "node.n4.State=IDLE+COMPLETING", []string{"when", "nodes"}},
		"a node that is switched off":     {"", "node.n4.State=IDLE+POWERING_DOWN", []string{"when", "nodes"}},
		"a node that a job blocks":        {";job.12.OverSubscribe=TOPO", "node.n4.State=IDLE+BLOCKED", []string{"when", "nodes"}},
		"a node that nobody frees":        {"", "node.n4.State=IDLE+BLOCKED", []string{"when", "nodes"}},
		"GPUs that nodes had":             {slurmGPUs + ";job.23.TresPerNode=gres/gpu:1", "node.n3.Gres=(null);node.n4.Gres=(null)", []string{"when", "nodes"}},
		"GPUs of a type that nodes had":   {";node.n3.Gres=gpu:a:4;node.n4.Gres=gpu:a:4;job.23.TresPerNode=gres/gpu:a:1", "node.n3.Gres=gpu:b:4;node.n4.Gres=gpu:b:4", []string{"when"}},
		"a resource that nodes never had": {slurmGPUs, "job.23.TresPerNode=gres/fpga:1", []string{"when"}},
		"a resource of all nodes":         {slurmGPUs, "job.23.TresPerJob=gres/fpga:1", []string{"when"}},
		"a resource of each task":         {slurmGPUs, "job.23.TresPerTask=gres/fpga:1", []string{"when"}},
	} {
		dir := strings.ReplaceAll(name, " ", "-") + "/"
		before, after := answersToSlurm(t, dir+"before", test.before), answersToSlurm(t, dir+"after", test.before, test.change)
		changed := slices.Collect(changedAnswers(askingSlurm, before, after))
		for _, of := range test.changes {
			if !slices.Contains(changed, of) {
				t.Errorf("%s: %s says the same, and %q change", name, of, changed)
			}
		}
	}
}

// Each word of a node's state does what its table says: no job starts there, or nothing changes, or what lacks is said. So is a
// word that no table has, by each command that says what is not known.
func TestNodeStates(t *testing.T) {
	t.Parallel()
	asking := named(askingSlurm, "sort", "when", "replay", "submit")
	before := answersToSlurm(t, "states/before")
	states := append(slices.Clone(slurm.NodeStates), slurm.Attribute{Name: "BOGUS", Lacks: "BOGUS in the State of n4, which is not known here"})
	for i, of := range states {
		if !workshop.Among(i, 4) && of.Name != "BOGUS" {
			continue
		}
		after := answersToSlurm(t, "states/"+of.Name, "node.n4.State=IDLE+"+of.Name)
		changed := slices.Collect(changedAnswers(asking, before, after))
		switch said := after.to(askingSlurm[2]).said; { // when
		case of.TakesNone != slices.Contains(changed, "when") && (of.TakesNone || of.Idle != ""), of.Idle != "" && changed != nil:
			t.Errorf("%s: takes no jobs %v, idle %q, and changes %q", of.Name, of.TakesNone, of.Idle, changed)
		case of.Lacks != "" && !strings.Contains(said, of.Lacks):
			t.Errorf("%s: %q is not said: %s", of.Name, of.Lacks, said)
		}
	}
}
