package forecast

import (
	"math"
	"math/rand/v2"
	"slices"

	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
)

// The tasks of an array are one script, and mostly run for the same time: what is not known of it is one thing for all of
// them, and is known once some of them have ended. How far that holds is learned from the arrays of the past, and of an array
// from its own tasks. So far, too, an array tells of other jobs as one job does, however many tasks it has.

// arrayKey is what the tasks of an array have in common: IDs come again one day.
type arrayKey struct {
	array      string
	user, name int32
}

func arrayOf(j *trace.Job) arrayKey { return arrayKey{trace.ArrayOf(j.ID), j.User, j.Name} }

// tasks are what is known of how long the tasks of an array run.
type tasks struct {
	*curve
	alike   float64 // the part of those that have ended that ran for about as long as the one in the middle
	longest float64 // so long has one run already that still does
	weight  float64 // for how many jobs each counts in what is known of other jobs
}

// learnArrays learns how long the tasks of arrays ran, and how alike they are. The unit is that of lengths.
func (l *lengths) learnArrays(seen map[arrayKey][]observation) {
	alike, arrays := .5, 1. // one array, of which the half are
	l.arrays = map[arrayKey]*tasks{}
	for key, of := range seen {
		t := &tasks{curve: newCurve(of)}
		for _, o := range of {
			if !o.ended {
				t.longest = max(t.longest, o.x)
			}
		}
		if t.n > 1 {
			t.alike = alikeOf(of)
			alike, arrays = alike+t.alike, arrays+1
		}
		l.arrays[key] = t
	}
	l.alike = alike / arrays
	const enough = 2 // tasks with which an array counts as much as the others
	for key, t := range l.arrays {
		t.alike = (t.alike*own(t.n) + l.alike*enough) / (own(t.n) + enough)
		t.weight = 1 / (1 + t.alike*float64(len(seen[key])-1)) // the design effect of Kish, Survey Sampling 1965
	}
}

// own returns for how many tasks an array tells how alike they are: one alone tells nothing.
func own(ended float64) float64 {
	if ended < 2 {
		return 0
	}
	return ended
}

// alikeOf returns which part of the tasks that have ended ran for about as long as the one in the middle.
func alikeOf(of []observation) float64 {
	var ended []float64
	for _, o := range of {
		if o.ended {
			ended = append(ended, o.x)
		}
	}
	slices.Sort(ended)
	const about = .1
	middle, count := quantile(ended, .5), 0.
	for _, x := range ended {
		if math.Abs(x-middle) <= about*middle {
			count++
		}
	}
	return count / float64(len(ended))
}

// ofRun returns for how many seconds a job runs in all in a run of a forecast.
func (l *lengths) ofRun(seed uint64, run int, j *UnfinishedJob) int64 {
	random := randomOf(seed, j.ID, run)
	key := arrayOf(j.Job.Job)
	if key.array == "" {
		return l.draw(random, j.Job, j.Elapsed)
	}
	common := randomOf(seed, key.array, run)
	unit := unitOf(j.Job)
	t := l.arrays[key]
	if t == nil {
		t = &tasks{curve: &curve{}, alike: l.alike}
	}
	x := float64(j.Elapsed) / unit
	isAlike := common.Float64() < t.alike
	if n := t.left(x); n > 0 && (isAlike || random.Float64() < n/(n+enough)) {
		from := random
		if isAlike {
			from = common
		}
		if y, ok := t.draw(from, x); ok && y > x {
			return secondsOf(j.Elapsed, y, unit)
		}
	}
	if isAlike && t.n == 0 {
		return l.draw(common, j.Job, max(j.Elapsed, int64(t.longest*unit)))
	}
	return l.draw(random, j.Job, j.Elapsed)
}

// like returns how long a task of an array runs that comes later: mostly as long as the first of it, by known.
func (l *lengths) like(random *rand.Rand, j *work.Job, known map[arrayKey]int64) int64 {
	length := l.draw(random, j, 0)
	key := arrayOf(j.Job)
	if key.array == "" {
		return length
	}
	if first, isKnown := known[key]; isKnown {
		if random.Float64() < l.alike {
			return first
		}
		return length
	}
	known[key] = length
	return length
}
