package sacct

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
	"unicode"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/trace"
)

// traceColumns are the columns of sacct that are read.
var traceColumns = []Column{
	JobID, State, Submit, Eligible, Start, End, Elapsed, ElapsedRaw, AllocCPUS, ReqCPUS, NNodes, ReqNodes, ReqMem,
	ReqTRES, AllocTRES, Timelimit, TimelimitRaw, User, Group, Account, Partition, QOS, JobName, ExitCode, TotalCPU, NodeList, Cluster, Restarts,
}

// PrintsAll is what prints the jobs of all.
const PrintsAll = "sacct -a prints those of all, under PrivateData to operators"

// Needed are the columns without which no row is a job.
const Needed = "JobID, State, Start and End"

// Few are the columns that tell who ran what, when and with which end, how long jobs waited, and what they asked for and used.
const Few = "JobID,User,JobName,State,Submit,Eligible,Start,End,Timelimit,AllocCPUS,TotalCPU,ReqMem,MaxRSS"

// needed are the columns of Needed, as sacct prints their names.
var needed = []struct {
	column Column
	name   string
}{{JobID, "JobID"}, {State, "State"}, {Start, "Start"}, {End, "End"}}

// Lacks says what a table lacks that is not read, which begins in some way: columns, or a form.
func Lacks(first []byte) string {
	line, below, _ := bytes.Cut(Begin(first), []byte("\n"))
	h := newHeader(line, nil)
	var missing []string
	for _, x := range needed {
		if !h.Has(x.column) {
			missing = append(missing, x.name)
		}
	}
	for _, by := range [][2]string{{",", "commas"}, {"\t", "tabs"}, {";", "semicolons"}} {
		const fewest = 3 // of these signs in the header of a table
		if text := string(line); !strings.Contains(text, "|") && strings.Count(text, by[0]) >= fewest {
			return "but parted by " + by[1] + ", which stand in its values as well or part too few columns: sacct -P parts them by |, which is read"
		}
	}
	if rule, _, _ := bytes.Cut(below, []byte("\n")); !bytes.Contains(line, []byte("|")) && !IsRule(rule) && isHeading(line, below) {
		return "but without the line of dashes below the names of the columns, which tells how wide these are: sacct -P parts them by |, and is surest"
	}
	if missing == nil || !h.Has(JobID) {
		return "but not with " + Needed + ", in columns that are parted by | or have a width: sacct -aPD --format=ALL prints all"
	}
	names := strings.FieldsFunc(string(line), func(r rune) bool { return r == '|' || unicode.IsSpace(r) })
	const most = 12 // names that are typed again
	if len(names) > most {
		return fmt.Sprintf("but not with %s, without which nothing is told of its jobs: sacct -P -o %s has what is needed, and sacct -aPD --format=ALL all", report.Listed(missing), Few)
	}
	for name := range strings.SplitSeq(Few, ",") {
		if !slices.ContainsFunc(names, func(has string) bool { return strings.EqualFold(has, name) }) {
			names = append(names, name)
		}
	}
	return fmt.Sprintf("but not with %s, without which nothing is told of its jobs: sacct -P -o %s has what is needed, and sacct -aPD --format=ALL all", report.Listed(missing), strings.Join(names, ","))
}

// ofEach are columns in which sacct prints something of each job, or of each that ran and is over.
var ofEach = []struct {
	column  Column
	isOfAll bool
	instead string
}{
	{User, true, "taken to be of one user without a name"},
	{Eligible, true, "waits are counted from submission, and so too long where jobs waited for others, for a time or for the tasks of an array"},
	{AllocCPUS, false, "what they asked for, or what AllocTRES has, is taken"},
	{AllocTRES, false, "what they asked for is taken"},
	{ExitCode, false, "taken to have ended with 0 where their state tells no other"},
	{TotalCPU, false, "how much time of cpus they used is not known"},
}

// Format returns sacct's tables as a format of records.
func Format() trace.Format {
	const printed = "what sacct prints"
	return trace.Format{
		Name: "a table of sacct", Is: IsTable, IsPart: IsPart, Read: ReadTrace, IsLike: IsPrinted, Like: printed,
		Hint:  func(begin []byte) string { return printed + ", " + Lacks(begin) },
		Timed: timed, Marks: Marks,
	}
}

// ReadTrace reads what sacct -P prints under its header, or sacct --json, with local times in a zone: one file or
// several, in which the same row may stand twice. The tasks of an array that have not started are jobs of their own.
// The rows that sacct -D has of a job that was requeued are its earlier runs.
func ReadTrace(from []file.Source, zone *time.Location, keep trace.Keep) (*trace.Trace, error) {
	return readTrace(from, zone, keep, false)
}

// timed returns the format of tables that tell together in which states jobs are, and not when they ran, but maybe for how long, by their begins;
// nil where they tell more, or less.
func timed(begins [][]byte) *trace.Format {
	var has columnSet
	for _, first := range begins {
		if !IsPart(first) {
			return nil
		}
		line, _, _ := bytes.Cut(Begin(first), []byte("\n"))
		has |= newHeader(line, everyColumn()).form().has
	}
	if !has.has(State) || has.has(Start) && has.has(End) {
		return nil
	}
	return &trace.Format{Name: "a table of sacct without times", Is: IsPart, Read: readTimed}
}

// readTimed is ReadTrace of tables that tell how long jobs ran and not when.
func readTimed(from []file.Source, zone *time.Location, keep trace.Keep) (*trace.Trace, error) {
	return readTrace(from, zone, keep, true)
}

func readTrace(from []file.Source, zone *time.Location, keep trace.Keep, areTimed bool) (*trace.Trace, error) {
	entries := trace.NewEntries(keep)
	entries.IsTimed = areTimed
	var lacks []string // columns that a table lacks, and what is taken in their place
	const mostTasks = 50_000_000
	var first []byte                           // the cluster of the first row
	named := func(id, cluster []byte) []byte { // each cluster gives its jobs the same numbers
		if len(cluster) == 0 || first == nil || bytes.Equal(cluster, first) {
			return id
		}
		return slices.Concat(id, []byte("@"), cluster)
	}
	hasJSON := false
	isOpen := false                       // whether nothing tells for how long a job has run that still does
	tables, having := 0, map[Column]int{} // how many tables there are, and how many have a column
	var again map[string]bool
	if len(from) > 1 { // a single one may be readable once
		again = runAgain(from, zone)
	}
	reader := Reader{Zone: zone, Columns: traceColumns, MostTasks: mostTasks, IsTimed: areTimed, Damaged: entries.Damaged,
		Row: func(row *Row) error {
			hasJSON = hasJSON || row.header == whole
			e := entryOf(row, keep)
			if e.MayHaveRun = row.Restarts > 0 || again[string(row.ID)]; areTimed {
				if e.IsTimed = true; row.isOverUnrun() && row.Elapsed == 0 {
					e.State, e.Elapsed = trace.Deleted, Unknown
				}
				e.Submit, e.Arrival, e.Start, e.End = Unknown, Unknown, Unknown, Unknown
			}
			isOpen = isOpen || row.Fate == slurm.Runs && row.Start != Unknown && row.Elapsed == Unknown
			if cluster := row.Text(Cluster); len(cluster) > 0 {
				if entries.OfCluster(cluster); first == nil {
					first = bytes.Clone(cluster)
				}
				e.ID = named(e.ID, cluster)
			}
			if err := entries.Add(e); err != nil {
				return err
			}
			for _, x := range ofEach {
				isLacking := !row.Has(x.column) || x.column == AllocTRES && row.Given == nil // which cannot be read
				if row.header.Has(x.column) && isLacking && (row.Start != Unknown && row.Fate == slurm.IsOver || x.isOfAll) {
					entries.Lacks(x.column.String(), x.instead, e.ID, row.Elapsed)
				}
			}
			return nil
		},
		Header: func(name string, line int, h *Header) error {
			if !h.IsWhole() && !areTimed {
				return fmt.Errorf("%s:%d: sacct's table needs the columns "+Needed, name, line)
			}
			for _, column := range []Column{Start, End} {
				if !h.Has(column) && !areTimed { // else each job would wait or run to the end of the record
					return fmt.Errorf("%s:%d: sacct's table has no column %s, without which it is not known how long jobs ran: sacct -aPD --format=ALL prints all", name, line, column)
				}
			}
			tables++
			for column := range columns {
				if h.Has(column) {
					having[column]++
				}
			}
			entries.HasNoUsers = len(from) == 1 && having[User] == 0 // of several, another one may tell it
			if !h.Has(Submit, Eligible) && !areTimed {
				entries.Undated = "Submit"
			}
			for _, x := range ofEach {
				if said := x.column.String() + " (" + x.instead + ")"; !h.Has(x.column) && !slices.Contains(lacks, said) && !(areTimed && x.column == Eligible) && (x.column != AllocTRES || len(keep.Asked) > 0) {
					lacks = append(lacks, said)
				}
			}
			const asked = "nnodes (how many they asked for is taken)"
			if !h.Has(NNodes, AllocTRES) && h.Has(ReqNodes, ReqTRES) && !slices.Contains(lacks, asked) {
				lacks = append(lacks, asked)
			}
			if hasLengths := !areTimed || h.Has(Elapsed, ElapsedRaw); hasLengths && !h.Has(AllocCPUS, ReqCPUS, AllocTRES, ReqTRES) {
				entries.Damaged(name, line, "no column says how many CPUs a job had (AllocCPUS, NCPUS, ReqCPUS or AllocTRES): core hours and all that is made of them are 0")
			}
			return nil
		}}
	if slices.Contains(keep.Used, usedMemory) { // a step comes behind its job
		reader.Columns = append(slices.Clone(traceColumns), MaxRSS, AveRSS, NTasks, TRESUsageInTot)
		reader.Step = func(job []byte, row *Row) {
			if kb, isAtLeast := row.usedMemory(); kb > 0 {
				entries.UsedBy(named(job, row.Text(Cluster)), usedMemory, kb, isAtLeast)
			}
		}
	}
	err := reader.Read(from...)
	entries.Doubled += reader.Again()
	entries.Naming, entries.Nests = naming(having, hasJSON), "sshare -a -l -P of the site"
	entries.PrintsAll = PrintsAll
	entries.Close()
	entries.Remarks = append(entries.Remarks, reader.Remarks()...)
	if n := having[User]; n > 0 && n < tables {
		lacks = slices.DeleteFunc(lacks, func(said string) bool { return strings.HasPrefix(said, User.String()) })
		entries.Remarks = append(entries.Remarks, diag.Warningf("jobs of a table of sacct without the column User are counted under \"-\", and not under who ran them: sacct -aPD --format=ALL prints all"))
	}
	if isOpen && having[Elapsed]+having[ElapsedRaw] == 0 && !areTimed {
		lacks = append(lacks, Elapsed.String()+" (jobs that run are taken to have done so up to the last time in the table)")
	}
	if hasLengths := !areTimed || having[Elapsed]+having[ElapsedRaw] > 0; len(lacks) > 0 && hasLengths { // else figures are counts of jobs alone
		entries.Remarks = append(entries.Remarks, diag.Warningf("sacct has printed no column %s: sacct -aPD --format=ALL prints all", strings.Join(lacks, ", ")))
	}
	if unlike := notInAll(tables, having); entries.Doubled > 0 && !reader.Joins() && unlike != nil { // in one file
		entries.Remarks = append(entries.Remarks, diag.Damagef("tables of sacct that tell of the same runs have different columns: what one of them lacks (%s) may be missing in figures though another has it; in files of their own they are joined", strings.Join(unlike, ", ")))
	}
	return entries.Trace, err
}

// notInAll returns the columns that some tables have and others do not, in their order.
func notInAll(tables int, having map[Column]int) (names []string) {
	for column := range columns {
		if n := having[column]; n > 0 && n < tables {
			names = append(names, column.String())
		}
	}
	return names
}

// naming returns what kinds of names jobs have by the columns that some tables have, whose QOS stand in place of projects: first those that Slurm goes by, and last the
// groups, which people would take for accounts.
func naming(having map[Column]int, hasJSON bool) *trace.Naming {
	of := &trace.Naming{
		Kinds: []string{"queue", "account", "user", "qos", "group", "size"}, Rare: []string{"qos", "group"}, Ended: func(state string) string { return slurm.StateNamed(word([]byte(state))).Says() },
		Words: map[string]string{"queue": "partition", "group": "Unix group", "qos": "QOS"},
		Lacks: map[string]string{"project": "jobs of Slurm have no project: they have an account, a QOS and a Unix group (account, qos, group)"}, Exit: exitText,
		Times: "sacct -aP -o " + Few + " tells it",
		Uses:  "MaxRSS, AveRSS and NTasks of its steps, which sacct -X leaves out",
	}
	if having[MaxRSS]+having[TRESUsageInTot] == 0 {
		of.Uses = "MaxRSS, AveRSS and NTasks of its steps, and the table has no such columns"
	}
	for _, x := range []struct {
		kind   string
		column Column
		name   string // as sacct prints it
	}{{"user", User, "User"}, {"qos", QOS, "QOS"}, {"name", JobName, "JobName"}} {
		if having[x.column] == 0 && !hasJSON { // which has all of them
			of.Lacks[x.kind] = "the table has no column " + x.name + ": sacct -aPD --format=ALL prints all"
		}
	}
	return of
}

// runAgain returns the jobs of tables without the column Restarts of which another run may follow one that a row tells of.
func runAgain(from []file.Source, zone *time.Location) map[string]bool {
	again := map[string]bool{}
	reader := Reader{Zone: zone, Columns: []Column{JobID, State}, MostTasks: 1 << 20, Damaged: func(string, int, string) {},
		Row: func(row *Row) error {
			if row.State.MayRunAgain {
				again[string(row.ID)] = true
			}
			return nil
		},
		Header: func(_ string, _ int, h *Header) error {
			if h.Has(Restarts) { // whose rows tell it themselves
				return errFound
			}
			return nil
		}}
	_ = reader.Read(from...) // what is wrong is said when they are read
	return again
}

// usedMemory is what memory that was used is called.
const usedMemory = "mem"

// usedMemory returns how much memory a step has used at most, in kb: all of its tasks together, as Slurm tells it or as their mean tells
// it, or else the task with most, which is at least what the step used where it may have several tasks.
func (row *Row) usedMemory() (kb float64, isAtLeast bool) {
	for part := range bytes.SplitSeq(row.text[TRESUsageInTot], []byte(",")) {
		if text, ok := bytes.CutPrefix(part, []byte("mem=")); ok {
			if kb := sizeInKB(string(text)); kb > 0 {
				return kb, false
			}
		}
	}
	kb = sizeInKB(string(row.text[MaxRSS]))
	tasks := integer(row.text[NTasks])
	if mean := sizeInKB(string(row.text[AveRSS])); mean > 0 && tasks > 0 {
		return max(kb, math.Round(mean*float64(tasks))), false
	}
	return kb, tasks != 1 && !row.hasOneTask()
}

// hasOneTask reports whether a step, of which nothing tells how many tasks it has, has one: a batch script has, what runs on a node
// beside the steps has on each, and one CPU has.
func (row *Row) hasOneTask() bool {
	_, step, _ := bytes.Cut(row.text[JobID], []byte("."))
	switch {
	case row.Has(NTasks):
		return false
	case isStep(step, batchStep), integer(row.text[AllocCPUS]) == 1:
		return true
	}
	return isStep(step, externStep) && integer(row.text[NNodes]) == 1
}

// isStep reports whether a step is one that Slurm makes by itself, be it that the width of the column has cut its name off (ba+).
func isStep(step []byte, name string) bool {
	if begin, isCut := bytes.CutSuffix(step, []byte("+")); isCut && len(begin) > 0 {
		return strings.HasPrefix(name, string(begin))
	}
	return string(step) == name
}

// Steps that Slurm makes by itself.
const batchStep, externStep = "batch", "extern"

// CopiedStep returns what a step is called in a copy, which keeps the names of those that Slurm makes by itself.
func CopiedStep(step string) string {
	for _, name := range []string{batchStep, externStep} {
		if isStep([]byte(step), name) {
			return name
		}
	}
	return "0"
}

// sizeInKB reads a size such as 7168K, 1.50G or, in bytes, 7340032; 0 for what is none.
func sizeInKB(text string) float64 {
	units := map[string]float64{"": 1. / 1024, "K": 1, "M": 1 << 10, "G": 1 << 20, "T": 1 << 30, "P": 1 << 40}
	number := strings.TrimRight(text, "KMGTP")
	x, err := strconv.ParseFloat(number, 64)
	unit, isKnown := units[text[len(number):]]
	const most = 1 << 50 // kb
	if err != nil || !isKnown || !(x >= 0) || x*unit > most {
		return 0
	}
	return math.Round(x * unit)
}

// fates are the states of jobs as Slurm's states have them.
var fates = map[slurm.Fate]trace.State{slurm.Waits: trace.Waiting, slurm.Runs: trace.Running, slurm.IsOver: trace.Ended}

// entryOf returns what a row says of a job.
func entryOf(row *Row, keep trace.Keep) trace.Entry {
	e := trace.Entry{
		ID: row.ID, User: row.Text(User), Group: row.Text(Group), Account: row.Text(Account), Queue: row.Text(Partition), QOS: row.Text(QOS), Name: row.Text(JobName),
		Submit: row.Submit, Arrival: row.Eligible, Start: row.Start, End: row.End, Elapsed: row.Elapsed, Suspended: row.Suspended, State: fates[row.Fate], MayRunAgain: row.State.MayRunAgain, HasLackedMemory: row.State.HasLackedMemory,
		NCPUs: row.CPUs, Nodes: row.Nodes, Mem: row.Mem, Walltime: row.Limit, UsedCput: row.UsedCPU, Exit: exitCode(row.State, row.Exit, row.Signal),
	}
	if row.Fate == slurm.IsOver && row.State.Name != "COMPLETED" { // as an exit status tells of others
		e.Ended = row.Text(State)
	}
	if row.Restarts > 0 {
		e.Restarts = row.Restarts
	}
	if !row.Has(Eligible) {
		e.Arrival = row.Submit
	}
	if e.HostCount = row.Nodes; keep.Hosts && e.Start != Unknown {
		e.Hosts = row.Text(NodeList)
	}
	if keep.Requests {
		e.Request = requestOf(row)
	}
	if len(keep.Asked) > 0 {
		e.Asked = amountsOf(row, keep.Asked)
		e.Resources = resourcesOf(row, keep.Asked, e.Asked)
	}
	return e
}

// inSlurm are the names that Slurm has for resources of PBS.
var inSlurm = map[string]string{"ncpus": "cpu", "nodect": "node", "ngpus": "gres/gpu"}

// amountsOf returns how much of resources a job was given or, where that is not told, as of one that waits, asks for, by
// PBS's or by Slurm's name of each; NaN for what is not told.
func amountsOf(row *Row, resources []string) []float64 {
	amounts := make([]float64, len(resources))
	for i, name := range resources {
		amounts[i] = math.NaN()
		amount := int64(Unknown)
		name = strings.ToLower(name)
		switch name = cmp.Or(inSlurm[name], name); name {
		case "cpu":
			amount = row.CPUs
		case "mem":
			amount = positive(row.givenOf("mem"), row.Mem)
		case "node":
			amount = positive(row.givenOf("node"), row.Nodes)
		default:
			for _, at := range []string{name, "gres/" + name, "license/" + name} {
				amount = max(amount, positive(row.givenOf(at), row.Amount(at)))
			}
		}
		if amount != Unknown {
			amounts[i] = float64(amount)
		}
	}
	return amounts
}

// resourcesOf returns the names of the resources that a row tells of, as Slurm calls them, and of those that are asked for whose amounts
// it tells, by whichever of their names.
func resourcesOf(row *Row, asked []string, amounts []float64) []string {
	names := slices.AppendSeq(slices.Collect(maps.Keys(row.Asked)), maps.Keys(row.Given))
	for i, name := range asked {
		if !math.IsNaN(amounts[i]) {
			names = append(names, name)
		}
	}
	return names
}

// requestOf returns what a job requests in PBS's words.
func requestOf(row *Row) []byte {
	var b []byte
	for _, x := range [...]struct {
		name, unit string
		amount     int64
	}{{"ncpus", "", row.CPUs}, {"mem", "kb", row.Mem}, {"nodect", "", row.Nodes}, {"ngpus", "", row.Amount("gres/gpu")}} {
		if x.amount != Unknown {
			b = strconv.AppendInt(append(append(b, x.name...), '='), x.amount, 10)
			b = append(append(b, x.unit...), trace.RequestEnd)
		}
	}
	return b
}

// signalled is what is added to the number of a signal in an exit status, as PBS does.
const signalled = 256

// exitText returns an exit status as sacct has it, code and signal, or the state of a job that tells none.
func exitText(status int64) string {
	switch {
	case status == trace.KilledAtWalltime:
		return "TIMEOUT"
	case status == trace.FailedInSlurm:
		return "failed"
	case status > signalled:
		return fmt.Sprintf("0:%d", status-signalled)
	}
	return fmt.Sprintf("%d:0", status)
}

// exitCode returns the exit status of a job in a state; a signal counts as PBS has it. A job
// that Slurm ended at its time limit has PBS's status for that, and one that failed never 0.
func exitCode(state *slurm.JobState, code, signal int64) int64 {
	status := code
	if signal > 0 {
		status = signalled + signal
	}
	switch {
	case state.IsAtItsLimit:
		return trace.KilledAtWalltime
	case state.FailsAnyway && (status == 0 || status == Unknown):
		return trace.FailedInSlurm
	}
	return status
}
