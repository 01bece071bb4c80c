package order

import (
	"fmt"
	"math"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm/dump"
)

// findChosen finds whether sprio lists some jobs alone, as sprio -u and -j do, of those that the list of jobs says to be
// considered. Then it tells their terms, and the list tells which jobs Slurm considers and where they stand, if it can: it
// does where it has the priority of each job that sprio lacks, or has many of them and is in the order of squeue. A few of
// which it tells no priority may have come since sprio was printed.
func (s *Site) findChosen(d *dump.Dump) {
	if s.Stored == nil {
		return
	}
	stored, users := map[string]bool{}, map[string]bool{}
	for i := range s.Stored {
		stored[s.Stored[i].ID], users[s.Stored[i].User] = true, true
	}
	c := s.Cluster()
	considered, lacking, told := 0, 0, 0
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if c.LeavesOut(j) != "" {
			continue
		}
		if considered++; stored[j.ID] || stored[j.Array] {
			continue
		}
		if lacking++; !math.IsNaN(j.Priority) {
			told++
		}
	}
	isMany := diag.LacksMuch(float64(lacking), float64(considered), 1)
	if lacking == 0 || told < lacking && !isMany {
		return
	}
	whose := "it is of chosen jobs (-j, -u), or cut off, or was printed at another time"
	if len(users) == 1 && s.Stored[0].User != "" {
		whose = "it is of user " + s.Stored[0].User + " alone"
	}
	text := fmt.Sprintf("sprio lists %d of the %s that Slurm considers (%s)", considered-lacking, report.Count(considered, "job"), whose)
	switch {
	case told == lacking:
		s.isChosen = true
		text += ": it tells their terms, and places are by the priorities of the list of jobs"
	case d.IsSortedQueue():
		s.isChosen, s.isAsListed = true, true
		text += ": it tells their terms, and the jobs of each partition stand as squeue lists them"
	default:
		s.isOfSome = true
		s.say(diag.OfTheseJobs(text).OfAsked())
		return
	}
	s.say(diag.Warningf("%s (sprio -l alone is of all)", text).OfAsked())
}

// isRanked reports whether sprio tells which jobs Slurm considers.
func (s *Site) isRanked() bool { return s.Stored != nil && !s.isChosen }
