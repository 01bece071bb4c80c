package outcome

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
)

// Trust says how near a replay of the policy in force comes to what has happened, by
// the jobs that started in both. Starts and waits are told up to the end of the record, so that how near it is
// does not depend on where that is.
type Trust struct {
	Jobs     int
	Late     int // of these, those that the replay starts only after the end
	Gained   int // jobs that the replay starts by then, and the record leaves waiting
	Equal    int // that started in the same second
	Within   []float64
	Mean     float64 // of the shift of starts, in seconds; NaN without a job
	P95      float64
	Inverted float64 // pairs of jobs that start in the other order, as a part of all pairs that start one after the other

	Waits    int        // jobs whose waits are compared, also of those that are left waiting
	MeanWait [2]float64 // observed and replayed, by the end of the record, in seconds; NaN without a job

	// Distances is the Kolmogorov-Smirnov distance between the waits that were observed
	// and replayed, by queue: the largest difference of their distributions, 0 to 1.
	Distances map[string]float64
}

// Spans are the shifts, in seconds, of Trust.Within: a minute, a quarter of an hour, an
// hour and three.
var Spans = []int64{60, 15 * 60, 3600, 3 * 3600}

// Pair is when a job started in the record and in a replay, up to the end of the record.
type Pair struct {
	Observed, Replayed int64
	IsLate             bool // whether it starts in the replay only after the end
}

// TrustUntil compares what a replay has come to by a time with what has happened by then.
func (r *Result) TrustUntil(end End) Trust {
	fitsNowhere := map[string]bool{}
	for _, e := range r.Impossible {
		fitsNowhere[e.ID] = true
	}
	var pairs []Pair
	late, gained := 0, 0
	var waits [2]map[string][]float64
	for side := range waits {
		waits[side] = map[string][]float64{}
	}
	for i, j := range r.Work.Jobs {
		if j.WasRunning || !end.IsKnown() || !end.Counts(j) || j.Start == trace.Unknown && fitsNowhere[j.ID] {
			continue
		}
		if j.Start != trace.Unknown && r.Start[i] != 0 {
			start := end.Cut(r.Start[i])
			isLate := Second(r.Start[i]) > int64(end)
			pairs = append(pairs, Pair{Second(end.Cut(float64(j.Start))), Second(start), isLate})
			if isLate {
				late++
			}
		}
		if j.Start == trace.Unknown && r.Start[i] != 0 && Second(r.Start[i]) <= int64(end) {
			gained++
		}
		queue := r.Work.Trace.Names.List[j.Queue]
		if w, ok := end.Wait(j.Job, j.Start); ok {
			waits[0][queue] = append(waits[0][queue], float64(w.Seconds))
		}
		replayed := *j.Job
		replayed.Arrival, replayed.Start = r.arrival(i), trace.Unknown
		if r.Start[i] != 0 {
			replayed.Start = Second(r.Start[i])
		}
		left := replayed.Start
		if at, isDenied := r.Denied[int32(i)]; isDenied {
			left = Second(at)
		}
		if w, ok := end.Wait(&replayed, left); ok {
			waits[1][queue] = append(waits[1][queue], float64(w.Seconds))
		}
	}
	t := trustOf(pairs)
	t.Late, t.Gained = late, gained
	t.compareWaits(waits)
	return t
}

// compareWaits compares the waits of some jobs, observed and replayed, by queue.
func (t *Trust) compareWaits(waits [2]map[string][]float64) {
	for side, byQueue := range waits {
		n, sum := 0, 0.
		for _, list := range byQueue {
			n += len(list)
			for _, wait := range list {
				sum += wait
			}
		}
		t.MeanWait[side] = sum / float64(n)
		t.Waits = max(t.Waits, n)
	}
	for queue, list := range waits[0] {
		t.Distances[queue] = distance(list, waits[1][queue])
	}
}

// trustOf says how near the starts of a replay come to those that were observed.
func trustOf(pairs []Pair) Trust {
	t := Trust{Jobs: len(pairs), Within: make([]float64, len(Spans)), Distances: map[string]float64{}, Mean: math.NaN(), P95: math.NaN(), MeanWait: [2]float64{math.NaN(), math.NaN()}}
	if len(pairs) == 0 {
		return t
	}
	shifts := make([]float64, len(pairs))
	sum := 0.
	for i, p := range pairs {
		shifts[i] = math.Abs(float64(p.Replayed - p.Observed))
		sum += shifts[i]
		if shifts[i] == 0 && !p.IsLate {
			t.Equal++
		}
	}
	slices.Sort(shifts)
	t.Mean = sum / float64(len(pairs))
	t.P95 = trace.Quantile(shifts, .95)
	for i, span := range Spans {
		n, _ := slices.BinarySearch(shifts, float64(span)+.5)
		t.Within[i] = float64(n) / float64(len(pairs))
	}
	slices.SortFunc(pairs, func(a, b Pair) int {
		return cmp.Or(cmp.Compare(a.Observed, b.Observed), cmp.Compare(a.Replayed, b.Replayed))
	})
	order := make([]int64, len(pairs))
	all := int64(len(pairs)) * int64(len(pairs)-1) / 2
	for i := range pairs {
		order[i] = pairs[i].Replayed
	}
	for from := 0; from < len(pairs); { // pairs that start at once have no order
		to := from + 1
		for to < len(pairs) && pairs[to].Observed == pairs[from].Observed {
			to++
		}
		all -= int64(to-from) * int64(to-from-1) / 2
		from = to
	}
	if all > 0 {
		t.Inverted = float64(inversions(order, make([]int64, len(order)))) / float64(all)
	}
	return t
}

// inversions counts the pairs of a list whose first is the larger, and sorts it.
func inversions(list, spare []int64) int64 {
	if len(list) < 2 {
		return 0
	}
	half := len(list) / 2
	left, right := list[:half], list[half:]
	n := inversions(left, spare[:half]) + inversions(right, spare[half:])
	merged := spare[:0]
	for len(left) > 0 && len(right) > 0 {
		if left[0] <= right[0] {
			merged, left = append(merged, left[0]), left[1:]
		} else {
			n += int64(len(left))
			merged, right = append(merged, right[0]), right[1:]
		}
	}
	merged = append(append(merged, left...), right...)
	copy(list, merged)
	return n
}

// distance returns the Kolmogorov-Smirnov distance of two samples, which it sorts.
func distance(a, b []float64) float64 {
	slices.Sort(a)
	slices.Sort(b)
	most := 0.
	for i, k := 0, 0; i < len(a) && k < len(b); {
		x := min(a[i], b[k])
		for i < len(a) && a[i] == x {
			i++
		}
		for k < len(b) && b[k] == x {
			k++
		}
		most = max(most, math.Abs(float64(i)/float64(len(a))-float64(k)/float64(len(b))))
	}
	return most
}

// TrustLine is how near a replay comes, in JSON.
type TrustLine struct {
	Jobs         int                       `json:"jobs"`
	SameSecond   int                       `json:"same_second"`
	Within       map[string]report.Number  `json:"within"` // by seconds, parts of the jobs
	ShiftMean    *report.Number            `json:"shift_mean"`
	ShiftP95     *report.Number            `json:"shift_p95"`
	Inverted     report.Number             `json:"inverted"`
	WaitDistance map[string]*report.Number `json:"wait_distance"` // by queue
	Late         int                       `json:"late"`          // of the jobs, those that the replay starts after the last start of the record
	Gained       int                       `json:"gained"`        // jobs that it starts before, and the record leaves waiting
	WaitJobs     int                       `json:"wait_jobs"`     // whose waits the next ones are, by the last start of the record
	WaitObserved *report.Number            `json:"wait_observed"` // on average
	WaitReplayed *report.Number            `json:"wait_replayed"`
}

// NewTrustLine returns a Trust in JSON.
func NewTrustLine(t Trust) TrustLine {
	line := TrustLine{Jobs: t.Jobs, SameSecond: t.Equal, Within: map[string]report.Number{}, ShiftMean: report.Optional(t.Mean), ShiftP95: report.Optional(t.P95),
		Inverted: report.Number(t.Inverted), WaitDistance: map[string]*report.Number{}, Late: t.Late, Gained: t.Gained,
		WaitJobs: t.Waits, WaitObserved: report.Optional(t.MeanWait[0]), WaitReplayed: report.Optional(t.MeanWait[1])}
	for i, span := range Spans {
		line.Within[strconv.FormatInt(span, 10)] = report.Number(t.Within[i])
	}
	for queue, d := range t.Distances {
		line.WaitDistance[queue] = report.Optional(d)
	}
	return line
}
