package dump

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
)

// queue are the jobs that squeue lists.
type queue struct {
	name  string
	jobs  []slurm.ListedJob // without TRES where it is text, which does not say all that makes up a priority
	odd   []oddRow          // of a table that cannot be read
	again []string          // jobs whose rows stand there twice
	start string            // the first START_TIME of a job that waits in a form that is not read, "" for none

	problems []*file.Problem // what is wrong with jobs of JSON

	columns  int      // that are read
	full     []string // names as wide as their columns, so that more of them may be cut off
	isSorted bool     // whether it may be as squeue sorts it: by partition, state and priority
}

// oddRow is a row that cannot be read.
type oddRow struct {
	line  int
	begin string
}

// queue returns what squeue lists: JSON where there is some, or else the table with most jobs, of several with as many
// the one that says most. It is nil where there is neither.
func (d *Dump) queue() (best *queue, remarks []diag.Remark) {
	var all []*queue
	var unread []diag.Remark
	for _, p := range d.All(KindQueue) {
		var q *queue
		var err error
		switch {
		case strings.HasPrefix(p.Text, "{"):
			q, err = d.parseQueueJSON(p.Text)
		default:
			q, err = parseQueue(p.Text)
		}
		if err != nil {
			if r := diag.Damagef("%s: %v", p.Name, err); slurm.IsJSON(p.Text) {
				remarks = append(remarks, r)
			} else {
				unread = append(unread, r)
			}
			continue
		}
		q.name = p.Name
		for i := range q.odd {
			q.odd[i].line += p.Above
		}
		all = append(all, q)
		isWhole := func(q *queue) bool { return len(q.jobs) > 0 && q.jobs[0].TRES != nil }
		says := func(q *queue) []int { return []int{len(q.jobs), -len(q.full), q.columns} }
		if best == nil || isWhole(q) && !isWhole(best) || isWhole(q) == isWhole(best) && slices.Compare(says(q), says(best)) > 0 {
			best = q
		}
	}
	for _, r := range unread {
		if best != nil { // which has what such a table has
			r = diag.Generalf("%s", r.Text)
		}
		remarks = append(remarks, r)
	}
	best.expect(all)
	var same, others []string
	for _, q := range all {
		switch {
		case q == best:
		case len(d.All(KindJobs)) == 0 && q.waitsBeside(best):
			others = append(others, q.name)
		default:
			same = append(same, q.name)
		}
	}
	if len(others) > 0 {
		remarks = append(remarks, diag.Warningf("%s not read, though %s waiting jobs that %s lacks", file.Are(others), have(others), best.name))
	}
	if len(same) > 0 {
		remarks = append(remarks, diag.Generalf("%s not read, and %s no waiting jobs that %s lacks", file.Are(same), have(same), best.name))
	}
	return best, remarks
}

// expect takes over from other tables when Slurm expects to start jobs (squeue --start), where a list does not say it.
func (q *queue) expect(others []*queue) {
	starts := map[string]time.Time{}
	for _, other := range others {
		for i := range other.jobs {
			if at := other.jobs[i].Started; !at.IsZero() && other.jobs[i].State == "PENDING" {
				starts[other.jobs[i].ID] = at
			}
		}
	}
	if q == nil {
		return
	}
	for i := range q.jobs {
		if n := &q.jobs[i]; n.Started.IsZero() && n.State == "PENDING" {
			n.Started = starts[n.ID]
		}
	}
}

// have says that files have something, one or several.
func have(names []string) string {
	if len(names) > 1 {
		return "they have"
	}
	return "it has"
}

// waitsBeside reports whether a job waits that another list does not have, arrays as one.
func (q *queue) waitsBeside(other *queue) bool {
	has := map[string]bool{}
	number := func(j *slurm.ListedJob) string {
		id, _, _ := strings.Cut(j.ID, "_")
		return id
	}
	for i := range other.jobs {
		has[number(&other.jobs[i])] = true
	}
	return slices.ContainsFunc(q.jobs, func(j slurm.ListedJob) bool { return j.State == "PENDING" && !has[number(&j)] })
}

// queueStates are the states of jobs by squeue's letters.
var queueStates = map[string]string{"PD": "PENDING", "R": "RUNNING", "S": "SUSPENDED", "CF": "RUNNING", "CG": "COMPLETING",
	"CD": "COMPLETED", "CA": "CANCELLED", "F": "FAILED", "TO": "TIMEOUT", "NF": "NODE_FAIL", "PR": "PREEMPTED", "BF": "BOOT_FAIL", "DL": "DEADLINE", "OOM": "OUT_OF_MEMORY"}

// isStateOfQueue reports whether squeue prints a word as the state of a job: in letters, in full, or cut off.
func isStateOfQueue(word string) bool {
	const letters, least = " PD R S CF CG CA CD F TO NF PR BF DL OOM LF RF RV RQ RD RH RS SE SI SO ST ", 4
	return strings.Contains(letters, " "+word+" ") || len(word) >= least && slurm.StateNamed(slurm.StateCutOff([]byte(word))).Fate != 0
}

// notYet are the reasons of jobs that are not eligible, or held.
var notYet = []string{"BeginTime", "Dependency", "DependencyNeverSatisfied", "JobHeldUser", "JobHeldAdmin", "Cleaning", "JobArrayTaskLimit"}

// noTimes are what squeue prints in place of a time that there is not.
var noTimes = []string{"", "N/A", "NONE", "Unknown", "(null)"}

// UnreadStart says of which table of squeue the times are not read at which Slurm expects to start jobs, "" for none.
func (d *Dump) UnreadStart() string {
	for _, p := range d.All(KindQueue) {
		if slurm.IsJSON(p.Text) {
			continue
		}
		if q, err := parseQueue(p.Text); err == nil && q.start != "" {
			return fmt.Sprintf("START_TIME of %s is in a form that is not read (%s): SLURM_TIME_FORMAT=standard squeue --start prints dates that are", p.Name, q.start)
		}
	}
	return ""
}

// parseQueue reads a table of squeue: parted by pipes, at columns of a width, or by blanks.
func parseQueue(text string) (*queue, error) {
	lines := linesOf(text)
	l, ok := layoutOf(lines)
	if !ok {
		return nil, errors.New("its columns cannot be told apart: " + pipedQueue + " parts them")
	}
	rows, _ := l.rows(lines[1:])
	q := &queue{}
	var numbers []int // of the lines in the text, found where one is left out
	leaveOut := func(at int) {
		const most = 30 // letters
		if numbers == nil {
			numbers = numbersOf(text, lines)
		}
		begin := strings.TrimSpace(lines[at])
		q.odd = append(q.odd, oddRow{numbers[at], strings.ToValidUTF8(begin[:min(most, len(begin))], "")})
	}
	var read []int // where the lines of the rows are
	for at := 1; at < len(lines); at++ {
		switch line := lines[at]; {
		case l.IsRule(line):
		case l.Cells(nil, line) == nil:
			leaveOut(at)
		default:
			read = append(read, at)
		}
	}
	for _, name := range []string{"user", "account", "partition", "qos"} {
		var values []string
		for _, row := range rows {
			values = append(values, row[name])
		}
		q.full = append(q.full, l.Fills(name, values)...)
	}
	for _, name := range l.Names {
		if copies[KindQueue][name] != slurm.CopyNot {
			q.columns++
		}
	}
	seen := map[[2]string]bool{} // jobs in partitions
	for i, row := range cut(KindQueue, rows) {
		state := cmp.Or(queueStates[row["st"]], row["st"], row["state"])
		id := TaskOf(row["jobid"])
		if id == "" || row["partition"] == "" || !isStateOfQueue(cmp.Or(row["st"], row["state"])) {
			leaveOut(read[i])
			continue
		}
		place := [2]string{row["jobid"], row["partition"]}
		if seen[place] {
			q.again = append(q.again, row["jobid"])
			continue
		}
		seen[place] = true
		j := slurm.Job{
			ID: id, User: row["user"], Account: row["account"], QOS: row["qos"], Partitions: strings.Split(row["partition"], ","), State: state, Reason: reasonOf(row),
			Reservation: strings.Trim(row["reservation"], "()"), TimeLimit: slurm.TimeLimit(cmp.Or(row["time_limit"], row["time_limi"])), Priority: priorityOf(row["priority"]),
		}
		if array, indices, isArray := strings.Cut(row["jobid"], "_["); isArray {
			j.Array, j.Indices = array, strings.TrimSuffix(indices, "]")
		}
		if j.Reservation == "null" {
			j.Reservation = ""
		}
		if text := row["nice"]; text != "" {
			nice, err := strconv.ParseFloat(text, 64)
			if err != nil {
				leaveOut(read[i])
				continue
			}
			j.Nice = nice
		}
		if t, err := time.Parse(TimeLayout, row["submit_time"]); err == nil {
			j.Submitted = t
		} else {
			j.Submitted = time.Unix(0, 0) // long ago: nothing is computed from it
		}
		if !slices.Contains(notYet, j.Reason) {
			j.Eligible = j.Submitted
		}
		n := slurm.ListedJob{Job: j}
		if t, err := time.Parse(TimeLayout, row["start_time"]); err == nil {
			n.Started = t
		} else if text := row["start_time"]; state == "PENDING" && !slices.Contains(noTimes, text) {
			q.start = cmp.Or(q.start, text)
		}
		q.jobs = append(q.jobs, n)
	}
	runs := slurm.RunningTasksOf(q.jobs)
	for i := range q.jobs {
		if n := &q.jobs[i]; runs.Refute(n) != "" { // which Slurm considers
			n.Eligible = n.Submitted
		}
	}
	q.isSorted = !slices.Contains(l.Names, "start_time") && isSorted(q.jobs) // squeue --start sorts by that
	if len(q.jobs) == 0 && len(q.odd) > 0 {
		return nil, fmt.Errorf("none of %s can be read: JOBID, PARTITION and ST are needed", report.Count(len(q.odd), "row"))
	}
	return q, nil
}

// IsSortedQueue reports whether the jobs are those of a squeue that has sorted them itself, as far as that can be seen.
func (d *Dump) IsSortedQueue() bool {
	q, _ := d.queue()
	return q != nil && q.isSorted
}

// isSorted reports whether jobs stand by partition, and those of each that wait before the others.
func isSorted(jobs []slurm.ListedJob) bool {
	byPlace := func(a, b slurm.ListedJob) int {
		started := func(j slurm.ListedJob) int {
			if j.State == "PENDING" {
				return 0
			}
			return 1
		}
		return cmp.Or(strings.Compare(strings.Join(a.Partitions, ","), strings.Join(b.Partitions, ",")), cmp.Compare(started(a), started(b)))
	}
	return slices.IsSortedFunc(jobs, byPlace)
}

// reasonOf returns why the job of a row waits: its column is REASON, or NODELIST(REASON), where it stands in brackets.
func reasonOf(row Row) string {
	if text := row["nodelist(reason)"]; row["reason"] == "" && strings.HasPrefix(text, "(") {
		return strings.TrimSuffix(strings.TrimPrefix(text, "("), ")")
	}
	return row["reason"]
}

// priorityOf returns the priority that squeue prints: the number (%Q), or the part that it is of the largest one (%p), which
// is the PRIORITY that comes first in squeue -o %all. It is NaN for none, and for a part that the width of its column cuts off.
func priorityOf(text string) float64 {
	const decimals = 14 // of a part
	x := Number(text, math.NaN())
	if _, part, isPart := strings.Cut(text, "."); isPart {
		if len(part) < decimals {
			return math.NaN()
		}
		x = math.Round(x * math.MaxUint32)
	}
	return x
}

// TaskOf returns the number of a job as scontrol and sprio have it: 20 of 20_[5-20%5].
func TaskOf(id string) string {
	id, _, _ = strings.Cut(id, "_[")
	return id
}

// parseQueueJSON reads what squeue --json prints. Its times are since 1970: of the zone nothing is
// known there.
func (d *Dump) parseQueueJSON(text string) (*queue, error) {
	jobs, problems, err := d.parseListed(text)
	if err != nil {
		return nil, fmt.Errorf("squeue --json cannot be read: %w", err)
	}
	if len(jobs) == 0 && len(problems) > 0 {
		return nil, fmt.Errorf("none of %s in squeue --json can be read", report.Count(len(problems), "job"))
	}
	return &queue{jobs: jobs, problems: problems}, nil
}

// inZone moves times that are those of UTC to those of a site's zone, which all others are, and are read as if they were
// those of UTC.
func inZone(jobs []slurm.ListedJob, zone *time.Location) {
	move(jobs, func(at time.Time) int {
		_, off := at.In(zone).Zone()
		return off
	})
}

// move moves the times of jobs by some seconds.
func move(jobs []slurm.ListedJob, by func(at time.Time) int) {
	for i := range jobs {
		for _, at := range []*time.Time{&jobs[i].Submitted, &jobs[i].Eligible, &jobs[i].Accrued, &jobs[i].Started, &jobs[i].Ends, &jobs[i].Suspended, &jobs[i].Preempted} {
			if !at.IsZero() {
				*at = at.Add(time.Duration(by(*at)) * time.Second)
			}
		}
	}
}

// ahead returns by how many seconds the clock of a site is ahead of that of a zone, in which times of text are read, as far
// as JSON tells it, which has times since 1970. It is 0 for the site's own zone, where hours that come twice stay told apart.
func (d *Dump) ahead(zone *time.Location) int {
	marks := d.Marks()
	if len(marks) == 0 || moment.Fits(zone, marks) {
		return 0
	}
	_, given := time.Unix(marks[0].At, 0).In(zone).Zone()
	return int(marks[0].Offset) - given
}

// take says what the jobs of squeue lack where there is no scontrol show job, and moves their times to the zone of the
// others.
func (q *queue) take(zone *time.Location) (remarks []diag.Remark) {
	say := func(r diag.Remark) { remarks = append(remarks, r) }
	if len(q.odd) > 0 {
		var numbers []string
		for _, row := range q.odd {
			numbers = append(numbers, strconv.Itoa(row.line))
		}
		what, it := "line %s is left out, for it", "it"
		if len(q.odd) > 1 {
			what, it = "lines %s are left out, for they", "the first"
		}
		say(diag.LeftOutf("%s: "+what+" cannot be read: %s begins with %s", q.name, report.First(numbers), it, report.Printable(q.odd[0].begin)).At(q.name, q.odd[0].line))
	}
	if len(q.again) > 0 {
		say(diag.LeftOutf("%s: %s left out, of jobs that stand there before: %s", q.name, report.Count(len(q.again), "row"), report.First(q.again)))
	}
	remarks = append(remarks, leftOut(q.name, q.problems)...)
	if len(q.jobs) == 0 || q.jobs[0].TRES == nil {
		say(diag.Warningf("the jobs are those of %s, there is no scontrol show job: their priorities are not computed anew, and which of them Slurm considers is told by their reasons where sprio does not", q.name).Briefly("%s lists the jobs, and not scontrol show job: priorities are not computed anew", q.name))
		if len(q.full) > 0 {
			say(diag.Warningf("%s: names as wide as their columns may be cut off: %s (%s cuts off none)", q.name, report.First(q.full), pipedQueue))
		}
		return remarks
	}
	remarks = append(remarks, fieldRemarks(q.name, q.jobs)...)
	say(diag.Notef("the jobs are those of %s: there is no scontrol show job", q.name))
	if _, off := time.Unix(0, 0).In(zone).Zone(); off != 0 {
		say(diag.Notef("the times of %s are taken to be %s off those of scontrol show config, as of the site's zone", q.name, report.Shift(float64(off))))
	}
	inZone(q.jobs, zone)
	return remarks
}

// Untold says of how many jobs, which are those that squeue lists with what other tables have of them, nothing tells the user, the
// account, the QOS, or where they wait the reason and the priority, which hasPriority has of some by their IDs.
func (d *Dump) Untold(jobs []slurm.Job, hasPriority func(id string) bool) []diag.Remark {
	if len(jobs) == 0 || jobs[0].TRES != nil {
		return nil
	}
	q, _ := d.queue()
	if q == nil {
		return nil
	}
	untold := map[string]int{}
	for i := range jobs {
		j := &jobs[i]
		isWaiting := j.State == "PENDING" // NODELIST(REASON) has the reason then
		for name, isUntold := range map[string]bool{"USER": j.User == "", "ACCOUNT": j.Account == "", "QOS": j.QOS == "", "REASON": isWaiting && j.Reason == "", "PRIORITY": isWaiting && math.IsNaN(j.Priority) && !hasPriority(j.ID)} {
			if isUntold {
				untold[name]++
			}
		}
	}
	var said []string
	for _, name := range slices.Sorted(maps.Keys(untold)) {
		said = append(said, fmt.Sprintf("%s (%d of %d)", name, untold[name], len(jobs)))
	}
	if said == nil {
		return nil
	}
	return []diag.Remark{diag.Warningf("neither %s nor another table tells all of the jobs, and what none has counts as none: %s (%s has it)", q.name, strings.Join(said, ", "), pipedQueue)}
}
