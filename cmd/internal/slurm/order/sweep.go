package order

import (
	"math"
	"time"

	"fairshare/cmd/internal/slurm"
)

// agedJob is a job in one of its places, as the last sweep left it.
type agedJob struct {
	waited   float64 // seconds until the site was asked
	priority float64
	others   float64 // what is added to age
	age      float64 // as sprio prints it, NaN where it does not
	part     float64 // the same as a part of 1
}

// fits returns how well ages and priorities follow from a sweep that was some seconds ago: by how many jobs sprio prints the
// age that they had then, where one whose clock was changed counts half, and how many priorities are equal.
func (s *Site) fits(list []agedJob, ago float64) (ages, equal int) {
	const decimals, whole, half = 1e7, 2, 1 // decimals are those of an age as a part of 1
	hasAge := func(k agedJob, by float64) bool {
		part := s.Conf.AgeAfter(k.waited - ago + by)
		if !math.IsNaN(k.part) {
			return math.Round(part*decimals) == math.Round(k.part*decimals)
		}
		return math.Round(s.Conf.Weights.Age*part) == k.age
	}
	for _, k := range list {
		if math.Trunc(k.others+s.Conf.Weights.Age*s.Conf.AgeAfter(k.waited-ago)) == k.priority {
			equal++
		}
		if math.IsNaN(k.age) && math.IsNaN(k.part) {
			continue
		}
		if hasAge(k, 0) {
			ages += whole
			continue
		}
		for _, by := range clockChanges {
			if hasAge(k, by) {
				ages += half
				break
			}
		}
	}
	return ages, equal
}

// findSweep finds when all priorities were computed last: the second, in the period before the
// site was asked, that leads to the ages of the most jobs that sprio prints, and of several to the stored priority
// of the most.
func (s *Site) findSweep() {
	const mostJobs, mostPeriod = 500, 3600 // that are tried
	if s.Conf.Weights.Age == 0 || s.Taken.IsZero() {
		return
	}
	c := s.Cluster()
	c.Prepare()
	stored := s.storedBy()
	var list []agedJob
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if len(list) == mostJobs || c.LeavesOut(j) != "" || j.Accrued.IsZero() || j.TRES == nil {
			continue
		}
		for _, partition := range j.Partitions {
			for _, qos := range j.QOSNames() {
				f := c.Factors(j, partition, qos)
				k := agedJob{waited: math.Floor(s.Taken.Sub(j.Accrued).Seconds()), priority: j.Priority, others: f.Sum - f.Weighted.Age, age: math.NaN(), part: math.NaN()}
				if p := stored[placeOf(j, partition, qos)]; p != nil {
					k.priority, k.part = p.Priority, p.Age
					if age, ok := p.Terms["age"]; ok && !p.IsEmpty() {
						k.age = age
					}
				} else if s.Stored != nil {
					continue
				}
				list = append(list, k)
			}
		}
	}
	best, most := 0, 0
	period := min(s.Conf.CalcPeriod, mostPeriod) + sweepSlack
	for ago := 0.; ago <= period; ago++ {
		ages, equal := s.fits(list, ago)
		if ages > most || ages == most && equal > best {
			best, most, s.Swept = equal, ages, s.Taken.Add(time.Duration(-ago)*time.Second)
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
	for more := range int(min(cpus*part.Threads-cpus, 1000)) { // whole cores on some of its nodes, which other nodes have not
		tries = append(tries, cpus+float64(more))
	}
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
