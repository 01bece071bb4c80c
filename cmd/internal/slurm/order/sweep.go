package order

import (
	"math"
	"time"

	"fairshare/cmd/internal/slurm"
)

// findSweep finds when all priorities were computed last: the second, in the period before the
// site was asked, that leads to the stored priority of the most jobs.
func (s *Site) findSweep() {
	const mostJobs, mostPeriod = 500, 3600 // that are tried
	if s.Conf.Weights.Age == 0 || s.Taken.IsZero() {
		return
	}
	c := s.Cluster()
	c.Prepare()
	type known struct {
		job      *slurm.Job
		priority float64
		others   float64 // what is added to age
		age      float64 // as sprio prints it, NaN where it does not
	}
	stored := s.storedBy()
	var list []known
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if len(list) == mostJobs || c.LeavesOut(j) != "" || j.Accrued.IsZero() || j.TRES == nil {
			continue
		}
		for _, partition := range j.Partitions {
			for _, qos := range j.QOSNames() {
				f := c.Factors(j, partition, qos)
				k := known{job: j, priority: j.Priority, age: math.NaN()}
				if p := stored[placeOf(j, partition, qos)]; p != nil {
					k.priority = p.Priority
					if age, ok := p.Terms["age"]; ok {
						k.age = age
					}
				} else if s.Stored != nil {
					continue
				}
				k.others = f.Sum - f.Weighted.Age
				list = append(list, k)
			}
		}
	}
	best := 0
	period := min(s.Conf.CalcPeriod, mostPeriod) + sweepSlack
	for ago := 0.; ago <= period; ago++ {
		at := s.Taken.Add(time.Duration(-ago) * time.Second)
		c.Swept = at
		equal := 0
		for _, k := range list {
			age := c.Weights.Age * c.Age(k.job)
			if math.Trunc(k.others+age) == k.priority {
				equal++
			}
			if math.Round(age) == k.age {
				equal++
			}
		}
		if equal > best {
			best, s.Swept = equal, at
		}
	}
}

// sweepSlack is how many seconds more than a period the last sweep may be ago.
const sweepSlack = 60

// countThreads finds the jobs for which Slurm counts other CPUs than they request: where it tried them last on cores of
// several threads, it counts whole cores, and for one that wants whole nodes, those of the nodes that it tried. Only the
// job size that sprio prints tells.
func (s *Site) countThreads() {
	if s.Conf.Weights.JobSize == 0 {
		return
	}
	for _, r := range s.PlainRows() {
		if r.Stored == nil || r.Job.TRES == nil {
			continue
		}
		printed, ok := r.Stored.Terms["jobsize"]
		part := s.Conf.Partitions[r.Partition]
		if !ok || part == nil || part.Threads < 2 && !r.Job.Exclusive || math.Round(r.Weighted.JobSize) == printed {
			continue
		}
		r.Job.CountedCPUs = s.countedCPUs(r.Job, part, printed)
	}
}

// countedCPUs returns how many CPUs lead to a job size that sprio prints, 0 if neither whole cores, nor a core for each
// task, nor whole nodes do.
func (s *Site) countedCPUs(j *slurm.Job, part *slurm.Partition, printed float64) float64 {
	cpus := j.TRES["cpu"]
	tries := []float64{math.Ceil(cpus/part.Threads) * part.Threads, cpus * part.Threads}
	if j.Exclusive { // the nodes of Slurm's last try are alike, or of two sizes
		tries = part.SumsOfNodes(int(max(1, j.TRES["node"])))
	}
	for _, counted := range tries {
		try := *j
		try.CountedCPUs = counted
		c := s.Cluster()
		c.Prepare()
		if math.Round(c.Factors(&try, part.Name, try.QOS).Weighted.JobSize) == printed {
			return counted
		}
	}
	return 0
}
