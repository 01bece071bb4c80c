package replay

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/world"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
)

// world returns what happens in a scenario besides its jobs.
func (s scenario) world(tb testing.TB) *world.World {
	hours, problems := world.ParseHours(s.holidays, s.dedicated, time.UTC)
	if len(problems) > 0 {
		tb.Fatal(problems)
	}
	return &world.World{Hours: hours}
}

// addWorld adds calendar time to every other scenario, and dependencies to every third.
func (s *scenario) addWorld(seed uint64) {
	r := rand.New(rand.NewPCG(seed, 8))
	if r.IntN(2) == 0 {
		s.addHours(r)
	}
	if r.IntN(3) > 0 {
		return
	}
	for i := range s.jobs {
		j := &s.jobs[i]
		j.exit = r.IntN(4) / 3
		if i == 0 || strings.Contains(j.id, "[") && !strings.Contains(j.id, "[]") || r.IntN(2) == 0 {
			continue
		}
		var parents []string
		for range 1 + r.IntN(2) {
			parents = append(parents, s.jobs[r.IntN(i)].id)
		}
		kind := []string{"after", "afterok", "afternotok", "afterany", "runone", "afterok", "before"}[r.IntN(7)]
		if kind == "before" { // of one that waits for a number of others
			parent := &s.jobs[r.IntN(i)]
			parent.depend, kind = "on:1", "beforeany"
			parents = []string{parent.id}
		}
		j.depend = kind + ":" + strings.Join(parents, ":")
	}
}

// addHours adds prime and dedicated time of the morning in which jobs come, from 7:00 on.
func (s *scenario) addHours(r *rand.Rand) {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	clock := func(minutes int) string { return fmt.Sprintf("%02d:%02d", 7+minutes/60, minutes%60) }
	begin := r.IntN(50)
	first, second := strings.Replace(clock(begin), ":", "", 1), strings.Replace(clock(begin+1+r.IntN(40)), ":", "", 1)
	if r.IntN(2) == 0 {
		first, second = second, first
	}
	s.holidays = "YEAR 2026\nweekday " + first + " " + second + "\nsaturday none all\nsunday all none\n"
	if r.IntN(2) == 0 {
		begin := r.IntN(60)
		s.dedicated = fmt.Sprintf("03/02/2026 %s 03/02/2026 %s\n", clock(begin), clock(begin+1+r.IntN(30)))
	}
	s.config += pick("", "strict_ordering: true prime\n", "strict_ordering: false non_prime\n") + pick("", "by_queue: true prime\n", "round_robin: true non_prime\n")
	s.config += pick("", "job_sort_key: \"ncpus HIGH\" prime\njob_sort_key: \"walltime LOW\" non_prime\n", "preemptive_sched: true prime\n")
	s.config += pick("", "backfill_prime: true ALL\n", "backfill_prime: true prime\n") + pick("", "prime_spill: 00:05:00\n", "prime_exempt_anytime_queues: true\n")
	s.config += "primetime_prefix: p_\nnonprimetime_prefix: np_\ndedicated_prefix: ded\n"
	s.queues = append(s.queues, pbs.Queue{Name: "p_day", Priority: 20}, pbs.Queue{Name: "np_night"}, pbs.Queue{Name: "dedq", Priority: 10})
	moved := map[string]string{} // of an array
	for i := range s.jobs {
		j := &s.jobs[i]
		array, _, _ := strings.Cut(j.id, "[")
		if r.IntN(4) == 0 && moved[array] == "" {
			moved[array] = pick("p_day", "np_night", "dedq")
		}
		if to := cmp.Or(moved[array], "-"); to != "-" {
			j.queue = to
		} else {
			moved[array] = "-"
		}
	}
}

// isPrimeAt looks a time of a scenario up, which has one line of weekdays.
func (s scenario) isPrimeAt(at int64) bool {
	_, line, _ := strings.Cut(s.holidays, "\nweekday ") // of which each second of many is asked
	line, _, _ = strings.Cut(line, "\n")
	from, to, _ := strings.Cut(line, " ")
	prime, err := strconv.Atoi(from)
	nonPrime, other := strconv.Atoi(to)
	if err != nil || other != nil {
		return true
	}
	when := time.Unix(at, 0).UTC()
	switch when.Weekday() {
	case time.Saturday:
		return false
	case time.Sunday:
		return true
	}
	now := 100*when.Hour() + when.Minute()
	if prime < nonPrime {
		return now >= prime && now < nonPrime
	}
	return now < nonPrime || now >= prime
}

// mayStartAt reports whether a job may start at a time, by going on second by second.
func (s scenario) mayStartAt(site *pbs.Site, queue string, walltime, at int64) bool {
	h := site.SchedPriv.Config.Hours
	dedicated := func(at int64) bool {
		for line := range strings.Lines(s.dedicated) {
			const layout = "01/02/2006 15:04"
			from, _ := time.Parse(layout, line[:len(layout)])
			to, _ := time.Parse(layout, strings.TrimSpace(line[len(layout)+1:]))
			if from.Unix() <= at && at < to.Unix() {
				return true
			}
		}
		return false
	}
	ofDedicated, ofPrime, ofNonPrime := queue == "dedq", queue == "p_day", queue == "np_night"
	if dedicated(at) != ofDedicated || ofPrime && !s.isPrimeAt(at) || ofNonPrime && s.isPrimeAt(at) {
		return false
	}
	boundary := h.NonPrime
	if s.isPrimeAt(at) {
		boundary = h.Prime
	}
	bounded := boundary.Backfill && (ofPrime || ofNonPrime || !h.ExemptsAnytime)
	changed := int64(math.MaxInt64)
	for t := at; t <= at+walltime; t++ {
		if t < at+walltime && dedicated(t) != ofDedicated || !ofDedicated && dedicated(t) {
			return false
		}
		if changed == math.MaxInt64 && s.isPrimeAt(t) != s.isPrimeAt(at) {
			changed = t
		}
		if bounded && changed != math.MaxInt64 && t > changed+boundary.Spill {
			return false
		}
	}
	return true
}

// mustKeepHours checks that nothing starts outside of its time. A start is logged a second
// or two after its cycle.
func (s scenario) mustKeepHours(tb testing.TB, name string, w *work.Work, site *pbs.Site, r *outcome.Result) {
	tb.Helper()
	if s.holidays == "" {
		return
	}
	for i, j := range w.Jobs {
		at := outcome.Second(r.Start[i])
		if at == 0 || j.WasRunning || j.Walltime < 0 {
			continue
		}
		queue, length := w.Trace.Names.List[j.Queue], j.Walltime
		if least := int64(w.Requests[j.Request].Amounts["min_walltime"]); least > 0 {
			length = min(length, least) // it shrinks to fit
		}
		if !slices.ContainsFunc([]int64{at, at - 1, at - 2}, func(at int64) bool { return s.mayStartAt(site, queue, length, at) }) {
			tb.Errorf("%s: %s of %s starts at %d for %d s\n%s%s%s", name, j.ID, queue, at-zero, length, s.holidays, s.dedicated, s.config)
		}
	}
}

// mustDepend checks that no job starts before those have done their part that it waits for,
// and that those are gone who wait in vain.
func mustDepend(tb testing.TB, name string, w *work.Work, r *outcome.Result) {
	tb.Helper()
	if w.Links() == nil {
		return
	}
	of := map[*trace.Job][]int{}
	for i, j := range w.Jobs {
		of[j.Identity()] = append(of[j.Identity()], i)
	}
	impossible := map[string]bool{} // which are left out, so that nobody waits for them
	for _, i := range r.Impossible {
		impossible[i.ID] = true
	}
	for identity, children := range of {
		for _, child := range children {
			list, count := w.Bonds(w.Jobs[child])

			if w.Jobs[child].WasRunning {
				continue
			}
			met, needed := 0, 0
			for _, b := range list {
				members := of[b.Parent]
				if len(members) == 0 {
					continue
				}
				first, last, isOver, isOK := math.Inf(1), 0., true, true
				for _, parent := range members {
					p, at := w.Jobs[parent], r.End[parent]
					if denied, ok := r.Denied[int32(parent)]; ok {
						at, isOK = denied, false
					}
					isOK = isOK && p.Exit <= 0 && p.Deleted == trace.Unknown
					isOver = isOver && at > 0
					last = max(last, at)
					if start := r.Start[parent]; start > 0 {
						first = min(first, start)
					}
					if list := r.Earlier[int32(parent)]; len(list) > 0 {
						first = min(first, float64(list[0].Start))
					}
				}
				start := r.Start[child]
				if list := r.Earlier[int32(child)]; len(list) > 0 {
					start = float64(list[0].Start)
				}
				isMet := isOver && last <= start+1 && (b.Kind == work.OnAny || b.Kind == work.OnOK && isOK || b.Kind == work.OnNotOK && !isOK)
				isMet = isMet || b.Kind == work.OnStart && first <= start+1 || slices.ContainsFunc(members, func(p int) bool { return impossible[w.Jobs[p].ID] })
				if b.Kind != work.OnlyOne {
					needed++
					if isMet {
						met++
					}
				} else if start > 0 && isOver && isOK && last <= start && !slices.ContainsFunc(members, func(p int) bool { return r.Start[p] == 0 }) {
					tb.Errorf("%s: %s starts at %.1f, and its rival %s has ended well at %.1f", name, w.Jobs[child].ID, start-zero, b.Parent.ID, last-zero)
				}
			}
			if count > 0 {
				needed = count
			}
			if r.Start[child] > 0 && met < needed {
				tb.Errorf("%s: %s starts at %.1f with %d of %d conditions met: %s", name, w.Jobs[child].ID, r.Start[child]-zero, met, needed, identity.Depend())
			}
		}
	}
}

// On the recordings, nothing starts outside of its calendar, and no dependent job before its
// parents allow.
func TestRecordedWorldIsKept(t *testing.T) {
	r := openRun(t, "V5")
	result := r.replay(t)
	mustDepend(t, "V5", r.work, result)
	if len(result.Denied) < 15 {
		t.Errorf("%d jobs are deleted that wait in vain", len(result.Denied))
	}
	r = openRun(t, "V2")
	result = r.replay(t)
	config := r.site.SchedPriv.Config.Hours
	at := func(hour, minute int) int64 { return time.Date(2026, 3, 2, hour, minute, 0, 0, time.UTC).Unix() }
	for i, j := range r.work.Jobs {
		start, queue := outcome.Second(result.Start[i]), r.work.Trace.Names.List[j.Queue]
		if start == 0 || start >= at(24, 0) {
			continue
		}
		isPrime := start >= at(9, 0) && start < at(15, 10) // a start is logged later than its cycle
		isDedicated := start >= at(17, 30) && start < at(18, 30)
		end := start + j.Walltime - 30
		switch {
		case strings.HasPrefix(queue, config.PrimePrefix) && !isPrime, strings.HasPrefix(queue, config.NonPrimePrefix) && start > at(9, 1) && start < at(15, 0):
			t.Errorf("%s of %s starts at %s", j.ID, queue, time.Unix(start, 0).UTC())
		case isDedicated != (queue == "dedq"), start < at(17, 30) && end >= at(17, 30), start < at(9, 0) && end > at(10, 0), start < at(14, 59) && start > at(9, 1) && end > at(16, 0):
			t.Errorf("%s of %s starts at %s for %d s", j.ID, queue, time.Unix(start, 0).UTC(), j.Walltime)
		}
	}
}

// A job that is too long for the prime time to come is told which walltimes that has room for, here with what may spill over.
func TestRoomFor(t *testing.T) {
	r := openRun(t, "V2")
	calendar, problems := world.ParseHours("YEAR 2026\nweekday 0900 1500\nsaturday none all\nsunday none all\n", "", time.UTC)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	h := newHours(&world.World{Hours: calendar}, r.site)
	night := float64(time.Date(2026, 3, 2, 22, 0, 0, 0, time.UTC).Unix())
	h.turn(night, true)
	const begins = "prime time, which begins at 2026-03-03 09:00"
	for walltime, want := range map[float64]string{3600: begins, 7 * 3600: begins, 7*3600 + 1: begins + " and has room for walltimes up to 7:00:00"} {
		if got := h.reason(&class{kind: primeOnly}, night, walltime); got != want {
			t.Errorf("%.0f s: %q, want %q", walltime, got, want)
		}
	}
}
