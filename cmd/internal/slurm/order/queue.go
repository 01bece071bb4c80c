package order

import (
	"cmp"
	"iter"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/sched"
)

// standing returns what the place of a row depends on, but for when its job was submitted. Of a job of several QOS,
// the one under which it was tried last says which others it may preempt (job_ptr->qos_ptr).
func (s *Site) standing(r *Row) sched.Standing {
	number, task := int64(0), int64(math.MaxInt64) // as the record of the tasks of an array that wait has it
	if array, index, isTask := strings.Cut(r.Job.Task, "_"); isTask {
		number = idNumber(array)
		task, _ = strconv.ParseInt(index, 10, 64)
	} else {
		number = idNumber(r.Job.ID)
	}
	tier := r.Tier
	if math.IsNaN(tier) {
		tier = 1
	}
	return sched.Standing{
		QOS: s.precedence.QOSNamed(s.lastQOS(r.Job)), IsReserved: r.Reservation() != "", Tier: tier, Priority: r.ranked,
		Number: number, Task: task,
	}
}

// submissions tells when jobs were submitted, in seconds, as far as it is known of all of some rows: the numbers of
// jobs follow it, but for those that were requeued.
func submissions(rows []Row) (of func(r *Row) int64) {
	for i := range rows {
		if r := &rows[i]; r.Rank > 0 && r.Job.Submitted.IsZero() {
			return func(*Row) int64 { return 0 }
		}
	}
	return func(r *Row) int64 { return r.Job.Submitted.Unix() }
}

// lastQOS returns the QOS under which slurmctld tried a job last: of several, that of the least priority.
func (s *Site) lastQOS(j *slurm.Job) string {
	if !j.HasSeveralQOS() {
		return j.QOS
	}
	list := j.QOSBy(nil, s.qosPriorities())
	return list[len(list)-1]
}

// findRanked finds the priorities by which rows are ranked: their own, but of a job of several QOS and one partition that of
// the QOS under which it was tried last, since slurmctld has but one for it (Slurm's job_scheduler.c, sort_job_queue2).
func (s *Site) findRanked(rows []Row) {
	last := map[string]float64{} // by ID
	for i := range rows {
		r := &rows[i]
		if r.ranked = r.Value; len(r.Job.Partitions) == 1 && r.Job.HasSeveralQOS() && r.QOS == s.lastQOS(r.Job) {
			last[r.Job.ID] = r.Value
		}
	}
	for i := range rows {
		if x, ok := last[rows[i].Job.ID]; ok {
			rows[i].ranked = x
		}
	}
}

// rankedRow is a row with what ranks it.
type rankedRow struct {
	sched.Standing
	at     int // among the rows
	listed int // where scontrol lists it
}

// Sort puts rows into the order in which Slurm considers them, and ranks them. Where jobs may preempt each other in a
// circle it depends on the order in which scontrol lists the jobs, which is that of slurmctld's records.
func (s *Site) Sort(rows []Row) {
	submitted := submissions(rows)
	s.findRanked(rows)
	keys := make([]rankedRow, 0, len(rows))
	ranked, others := make([]int32, 0, len(rows)), []int32(nil) // places in keys, which move faster than these
	var apart []int32
	asListed := make([]int, len(rows))
	for i := range asListed {
		asListed[i] = i
	}
	if byListed := func(a, b int) int { return cmp.Compare(rows[a].Listed, rows[b].Listed) }; !slices.IsSortedFunc(asListed, byListed) {
		slices.SortStableFunc(asListed, byListed)
	}
	for place, i := range asListed {
		r, key := &rows[i], int32(len(keys))
		keys = append(keys, rankedRow{s.standing(r), i, place})
		if r.Rank == 0 {
			others = append(others, key)
			continue
		}
		keys[key].Submitted = submitted(r)
		if s.isApart(r) {
			apart = append(apart, key)
			continue
		}
		if r.Attracted != "" { // which is tried outside of the reservation as well
			outside := keys[key]
			outside.IsReserved = false
			keys = append(keys, outside)
			ranked = append(ranked, key+1)
		}
		ranked = append(ranked, key)
	}
	compare := func(first, second int32) int {
		a, b := &keys[first], &keys[second]
		if s.isAsListed {
			return cmp.Compare(a.listed, b.listed)
		}
		order, _ := s.precedence.Compare(&a.Standing, &b.Standing)
		return cmp.Or(order, cmp.Compare(a.listed, b.listed))
	}
	if !s.precedence.IsCircular() { // and where a row stands depends on no other one
		ranked, apart = append(ranked, apart...), nil
	}
	sched.Arrange(ranked, compare)
	sched.Arrange(others, compare)
	for _, key := range apart { // in front of the first that it would go before
		at := slices.IndexFunc(ranked, func(x int32) bool { return compare(key, x) < 0 })
		if at < 0 {
			at = len(ranked)
		}
		ranked = slices.Insert(ranked, at, key)
	}
	from, isPlaced := make([]int, 0, len(rows)), make([]bool, len(rows))
	for _, list := range [][]int32{ranked, others} {
		for _, key := range list {
			if at := keys[key].at; !isPlaced[at] {
				from, isPlaced[at] = append(from, at), true
			}
		}
	}
	permute(rows, from)
	for i := range rows {
		if rows[i].Rank > 0 {
			rows[i].Rank = i + 1
		}
	}
	s.markPreemptable(rows)
}

// permute puts each row where it is to stand, of which from says where it has stood. It changes from.
func permute(rows []Row, from []int) {
	for i := range from {
		if from[i] < 0 {
			continue // it stands there already
		}
		first := rows[i]
		for at := i; ; {
			next := from[at]
			if from[at] = -1; next == i {
				rows[at] = first
				break
			}
			rows[at] = rows[next]
			at = next
		}
	}
}

// markPreemptable marks the rows behind some of lower priorities that may preempt them.
func (s *Site) markPreemptable(rows []Row) {
	if s.isAsListed || !s.precedence.IsCircular() {
		return
	}
	lowest := map[int]*Row{} // by QOS, of those that go first
	precedes := func(first, r *Row) bool {
		by := s.ahead(*first, *r)
		return by == sched.ByPreemption.String() || by == sched.ByCircle.String()
	}
	for i := range rows {
		r := &rows[i]
		r.IsPreemptable = false
		if r.Rank == 0 {
			continue
		}
		for _, first := range lowest {
			r.IsPreemptable = r.IsPreemptable || first.Value < r.Value && precedes(first, r)
		}
		qos := s.precedence.QOSNamed(s.lastQOS(r.Job))
		if first := lowest[qos]; first == nil || r.Value < first.Value {
			lowest[qos] = r
		}
	}
}

// ofPartitions are the reasons of jobs that a limit or the state of their partition keeps out of slurmctld's queue (its
// job_limits_check), though sprio lists them.
var ofPartitions = []string{"PartitionTimeLimit", "PartitionNodeLimit", "PartitionDown", "PartitionInactive", "PartitionConfig"}

// isApart reports whether slurmctld's queue lacks a row.
func (s *Site) isApart(r *Row) bool {
	return s.closed[r.Partition] || len(r.Job.Partitions) == 1 && slices.Contains(ofPartitions, r.Job.Reason)
}

// Partitions yields the partitions that scontrol prints, by name, with whether jobs that wait in them may start.
func (s *Site) Partitions() iter.Seq2[string, bool] {
	return func(yield func(string, bool) bool) {
		for _, name := range slices.Sorted(maps.Keys(s.closed)) {
			if !yield(name, !s.closed[name]) {
				return
			}
		}
	}
}

// AsListed stands in place of a rule where squeue's own order alone tells which of two jobs of a partition goes first.
const AsListed = "squeue's list"

// ahead returns which of sched.OrderRules puts a row ahead of another: the first by which they are not the same, or
// sched.ByCircle where it puts the other one first, so that jobs between them decide. It is AsListed where nothing tells
// what Slurm goes by.
func (s *Site) ahead(first, second Row) string {
	if s.isAsListed {
		return AsListed
	}
	order, by := s.alone(s.known(&first), s.known(&second))
	switch {
	case order <= 0:
		return by.String()
	case s.precedence.IsCircular():
		return sched.ByCircle.String()
	}
	return sched.ByNumber.String() // since it is not known of each job when it was submitted
}

// idNumber returns the number of a job, such as 20 of 20_4 and of 20+1.
func idNumber(id string) int64 {
	if end := strings.IndexFunc(id, func(r rune) bool { return r < '0' || r > '9' }); end >= 0 {
		id = id[:end]
	}
	n, _ := strconv.ParseInt(id, 10, 64)
	return n
}
