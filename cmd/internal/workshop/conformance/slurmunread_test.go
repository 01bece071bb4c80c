package conformance

import (
	"strings"
	"testing"
)

// A value of a setting that cannot be read, and a weight of a resource that no node has, is said by each command whose answer
// depends on it, and by check.
func TestUnreadSettings(t *testing.T) {
	t.Parallel()
	asking := append(named(askingSlurm, "sort", "when", "replay", "submit"), question{"check", "check DIR"}, question{"explain", "explain 25 DIR"})
	for setting, is := range map[string]string{
		"KillWait=abc": "", "OverTimeLimit=5 hours": "", "JobRequeue=maybe": "", "DefMemPerCPU=abc": "", "DefMemPerNode=-5": "", "MaxMemPerCPU=4 gigs": "", "MaxMemPerNode=x": "", "PreemptExemptTime=1:2:3:4": "", "SuspendTimeout=99999999": "",
		"PriorityWeightTRES=cpu=5,gres/fpga=7": "PriorityWeightTRES counts gres/fpga, and no node has it",
	} {
		name, _, _ := strings.Cut(setting, "=")
		if is == "" {
			is = setting + " is n"
		}
		after := answersToSlurm(t, "unread/"+name, "config."+setting)
		for _, q := range asking {
			want := is
			if q.name == "check" && name == "PriorityWeightTRES" { // of why a weight counts nothing, check says first that Slurm leaves it out
				want = "PriorityWeightTRES counts gres/fpga, which AccountingStorageTRES lacks: Slurm leaves the weight out"
			}
			if said := after.to(q); strings.Count(said.said+said.out, want) == 0 {
				t.Errorf("%s: %s does not say %q: %s", setting, q.name, want, said.said+said.out)
			}
		}
	}
}

// A job of the list that is asked about with another time limit asks for its GPUs and switches as before, and somebody who
// submits a job asks for them in the same way.
func TestGPUsOfChanges(t *testing.T) {
	t.Parallel()
	never := func(text string) int { return strings.Count(text, "  never: ") }
	for name, asks := range map[string]string{"node": "TresPerNode=gres/gpu:5", "job": "TresPerJob=gres/gpu:9", "task": "TresPerTask=gres/gpu:5"} {
		a := answersToSlurm(t, "changed/"+name, slurmGPUs+";job.23."+asks)
		if x := a.to(question{"try", "when DIR 23 --runs 2 --try time=7"}); never(x.out) != 2 {
			t.Errorf("%s: with another time limit: %s%s", asks, x.out, x.said)
		}
	}
	gpus, tree := answersToSlurm(t, "changed/gpus", slurmGPUs), answersToSlurm(t, "changed/tree", slurmTree)
	for _, x := range []struct {
		at        *answers
		asks      string
		isRefused bool
	}{
		{gpus, "ntasks=2,gpus=2", false}, {gpus, "ntasks=2,gpus=9", true}, {gpus, "ntasks=2,gpus-per-task=1", false}, {gpus, "ntasks=2,gpus-per-task=5", true}, {gpus, "ntasks=2,gres=gpu:5", true},
		{tree, "nodes=2,ntasks=2,switches=1", false},
	} {
		given := x.at.to(question{x.asks, "when DIR --submit " + x.asks + ",time=7 --user cat --partition batch --runs 2"})
		isRefused := given.code == 2 && strings.Contains(given.said, "the job is refused: no nodes of partition batch")
		if given.isGiven() == x.isRefused || isRefused != x.isRefused || strings.Contains(given.out, "  never: ") {
			t.Errorf("%s: %s%s", x.asks, given.out, given.said)
		}
	}
}
