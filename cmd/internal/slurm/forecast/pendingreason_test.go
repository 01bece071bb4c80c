package forecast

import (
	"strings"
	"testing"

	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/slurm"
)

// TestPendingReasons gives a job each kind of reason, and asks what becomes of it.
func TestPendingReasons(t *testing.T) {
	for reason, want := range map[string]string{
		"Priority": "", "Resources": "", "None": "", "QOSMaxJobsPerUserLimit": "", "AssocGrpCPUMinutesLimit": "", "JobArrayTaskLimit": "", "ReqNodeNotAvail, UnavailableNodes:a001": "",
		"DependencyNeverSatisfied": outcome.Never, "DeadLine": outcome.Never, "Dependency": outcome.HeldForJobs,
		"BadConstraints": "held: ", "MaxMemPerLimit": "held: ", "job requeued in held state": "held: ", "ReservationDeleted": "held: ", "launch failed requeued held": "held: ",
		"Reservation": "said", "ReqNodeNotAvail, Reserved for maintenance": "said", "BurstBufferResources": "said", "FrontEndDown": "said", "NonExclusivePartition": "said", "SomethingNew": "said",
	} {
		s := begun(t, job("7", 1, func(j *slurm.ListedJob) { j.Reason, j.Priority = reason, 5 }))
		held := heldOf(s)
		var said []string
		for _, x := range s.omissions(&s.Queue[0]) {
			said = append(said, x.what)
		}
		isSaid := strings.Contains(strings.Join(said, "\n"), reason)
		if want == "said" {
			if held != "" || !isSaid {
				t.Errorf("%s: %q, %q", reason, held, said)
			}
			continue
		}
		if !strings.HasPrefix(held, want) || want == "" && held != "" || isSaid {
			t.Errorf("%s: the job is %q, want %q; %q", reason, held, want, said)
		}
	}
}

// TestNeverUnderLimit asks of a job that is over a limit of its own whether it is said to start never.
func TestNeverUnderLimit(t *testing.T) {
	s := begun(t, job("7", 3, func(j *slurm.ListedJob) { j.Priority = 5 }))
	s.Setup.QOS[0].Limits.JobTRES = s.Setup.Unlimited().JobTRES
	list, _ := slurm.ParseAmounts("cpu=2")
	s.Setup.QOS[0].Limits.JobTRES, _ = s.Setup.Limit(list)
	s.barrier = nil
	if why, want := heldOf(s), outcome.Never+"QOSMaxCpuPerJobLimit"; !strings.HasPrefix(why, want) {
		t.Errorf("%q, want %q", why, want)
	}
}

// heldOf says why the first job of a list does not start as things are.
func heldOf(s *Site) string {
	j, why := s.maker.Listed(&s.Queue[0], s.At)
	if j == nil {
		return why
	}
	why, _ = s.holds(&s.Queue[0], j)
	return why
}
