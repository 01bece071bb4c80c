package order

import (
	"slices"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
)

// dropStarted drops what sprio lists of jobs that run or are over as the list of jobs has it, and says so: they have started
// between the two. With CALCULATE_RUNNING sprio lists those that run as well.
func (s *Site) dropStarted() {
	waitsNoMore := map[string]bool{}
	for i := range s.Jobs {
		switch state := slurm.StateNamed(s.Jobs[i].State); {
		case state.Fate == slurm.Runs && !s.Conf.Running, state.Fate == slurm.IsOver && !state.MayRunAgain:
			waitsNoMore[s.Jobs[i].ID] = true
		}
	}
	var started []string
	s.Stored = slices.DeleteFunc(s.Stored, func(p dump.StoredPriority) bool {
		if n := len(started); waitsNoMore[p.ID] && (n == 0 || started[n-1] != p.ID) { // in the first of its partitions
			started = append(started, p.ID)
		}
		return waitsNoMore[p.ID]
	})
	if started != nil {
		s.say(diag.Warningf("%s of sprio -l: running or over in the list of jobs, which counts: started between the two (%s)", report.Count(len(started), "job"), report.First(started)))
	}
}
