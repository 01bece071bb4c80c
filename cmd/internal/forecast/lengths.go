package forecast

import (
	"cmp"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
)

// lengths are what is known of how long jobs run: which part of their requested walltime, or
// how many seconds where they ask for none. Jobs that still run count for what they have run
// already, so that long ones are not missed where the history is short (Kaplan and Meier,
// JASA 1958).
type lengths struct {
	levels  []map[levelKey]*curve // the most alike first
	longest float64               // the longest run or walltime that is known, in seconds
	arrays  map[arrayKey]*tasks
	alike   float64 // the part of an array's tasks that run for about as long as the others
}

// enough is with how many jobs a level counts as much as all those above it.
const enough = 4

// levelKey is what jobs of a level have in common.
type levelKey struct {
	walltime   int32 // the band of requested walltimes, see bandOf
	user, name int32
}

// Besides the bands of walltimes.
const (
	noWalltime  = -1 // the job asks for none
	anyWalltime = -2 // the level has jobs of all walltimes
)

// bandOf returns in which band a requested walltime lies: each band ends where the walltime has doubled.
// Who asks for long uses a smaller part of it than who asks for little.
func bandOf(walltime int64) int32 {
	if walltime = askedOf(walltime); walltime == 0 {
		return noWalltime
	}
	return int32(bits.Len64(uint64(walltime) / bandUnit))
}

// askedOf returns a walltime that somebody asks for, 0 for none: one of a year says that there is no limit, and nothing of
// how long the job runs.
func askedOf(walltime int64) int64 {
	const year = 365 * day
	if walltime >= year {
		return 0
	}
	return max(0, walltime)
}

// bandUnit is the end of the first band, in seconds, so that an hour begins one.
const bandUnit = 225

// levelsOf returns the keys of a job, the most alike first.
func levelsOf(j *trace.Job) [4]levelKey {
	band, wide := bandOf(j.Walltime), int32(anyWalltime)
	if band == noWalltime {
		wide = noWalltime // seconds are no parts of a walltime
	}
	return [...]levelKey{{wide, j.User, j.Name + 1}, {band, j.User, 0}, {band, -1, 0}, {wide, -1, 0}}
}

// observation is how long a job has run, whether it had ended then, and for how many jobs it counts.
type observation struct {
	x      float64
	ended  bool
	weight float64
}

// newLengths learns from the past.
func newLengths(list []past) *lengths {
	l := &lengths{}
	seen := make([]map[levelKey][]observation, len(levelsOf(&trace.Job{})))
	for i := range seen {
		seen[i], l.levels = map[levelKey][]observation{}, append(l.levels, map[levelKey]*curve{})
	}
	observed, arrays := make([]observation, len(list)), map[arrayKey][]observation{}
	for i, p := range list {
		asked := askedOf(p.walltime)
		l.longest = max(l.longest, float64(p.ran), float64(asked))
		if p.start == trace.Unknown || p.end == trace.Unknown && p.ran == 0 {
			continue
		}
		o := observation{float64(p.ran), p.end != trace.Unknown, 1}
		if asked > 0 {
			o.x = min(1, o.x/float64(asked))
		}
		observed[i] = o
		if key := arrayOf(p.Job.Job); key.array != "" {
			arrays[key] = append(arrays[key], o)
		}
	}
	l.learnArrays(arrays)
	const most = 2000 // of a level, the last ones
	for k, p := range slices.Backward(list) {
		o := observed[k]
		if o.weight == 0 { // it has not started
			continue
		}
		if t := l.arrays[arrayOf(p.Job.Job)]; t != nil {
			o.weight = t.weight
		}
		for i, key := range levelsOf(p.Job.Job) {
			if of := seen[i][key]; len(of) < most {
				seen[i][key] = append(of, o)
			}
		}
	}
	for i, level := range seen {
		for key, of := range level {
			l.levels[i][key] = newCurve(of)
		}
	}
	return l
}

// curve is which part of jobs runs longer than a value.
type curve struct {
	x, beyond []float64 // the values at which jobs end, and which part runs longer
	n         float64   // jobs that have ended
}

func newCurve(of []observation) *curve {
	slices.SortFunc(of, func(a, b observation) int { return cmp.Compare(a.x, b.x) })
	c, left := &curve{}, 0.
	for _, o := range of {
		left += o.weight
	}
	s := 1.
	for i := 0; i < len(of); {
		n, all, k := 0., 0., i
		for ; k < len(of) && of[k].x == of[i].x; k++ {
			all += of[k].weight
			if of[k].ended {
				n += of[k].weight
			}
		}
		if n > 0 {
			if s *= 1 - n/left; k == len(of) && n == all {
				s = 0 // to the last digit
			}
			c.x, c.beyond = append(c.x, of[i].x), append(c.beyond, s)
			c.n += n
		}
		left -= all
		i = k
	}
	return c
}

// at returns which part runs longer than a value.
func (c *curve) at(x float64) float64 {
	k, found := slices.BinarySearch(c.x, x)
	if found {
		k++
	}
	if k == 0 {
		return 1
	}
	return c.beyond[k-1]
}

// left returns how many jobs have ended beyond a value.
func (c *curve) left(x float64) float64 {
	k, _ := slices.BinarySearch(c.x, x)
	if len(c.x) == 0 {
		return 0
	}
	return c.n * float64(len(c.x)-k) / float64(len(c.x))
}

// draw returns a value beyond another one. ok is false where it lies beyond all that is known.
func (c *curve) draw(random *rand.Rand, x float64) (y float64, ok bool) {
	s := random.Float64() * c.at(x)
	k, _ := slices.BinarySearchFunc(c.beyond, s, func(b, s float64) int {
		if b > s {
			return -1
		}
		return 1
	})
	if k == len(c.x) {
		return 0, false
	}
	return c.x[k], true
}

// unitOf returns the seconds of a job in which lengths are told.
func unitOf(j *work.Job) float64 {
	if asked := askedOf(j.Walltime); asked > 0 {
		return float64(asked)
	}
	return 1
}

// secondsOf returns for how many seconds a job runs that has run for some already.
func secondsOf(elapsed int64, length, unit float64) int64 {
	return max(elapsed+1, int64(math.Round(length*unit)))
}

// draw returns for how many seconds a job runs in all that has run for some already.
func (l *lengths) draw(random *rand.Rand, j *work.Job, elapsed int64) int64 {
	unit := unitOf(j)
	x := float64(elapsed) / unit
	for i, key := range levelsOf(j.Job) {
		c := l.levels[i][key]
		if c == nil {
			continue
		}
		n := c.left(x)
		if n == 0 || i+1 < len(l.levels) && random.Float64() >= n/(n+enough) {
			continue
		}
		if y, ok := c.draw(random, x); ok && y > x {
			return secondsOf(elapsed, y, unit)
		}
		break
	}
	return l.unknown(random, j, elapsed)
}

// unknown returns how long a job runs of which the past tells nothing: anything up to its
// walltime.
func (l *lengths) unknown(random *rand.Rand, j *work.Job, elapsed int64) int64 {
	until := float64(askedOf(j.Walltime))
	if until == 0 {
		const day = 24 * 3600
		until = max(l.longest, day)
	}
	if until <= float64(elapsed) {
		return elapsed + 60 // it is about to be killed
	}
	return elapsed + 1 + int64(random.Float64()*(until-float64(elapsed)))
}
