package study_test

import (
	"fmt"
	"strings"
	"testing"

	pbsstudy "fairshare/cmd/internal/pbs/study"
	"fairshare/cmd/internal/pbs/study/studytest"
	"fairshare/cmd/internal/study"
)

// On vnodes that a policy reserves for a time nothing runs then, whatever that delays, and the
// jobs that came after are done with nothing but delay.
func TestReservationsOfPolicies(t *testing.T) {
	for _, name := range []string{"P1x", "P2", "V1"} {
		s := studytest.OfRun(t, name)
		s.Wanted.KeepVnodes = true
		const first, hours = 5, 3
		from := s.Work.First + first*3600
		to := from + hours*3600
		studytest.Add(t, s, study.Changes{Settings: []string{fmt.Sprintf("reservation.maint=%d/%d on n0*,g01", from, to)}})
		all := studytest.Run(t, s)
		inside := [2]int{} // under the policy in force, and under that with the maintenance
		for p := range inside {
			result := all[p+1].First.Result
			for i, j := range s.Work.Jobs {
				start, end := result.Start[i], result.End[i]
				if end == 0 {
					end = result.Until
				}
				isThere := strings.Contains(result.Vnodes(i), "(n0") || strings.Contains(result.Vnodes(i), "(g01")
				if start > 0 && !j.WasRunning && isThere && start < float64(to) && end > float64(from) {
					inside[p]++
				}
			}
		}
		if inside[0] == 0 || inside[1] > 0 {
			t.Errorf("%s: %d jobs run during the maintenance that was not, %d during the one that was", name, inside[0], inside[1])
		}
	}
}

func TestReservationsThatCannotBe(t *testing.T) {
	s := studytest.OfRun(t, "P2")
	for setting, want := range map[string]string{
		"reservation.R1=none":                                    "there is no reservation R1",
		"reservation.x=2026-03-02 10:00/2026-03-02 12:00":        "it is not on record",
		"reservation.x=2026-03-02 10:00/2026-03-02 12:00 on q*":  "there is no vnode q*",
		"reservation.x=2026-03-02 12:00/2026-03-02 10:00 on n01": "is not before",
		"reservation.x=soon/2026-03-02 10:00 on n01":             "soon",
		"reservation.x=2026-03-02 12:00 on n01":                  "is neither none nor FROM/TO on VNODES",
		"reservation.*=2026-03-02 10:00/2026-03-02 12:00 on n01": "all reservations can be dropped",
		"nodes.added=2xn99":                                      "is not a number of cpus",
		"nodes.added=0xn01":                                      "is not a number of nodes, from 1 to 65536",
		"nodes.added=65537xn01":                                  "is not a number of nodes, from 1 to 65536",
		"nodes.added=1048577x4":                                  "is not a number of nodes, from 1 to 1048576 in all",
	} {
		p, _, err := pbsstudy.NewPolicy(study.Changes{Settings: []string{setting}}, s.Inputs.Site)
		if err == nil {
			_, err = s.Use([]*pbsstudy.Policy{s.Used()[0], p})
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", setting, err, want)
		}
	}
}
