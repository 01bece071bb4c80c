package calibrate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"fairshare/cmd/internal/replay"
	"fairshare/cmd/internal/trace"
)

// LimitFit is a limit that the record respects: nobody has ever passed it, and jobs that
// would have waited although cpus were free.
type LimitFit struct {
	Setting string // as pbs.Site.WithReplayed takes it
	Names   int    // that have come up to it
	Jobs    int    // that waited at it although cpus were free

	// Explains is the part of the time for which jobs of these names waited although
	// cpus were free in which they would have passed it.
	Explains float64
}

// limitKinds are whose jobs a limit counts.
var limitKinds = []struct {
	letter string
	of     func(j *trace.Job) int32
}{
	{"u", func(j *trace.Job) int32 { return j.User }},
	{"g", func(j *trace.Job) int32 { return j.Group }},
	{"p", func(j *trace.Job) int32 { return j.Project }},
	{"o", func(j *trace.Job) int32 { return -1 }},
}

// countedFor is what a limit counts: jobs or cpus of one name, of all queues (-1) or one.
type countedFor struct {
	queue int32
	kind  int
	name  int32
	cpus  bool
}

// pressed is what is known of one that a limit may hold for.
type pressed struct {
	now, peak int64
	over      float64 // seconds for which jobs waited that would have passed the peak
	under     float64 // and that would not
	jobs      map[int32]bool
}

// What a limit is taken for.
const (
	leastJobs     = 3   // that waited at it
	leastExplains = .5  // of the time
	mostWaiting   = 200 // jobs that are looked at, at a time
	mostMoments   = 20_000
)

// findLimits finds the limits that a record respects, on a cluster of some cpus.
func findLimits(w *replay.Work, cpus float64) []LimitFit {
	f := &limitFinder{work: w, events: findEvents(w), free: int64(cpus), counts: map[countedFor]*pressed{}}
	f.sweep(nil)
	f.free = int64(cpus)
	for _, p := range f.counts {
		p.now = 0
	}
	f.sweep(f.look)
	return f.fits()
}

type limitFinder struct {
	work    *replay.Work
	events  []limitEvent
	free    int64
	counts  map[countedFor]*pressed
	waiting []int32 // jobs, by arrival; some of them have started

	hasStarted []bool // by job
}

// keysOf calls use for all that a job counts for.
func (f *limitFinder) keysOf(j *replay.Job, use func(countedFor, int64)) {
	for kind, k := range limitKinds {
		name := k.of(j.Job)
		for _, queue := range []int32{-1, j.Queue} {
			use(countedFor{queue, kind, name, false}, 1)
			use(countedFor{queue, kind, name, true}, max(0, j.NCPUs))
		}
	}
}

// limitEvent is that a job comes, starts or ends.
type limitEvent struct {
	at   int64
	job  int32
	kind int // 0 an end, 1 an arrival, 2 a start
}

// findEvents returns the events of a record in their order.
func findEvents(w *replay.Work) []limitEvent {
	var events []limitEvent
	for i, j := range w.Jobs {
		if j.Start == trace.Unknown {
			continue
		}
		events = append(events, limitEvent{j.Arrival, int32(i), 1}, limitEvent{j.Start, int32(i), 2})
		if j.End != trace.Unknown {
			events = append(events, limitEvent{j.End, int32(i), 0})
		}
	}
	slices.SortStableFunc(events, func(a, b limitEvent) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.kind, b.kind)) })
	return events
}

// sweep goes through the record. look is called for each time that passes, in seconds.
func (f *limitFinder) sweep(look func(seconds float64)) {
	events := f.events
	f.waiting = f.waiting[:0]
	f.hasStarted = make([]bool, len(f.work.Jobs))
	gone := 0 // of those that wait, how many have started
	every := len(events)/mostMoments + 1
	for i, e := range events {
		if look != nil && i > 0 && i%every == 0 && e.at > events[i-1].at {
			look(float64(e.at - events[i-1].at))
		}
		j := f.work.Jobs[e.job]
		sign := int64(1)
		switch e.kind {
		case 1:
			f.waiting = append(f.waiting, e.job)
			continue
		case 0:
			sign = -1
		default:
			f.hasStarted[e.job] = true
			if gone++; gone > len(f.waiting)/2 {
				f.waiting = slices.DeleteFunc(f.waiting, func(job int32) bool { return f.hasStarted[job] })
				gone = 0
			}
		}
		f.free -= sign * max(0, j.NCPUs)
		f.keysOf(j, func(key countedFor, amount int64) {
			p := f.counts[key]
			if p == nil {
				p = &pressed{jobs: map[int32]bool{}}
				f.counts[key] = p
			}
			p.now += sign * amount
			p.peak = max(p.peak, p.now)
		})
	}
}

// look notes for which jobs that wait there would be cpus, and what they would pass.
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
		f.keysOf(j, func(key countedFor, amount int64) {
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

// fits returns the limits that explain much, those that explain most first: one for all
// names of a kind where several come up to the same, with those that have more.
func (f *limitFinder) fits() []LimitFit {
	type group struct {
		queue int32
		kind  int
		cpus  bool
	}
	groups := map[group]map[int32]*pressed{}
	for key, p := range f.counts {
		isNamed := limitKinds[key.kind].letter == "o" || f.work.Trace.Names.List[key.name] != ""
		if !isNamed || len(p.jobs) < leastJobs || p.over < leastExplains*(p.over+p.under) {
			continue
		}
		g := group{key.queue, key.kind, key.cpus}
		if groups[g] == nil {
			groups[g] = map[int32]*pressed{}
		}
		groups[g][key.name] = p
	}
	var fits []LimitFit
	for g, names := range groups {
		fit := LimitFit{Setting: f.setting(g.queue, g.cpus), Names: len(names)}
		var over, under float64
		byPeak := map[int64]int{}
		for _, p := range names {
			fit.Jobs += len(p.jobs)
			over, under = over+p.over, under+p.under
			byPeak[p.peak]++
		}
		fit.Explains = over / (over + under)
		generic, most := int64(0), 1
		for peak, n := range byPeak {
			if n > most || n == most && n > 1 && peak < generic {
				generic, most = peak, n
			}
		}
		var terms []string
		letter := limitKinds[g.kind].letter
		for name, p := range names {
			switch {
			case letter == "o":
				terms = append(terms, fmt.Sprintf("[o:PBS_ALL=%d]", p.peak))
			case p.peak != generic:
				terms = append(terms, fmt.Sprintf("[%s:%s=%d]", letter, f.work.Trace.Names.List[name], p.peak))
			}
		}
		slices.Sort(terms)
		if generic > 0 {
			// Others of the kind have passed it: they have limits of their own, or none.
			for key, p := range f.counts {
				if key.queue == g.queue && key.kind == g.kind && key.cpus == g.cpus && p.peak > generic && names[key.name] == nil {
					terms = append(terms, fmt.Sprintf("[%s:%s=%d]", letter, f.work.Trace.Names.List[key.name], p.peak))
				}
			}
			if len(terms) > len(names) {
				continue // more have passed it than come up to it
			}
			slices.Sort(terms)
			terms = append([]string{fmt.Sprintf("[%s:PBS_GENERIC=%d]", letter, generic)}, terms...)
		}
		fit.Setting += strings.Join(terms, ",")
		fits = append(fits, fit)
	}
	slices.SortFunc(fits, func(a, b LimitFit) int {
		return cmp.Or(cmp.Compare(math.Round(100*b.Explains), math.Round(100*a.Explains)), cmp.Compare(b.Jobs, a.Jobs), cmp.Compare(a.Setting, b.Setting))
	})
	return fits
}

// setting returns the begin of a limit's setting.
func (f *limitFinder) setting(queue int32, cpus bool) string {
	of, what := "server", ".max_run="
	if queue >= 0 {
		of = "queue." + f.work.Trace.Names.List[queue]
	}
	if cpus {
		what = ".max_run_res.ncpus="
	}
	return of + what
}
