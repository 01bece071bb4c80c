package dump

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
)

// queue are the jobs that squeue lists.
type queue struct {
	name string
	jobs []slurm.Job // without TRES where it is text, which does not say all that makes up a priority
	odd  int         // rows or jobs that are left out

	looked time.Time // when the scheduler looked at a job last, of JSON
}

// queue returns what squeue lists: JSON where there is some, or else the table parted by pipes with
// most jobs. It is nil where there is neither.
func (d *Dump) queue() (best *queue, remarks []diag.Remark) {
	for _, p := range d.All(KindQueue) {
		var q *queue
		var err error
		switch {
		case strings.HasPrefix(p.Text, "{"):
			q, err = parseQueueJSON(p.Text)
		case strings.Contains(p.Text, "|"):
			q, err = parseQueue(p.Text)
		default:
			continue // whose columns have a width, which cuts names off
		}
		if err != nil {
			remarks = append(remarks, diag.Damagef("%s: %v", p.Name, err))
			continue
		}
		q.name = p.Name
		isWhole := func(q *queue) bool { return len(q.jobs) > 0 && q.jobs[0].TRES != nil }
		if best == nil || isWhole(q) && !isWhole(best) || isWhole(q) == isWhole(best) && len(q.jobs) > len(best.jobs) {
			best = q
		}
	}
	return best, remarks
}

// queueStates are the states of jobs that wait or run, by squeue's letters.
var queueStates = map[string]string{"PD": "PENDING", "R": "RUNNING", "S": "SUSPENDED", "CF": "RUNNING", "CG": "COMPLETING"}

// notYet are the reasons of jobs that are not eligible, or held.
var notYet = []string{"BeginTime", "Dependency", "DependencyNeverSatisfied", "JobHeldUser", "JobHeldAdmin", "Cleaning", "JobArrayTaskLimit"}

// parseQueue reads a table of squeue -o that is parted by pipes.
func parseQueue(text string) (*queue, error) {
	rows, odd := ReadTable(ClusterLine.ReplaceAllString(text, ""))
	q := &queue{odd: odd}
	for _, row := range cut(KindQueue, rows) {
		state := cmp.Or(queueStates[row["st"]], row["st"], row["state"])
		id := TaskOf(row["jobid"])
		if id == "" || row["partition"] == "" || state == "" {
			q.odd++
			continue
		}
		j := slurm.Job{
			ID: id, User: row["user"], Account: row["account"], QOS: row["qos"], Partitions: strings.Split(row["partition"], ","), State: state, Reason: reasonOf(row),
			Reservation: strings.Trim(row["reservation"], "()"), TimeLimit: math.NaN(), Priority: Number(row["priority"], math.NaN()),
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
				q.odd++
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
		q.jobs = append(q.jobs, j)
	}
	if len(q.jobs) == 0 && q.odd > 0 {
		return nil, fmt.Errorf("none of %s can be read: JOBID, PARTITION and ST are needed", report.Count(q.odd, "row"))
	}
	return q, nil
}

// reasonOf returns why the job of a row waits: its column is REASON, or NODELIST(REASON), where it stands in brackets.
func reasonOf(row Row) string {
	if text := row["nodelist(reason)"]; row["reason"] == "" && strings.HasPrefix(text, "(") {
		return strings.TrimSuffix(strings.TrimPrefix(text, "("), ")")
	}
	return row["reason"]
}

// TaskOf returns the number of a job as scontrol and sprio have it: 20 of 20_[5-20%5].
func TaskOf(id string) string {
	id, _, _ = strings.Cut(id, "_[")
	return id
}

// queueJob is a job in the JSON of squeue.
type queueJob struct {
	ID          slurm.Number    `json:"job_id"`
	User        string          `json:"user_name"`
	Account     string          `json:"account"`
	QOS         string          `json:"qos"`
	Partition   string          `json:"partition"`
	State       slurm.Word      `json:"job_state"`
	Reason      string          `json:"state_reason"`
	Reservation string          `json:"resv_name"`
	Priority    slurm.Number    `json:"priority"`
	Nice        slurm.Number    `json:"nice"`
	Submitted   slurm.Number    `json:"submit_time"`
	Eligible    slurm.Number    `json:"eligible_time"`
	Accrued     slurm.Number    `json:"accrue_time"`
	Looked      slurm.Number    `json:"last_sched_evaluation"`
	Limit       slurm.Number    `json:"time_limit"`
	Shared      json.RawMessage `json:"shared"`
	TRES        string          `json:"tres_req_str"`
}

// parseQueueJSON reads what squeue --json prints. Its times are since 1970: of the zone nothing is
// known there.
func parseQueueJSON(text string) (*queue, error) {
	var whole struct{ Jobs []queueJob }
	if err := json.Unmarshal([]byte(text), &whole); err != nil {
		return nil, fmt.Errorf("squeue --json cannot be read: %w", err)
	}
	at := func(n slurm.Number) time.Time {
		const latest = 1e11
		if n.Value <= 0 || n.Value > latest {
			return time.Time{}
		}
		return time.Unix(int64(n.Value), 0).UTC()
	}
	q := &queue{}
	for i := range whole.Jobs {
		x := &whole.Jobs[i]
		amounts, err := slurm.ParseAmounts(x.TRES)
		j := slurm.Job{
			ID: strconv.FormatInt(int64(x.ID.Value), 10), User: x.User, Account: x.Account, QOS: x.QOS, Partitions: strings.Split(x.Partition, ","), State: string(x.State),
			Reason: strings.ReplaceAll(x.Reason, "_", " "), Reservation: x.Reservation, Priority: x.Priority.Value, Nice: x.Nice.Value,
			Submitted: at(x.Submitted), Eligible: at(x.Eligible), Accrued: at(x.Accrued), TimeLimit: math.NaN(), TRES: slurm.AmountsByName(amounts),
			Exclusive: strings.Contains(string(x.Shared), "none"),
		}
		if t := at(x.Looked); t.After(q.looked) {
			q.looked = t
		}
		if x.Limit.IsSet {
			j.TimeLimit = x.Limit.Value
		}
		if x.ID.Value < 1 || x.Partition == "" || err != nil || len(amounts) == 0 {
			q.odd++
			continue
		}
		q.jobs = append(q.jobs, j)
	}
	if len(q.jobs) == 0 && q.odd > 0 {
		return nil, fmt.Errorf("none of %s in squeue --json can be read", report.Count(q.odd, "job"))
	}
	return q, nil
}

// take says what the jobs of squeue lack where there is no scontrol show job, and moves their times to the zone of the
// others.
func (q *queue) take(taken time.Time) (remarks []diag.Remark) {
	say := func(r diag.Remark) { remarks = append(remarks, r) }
	if q.odd > 0 {
		say(diag.Damagef("%s: %s left out, which cannot be read", q.name, report.Count(q.odd, "job")))
	}
	if len(q.jobs) == 0 || q.jobs[0].TRES == nil {
		say(diag.Warningf("the jobs are those of %s, there is no scontrol show job: their priorities are not computed anew, and which of them Slurm considers is told by their reasons where sprio does not", q.name))
		return remarks
	}
	say(diag.Notef("the jobs are those of %s: there is no scontrol show job", q.name))
	if taken.IsZero() || q.looked.IsZero() {
		return remarks
	}
	// Its times are since 1970, all others those of the site's zone. The scheduler has looked at some job
	// shortly before the list was printed.
	const quarter = 15 * time.Minute
	off := taken.Sub(q.looked).Round(quarter)
	if off == 0 {
		return remarks
	}
	say(diag.Notef("the times of %s are taken to be %s off those of scontrol show config, as of the site's zone", q.name, report.Shift(off.Seconds())))
	for i := range q.jobs {
		for _, at := range []*time.Time{&q.jobs[i].Submitted, &q.jobs[i].Eligible, &q.jobs[i].Accrued} {
			if !at.IsZero() {
				*at = at.Add(off)
			}
		}
	}
	return remarks
}
