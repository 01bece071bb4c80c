package replay

import (
	"container/heap"
	"math"

	"fairshare/cmd/internal/work"
)

// dependencies are jobs that wait for others, as a replay goes on. A nil *dependencies is
// one in which nobody does.
type dependencies struct {
	*work.Links
	at       *situation
	came     []float64 // by job, when it came, NaN for one that has not
	needs    []int32   // by unit, the conditions that are left
	left     []int32   // by unit, its jobs that are not over
	started  []bool    // by unit
	failed   []bool    // by unit, whether one of its jobs has ended otherwise than well
	fates    []fate    // by unit
	releases events    // of units, whose conditions are met
	denied   []int32   // units whose conditions can no longer be met, to be deleted
	parents  []int32   // by unit, the one that its last condition waits for; for those that ask why
}

// fate is what becomes of a unit's arrival.
type fate byte

const (
	held fate = iota
	released
	yielding // to a rival that runs
	deleted
)

// newDependencies returns who waits for whom in a replay, nil where nobody does.
func newDependencies(at *situation) *dependencies {
	l := at.work.Links()
	if l == nil {
		return nil
	}
	n := len(l.Members)
	d := &dependencies{Links: l, at: at, needs: make([]int32, n), left: make([]int32, n), started: make([]bool, n), failed: make([]bool, n), fates: make([]fate, n), parents: make([]int32, n)}
	copy(d.needs, l.Needs)
	for unit, members := range l.Members {
		d.left[unit] = int32(len(members))
		if !l.IsHeld[unit] {
			d.fates[unit] = released
		} else if l.Needs[unit] == 0 {
			d.release(int32(unit), l.Submitted[unit])
		}
	}
	for unit, children := range l.Children {
		for _, c := range children {
			d.parents[c.Child] = int32(unit)
		}
	}
	d.came = make([]float64, len(at.work.Jobs))
	for i, j := range at.work.Jobs {
		d.came[i] = math.NaN()
		if !d.holds(int32(i)) {
			d.came[i] = float64(j.Arrival)
		}
	}
	return d
}

// holds reports whether a job comes when others have ended, and not when it did.
func (d *dependencies) holds(job int32) bool { return d != nil && d.IsHeld[d.Unit[job]] }

// next returns when the next unit is released, infinity where none is to be.
func (d *dependencies) next() float64 {
	if d == nil || len(d.releases) == 0 {
		return math.Inf(1)
	}
	return d.releases[0].at
}

// release lets a unit's jobs come at a time; those whose condition was met before the record begins come with it.
func (d *dependencies) release(unit int32, at float64) {
	heap.Push(&d.releases, event{at: max(at, d.Submitted[unit], float64(d.at.work.First)), job: unit})
}

// arrival is a job that comes at a time.
type arrival struct {
	job int32
	at  float64
}

// come returns the jobs that are released up to now.
func (d *dependencies) come() (list []arrival) {
	for d != nil && len(d.releases) > 0 && d.releases[0].at <= d.at.now {
		ev := heap.Pop(&d.releases).(event)
		if d.fates[ev.job] == deleted || d.fates[ev.job] == released {
			continue
		}
		d.fates[ev.job] = released
		if d.rivalRuns(ev.job) {
			d.fates[ev.job] = yielding
			continue
		}
		for _, job := range d.Members[ev.job] {
			if d.at.jobs[job].state == pending {
				d.came[job] = ev.at
				list = append(list, arrival{job, ev.at})
			}
		}
	}
	return list
}

func (d *dependencies) rivalRuns(unit int32) bool {
	for _, rival := range d.Rivals[unit] {
		if d.started[rival] && d.left[rival] > 0 {
			return true
		}
	}
	return false
}

// start says that a job starts, and returns those that wait and stand back for it now.
func (d *dependencies) start(job int32, at float64) (yield []int32) {
	if d == nil {
		return nil
	}
	unit := d.Unit[job]
	if d.started[unit] {
		return nil
	}
	d.started[unit] = true
	for _, c := range d.Children[unit] {
		if c.Kind == work.OnStart {
			d.meet(c.Child, at)
		}
	}
	for _, rival := range d.Rivals[unit] {
		if d.fates[rival] != released || d.started[rival] {
			continue
		}
		d.fates[rival] = yielding
		for _, waits := range d.Members[rival] {
			if d.at.jobs[waits].state == waiting {
				yield = append(yield, waits)
			}
		}
	}
	return yield
}

// meet says that a condition of a unit is met.
func (d *dependencies) meet(unit int32, at float64) {
	d.needs[unit]--
	if d.needs[unit] == 0 {
		d.release(unit, at)
	}
}

// end says that a job is over for good. One that its owner deletes before it starts never is:
// as PBS has it, those that wait for it stay held. It returns those that wait in vain.
func (d *dependencies) end(job int32, at float64, isOK bool) (inVain []int32) {
	if d == nil {
		return nil
	}
	d.finish(job, at, isOK)
	for len(d.denied) > 0 {
		unit := d.denied[len(d.denied)-1]
		d.denied = d.denied[:len(d.denied)-1]
		if d.fates[unit] == deleted {
			continue
		}
		d.fates[unit] = deleted
		for _, victim := range d.Members[unit] {
			if s := d.at.jobs[victim].state; s == pending || s == waiting {
				inVain = append(inVain, victim)
				d.finish(victim, at, false)
			}
		}
	}
	return inVain
}

func (d *dependencies) finish(job int32, at float64, isOK bool) {
	unit := d.Unit[job]
	d.left[unit]--
	d.failed[unit] = d.failed[unit] || !isOK
	if d.left[unit] > 0 {
		return
	}
	for _, c := range d.Children[unit] {
		isMet := c.Kind == work.OnAny || (c.Kind == work.OnOK) == !d.failed[unit]
		if c.Kind == work.OnStart {
			if isMet = d.started[unit]; isMet {
				continue // since it started
			}
		}
		if isMet {
			d.meet(c.Child, at)
		} else {
			d.denied = append(d.denied, c.Child)
		}
	}
	for _, rival := range d.Rivals[unit] {
		switch {
		case d.started[unit] && !d.failed[unit]:
			d.denied = append(d.denied, rival)
		case d.fates[rival] == yielding:
			d.fates[rival] = held
			d.release(rival, at)
		}
	}
}

// why says what a job waits for that was not released.
func (d *dependencies) why(job int32) string {
	parent := d.parents[d.Unit[job]]
	for _, other := range d.Rivals[d.Unit[job]] {
		parent = other
	}
	return waitsForJob + d.at.work.Jobs[d.Members[parent][0]].Identity().ID
}
