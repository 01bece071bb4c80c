package order

import (
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
	kept, started := make([]dump.StoredPriority, 0, len(s.Stored)), []string(nil)
	for _, p := range s.Stored {
		switch n := len(started); {
		case !waitsNoMore[p.ID]:
			kept = append(kept, p)
		case n == 0 || started[n-1] != p.ID: // in the first of its partitions
			started = append(started, p.ID)
		}
	}
	if started != nil {
		s.Stored = kept
		s.say(diag.Warningf("%s of sprio -l: running or over in the list of jobs, which counts: started between the two (%s)", report.Count(len(started), "job"), report.First(started)))
	}
}
