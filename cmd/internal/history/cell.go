package history

import (
	"fairshare/cmd/internal/trace"
)

// cell is the sums of the jobs of a name in a period. Times are in seconds.
type cell struct {
	// Of the machine:
	occupied []float64 // cpus, then the other resources, times seconds

	// Of the work that ended:
	ended, rerun, killed, failed int
	coreSeconds, rerunSeconds    float64
	charged                      float64 // core seconds, each times the factor of its queue
	used                         Parts
	most                         most
	exits                        map[int64]int

	// Of waiting:
	started   int
	waits     []uint32
	slowdowns float64
	slowed    int // jobs that slowdowns are of
	waiting   int // at the end of the period
	deleted   int // that had not started
	unstarted int // that failed before they could start, as Slurm has it
}

// leave adds a job that left without a start.
func (c *cell) leave(j *trace.Job) {
	if j.HasFailed() {
		c.unstarted++
	} else {
		c.deleted++
	}
}

// end adds the end of a run, after which a job is over or waits again.
func (c *cell) end(j *trace.Job, r trace.Run, isOver bool, use []float64, factor float64) {
	seconds := float64(j.Active(r.Start, r.End))
	work := float64(max(0, j.NCPUs)) * seconds
	c.coreSeconds += work
	c.charged += work * factor
	if !isOver {
		c.rerun++
		c.rerunSeconds += work
		return
	}
	c.ended++
	walltime, _, _ := efficiencies(j, use, seconds)
	switch {
	case j.IsKilledAtWalltime(walltime.Used):
		c.killed++
	case j.HasFailed():
		c.failed++
	}
	if j.Exit != trace.Unknown {
		if c.exits == nil {
			c.exits = map[int64]int{}
		}
		c.exits[j.Exit]++
	}
	c.used.ofRun(j, use, seconds)
	c.most.ofRun(j, use, seconds)
}
