package conformance

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A site without accounting has no tree, no associations and no QOS: every command answers, fairshare counts for nothing,
// and users are told apart.
func TestWithoutAccounting(t *testing.T) {
	t.Parallel()
	answering := func(name, changes string) *answers {
		s := newSmallSlurm()
		s.edit("config.AccountingStorageEnforce=none;config.AccountingStorageType=accounting_storage/none;" + changes)
		for _, id := range s.objects.of("job") {
			s.edit("job." + id + ".Account=(null)|QOS=(null)")
		}
		dir := s.write(t, "noaccounts/"+name)
		for _, file := range []string{"sshare-alP.txt", "sacctmgr-P-qos.txt", "sacctmgr-P-assoc.txt"} {
			if err := os.Remove(filepath.Join(dir, file)); err != nil {
				t.Fatal(err)
			}
		}
		return answersOf(dir)
	}
	before := answering("as-it-is", "")
	for _, q := range askingSlurm {
		if a := before.to(q); !a.isGiven() || strings.Contains(a.said, "sshare") || strings.Contains(a.said, "sacctmgr -P show assoc") || strings.Contains(a.said, "QOS factors are not known") {
			t.Errorf("%s: exit %d: %s", q.name, a.code, a.said)
		}
	}
	for changes, want := range map[string][]string{
		"config.PriorityWeightFairShare=90000":              {"explain"}, // which prints the weight
		"config.SchedulerParameters=bf_max_job_user=1":      {"when", "replay", "submit"},
		"config.PriorityType=priority/basic;partition.more": {"replay"},
	} {
		changed := slices.Collect(changedAnswers(askingSlurm, before, answering(changes, changes)))
		for _, name := range want {
			if !slices.Contains(changed, name) {
				t.Errorf("%s changes %q, not %s", changes, changed, name)
			}
		}
		if strings.Contains(changes, "Fair") && len(changed) > 2 {
			t.Errorf("%s changes %q", changes, changed)
		}
	}
}
