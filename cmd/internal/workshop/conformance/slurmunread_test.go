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
			if said := after.to(q); strings.Count(said.said+said.out, is) == 0 {
				t.Errorf("%s: %s does not say %q: %s", setting, q.name, is, said.said)
			}
		}
	}
}
