package slurmsite

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurmsched"
	"fairshare/cmd/internal/trace"
)

// Recorded is a job of sacct, and what became of it.
type Recorded struct {
	*slurmsched.Job                             // to be run again
	ID, User, Account, QOS, Partition, NodeList string
	Name                                        string
	Start, End                                  int64 // 0 where it did not start, or is not over

	isAgain   bool     // whether it ran before
	isOpen    bool     // whether nobody knows how long it runs
	byColumns bool     // whether its request comes from the columns alone
	notes     []string // what is not modelled of it
	printed   int64    // Submit, as sacct has it
}

// Record is what sacct tells of a site's jobs.
type Record struct {
	Jobs    []*Recorded
	Remarks []diag.Remark
	Last    int64  // the last time that it tells of
	Cluster string // of the last job, "" where the table does not say it
	Swept   int64  // when slurmctld began and computed the first priorities; 0 where nothing tells it
}

// Work returns jobs to be run again, as they were before any run.
func (r *Record) Work() []*slurmsched.Job {
	var list []*slurmsched.Job
	for _, x := range r.Jobs {
		j := *x.Job
		list = append(list, &j)
	}
	return list
}

// each tells of the jobs of a record, with what they have used.
func (r *Record) each(yield func(j *slurmsched.Job, hours float64) bool) {
	for _, x := range r.Jobs {
		hours := 0.0
		if x.Start > 0 {
			hours = float64(x.Request.CPUs) * float64(x.Run) / 3600
		}
		if !yield(x.Job, hours) {
			return
		}
	}
}

// Trace returns the jobs of a record in its order.
func (r *Record) Trace() *trace.Trace {
	t := trace.OfSlurm()
	t.First, t.Last = r.Last, r.Last
	for _, x := range r.Jobs {
		t.First = min(t.First, x.Submit)
		j := &trace.Job{
			ID: x.ID, Name: t.Number(x.Name), User: t.Number(x.User), Account: t.Number(x.Account), Queue: t.Number(x.Partition), Project: t.Number(x.QOS),
			Arrival: x.Submit, Queued: x.Submit, Start: trace.Unknown, End: trace.Unknown, NCPUs: int64(x.Request.CPUs), Nodes: int64(x.Request.MinNodes),
			Mem: trace.Unknown, Walltime: x.Limit, UsedCput: trace.Unknown, Exit: trace.Unknown, State: trace.Waiting,
		}
		switch {
		case x.Start > 0 && x.End >= x.Start:
			j.Start, j.End, j.State = x.Start, x.End, trace.Ended
		case x.Start > 0:
			j.Start, j.State = x.Start, trace.Running
		case x.Gone > 0:
			j.End, j.State = x.Gone, trace.Deleted
		}
		t.Jobs = append(t.Jobs, j)
	}
	return t
}

// UpTo returns what was known of the jobs at a time: those that had come by then, with the starts and
// ends before it.
func (r *Record) UpTo(at int64) *Record {
	of := &Record{Last: min(r.Last, at), Cluster: r.Cluster, Swept: r.Swept}
	if of.Swept > at {
		of.Swept = 0
	}
	for _, x := range r.Jobs {
		if x.Submit > at {
			continue
		}
		known, job := *x, *x.Job
		known.Job = &job
		if x.Gone > at {
			job.Gone = 0
		}
		if x.End > at || x.Start > at {
			known.End, known.isOpen, job.Run = 0, true, job.Limit
		}
		if x.Start > at {
			known.Start, known.NodeList, job.Billing = 0, "", 0
		}
		of.Jobs = append(of.Jobs, &known)
	}
	return of
}

// left are jobs that a record has but a replay leaves out, by the reason.
type left map[string]int

// ReadRecord reads the table of sacct -aPD --format=ALL, or one with its columns JobID, User, Account,
// Partition, QOS, Submit, Eligible, Start, End, Timelimit, ReqCPUS, ReqMem, ReqNodes and ReqTRES; or
// what sacct -aD --json prints.
func ReadRecord(setup *slurmsched.Setup, from file.Source, zone *time.Location) (*Record, error) {
	const largest = 2 << 30
	text, err := from.Text(largest)
	if err != nil {
		return nil, err
	}
	rd := recordReader{setup: setup, zone: zone, record: &Record{}, left: left{}, accounts: map[slurmsched.AccountName]int{}, at: map[string]int{},
		seen: map[recordedRun]bool{}, names: map[string]string{}, tres: map[string]map[string]float64{}, requests: map[string]*slurmsched.Request{}}
	if booted, err := time.ParseInLocation(timeLayout, setup.Booted, zone); err == nil {
		rd.record.Swept = booted.Unix()
	}
	for i, name := range setup.Names {
		if name.User != "" {
			rd.accounts[name] = i
		}
	}
	each := eachRecorded
	if strings.HasPrefix(strings.TrimLeft(text, "\ufeff \t\r\n"), "{") {
		each = eachRecordedJSON
	}
	odd, err := each(from.Name, text, func(row record) {
		if row["jobid"] == "" || strings.Contains(row["jobid"], ".") || row["jobid"] == "JobID" {
			return // a step, or the header of a second table
		}
		if why := rd.add(row); why != "" {
			rd.left[why]++
		}
	})
	if err != nil {
		return nil, err
	}
	rd.record.Remarks = append(rd.record.Remarks, odd...)
	if err := rd.checkSpan(); err != nil {
		return nil, fmt.Errorf("%s: %w", from.Name, err)
	}
	rd.finish(from.Name)
	return rd.record, nil
}

// recordedRun tells rows of the same run, as where a table has them twice.
type recordedRun struct {
	id                   string
	submit, start, ended int64
}

type recordReader struct {
	setup    *slurmsched.Setup
	zone     *time.Location
	record   *Record
	left     left
	accounts map[slurmsched.AccountName]int
	at       map[string]int                 // of the jobs, by ID
	names    map[string]string              // those that jobs have in common
	tres     map[string]map[string]float64  // what jobs asked for, by its text
	requests map[string]*slurmsched.Request // by what is in them
	seen     map[recordedRun]bool
	doubled  int // rows of runs that other rows tell of as well
}

// checkSpan returns an error if a job was submitted years from the one before it: its time is wrong, or
// it is of another site.
func (r *recordReader) checkSpan() error {
	const longest = 2 * 365 * 24 * 3600 // seconds without a submission
	jobs := slices.SortedFunc(slices.Values(r.record.Jobs), func(a, b *Recorded) int { return cmp.Compare(a.Submit, b.Submit) })
	for i := 1; i < len(jobs); i++ {
		if jobs[i].Submit-jobs[i-1].Submit > longest {
			return fmt.Errorf("job %s was submitted years after job %s: one of the two times is wrong", jobs[i].ID, jobs[i-1].ID)
		}
	}
	return nil
}

// time reads a time: local, or in seconds since 1970. It is 0 for none.
func (r *recordReader) time(text string) int64 {
	const latest = 1 << 40
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && n > 0 && n < latest {
		return n
	}
	t, err := time.ParseInLocation(timeLayout, text, r.zone)
	if err != nil {
		return 0
	}
	return t.Unix()
}

// add adds a job, or says why it is left out.
func (r *recordReader) add(row record) string {
	c := r.setup
	x := &Recorded{Job: &slurmsched.Job{}, ID: strings.Clone(row["jobid"]), User: r.name(row["user"]), Account: r.name(row["account"]), QOS: r.name(row["qos"]), Partition: r.name(row["partition"]), NodeList: r.name(row["nodelist"]), Name: r.name(row["jobname"])}
	j := x.Job
	partition, _, several := strings.Cut(x.Partition, ",")
	if several {
		x.notes = append(x.notes, "asked for several partitions, of which the first counts")
		x.Partition = partition
	}
	j.Partition = slices.IndexFunc(c.Partitions, func(p slurmsched.Partition) bool { return p.Name == partition })
	j.QOS = slices.IndexFunc(c.QOS, func(q slurmsched.QOS) bool { return q.Name == x.QOS })
	if j.QOS < 0 && len(c.QOS) == 1 {
		j.QOS = 0
	}
	association, ok := r.accounts[slurmsched.AccountName{Account: x.Account, User: x.User, Partition: x.Partition}]
	if !ok {
		association, ok = r.accounts[slurmsched.AccountName{Account: x.Account, User: x.User}]
	}
	id := strings.FieldsFunc(x.ID, func(c rune) bool { return c < '0' || c > '9' })
	switch {
	case j.Partition < 0:
		return "of a partition that the site does not have"
	case j.QOS < 0:
		return "of a QOS that the site does not have"
	case !ok:
		return "of an association that the tree does not have"
	case len(id) == 0:
		return "without a number"
	}
	raw := row["jobidraw"]
	if raw == "" {
		raw = id[0]
	}
	n, err := strconv.ParseInt(raw, 10, 32)
	if err != nil {
		return "without a number"
	}
	j.ID, j.Association = int(n), association
	j.Submit, x.Start, x.End = r.time(row["submit"]), r.time(row["start"]), r.time(row["end"])
	j.Eligible, x.printed = j.Submit, j.Submit
	if e := r.time(row["eligible"]); e > j.Submit {
		j.Submit, j.Eligible = e, e // it could not run before
	}
	const longest = 2 * 365 * 24 * 3600 // seconds
	if x.Start > 0 && x.End-x.Start > longest {
		return "that ran for years, as their times say"
	}
	limit, err := slurm.Duration(cmp.Or(row["timelimit"], row["timelimitraw"]))
	if err != nil || limit > math.MaxInt32 {
		limit = float64(c.Partitions[j.Partition].MaxTime)
		if limit == 0 {
			limit = 365 * 86400
		}
	}
	j.Limit = max(1, int64(limit))
	if j.Submit == 0 {
		return "without a submission"
	}
	if err := r.request(x, row); err != "" {
		return err
	}
	switch {
	case x.Start > 0 && x.End >= x.Start:
		j.Run = x.End - x.Start
	case x.Start == 0 && x.End > 0:
		j.Gone = max(x.End, j.Submit)
		x.End = 0
		j.Run = j.Limit
	default:
		j.Run = j.Limit
		x.isOpen = true
	}
	r.record.Last = max(r.record.Last, j.Submit, x.Start, x.End, j.Gone)
	run := recordedRun{x.ID, x.printed, x.Start, max(x.End, j.Gone)}
	if r.seen[run] {
		r.doubled++
		return ""
	}
	r.seen[run] = true
	if at, isAgain := r.at[x.ID]; isAgain {
		old := r.record.Jobs[at]
		switch isSame := old.printed == x.printed; {
		case isSame && old.isOpen && (old.Start == 0 || old.Start == x.Start): // printed again, later
			r.doubled++
		case isSame && x.isOpen && (x.Start == 0 || x.Start == old.Start): // printed again, and earlier
			r.doubled++
			return ""
		default: // it was requeued: its last run counts
			x.isAgain = true
		}
		x.isAgain = x.isAgain || old.isAgain
		r.record.Jobs[at] = x
		return ""
	}
	if r.at[x.ID] = len(r.record.Jobs); row["cluster"] != "" {
		r.record.Cluster = r.name(row["cluster"])
	}
	r.record.Jobs = append(r.record.Jobs, x)
	return ""
}

// name returns a text that many jobs have. It is held once, and does not hold the whole table.
func (r *recordReader) name(text string) string {
	name, ok := r.names[text]
	if !ok {
		name = strings.Clone(text)
		r.names[name] = name
	}
	return name
}

// amounts reads ReqTRES, nil if it says nothing.
func (r *recordReader) amounts(text string) map[string]float64 {
	if amounts, ok := r.tres[text]; ok {
		return amounts
	}
	text = strings.Clone(text)
	list, err := slurm.ParseAmounts(text)
	if err != nil {
		return nil
	}
	amounts := slurm.AmountsByName(list)
	r.tres[text] = amounts
	return amounts
}

// same returns the request of an earlier job that asked for the same.
func (r *recordReader) same(q *slurmsched.Request) *slurmsched.Request {
	key := fmt.Sprintf("%#v", *q)
	if r.requests[key] == nil {
		for i, f := range q.Features {
			q.Features[i] = strings.Clone(f)
		}
		r.requests[key] = q
	}
	return r.requests[key]
}

// request finds out what a job asked for: from the line that submitted it, where it tells as much as
// the columns, or from the columns.
func (r *recordReader) request(x *Recorded, row record) string {
	c, j := r.setup, x.Job
	amounts := r.amounts(row["reqtres"])
	if len(amounts) == 0 {
		return "without ReqTRES"
	}
	const most = 1 << 24 // of what a job asks for
	cpus, nodes := int32(min(max(1, number(row["reqcpus"], amounts["cpu"])), most)), int32(min(max(1, amounts["node"]), most))
	memory := c.CPUMemory[j.Partition]
	if words := strings.Fields(row["submitline"]); len(words) > 0 && strings.HasSuffix(words[0], "sbatch") {
		q := slurmsched.ParseRequest(slurmsched.SubmitOptions(words[1:]), c.GRES, memory)
		if q.CPUs == cpus && q.MinNodes <= nodes && namesGRES(q, c.GRES, amounts) {
			j.Request = q
		}
	}
	if j.Request == nil {
		x.byColumns = true
		q := &slurmsched.Request{MinNodes: nodes, MaxNodes: nodes, CPUs: cpus, Tasks: cpus, CPUsPerTask: 1, GRES: make([]int32, len(c.GRES))}
		q.NodeMemory = int64(amounts["mem"]) / int64(nodes)
		for i, kind := range c.GRES {
			q.GRES[i] = int32(min(amounts["gres/"+kind], most)) / nodes
		}
		if text := row["constraints"]; text != "" {
			q.Features = strings.Split(text, "&")
		}
		j.Request = q
	}
	j.Request = r.same(j.Request)
	j.TRES = amounts
	if allocated, err := slurm.ParseAmounts(row["alloctres"]); err == nil {
		j.Billing = slurm.AmountsByName(allocated)["billing"]
	}
	switch {
	case row["reservation"] != "":
		x.notes = append(x.notes, "ran in a reservation, which is not modelled, and are replayed without it")
	case strings.Contains(row["submitline"], "dependency"):
		x.notes = append(x.notes, "had dependencies, which are not modelled: they are replayed from when they became eligible")
	}
	return ""
}

// namesGRES reports whether a request has all GRES that were counted for the job: options such as
// --gpus-per-task are not read.
func namesGRES(q *slurmsched.Request, kinds []string, amounts map[string]float64) bool {
	for i, kind := range kinds {
		if amounts["gres/"+kind] > 0 && q.GRES[i] == 0 {
			return false
		}
	}
	return true
}

// finish says what was left out and assumed.
func (r *recordReader) finish(name string) {
	say := func(remark diag.Remark) { r.record.Remarks = append(r.record.Remarks, remark) }
	columns, open, repeated := 0, 0, 0
	for _, x := range r.record.Jobs {
		if x.byColumns {
			columns++
		}
		if x.isOpen {
			open++
		}
		if x.isAgain {
			repeated++
		}
		for _, note := range x.notes {
			r.left[note]++
		}
	}
	for _, why := range slices.Sorted(maps.Keys(r.left)) {
		say(diag.Warningf("%s: %s: %s", name, report.Count(r.left[why], "job"), why))
	}
	for _, remark := range weigh(r.setup, "the record", r.record.each) {
		say(remark)
	}
	if columns > 0 {
		say(diag.Notef("%s: what %s asked for is known by ReqCPUS, ReqNodes and ReqTRES alone: on how many nodes it might have run is not", name, report.Count(columns, "job")))
	}
	if open > 0 {
		say(diag.Notef("%s: %s had not ended: in the replay they run as long as their time limit", name, report.Count(open, "job")))
	}
	if repeated > 0 {
		say(diag.Notef("%s: %s ran more than once: the last run counts", name, report.Count(repeated, "job")))
	}
	if r.doubled > 0 {
		say(diag.Warningf("%s: %s of runs that other rows tell of as well: each run counts once", name, report.Count(r.doubled, "row")))
	}
}
