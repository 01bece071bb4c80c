package slurm

import (
	"math"
	"time"
)

// Slurm's multifactor priority, published as "Multifactor Priority Plugin",
// slurm.schedmd.com/priority_multifactor.html. Each factor is 0 to 1, but for
// raw values under NO_NORMAL_*:
//
//	priority   = sum of weight * factor - nice, from 1 to 4294967295, cut off
//	age        = waited / PriorityMaxAge
//	job size   = (nodes/all nodes + CPUs/all CPUs)/2, FavorSmall: 1 - that
//	  with SMALL_RELATIVE_TO_TIME: max(nodes * CPUs a node, CPUs)/minutes/all CPUs
//	partition  = PriorityJobFactor / the largest
//	QOS        = priority / the largest, as is that of the association
//	TRES       = requested / the partition's, each with its own weight

// Bounds of a priority; 0 is for held jobs.
const (
	minPriority = 1
	maxPriority = 4294967295
)

// Factors are what makes up the priority of a job in one partition.
type Factors struct {
	Job           *Job
	Partition     string
	QOS           string  // of those of the job
	Sum           float64 // of the weighted factors less nice, before it is cut to a priority
	Priority      float64
	Weighted      Parts
	Norm          Parts
	NoAssociation bool // the tree lacks the job's association, so that fairshare counts 0
}

// Parts are what a priority is made of.
type Parts struct {
	Age, Assoc, Fairshare, JobSize, Partition, QOS float64
	TRES                                           []Amount
}

// Cluster is what priorities are computed with.
type Cluster struct {
	*Conf
	QOS map[string]float64 // priorities by name; nil if they are not known
	Now time.Time
	// Swept is when priorities were computed last, zero for now: age is that of then.
	Swept time.Time
	// Fairshare returns an association's factor, ok false for one that is not
	// known. It is nil if nothing is known of fairshare.
	Fairshare func(account, user, partition string) (factor float64, ok bool)

	// Assoc returns an association's own priority. It is nil if nothing is known of any.
	Assoc     func(account, user, partition string) float64
	MostAssoc float64 // the largest of all

	mostJobFactor, mostQOS float64
}

// Prepare computes the largest values, to which factors are relative.
func (c *Cluster) Prepare() {
	c.mostJobFactor = c.largestPartition()
	for _, priority := range c.QOS {
		c.mostQOS = max(c.mostQOS, priority)
	}
}

// Reasons why sprio leaves a job out.
const (
	NotPending  = "not pending"
	held        = "held"
	notEligible = "not yet eligible"
)

// LeavesOut returns why sprio does not list a job, "" if it does: it lists
// those that are pending (with CALCULATE_RUNNING also running ones), not held
// and eligible; with ACCRUE_ALWAYS it is enough to be submitted.
func (c *Cluster) LeavesOut(j *Job) string {
	since := j.Eligible
	if c.AccrueAlways {
		since = j.Submitted
	}
	switch {
	case j.State != "PENDING" && !(c.Running && j.State == "RUNNING"):
		return NotPending
	case j.Priority == 0:
		return held
	case since.IsZero() || since.After(c.Now) && !c.Now.IsZero(): // where nothing tells the time, reasons tell it
		return notEligible
	}
	return ""
}

// Factors returns a job's priority in a partition and under a QOS, and what it is made of.
func (c *Cluster) Factors(j *Job, partition, qos string) Factors {
	part := c.Partitions[partition]
	if part == nil {
		part = &Partition{Name: partition, MaxTime: unlimited}
	}
	f := Factors{Job: j, Partition: partition, QOS: qos}
	w := c.Weights
	// Slurm computes no factor that has no weight.
	weigh := func(weight float64, factor func() float64) (weighted, norm float64) {
		if weight == 0 {
			return 0, 0
		}
		norm = factor()
		return weight * norm, norm
	}
	f.Weighted.Age, f.Norm.Age = weigh(w.Age, func() float64 { return c.Age(j) })
	f.Weighted.Fairshare, f.Norm.Fairshare = weigh(w.Fairshare, func() float64 {
		if c.Fairshare == nil {
			return 0
		}
		if len(j.Partitions) > 0 { // of several, the first one counts
			partition = j.Partitions[0]
		}
		factor, ok := c.Fairshare(j.Account, j.User, partition)
		f.NoAssociation = !ok
		return factor
	})
	f.Weighted.Assoc, f.Norm.Assoc = weigh(w.Assoc, func() float64 {
		if c.Assoc == nil {
			return 0
		}
		if len(j.Partitions) > 0 {
			partition = j.Partitions[0]
		}
		return c.relative("ASSOC", c.Assoc(j.Account, j.User, partition), c.MostAssoc)
	})
	f.Weighted.JobSize, f.Norm.JobSize = weigh(w.JobSize, func() float64 { return c.jobSize(j, part) })
	f.Weighted.Partition, f.Norm.Partition = weigh(w.Partition, func() float64 { return c.relative("PART", part.JobFactor, c.mostJobFactor) })
	f.Weighted.QOS, f.Norm.QOS = weigh(w.QOS, func() float64 { return c.relative("QOS", c.QOS[qos], c.mostQOS) })
	p := f.Weighted
	sum := p.Age + p.Assoc + p.Fairshare + p.JobSize + p.Partition + p.QOS
	for _, weight := range w.TRES {
		requested := j.TRES[weight.Name]
		if requested == 0 || weight.Count == 0 {
			continue
		}
		norm := requested
		if !c.NoNormal["TRES"] {
			all := part.TRES[weight.Name]
			if all == 0 {
				continue
			}
			norm /= all
		}
		if f.Norm.TRES == nil { // both in one piece of memory, as a site has many jobs
			n := len(w.TRES)
			amounts := make([]Amount, 2*n)
			f.Norm.TRES, f.Weighted.TRES = amounts[:0:n], amounts[n:n]
		}
		f.Norm.TRES = append(f.Norm.TRES, Amount{weight.Name, norm})
		f.Weighted.TRES = append(f.Weighted.TRES, Amount{weight.Name, weight.Count * norm})
		sum += weight.Count * norm
	}
	f.Sum = sum + j.Site - j.Nice
	f.Priority = math.Trunc(min(max(f.Sum, minPriority), maxPriority))
	return f
}

// Age returns the age factor of a job.
func (c *Cluster) Age(j *Job) float64 {
	at := c.Swept
	if at.IsZero() {
		at = c.Now
	}
	if j.Accrued.IsZero() || !j.Accrued.Before(at) {
		return 0
	}
	return c.AgeAfter(math.Floor(at.Sub(j.Accrued).Seconds()))
}

// AgeAfter returns the age factor after so many seconds.
func (c *Conf) AgeAfter(waited float64) float64 {
	switch {
	case waited <= 0:
		return 0
	case c.MaxAge == 0 || waited >= c.MaxAge:
		return 1
	}
	return waited / c.MaxAge
}

// jobSize returns the size factor. A job that wants its nodes for itself has all of
// their CPUs.
func (c *Cluster) jobSize(j *Job, part *Partition) float64 {
	nodes, cpus := max(1, j.TRES["node"]), max(j.TRES["cpu"], j.CountedCPUs)
	if j.Exclusive && part.Nodes > 0 && j.CountedCPUs == 0 {
		cpus = max(cpus, nodes*part.TRES["cpu"]/float64(part.Nodes))
	}
	var size float64
	if c.SizeRelative {
		minutes := j.TimeLimit
		if math.IsNaN(minutes) {
			minutes = part.MaxTime
		}
		size = max(nodes*c.CPUs/float64(c.Nodes), cpus) / max(1, minutes) / c.CPUs
	} else {
		size = nodes / float64(c.Nodes)
		if cpus > 0 {
			size = (size + cpus/c.CPUs) / 2
		}
	}
	switch {
	case !c.FavorSmall:
	case !c.SizeRelative && (nodes > float64(c.Nodes) || cpus > c.CPUs):
		return 1 // what is left over is negative, which Slurm's unsigned numbers make huge
	default:
		size = 1 - size
	}
	return min(max(size, 0), 1)
}

// relative returns a value divided by the largest, or the value itself under
// NO_NORMAL_*.
func (c *Cluster) relative(what string, value, largest float64) float64 {
	switch {
	case c.NoNormal[what]:
		return value
	case largest == 0:
		return 0
	}
	return value / largest
}

// largestPartition returns the largest PriorityJobFactor, at least 1 as in Slurm.
func (c *Conf) largestPartition() float64 {
	most := 1.0
	for _, p := range c.Partitions {
		most = max(most, p.JobFactor)
	}
	return most
}
