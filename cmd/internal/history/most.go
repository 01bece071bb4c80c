package history

import (
	"math"
	"slices"

	"fairshare/cmd/internal/trace"
)

// Limit is what single jobs that have ended used of something of which each asks for as much as it may use at most. It says what a next
// job like them may ask for, which the sums of Parts do not.
type Limit struct {
	Efficiency        // of the job that used the largest part
	Job        string // which that is
	Ended      int    // jobs that were ended since they had reached it

	parts []uint32 // of each job, in units of 1/partUnit
}

// partUnit is in how many steps the part of one is told that a job used of its limit.
const partUnit = 10_000

// Jobs returns how many jobs there are of which the record tells it.
func (l *Limit) Jobs() int { return len(l.parts) }

// UpTo returns the part of it that some of the jobs, as a part of 1, used at most, or a few more: it is that of a job, and none between two.
func (l *Limit) UpTo(jobs float64) float64 {
	if len(l.parts) == 0 {
		return math.NaN()
	}
	slices.Sort(l.parts)
	const slack = 1e-9 // of jobs times their number, which is not exact
	return float64(l.parts[max(0, int(math.Ceil(jobs*float64(len(l.parts))-slack))-1)]) / partUnit
}

func (l *Limit) add(job string, e Efficiency, isEnded bool) {
	part := e.Part()
	if math.IsNaN(part) {
		return
	}
	if isEnded {
		l.Ended++
	}
	if len(l.parts) == 0 || part > l.Part() {
		l.Job, l.Efficiency = job, e
	}
	l.parts = append(l.parts, uint32(min(math.Round(part*partUnit), math.MaxUint32)))
}

// Limits are those that jobs ask for.
type Limits struct{ Walltime, Memory Limit }

// add adds a job that has ended, and was active for so many seconds.
func (l *Limits) add(j *trace.Job, use []float64, seconds float64) {
	walltime, _, memory := efficiencies(j, use, seconds)
	l.Walltime.add(j.ID, walltime, j.IsKilledAtWalltime(walltime.Used))
	l.Memory.add(j.ID, memory, j.HasLackedMemory())
}

// most is the most that one of some jobs has used, beside what that job was given: seconds of run time, and kb of memory.
type most struct {
	walltime, memory Efficiency // of which 0 is used where no job tells it; memory may be more where any job may have used more
}

// add adds what a job or others used.
func (m *most) add(walltime, memory Efficiency) {
	m.walltime, m.memory = larger(m.walltime, walltime), larger(m.memory, memory)
}

// ofRun adds what a run used that is over, of a job that was active for so many seconds.
func (m *most) ofRun(j *trace.Job, use []float64, seconds float64) {
	walltime, _, memory := efficiencies(j, use, seconds)
	m.add(walltime, memory)
}

// larger returns that of which more was used, and of two the one that was given more.
func larger(a, b Efficiency) Efficiency {
	isAtLeast := a.IsAtLeast || b.IsAtLeast
	if isMore := b.Given > a.Given || math.IsNaN(a.Given); b.Used > a.Used || b.Used == a.Used && isMore {
		a = b
	}
	a.IsAtLeast = isAtLeast
	return a
}
