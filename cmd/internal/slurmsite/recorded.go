package slurmsite

import (
	"bytes"
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

	isAgain     bool     // whether it ran before
	isOpen      bool     // whether nobody knows how long it runs
	byColumns   bool     // whether its request comes from the columns alone
	isWhole     bool     // whether that it asks for whole nodes is known by what it had alone
	notes       []string // what is not modelled of it
	reservation string   // that it ran in, or is to run in, "" for none
	flexible    string   // that it asked for, and outside of which it ran; "" for none
	printed     int64    // Submit, as sacct has it
}

// left are jobs that a record has but a replay leaves out, by the reason.
type left map[string]int

// ReadRecord reads the table of sacct -aPD --format=ALL, or one with its columns JobID, User, Account,
// Partition, QOS, Submit, Eligible, Start, End, Timelimit, ReqCPUS, ReqMem, ReqNodes and ReqTRES; or
// what sacct -aD --json prints.
func ReadRecord(setup *slurmsched.Setup, from file.Source, zone *time.Location) (*Record, error) {
	in, err := from.Open()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	const enough = 512 // bytes to tell what it is
	plain, first, err := file.Begin(from.Name, in, enough)
	if err != nil {
		return nil, err
	}
	if bytes.IndexByte(first, 0) >= 0 {
		return nil, fmt.Errorf("%s: this is not text", from.Name)
	}
	rd := recordReader{setup: setup, zone: zone, record: &Record{}, left: left{}, accounts: map[slurmsched.AccountName]int{}, at: map[string]int{},
		seen: map[recordedRun]bool{}, lists: map[string]bool{}, sizes: map[int32]int{}, hours: map[string]float64{}, names: map[string]string{}, tres: map[string]map[string]float64{}, requests: map[string]*slurmsched.Request{}, nodes: slurmsched.NewNames(setup)}
	if booted, err := time.ParseInLocation(timeLayout, setup.Booted, zone); err == nil {
		rd.record.Swept = booted.Unix()
	}
	for i, name := range setup.Names {
		if name.User != "" {
			rd.accounts[name] = i
		}
	}
	each := eachRecorded
	if bytes.HasPrefix(bytes.TrimLeft(first, " \t\r\n"), []byte("{")) {
		each = eachRecordedJSON
	}
	odd, err := each(from.Name, plain, func(row record) {
		if row["jobid"] == "" || strings.Contains(row["jobid"], ".") || row["jobid"] == "JobID" {
			return // a step, or the header of a second table
		}
		rd.addAll(row)
	})
	if err != nil {
		return nil, err
	}
	rd.record.Remarks = append(rd.record.Remarks, odd...)
	if err := rd.checkSpan(); err != nil {
		return nil, fmt.Errorf("%s: %w", from.Name, err)
	}
	orderTasks(rd.record.Jobs)
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
	nodes    *slurmsched.Names
	seen     map[recordedRun]bool
	doubled  int                // rows of runs that other rows tell of as well
	lists    map[string]bool    // whether the site has all nodes of a list
	expanded int                // names of nodes that were
	sizes    map[int32]int      // tasks that are not seen yet, of arrays of which only some may run at a time
	waiting  int                // tasks of arrays that had not started
	isBilled bool               // whether a job was billed
	hours    map[string]float64 // that were used by the jobs that are left out, by the reason
	again    float64            // core hours of the runs of jobs that ran again
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
	x := &Recorded{Job: &slurmsched.Job{}, ID: row["jobid"], User: r.name(row["user"]), Account: r.name(row["account"]), QOS: r.name(row["qos"]), Partition: r.name(row["partition"]), NodeList: r.name(row["nodelist"]), Name: r.name(row["jobname"])}
	j := x.Job
	words := submitted(row["submitline"])
	options := slurmsched.SplitOptions(words)
	named := r.partitions(x, options)
	j.QOS = slices.IndexFunc(c.QOS, func(q slurmsched.QOS) bool { return q.Name == x.QOS })
	if j.QOS < 0 && len(c.QOS) == 1 {
		j.QOS = 0
	}
	association, ok := r.accounts[slurmsched.AccountName{Account: x.Account, User: x.User, Partition: named}]
	if !ok {
		association, ok = r.accounts[slurmsched.AccountName{Account: x.Account, User: x.User}]
	}
	cluster := r.name(row["cluster"])
	if cluster != "" && c.ClusterName != "" && !strings.EqualFold(cluster, c.ClusterName) {
		if len(r.record.Jobs) == 0 {
			r.record.Cluster = cluster
		}
		return "of another cluster"
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
	j.Array, j.Together = throttle(cmp.Or(row["array"], x.ID), options)
	eligible := r.times(x, row)
	j.Eligible, x.printed = j.Submit, j.Submit
	if eligible > j.Submit {
		j.Submit, j.Eligible = eligible, eligible // it could not run before
	}
	const longest = 2 * 365 * 24 * 3600 // seconds
	if x.Start > 0 && x.End-x.Start > longest {
		return "that ran for years, as their times say"
	}
	if 0 < x.End && x.End < x.Start {
		return "that ended before they started, as their times say"
	}
	limit, err := slurm.Duration(cmp.Or(row["timelimit"], row["timelimitraw"]))
	if err != nil || limit <= 0 || limit > math.MaxInt32 {
		limit = float64(c.Partitions[j.Partition].MaxTime)
		if limit == 0 {
			limit = 365 * 86400
		}
	}
	j.Limit = int64(limit)
	if j.Submit == 0 {
		return "without a submission"
	}
	if err := r.request(x, row, words, options); err != "" {
		return err
	}
	r.licences(x, row, options)
	if x.Start == x.End && isNowhere(row) {
		x.Start = 0 // it failed before it could run
	}
	if x.Start == 0 && row["eligible"] != "" && r.time(row["eligible"]) == 0 && j.Together == 0 { // those of arrays wait for others of theirs
		return "that never became eligible to run, as they were held or waited for other jobs"
	}
	r.doubt(x, row)
	switch {
	case x.Start > 0 && x.End > 0:
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
	if at, isAgain := r.at[x.ID]; isAgain && r.record.Jobs[at].isOne(x) {
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
		if x.isAgain {
			r.again += old.hours()
		}
		x.isAgain = x.isAgain || old.isAgain
		r.record.Jobs[at] = x
		return ""
	}
	r.seeTask(x, options)
	r.at[x.ID] = len(r.record.Jobs)
	if cluster != "" {
		r.record.Cluster = cluster
	}
	r.record.Jobs = append(r.record.Jobs, x)
	return ""
}

// isNowhere reports whether a row of a job that is over names no node on which it has run.
func isNowhere(row record) bool {
	list, isTold := row["nodelist"]
	return strings.HasPrefix(list, "None") || list == "" && (isTold || strings.HasPrefix(row["state"], "CANCELLED"))
}

// name returns a text that many jobs have, which is held once.
func (r *recordReader) name(text string) string {
	name, ok := r.names[text]
	if !ok {
		name, r.names[text] = text, text
	}
	return name
}

// amounts reads ReqTRES, nil if it says nothing.
func (r *recordReader) amounts(text string) map[string]float64 {
	if amounts, ok := r.tres[text]; ok {
		return amounts
	}
	list, err := slurm.ParseAmounts(text)
	if err != nil {
		return nil
	}
	amounts := slurm.AmountsByName(list)
	r.tres[text] = amounts
	return amounts
}

// times reads when a job came, started and ended, and returns when it could run first; 0 for what nothing tells.
func (r *recordReader) times(x *Recorded, row record) (eligible int64) {
	x.Submit, eligible, x.Start, x.End = r.time(row["submit"]), r.time(row["eligible"]), r.time(row["start"]), r.time(row["end"])
	elapsed := int64(trace.Unknown)
	if ran, err := slurm.Duration(row["elapsed"]); row["elapsedraw"] != "" {
		elapsed = int64(number(row["elapsedraw"], 0))
	} else if err == nil {
		elapsed = int64(ran)
	}
	list := []*int64{&x.Submit, &eligible, &x.Start, &x.End}
	for _, at := range list {
		if *at == 0 {
			*at = trace.Unknown
		}
	}
	trace.OrderTwice(r.zone, list, elapsed)
	for _, at := range list {
		if *at == trace.Unknown {
			*at = 0
		}
	}
	return eligible
}

// isOne reports whether two rows of one number are of one job: a cluster begins anew with numbers that it has used.
func (x *Recorded) isOne(y *Recorded) bool {
	return x.User == y.User && x.Account == y.Account && x.Name == y.Name
}

// used returns the core hours of a row.
func (r *recordReader) used(row record) float64 {
	start, end := r.time(row["start"]), r.time(row["end"])
	if start == 0 || end < start {
		return 0
	}
	return min(number(row["reqcpus"], 1), mostAsked) * float64(end-start) / 3600
}

// finish says what was left out and assumed.
func (r *recordReader) finish(name string) {
	say := func(remark diag.Remark) { r.record.Remarks = append(r.record.Remarks, remark) }
	columns, whole, open, repeated := 0, 0, 0, 0
	notes, hours := map[string]int{}, map[string]float64{}
	for _, x := range r.record.Jobs {
		x.IsFree = r.isBilled && x.Start > 0 && x.Billing == 0
		if x.byColumns {
			columns++
		}
		if x.isWhole {
			whole++
		}
		if x.isOpen {
			open++
		}
		if x.isAgain {
			repeated++
		}
		for _, note := range x.notes {
			notes[note]++
			hours[note] += x.hours()
		}
	}
	for _, why := range slices.Sorted(maps.Keys(r.left)) {
		say(diag.Warningf("%s: %s left out with %s core hours: %s", name, report.Count(r.left[why], "job"), report.Fixed(r.hours[why], 0), why))
	}
	for _, note := range slices.Sorted(maps.Keys(notes)) {
		say(diag.Warningf("%s: %s with %s core hours: %s", name, report.Count(notes[note], "job"), report.Fixed(hours[note], 0), note))
	}
	for _, remark := range weigh(r.setup, "the record", r.record.each) {
		say(remark)
	}
	if columns > 0 {
		say(diag.Notef("%s: what %s asked for is known by ReqCPUS, ReqNodes and ReqTRES alone: on how many nodes it might have run is not", name, report.Count(columns, "job")))
	}
	if whole > 0 {
		say(diag.Notef("%s: %s had all CPUs of their nodes, more than they asked for: they are taken to ask for whole nodes (--exclusive)", name, report.Count(whole, "job")))
	}
	unseen := 0
	for _, left := range r.sizes {
		unseen += max(0, left)
	}
	if unseen > 0 {
		say(diag.Warningf("%s: %s of arrays (%%N) left out: sacct has none that could not run yet", name, report.Count(unseen, "task")))
	}
	if open > 0 {
		say(diag.Notef("%s: %s had not ended: in the replay they run as long as their time limit", name, report.Count(open, "job")))
	}
	if repeated > 0 {
		say(diag.Warningf("%s: %s ran more than once: the last run counts, and the others, with %s core hours, are left out", name, report.Count(repeated, "job"), report.Fixed(r.again, 0)))
	}
	if r.doubled > 0 {
		say(diag.Warningf("%s: %s of runs that other rows tell of as well: each run counts once", name, report.Count(r.doubled, "row")))
	}
}
