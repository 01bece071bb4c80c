package study_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	pbsstudy "fairshare/cmd/internal/pbs/study"
	"fairshare/cmd/internal/pbs/study/studytest"
	"fairshare/cmd/internal/study"
	frame "fairshare/cmd/internal/study/studytest"
)

// Whatever is tried, policies under which all jobs start and end alike have the same figures: all are measured by one measure. Where other
// shares are tried, by which the distance is then, the answer says so, and what the first policy comes to by these.
func TestEqualStartsHaveEqualFigures(t *testing.T) {
	t.Parallel()
	s := studytest.OfRun(t, "P1x")
	s.Inputs.Site = s.Inputs.Site.WithFormula("queue_priority + eligible_time") // in which no setting of fairshare is
	p, _, err := pbsstudy.InForce(s.Inputs.Site, true)
	if err == nil {
		_, err = s.Use([]*pbsstudy.Policy{p})
	}
	if err != nil {
		t.Fatal(err)
	}
	tried := []string{"alice.shares=99", "alice.usage=1e7", "new.walter.shares=5", "sched.fairshare_decay_time=24:00:00", "sched.fairshare_usage_res=ncpus*walltime*3", "walltime=asked*2"}
	for _, setting := range slices.Sorted(maps.Keys(studytest.Settings)) {
		tried = append(tried, setting+"="+studytest.Settings[setting])
	}
	for _, setting := range tried {
		studytest.Add(t, s, study.Changes{Settings: []string{setting}})
	}
	frame.AskAll(t, &s.Study)
	all := studytest.Run(t, s)
	frame.SameFigures(t, &s.Study, all, 30)
	said := fmt.Sprint(s.Caveats(all, time.UTC))
	for i, setting := range tried {
		isSaid := strings.Contains(said, fmt.Sprintf("share_distance of policy %d is from the shares that it tries; from these, policy 1 is ", i+2))
		name, _, _ := strings.Cut(setting, "=")
		if want := strings.HasSuffix(name, ".shares") || name == "sched.unknown_shares" || name == "sched.fairshare_entity"; isSaid != want {
			t.Errorf("that %s tries other shares is said: %v", setting, isSaid)
		}
	}
}
