// Package calibrate finds in the record of a site which limits it respects, as each scheduler has them.
package calibrate

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
)

// LimitFit is a limit that the record respects: nobody has ever passed it, and jobs that
// would have passed it have waited although cpus were free.
type LimitFit struct {
	Setting string // as --set takes it
	Names   int    // how many have come up to it
	Jobs    int    // how many waited at it although cpus were free

	// Jobs of these names have waited for some time although cpus were free. Explains is the
	// part of that time in which the limit was the reason: they would have passed it.
	Explains float64

	IsSet bool // whether the site says that it has it, where that is looked at
}

// LimitScheme says which limits a scheduler has.
type LimitScheme struct {
	Kinds        []LimitKind
	Scope        func(j *trace.Job) int32 // what of the site a limit is for, such as a queue, by its number in Trace.Names
	IsEverywhere bool                     // whether limits can be for all scopes together too

	// Setting returns the setting of a limit, false if the scheduler has none that is like it.
	Setting func(Limit) (string, bool)
}

// LimitKind is a kind of names that a limit can be for.
type LimitKind struct {
	Name string                   // in a setting
	Of   func(j *trace.Job) int32 // by its number in Trace.Names; -1 for everybody
}

// Limit is what names of a kind have come up to, and waited at.
type Limit struct {
	Scope string // "" for all together
	Kind  string
	CPUs  bool             // and not jobs
	All   int64            // what most names came up to, 0 if no two came up to the same
	Own   map[string]int64 // what the others came up to
	Past  map[string]int64 // what names came to that have passed All, and waited at nothing
	Names int              // how many names came up to a limit
	Most  int64            // the most that any name of the kind had
}

// countKey is what a limit counts: the jobs or the cpus of one name, in one scope or in all
// (-1).
type countKey struct {
	scope int32
	kind  int
	name  int32
	cpus  bool // and not jobs
}

// limitPressure is what the record shows of a name that a limit may hold for.
type limitPressure struct {
	now, peak int64          // how much runs, and the most that has ever run
	over      float64        // for how many seconds jobs waited that would have passed the peak
	under     float64        // for how many seconds jobs waited that would not have
	jobs      map[int32]bool // that would have passed the peak
}

// When a peak is taken for a limit, and how much of the record is looked at.
const (
	leastJobs     = 3      // that waited at it
	leastExplains = .5     // of the time for which jobs waited although cpus were free
	mostWaiting   = 200    // jobs that are looked at, at a time
	mostMoments   = 20_000 // times at which jobs that wait are looked at
)

// FindLimits returns the limits that a record respects on a cluster of some cpus, those that explain
// most first. It goes through the record twice: once for the peaks, once for who waited at them.
func FindLimits(w *work.Work, cpus float64, scheme *LimitScheme) []LimitFit {
	f := &limitFinder{LimitScheme: scheme, work: w, events: findEvents(w), free: int64(cpus), counts: map[countKey]*limitPressure{}}
	f.sweep(nil)
	f.free = int64(cpus)
	for _, p := range f.counts {
		p.now = 0
	}
	f.sweep(f.look)
	return f.fits()
}

// limitFinder goes through a record in search of limits.
type limitFinder struct {
	*LimitScheme
	work    *work.Work
	events  []limitEvent
	free    int64 // cpus
	counts  map[countKey]*limitPressure
	waiting []int32 // jobs, by arrival; some of them have started

	hasStarted []bool // by job
}

// keysOf calls use for each count that a job is part of, with how much it adds.
func (f *limitFinder) keysOf(j *work.Job, use func(countKey, int64)) {
	for kind, k := range f.Kinds {
		name := k.Of(j.Job)
		for _, scope := range []int32{-1, f.Scope(j.Job)} {
			if scope >= 0 || f.IsEverywhere {
				use(countKey{scope, kind, name, false}, 1)
				use(countKey{scope, kind, name, true}, max(0, j.NCPUs))
			}
		}
	}
}

// limitEvent is that a job comes, starts or ends.
type limitEvent struct {
	at   int64
	job  int32
	kind eventKind
}

// eventKind is what happens to a job. At the same time, what has the smaller number comes
// first.
type eventKind int8

const (
	ends eventKind = iota
	arrives
	starts
)

// findEvents returns the events of a record in their order.
func findEvents(w *work.Work) []limitEvent {
	var events []limitEvent
	for i, j := range w.Jobs {
		if j.Start == trace.Unknown {
			continue
		}
		events = append(events, limitEvent{j.Arrival, int32(i), arrives}, limitEvent{j.Start, int32(i), starts})
		if j.End != trace.Unknown {
			events = append(events, limitEvent{j.End, int32(i), ends})
		}
	}
	slices.SortStableFunc(events, func(a, b limitEvent) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.kind, b.kind)) })
	return events
}

// sweep goes through the record and counts what runs. Unless look is nil, it is called between
// events, not more than about mostMoments times, with the seconds from one to the next.
func (f *limitFinder) sweep(look func(seconds float64)) {
	events := f.events
	f.waiting = f.waiting[:0]
	f.hasStarted = make([]bool, len(f.work.Jobs))
	gone := 0 // how many in waiting have started
	every := len(events)/mostMoments + 1
	for i, e := range events {
		if look != nil && i > 0 && i%every == 0 && e.at > events[i-1].at {
			look(float64(e.at - events[i-1].at))
		}
		j := f.work.Jobs[e.job]
		sign := int64(1)
		switch e.kind {
		case arrives:
			f.waiting = append(f.waiting, e.job)
			continue
		case ends:
			sign = -1
		default:
			f.hasStarted[e.job] = true
			if gone++; gone > len(f.waiting)/2 {
				f.waiting = slices.DeleteFunc(f.waiting, func(job int32) bool { return f.hasStarted[job] })
				gone = 0
			}
		}
		f.free -= sign * max(0, j.NCPUs)
		f.keysOf(j, func(key countKey, amount int64) {
			p := f.counts[key]
			if p == nil {
				p = &limitPressure{jobs: map[int32]bool{}}
				f.counts[key] = p
			}
			p.now += sign * amount
			p.peak = max(p.peak, p.now)
		})
	}
}

// look adds some seconds to what is known of the names of jobs that wait although there are
// cpus for them.
func (f *limitFinder) look(seconds float64) {
	seen := 0
	for _, job := range f.waiting {
		if f.hasStarted[job] {
			continue
		}
		if seen++; seen > mostWaiting {
			break
		}
		j := f.work.Jobs[job]
		if j.NCPUs > f.free {
			continue
		}
		f.keysOf(j, func(key countKey, amount int64) {
			p := f.counts[key]
			if p.now+amount > p.peak {
				p.over += seconds
				p.jobs[job] = true
			} else {
				p.under += seconds
			}
		})
	}
}

// limitGroup is the counts of one setting: those of all names of a kind.
type limitGroup struct {
	scope int32
	kind  int
	cpus  bool
}

// fits returns the limits that explain much, those that explain most first.
func (f *limitFinder) fits() []LimitFit {
	groups := map[limitGroup]map[int32]*limitPressure{} // by name
	for key, p := range f.counts {
		isNamed := key.name < 0 || f.work.Trace.Names.List[key.name] != ""
		if !isNamed || len(p.jobs) < leastJobs || p.over < leastExplains*(p.over+p.under) {
			continue
		}
		g := limitGroup{key.scope, key.kind, key.cpus}
		if groups[g] == nil {
			groups[g] = map[int32]*limitPressure{}
		}
		groups[g][key.name] = p
	}
	var fits []LimitFit
	for g, names := range groups {
		setting, isLimit := f.Setting(f.limit(g, names))
		if !isLimit {
			continue
		}
		fit := LimitFit{Setting: setting, Names: len(names)}
		var over, under float64
		for _, name := range slices.Sorted(maps.Keys(names)) {
			p := names[name]
			fit.Jobs += len(p.jobs)
			over, under = over+p.over, under+p.under
		}
		fit.Explains = over / (over + under)
		fits = append(fits, fit)
	}
	slices.SortFunc(fits, func(a, b LimitFit) int {
		return cmp.Or(cmp.Compare(math.Round(100*b.Explains), math.Round(100*a.Explains)), cmp.Compare(b.Jobs, a.Jobs), cmp.Compare(a.Setting, b.Setting))
	})
	return fits
}

// limit returns what the names of a group have come up to.
func (f *limitFinder) limit(g limitGroup, names map[int32]*limitPressure) Limit {
	text := func(number int32) string {
		if number < 0 {
			return ""
		}
		return f.work.Trace.Names.List[number]
	}
	l := Limit{Scope: text(g.scope), Kind: f.Kinds[g.kind].Name, CPUs: g.cpus, All: genericLimit(names), Own: map[string]int64{}, Past: map[string]int64{}, Names: len(names)}
	for name, p := range names {
		if p.peak != l.All {
			l.Own[text(name)] = p.peak
		}
	}
	for key, p := range f.counts {
		if (limitGroup{key.scope, key.kind, key.cpus}) != g {
			continue
		}
		l.Most = max(l.Most, p.peak)
		if l.All > 0 && p.peak > l.All && names[key.name] == nil {
			l.Past[text(key.name)] = p.peak
		}
	}
	return l
}

// genericLimit returns the peak that most names have, 0 if no two have the same one.
func genericLimit(names map[int32]*limitPressure) int64 {
	byPeak := map[int64]int{}
	for _, p := range names {
		byPeak[p.peak]++
	}
	generic, most := int64(0), 1
	for peak, n := range byPeak {
		if n > most || n == most && n > 1 && peak < generic {
			generic, most = peak, n
		}
	}
	return generic
}
