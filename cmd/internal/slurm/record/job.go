package record

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/sacct"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/setup"
)

// Job is a job of sacct, and what became of it.
type Job struct {
	*sched.Job                                  // to be run again
	ID, User, Account, QOS, Partition, NodeList string
	Name                                        string
	Start, End                                  int64 // 0 where it did not start, or is not over

	In int32 // the Reservation.ID of the MAGNETIC one in which it ran without asking for it, 0 for none

	Suspended int64 // for how many seconds it was suspended between Start and End

	Given int32    // CPUs of all of its nodes together, 0 where nothing tells them
	Notes []string // what is not modelled of it

	Earlier []*Job // its runs before this one, after each of which it was requeued
	From    int64  // since when this run could start, as sacct has it: Eligible, or Submit if that is later
	Again   int64  // when it was eligible for this one, where it is replayed from its first submission on; else 0

	isPreempted bool          // whether it was taken off its nodes for another job
	hasFailed   bool          // whether one of its nodes failed
	got         int64         // CPUs that it was given
	has         sched.Amounts // what limits of use count of it, nil where that is not told
	isAgain     bool          // whether it ran before
	isOpen      bool          // whether nobody knows how long it runs
	byColumns   bool          // whether its request comes from the columns alone
	isWhole     bool          // whether that it asks for whole nodes is known by what it had alone
	reservation string        // that it ran in, or is to run in, "" for none
	asked       string        // that it asked for, "" for none, or where nothing tells it
	printed     int64         // Submit, as sacct has it
}

// Read reads the table of sacct -aPD --format=ALL, or one with its columns JobID, User, Account,
// Partition, QOS, Submit, Eligible, Start, End, Timelimit, ReqCPUS, ReqMem, ReqNodes and ReqTRES; or
// what sacct -aD --json prints. Of several, as of other months, rows that stand in two count once.
func Read(site *sched.Setup, tables []file.Source, zone *time.Location) (*Record, error) {
	rd := reader{setup: site, record: &Record{}, leftOut: map[string]int{}, maker: setup.NewJobMaker(site), at: map[string]int{},
		seen: map[recordedRun]bool{}, lists: map[string]bool{}, sizes: map[int32]int{}, hours: map[string]float64{}, names: map[string]string{}, lines: map[string]*submission{}, suspends: site.Suspends(), countsUse: site.CountsUse(), given: map[string]sched.Amounts{}}
	rd.record.Swept = bootedAt(site, zone)
	lacks, odd, err := eachRow(tables, zone, func(row *sacct.Row) {
		if why := rd.add(row); why != "" {
			rd.leftOut[why]++
			rd.hours[why] += used(row)
			if why != ofOtherCluster && row.Start > 0 {
				rd.chargeLeftOut(row)
				rd.record.beside = append(rd.record.beside, placed{rd.name(row.Text(sacct.NodeList)), row.Start})
			}
		}
	})
	if err != nil {
		return nil, err
	}
	for _, x := range rd.record.Jobs {
		rd.link(x)
	}
	rd.record.Lacks = lacks
	rd.record.Remarks = slices.Concat(rd.record.Remarks, lacks, odd)
	if err := rd.checkSpan(); err != nil {
		return nil, fmt.Errorf("%s: %w", NameOf(tables), err)
	}
	rd.record.OfSome = rd.record.ofOneUser(NameOf(tables))
	rd.early = orderTasks(rd.record.Jobs)
	rd.finish(NameOf(tables))
	return rd.record, nil
}

// bootedAt returns when slurmctld began and computed the first priorities, 0 where nothing tells it.
func bootedAt(site *sched.Setup, zone *time.Location) int64 {
	if booted, err := time.ParseInLocation(dump.TimeLayout, site.Booted, zone); err == nil {
		return booted.Unix()
	}
	return 0
}

// recordedRun tells rows of the same run, as where a table has them twice.
type recordedRun struct {
	id                   string
	submit, start, ended int64
}

type reader struct {
	setup    *sched.Setup
	record   *Record
	leftOut  map[string]int // jobs that the record has and a replay does not, by the reason
	maker    *setup.JobMaker
	at       map[string]int    // of the jobs, by ID
	names    map[string]string // those that jobs have in common
	lines    map[string]*submission
	seen     map[recordedRun]bool
	doubled  int                // rows of runs that other rows tell of as well
	lists    map[string]bool    // whether the site has all nodes of a list
	expanded int                // names of nodes that were
	sizes    map[int32]int      // tasks that are not seen yet, of arrays of which only some may run at a time
	isBilled bool               // whether a job was billed
	hours    map[string]float64 // that were used by the jobs that are left out, by the reason
	again    float64            // core hours of the runs of jobs that ran again

	countsUse bool                     // whether it is told what limits of use count
	given     map[string]sched.Amounts // what they count of runs, by AllocTRES

	suspends  bool // whether jobs are suspended for others in a replay
	preempted int  // runs that ended so
	failed    int  // runs that ended as a node failed
	early     int  // tasks of arrays that come before sacct has them Eligible
}

// checkSpan returns an error if a job was submitted years from the one before it: its time is wrong, or
// it is of another site.
func (r *reader) checkSpan() error {
	const longest = 2 * 365 * 24 * 3600 // seconds without a submission
	jobs := slices.SortedFunc(slices.Values(r.record.Jobs), func(a, b *Job) int { return cmp.Compare(a.Submit, b.Submit) })
	for i := 1; i < len(jobs); i++ {
		if jobs[i].Submit-jobs[i-1].Submit > longest {
			return fmt.Errorf("job %s was submitted years after job %s: one of the two times is wrong", jobs[i].ID, jobs[i-1].ID)
		}
	}
	return nil
}

// orZero returns a number of a row, 0 for one that nothing tells.
func orZero(n int64) int64 {
	if n == sacct.Unknown {
		return 0
	}
	return n
}

// ofOtherCluster is why jobs are left out that ran elsewhere.
const ofOtherCluster = "of another cluster"

// add adds a job, or says why it is left out.
func (r *reader) add(row *sacct.Row) string {
	c := r.setup
	name := func(column sacct.Column) string { return r.name(row.Text(column)) }
	x := &Job{Job: &sched.Job{}, ID: string(row.ID), User: name(sacct.User), Account: name(sacct.Account), QOS: name(sacct.QOS), Partition: name(sacct.Partition),
		NodeList: name(sacct.NodeList), Name: name(sacct.JobName), Start: orZero(row.Start), End: orZero(row.End)}
	j := x.Job
	line := r.submission(row.Text(sacct.SubmitLine))
	options := line.options
	named := r.partitions(x, options)
	anyQOS := x.anyQOS(name(sacct.QOSREQ))
	why := r.maker.Under(j, sched.AccountName{Account: x.Account, User: x.User, Partition: named}, cmp.Or(anyQOS, x.QOS))
	cluster := name(sacct.Cluster)
	if cluster != "" && c.ClusterName != "" && !strings.EqualFold(cluster, c.ClusterName) {
		if len(r.record.Jobs) == 0 {
			r.record.Cluster = cluster
		}
		return ofOtherCluster
	}
	id := strings.FieldsFunc(x.ID, func(c rune) bool { return c < '0' || c > '9' })
	switch {
	case why != "":
		return why
	case len(id) == 0:
		return "without a number"
	}
	n, err := strconv.ParseInt(cmp.Or(string(row.Text(sacct.JobIDRaw)), id[0]), 10, 32)
	if err != nil {
		return "without a number"
	}
	j.ID = int(n)
	j.Array, j.Throttle = throttle(string(row.Printed), options)
	j.Submit = orZero(row.Submit)
	j.Eligible, j.Submitted, x.printed = j.Submit, j.Submit, j.Submit
	if eligible := row.Eligible; eligible > j.Submit {
		j.Submit, j.Eligible = eligible, eligible // it could not run before
	}
	x.From = j.Submit
	j.Limit = row.Limit
	if j.NoLimit = j.Limit == sacct.Unknown || j.Limit > math.MaxInt32; j.NoLimit {
		j.Limit = c.LongestIn(j.Partition)
	}
	if j.Submit == 0 {
		return "without a submission"
	}
	if err := r.request(x, row, line); err != "" {
		return err
	}
	r.licences(x, row, options)
	if x.Start == 0 && row.Has(sacct.Eligible) && row.Eligible == sacct.Unknown && j.Throttle == 0 { // those of arrays wait for others of theirs
		return "that never became eligible to run, as they were held or waited for other jobs"
	}
	j.IsLetIn = x.Start > 0
	x.readEnd(row, options)
	r.doubt(x, row)
	if anyQOS != "" && j.AnyQOS == nil || len(j.AnyQOS) > 0 && len(j.AnyQOS) <= strings.Count(anyQOS, ",") {
		x.Notes = append(x.Notes, "named QOS that the site does not have beside others, and are replayed under those")
	}
	switch {
	case x.Start > 0 && x.End > 0:
		j.Run = max(0, x.End-x.Start-x.Suspended)
	case x.Start == 0 && x.End > 0:
		j.CancelAt = max(x.End, j.Submit)
		x.End = 0
	default:
		x.isOpen = true
	}
	r.record.Last = max(r.record.Last, j.Submit, x.Start, x.End, j.CancelAt)
	if r.keep(x) {
		r.seeTask(x, options)
		r.record.Cluster = cmp.Or(cluster, r.record.Cluster)
	}
	return ""
}

// readEnd reads how a run ended, and whether the job waits again where its node fails.
func (x *Job) readEnd(row *sacct.Row, options []sched.Option) {
	x.isPreempted, x.hasFailed, x.Suspended = row.State.Name == "PREEMPTED", row.State.Name == "NODE_FAIL", max(0, row.Suspended)
	for _, o := range options { // the last one counts
		if o.Name == "requeue" || o.Name == "no-requeue" {
			x.Requeue, x.NoRequeue = o.Name == "requeue", o.Name == "no-requeue"
		}
	}
}

// keep adds a job to the record, and reports whether it is one that came before in none of its rows: of a run that
// several rows tell of one counts, and of the runs of a job the last.
func (r *reader) keep(x *Job) (isNew bool) {
	run := recordedRun{x.ID, x.printed, x.Start, max(x.End, x.CancelAt)}
	if r.seen[run] {
		r.doubled++
		return false
	}
	r.seen[run] = true
	at, isKnown := r.at[x.ID]
	if !isKnown || !r.record.Jobs[at].isOne(x) {
		r.at[x.ID] = len(r.record.Jobs)
		r.record.Jobs = append(r.record.Jobs, x)
		return true
	}
	last := r.record.Jobs[at]
	runs := append(last.Earlier, last)
	last.Earlier = nil
	k := len(runs) // where it belongs: a table that has each run may come behind one that has the last
	for k > 0 && runs[k-1].printed > x.printed {
		k--
	}
	old := runs[max(0, k-1)]
	switch isSame := k > 0 && old.printed == x.printed; {
	case isSame && old.isOpen && (old.Start == 0 || old.Start == x.Start): // printed again, later
		r.doubled++
		runs[k-1] = x
	case isSame && x.isOpen && (x.Start == 0 || x.Start == old.Start): // printed again, and earlier
		r.doubled++
	default: // it was requeued: its last run counts
		runs = slices.Insert(runs, k, x)
	}
	last = runs[len(runs)-1]
	last.Earlier = runs[:len(runs)-1]
	r.record.Jobs[at] = last
	return false
}

// link says of the runs of a job that was requeued how each came about.
func (r *reader) link(last *Job) {
	if len(last.Earlier) == 0 {
		return
	}
	old := last.Earlier[0]
	for _, x := range append(slices.Clone(last.Earlier[1:]), last) {
		switch {
		case old.isPreempted:
			r.preempted++
			x.before(old)
		case old.hasFailed:
			r.failed++
			x.before(old)
		default:
			x.isAgain = true
			r.again += old.hours()
		}
		x.isAgain = x.isAgain || old.isAgain
		old = x
	}
}

// before lets a job come when its first run did, after which it was requeued: whether it is so again, a replay decides.
func (x *Job) before(old *Job) {
	x.Again = x.Job.Submit
	x.Job.Submit, x.Job.Eligible, x.Job.Submitted = old.Job.Submit, old.Job.Eligible, old.Job.Submitted
}

// name returns a text that many jobs have, which is held once.
func (r *reader) name(text []byte) string {
	name, ok := r.names[string(text)]
	if !ok {
		name = string(text)
		r.names[name] = name
	}
	return name
}

// isOne reports whether two rows of one number are of one job: a cluster begins anew with numbers that it has used.
func (x *Job) isOne(y *Job) bool {
	return x.User == y.User && x.Account == y.Account && x.Name == y.Name
}

// used returns the core hours of a row.
func used(row *sacct.Row) float64 {
	if row.Start == sacct.Unknown || row.End < row.Start {
		return 0
	}
	cpus := row.AskedCPUs
	if cpus == sacct.Unknown {
		cpus = 1
	}
	return float64(min(cpus, setup.MostAsked)) * float64(row.End-row.Start) / 3600
}

// finish says what was left out and assumed.
func (r *reader) finish(name string) {
	part := r.record.assume()
	say := func(remark diag.Remark) { r.record.Remarks = append(r.record.Remarks, remark) }
	name = path.Base(name) // where it is stands in the first line of all
	columns, whole, open, repeated := 0, 0, 0, 0
	notes, hours := map[string]int{}, map[string]float64{}
	for _, x := range r.record.Jobs {
		x.IsFree = r.isBilled && x.Given > 0 && x.Start > 0 && x.Billing == 0
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
		for _, note := range x.Notes {
			notes[note]++
			hours[note] += x.hours()
		}
	}
	if of := r.record.OfSome; of != "" {
		say(diag.Warningf("%s: they run here without the jobs of others", of))
	}
	for _, why := range slices.Sorted(maps.Keys(r.leftOut)) {
		say(diag.Warningf("%s: %s left out with %s core hours: %s", name, report.Count(r.leftOut[why], "job"), report.Fixed(r.hours[why], 0), why))
	}
	for _, note := range slices.Sorted(maps.Keys(notes)) {
		say(diag.Warningf("%s: %s with %s core hours: %s", name, report.Count(notes[note], "job"), report.Fixed(hours[note], 0), note).Joined(diag.NotModelled, "%s (%s core hours): %s", report.Count(notes[note], "job"), report.Fixed(hours[note], 0), note))
	}
	for _, remark := range setup.Weigh(r.setup, slurm.OnStarts, "the record", r.record.each) {
		say(remark)
	}
	if columns > 0 {
		say(diag.Notef("%s: what %s asked for is known by ReqCPUS, ReqNodes and ReqTRES alone: on how many nodes it might have run is not", name, report.Count(columns, "job")).Joined(diag.NotKnown, "on how many nodes %s might have run (SubmitLine in sacct)", report.Count(columns, "job")))
	}
	if whole > 0 {
		say(diag.Generalf("%s: %s with all CPUs of whole nodes, more than asked for: taken to have asked for --exclusive", name, report.Count(whole, "job")))
	}
	unseen := 0
	for _, left := range r.sizes {
		unseen += max(0, left)
	}
	if unseen > 0 {
		say(diag.Warningf("%s: %s of arrays (%%N) left out: sacct has none that could not run yet", name, report.Count(unseen, "task")))
	}
	if open > 0 {
		long := fmt.Sprintf("for %s %% of their time limits, which is what the others used on average, or for more if they have used so much already", report.Fixed(100*part, 0))
		if part == 1 {
			long = "as long as their time limit"
		}
		say(diag.Notef("%s: %s had not ended: in the replay they run %s", name, report.Count(open, "job"), long))
	}
	if r.early > 0 {
		say(diag.Notef("%s: %s of arrays of which only some may run at a time (%%N) come with the first of theirs, and wait from then on: history has their waits from Eligible, when the limit let them", name, report.Count(r.early, "task")))
	}
	if r.failed > 0 {
		say(diag.Generalf("%s: %s of jobs whose nodes failed and that were requeued: the jobs come when they were submitted first, run as long as their last run did, and are requeued where they run on a node that goes down", name, report.Count(r.failed, "run")))
	}
	if r.preempted > 0 {
		remark, then := diag.Generalf, "are preempted where the rules do that"
		if !r.setup.Preempts() {
			remark, then = diag.Warningf, "are preempted no more: the site's rules preempt nobody"
		}
		say(remark("%s: %s of jobs that were preempted and requeued: the jobs come when they were submitted first, run as long as their last run did, and %s", name, report.Count(r.preempted, "run"), then))
	}
	if repeated > 0 {
		say(diag.Warningf("%s: %s ran more than once: a replay has the last run alone; the others, with %s core hours, are in what was observed", name, report.Count(repeated, "job"), report.Fixed(r.again, 0)))
	}
	if r.doubled > 0 {
		say(diag.Generalf("%s: %s of runs that other rows tell of as well: each run counts once", name, report.Count(r.doubled, "row")))
	}
}
