// Package sacct reads what Slurm's sacct prints of jobs, tables that are parted by pipes (-P) and JSON,
// into rows of one type: every time, state and amount is read here, and nowhere else.
//
// A Reader says which columns it asks for, and gets each job of one or several files in the order in which they
// tell of time. The tasks of an array that wait stand in one line (20_[5-20%5]); they come as rows of their own.
// Steps (7.batch) do not come. What a row means beside others of the same job is for who asks:
// trace makes a report's jobs of them, and package record of Slurm those of a replay.
package sacct

import (
	"bytes"
	"slices"
)

// Column is a column of sacct.
type Column int

// The columns that are read.
const (
	JobID Column = iota
	JobIDRaw
	State
	Submit
	Eligible
	Start
	End
	Elapsed
	ElapsedRaw
	Suspended
	AllocCPUS
	ReqCPUS
	NNodes
	ReqNodes
	ReqMem
	ReqTRES
	AllocTRES
	Timelimit
	TimelimitRaw
	User
	Group
	Account
	Partition
	QOS
	QOSREQ
	JobName
	Cluster
	ExitCode
	TotalCPU
	NodeList
	Constraints
	Reservation
	ReqReservation
	Licenses
	SubmitLine
	Restarts
	MaxRSS
	AveRSS
	NTasks
	TRESUsageInTot
	columns
)

// names are what the columns are called in lower case, the better one first.
var names = [columns][]string{
	JobID: {"jobid"}, JobIDRaw: {"jobidraw"}, State: {"state"}, Submit: {"submit"}, Eligible: {"eligible"}, Start: {"start"}, End: {"end"},
	Elapsed: {"elapsed"}, ElapsedRaw: {"elapsedraw"}, Suspended: {"suspended"}, AllocCPUS: {"alloccpus", "ncpus"}, ReqCPUS: {"reqcpus"},
	NNodes: {"nnodes", "allocnodes"}, ReqNodes: {"reqnodes"}, ReqMem: {"reqmem"}, ReqTRES: {"reqtres"}, AllocTRES: {"alloctres"}, Timelimit: {"timelimit"}, TimelimitRaw: {"timelimitraw"},
	User: {"user"}, Group: {"group"}, Account: {"account"}, Partition: {"partition"}, QOS: {"qos"}, QOSREQ: {"qosreq"}, JobName: {"jobname"}, Cluster: {"cluster"}, ExitCode: {"exitcode"},
	TotalCPU: {"totalcpu"}, NodeList: {"nodelist"}, Constraints: {"constraints"}, Reservation: {"reservation"}, ReqReservation: {"reqreservation"}, Licenses: {"licenses"}, SubmitLine: {"submitline"}, MaxRSS: {"maxrss"}, AveRSS: {"averss"}, NTasks: {"ntasks"}, TRESUsageInTot: {"tresusageintot"},
	Restarts: {"restarts"},
}

// String returns the name of a column in lower case.
func (c Column) String() string { return names[c][0] }

// Names returns what all columns are called that are read, in lower case: of each the best name first.
func Names() (list [][]string) { return slices.Clone(names[:]) }

// Header is where a table has its columns.
type Header struct {
	*Splitter
	at [columns]int // -1 for none, or where it is not asked for
}

// mayBeInDoubt are the columns with which a row is read even where pipes leave doubt about them: what SubmitLine says is only
// taken where the columns say the same, and of the others that they are not known is said, see Row.IsInDoubt.
var mayBeInDoubt = []Column{SubmitLine, Constraints, Licenses}

// judging are the columns that tell which rows can be those of a job, and which hour of autumn times are of: whoever asks gets
// the same rows.
var judging = []Column{JobID, State, Submit, Eligible, Start, End, Elapsed, ElapsedRaw, Suspended, NodeList, AllocCPUS, Cluster, Restarts}

// newHeader returns the header that a line is, for some columns of it beside those that judge rows.
func newHeader(line []byte, asked []Column) *Header {
	line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	needed := map[string]bool{}
	for column := range columns { // whatever is asked for, so that all who ask get the same rows
		for _, name := range names[column] {
			needed[name] = !slices.Contains(mayBeInDoubt, column)
		}
	}
	h := &Header{Splitter: NewSplitter(line, func(column string) bool { return needed[column] })}
	for column := range h.at {
		h.at[column] = -1
	}
	for _, column := range slices.Concat(judging, asked) {
		for _, name := range slices.Backward(names[column]) {
			if at := slices.Index(h.Names, name); at >= 0 {
				h.at[column] = at
			}
		}
	}
	return h
}

// Has reports whether a table has one of some columns.
func (h *Header) Has(list ...Column) bool {
	return slices.ContainsFunc(list, func(column Column) bool { return h.at[column] >= 0 })
}

// IsWhole reports whether the columns are there without which nothing is known of a job.
func (h *Header) IsWhole() bool {
	return len(h.Names) > 1 && h.Has(JobID) && h.Has(State) && h.Has(Submit, Start)
}

// Missing returns the columns that a text lacks which begins with others of sacct, without which no job can be told; none for
// another text.
func Missing(first []byte) (names []string) {
	line, _, _ := bytes.Cut(Begin(first), []byte("\n"))
	const fewest = 4 // columns, one of which no other command has
	h, known, isOwn := newHeader(line, everyColumn()), 0, false
	for _, c := range everyColumn() {
		if h.Has(c) {
			known++
			isOwn = isOwn || slices.Contains([]Column{JobIDRaw, Elapsed, ElapsedRaw, AllocCPUS, End, ExitCode}, c)
		}
	}
	if known < fewest || !isOwn {
		return nil
	}
	for _, c := range []Column{JobID, State, Submit} {
		if !h.Has(c) && (c != Submit || !h.Has(Start)) {
			names = append(names, c.String())
		}
	}
	return names
}

// IsHeader reports whether a line within a table begins another one.
func IsHeader(line []byte) bool {
	if !bytes.Contains(line, []byte("JobID")) {
		return false
	}
	h := newHeader(line, []Column{JobID, Submit, Start})
	return h.Has(JobID) && (h.Has(Submit, Start) || namesColumns(line))
}

// IsTable reports whether a text begins like what sacct prints, with -P or without, or with --json.
func IsTable(first []byte) bool {
	first = bytes.TrimLeft(first, " \t\r\n\xef\xbb\xbf")
	if len(first) > 0 && first[0] == '{' {
		return bytes.Contains(first, []byte(`"jobs"`)) && bytes.Contains(first, []byte(`"allocation_nodes"`))
	}
	line, rest, _ := bytes.Cut(Begin(first), []byte("\n"))
	if rule, _, _ := bytes.Cut(rest, []byte("\n")); !bytes.Contains(line, []byte("|")) && !IsRule(rule) {
		return false
	}
	return newHeader(line, []Column{JobID, State, Submit, Start}).IsWhole()
}

// IsPart reports whether a text begins like a table of sacct that tells something of jobs by their JobID: beside tables that tell when they
// ran it adds to those.
func IsPart(first []byte) bool {
	line, rest, _ := bytes.Cut(Begin(first), []byte("\n"))
	if rule, _, _ := bytes.Cut(rest, []byte("\n")); !bytes.Contains(line, []byte("|")) && !IsRule(rule) || !slices.Contains(Columns(string(line)), "JobID") { // to others JOBID
		return false
	}
	h := newHeader(line, everyColumn())
	return slices.ContainsFunc(everyColumn(), func(c Column) bool { return c != JobID && h.Has(c) })
}

// everyColumn returns all columns that are read.
func everyColumn() (all []Column) {
	for c := range columns {
		all = append(all, c)
	}
	return all
}

// IsPrinted reports whether a text begins like what sacct prints, also in a form or with columns that are not read.
func IsPrinted(first []byte) bool {
	const name = "JobID" // to others JOBID
	first = Begin(first)
	return Missing(first) != nil || len(first) > len(name) && bytes.HasPrefix(first, []byte(name)) && bytes.ContainsRune([]byte(" |,\t"+delimiters), rune(first[len(name)]))
}
