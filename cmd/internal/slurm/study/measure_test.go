package study_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/slurm/set"
	slurmstudy "fairshare/cmd/internal/slurm/study"
	"fairshare/cmd/internal/study"
	"fairshare/cmd/internal/study/studytest"
)

// As of a PBS site: whatever is tried, policies under which all jobs start and end alike have the same figures.
func TestEqualStartsHaveEqualFigures(t *testing.T) {
	t.Parallel()
	setup, record := open(t, "S2a")
	setup, _, err := set.ChangeSetup(setup, []string{"PriorityWeightFairshare=0"}) // so that no setting of fairshare moves a job
	if err != nil {
		t.Fatal(err)
	}
	on, _ := slurmstudy.New(setup, record)
	tried := []string{
		"PriorityDecayHalfLife=14-0", "PriorityDecayHalfLife=0", "PriorityCalcPeriod=10:00", "qos.high.UsageFactor=7", "qos.normal.UsageFactor=0", "hep.shares=99", "hep/bob.shares=99", "hep/bob.usage=1e9",
		"bf_max_job_user=1", "bf_interval=20", "qos.normal.MaxTRESPU=cpu=16", "qos.high.priority=1",
	}
	policies := []*study.Changes{nil}
	for _, setting := range tried {
		policies = append(policies, &study.Changes{Settings: []string{setting}})
	}
	if _, err := on.Use(policies); err != nil {
		t.Fatal(err)
	}
	studytest.AskAll(t, &on.Study)
	all := runAll(t, on)
	studytest.SameFigures(t, &on.Study, all, 7)
	said := fmt.Sprint(on.Caveats(all, time.UTC))
	for i, setting := range tried {
		isSaid := strings.Contains(said, fmt.Sprintf("share_distance of policy %d is from the shares that it tries; from these, policy 1 is ", i+2))
		if isSaid != strings.Contains(setting, ".shares=") {
			t.Errorf("that %s tries other shares is said: %v", setting, isSaid)
		}
	}
}
