package order

import (
	"math"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm/dump"
)

// clockChanges are by how many seconds a site's clock is put back or forward.
var clockChanges = []float64{3600, -3600}

// holdAges holds the ages of jobs to those that sprio prints, where the clock was changed since they began to
// count: no time that Slurm prints tells its zone. Then it finds the last sweep anew.
func (s *Site) holdAges() {
	if s.Conf.Weights.Age == 0 || s.Swept.IsZero() || s.Conf.MaxAge == 0 {
		return
	}
	stored := map[string]*dump.StoredPriority{}
	for i := range s.Stored {
		stored[s.Stored[i].ID] = &s.Stored[i]
	}
	moved := map[float64][]int{}
	var unmoved time.Time // the first job whose age is what its time says
	for i := range s.Jobs {
		p, since := stored[s.Jobs[i].ID], s.Jobs[i].Accrued
		if p == nil || since.IsZero() || p.IsEmpty() {
			continue
		}
		if by := s.clockChange(s.Swept.Sub(since).Seconds(), p); by != 0 {
			moved[by] = append(moved[by], i)
		} else if unmoved.IsZero() || since.Before(unmoved) {
			unmoved = since
		}
	}
	for _, by := range clockChanges {
		var list []int // those from before the change: all others came later, by a clock that may tell an hour twice
		for _, i := range moved[by] {
			if unmoved.IsZero() || s.Jobs[i].Accrued.Before(unmoved.Add(time.Duration(max(0, by))*time.Second)) {
				list = append(list, i)
			}
		}
		if len(list) == 0 {
			continue
		}
		for _, i := range list {
			s.Jobs[i].Accrued = s.Jobs[i].Accrued.Add(-time.Duration(by) * time.Second)
		}
		how := "put back"
		if by < 0 {
			how = "put forward"
		}
		s.say(diag.Notef("the clock was %s by %s while %s waited, as the ages in sprio show", how, report.Duration(math.Abs(by)), report.Count(len(list), "job")))
		s.findSweep()
		return
	}
}

// clockChange returns by how many seconds a job is older than its times say, 0 where its age is what sprio prints or
// none of the changes of clocks leads to that.
func (s *Site) clockChange(waited float64, p *dump.StoredPriority) float64 {
	printed, precision := p.Age*s.Conf.MaxAge, 1e-7*s.Conf.MaxAge
	if math.IsNaN(p.Age) {
		points, ok := p.Terms["age"]
		if !ok {
			return 0
		}
		printed, precision = points/s.Conf.Weights.Age*s.Conf.MaxAge, s.Conf.MaxAge/s.Conf.Weights.Age
	}
	if precision = max(1, precision); precision >= 900 || printed >= s.Conf.MaxAge || printed == 0 {
		return 0 // too coarse to tell an hour, or an age that does not count yet
	}
	if math.Abs(max(0, waited)-printed) <= precision {
		return 0
	}
	for _, by := range clockChanges {
		if math.Abs(waited+by-printed) <= precision {
			return by
		}
	}
	return 0
}
