package trace

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
)

// Trace is the work that a site has recorded.
type Trace struct {
	Jobs     []*Job // in the order in which they first come; arrays stand for nothing, their subjobs do
	Names    Names  // of users, groups, accounts, projects, queues and jobs
	Types    map[string]int
	Problems []Problem
	Unlisted int // problems beyond the first maxProblems
	Used     []string
	Places   []Placement    // where jobs ran, in the order of the logs, if Keep.Places asks for it
	Clusters []string       // that rows of sacct name
	Servers  map[string]int // of PBS, how many jobs each has
	Remarks  []diag.Remark  // of the format that it was read in, on what its files do not tell
	Unseen   Unseen         // runs that rows of sacct tell of and that have none themselves
	Paused   Paused         // jobs of which rows of sacct tell that they were suspended, and not when
	Released Released       // jobs that gave vnodes back before they ended
	Doubled  int            // rows of sacct about runs that other rows tell of as well
	IsTimed  bool           // whether nothing tells when jobs came and ran, but maybe for how long they ran
	Undated  string         // the column that a table of sacct lacks, without which nothing tells when jobs came that have not started; "" for none

	IsOfNow    bool  // whether it is a list of qstat's in which no job has ended: what is there now, and no record of what ran
	ExecVnodes Names // of Places, apart from other names, whose numbers do not depend on whether places are kept

	First, Last int64 // of all times, in seconds since 1970; Unknown where there is none
	Printed     int64 // up to when it tells of jobs that run, where that is later than Last; 0 where nothing tells it

	index         map[string]int32 // in Jobs, by ID
	zones         map[int64]int    // of records of a start, by how far their local time is from the start in quarters of an hour
	spare         []Job            // memory for jobs to come
	Naming        *Naming          // of its kinds of names, nil for that of accounting logs
	HasNoUsers    bool             // whether nothing tells whose jobs they are
	PrintsAll     string           // what prints the jobs of all, where another one has one's own jobs alone; "" for accounting logs, which have all
	users         userSet          // who has jobs
	Nests         string           // what prints which accounts are below others, "" where none is
	Parents       Parents          // of the accounts of a site whose jobs are replayed
	keepsRequests bool
	keepsPlaces   bool
	keepsHosts    bool
	keepsNames    bool
	asksFor       []string  // as Keep.Asked
	isSlurm       bool      // see OfSlurm
	isTorque      bool      // see IsTorque
	isOfTable     bool      // whether it is of a table of runs, which has no reservations' queues
	used          []float64 // of job i from i*len(Used) on
	clock         clock

	begin     int64            // the time of the first line
	until     int64            // no later record is read; 0 for all
	placed    map[int32]string // the exec_vnode of jobs that run when the record is cut, by their places in Jobs
	requested nameSet          // resources that jobs request, where amounts of some are kept
	hours     map[int64]bool   // that have lines, counted from 1970, local
	named     map[int64]bool   // days, counted from 1970, that files are named after
	startless int              // see Continuity
	endless   int
	again     int
	untold    []Untold // by the places in ofEach; nil for none

	comments []string // of a trace in the Standard Workload Format

	asked []float64 // like used
	stream
}

// Unseen are runs of jobs that were queued again, of which a record tells only that they were.
type Unseen struct{ Jobs, Runs int }

// Paused are jobs that were suspended, and for how long in all.
type Paused struct {
	Jobs        int
	CoreSeconds int64
}

// maxProblems bounds what a file of garbage leaves in memory.
const maxProblems = 1000

// Names numbers names, from 0 on in the order in which they first come; 0 is "".
type Names struct {
	List  []string
	index map[string]int32
}

func (n *Names) number(name []byte) int32 {
	if i, ok := n.index[string(name)]; ok {
		return i
	}
	i := int32(len(n.List))
	n.List = append(n.List, string(name))
	n.index[n.List[i]] = i
	return i
}

// Keep says what is kept of jobs that few need.
type Keep struct {
	Used     []string // resources whose use is kept, see UseOf
	Asked    []string // resources whose requested amounts are kept, see AskedBy
	Requests bool     // whether Job.Request is, and what changes on a job's way
	Hosts    bool     // whether Job.HostCount is, and Job.Hosts where jobs are
	Names    bool     // whether Job.Name is also where jobs are handed over to Done
	Places   bool     // whether Trace.Places are, which takes Requests as well
	seen     *nameSet // gets the names of requested resources, where amounts of some are kept
	ZoneTold bool     // whether records that tell another time zone than the one given are right
	Until    int64    // of accounting logs, the time up to which records are read, in seconds since 1970; 0 for all

	// Done, if it is given, gets each job and its number for UseOf and AskedBy once nothing more
	// is to come of it. It is not kept then, nor its name without Names, and Jobs is empty in the end.
	Done func(t *Trace, j *Job, number int)
}

func newTrace(keep Keep) *Trace {
	t := &Trace{
		Names: Names{[]string{""}, map[string]int32{"": 0}}, ExecVnodes: Names{[]string{""}, map[string]int32{"": 0}}, Types: map[string]int{}, Servers: map[string]int{}, Used: keep.Used, keepsRequests: keep.Requests, keepsPlaces: keep.Places, keepsHosts: keep.Hosts, asksFor: keep.Asked,
		First: Unknown, Last: Unknown, begin: Unknown, stream: stream{done: keep.Done, resources: len(keep.Asked)}, index: map[string]int32{}, zones: map[int64]int{}, hours: map[int64]bool{}, named: map[int64]bool{},
		until: keep.Until, placed: map[int32]string{}, keepsNames: keep.Names || keep.Done == nil,
	}
	if keep.Done != nil {
		t.occupied = &Occupancy{}
	}
	return t
}

// Read reads accounting logs, in whatever files their lines are (see Logs); or a single trace, as ReadSWF does. Their
// local times are in a zone, or as their records tell where they do and Keep.Zone says so. Files of other
// formats are read as those do.
func Read(logs []file.Source, zone *time.Location, keep Keep, formats ...Format) (*Trace, error) {
	if len(logs) == 1 {
		from, first, err := peek(logs[0])
		format := formatOf(formats, first)
		switch {
		case err != nil:
			return nil, err
		case IsSWF(first):
			t, err := ReadSWF(from, keep)
			return t.handed(err)
		case format != nil:
			t, err := format.Read([]file.Source{from}, zone, keep)
			return t.handed(err)
		}
		if err := Check(from.Name, first, formats); err != nil {
			return nil, err
		}
		logs = []file.Source{from}
	}
	t := newTrace(keep)
	var dated []datedLog
	var tables []file.Source // of one of the formats
	var tabular *Format
	for _, from := range logs {
		first := int64(Unknown)
		if len(logs) > 1 { // a single one may be readable once
			of, begin, err := peek(from)
			if err != nil {
				return nil, err
			}
			if in, err := of.Open(); err == nil {
				in.Close() // who reads it opens it anew
			}
			format := cmp.Or(formatOf(formats, begin), partOf(formats, begin))
			if format != nil && (tabular == nil || tabular.Name == format.Name) {
				tables, tabular = append(tables, from), format
				continue
			}
			if first, err = firstWall(from); err != nil {
				return nil, err
			}
			if first == Unknown {
				if len(begin) > 0 {
					t.AddProblem(Problem{from.Name, 1, "it " + newNotLogError("", begin, formats).what() + "; it is left out"})
				}
				continue
			}
		}
		dated = append(dated, datedLog{Source: from, first: first})
	}
	if len(dated) == 0 && len(tables) > 0 {
		of, err := tabular.Read(tables, zone, keep)
		of.Problems = slices.Concat(t.Problems, of.Problems)
		return of.handed(err)
	}
	for _, from := range tables {
		t.AddProblem(Problem{from.Name, 1, "it is " + tabular.Name + " beside accounting logs; it is left out"})
	}
	if len(dated) == 0 && len(t.Problems) > 0 {
		return nil, fmt.Errorf("none of the files is an accounting log, such as %w", t.Problems[0])
	}
	sorted := order(dated)
	for _, log := range sorted.Sources {
		t.clock = clock{zone: zone, hour: -1, isTold: keep.ZoneTold, said: t.clock.said, hasSaid: t.clock.hasSaid}
		if err := readLog(log, keep, t.add); err != nil {
			return nil, err
		}
	}
	t.again += sorted.Again()
	for _, p := range sorted.Problems() {
		t.AddProblem(p)
	}
	t.closeLogs(logs)
	return t.handed(nil)
}

// closeLogs notes what is known once all logs have been read.
func (t *Trace) closeLogs(logs []file.Source) {
	for _, log := range logs {
		if day, ok := DayOfName(log.Name); ok {
			t.named[day] = true
		}
	}
	for _, j := range t.Jobs {
		if j != nil {
			t.resume(j, t.Last+1) // what is suspended in the end stays so
			if t.done == nil {
				t.miss(j)
				t.released(j)
			}
		}
	}
	t.endDead()
}

// Format is another format of records than accounting logs.
type Format struct {
	Name string                  // of a file, such as "a table of sacct"
	Is   func(begin []byte) bool // whether a file begins as one
	Read func(from []file.Source, zone *time.Location, keep Keep) (*Trace, error)

	IsLast bool                      // whether files of it may look like those of others, which are asked before
	IsPart func(begin []byte) bool   // whether a file adds to others of it, though by itself it tells too little; nil for none
	IsLike func(begin []byte) bool   // whether a file has the same in a form that is not read, nil for none
	Piece  func(begin []byte) string // what a file is that is something else of a site of that scheduler, "" or nil for nothing
	Hint   func(begin []byte) string // what that is, and what it lacks

	Among func(t *file.Tree) ([]file.Source, []diag.Remark, error) // its files, and those that add to others, that stand among other texts in one file; an error for none, nil where they never do

	Marks func(from []file.Source) []Mark // what files of it tell together of the zone of their local times; nil where each tells it of its own lines

	Timed func(begins [][]byte) *Format // of files that tell together how long jobs ran and not when, see Trace.IsTimed; nil for none
	Like  string                        // what that is
}

// formatOf returns the format that a file begins as, nil for none. JSON that is known as something else of a site is of none that is asked last.
func formatOf(formats []Format, begin []byte) *Format {
	for _, isLast := range []bool{false, true} {
		if isLast && bytes.HasPrefix(begin, []byte("{")) && PieceOf(begin, formats) != "" {
			return nil
		}
		at := slices.IndexFunc(formats, func(f Format) bool { return f.IsLast == isLast && f.Is(begin) })
		if at >= 0 {
			return &formats[at]
		}
	}
	return nil
}

// partOf returns the format to whose files one adds that begins in some way, nil for none.
func partOf(formats []Format, begin []byte) *Format {
	if at := slices.IndexFunc(formats, func(f Format) bool { return f.IsPart != nil && f.IsPart(begin) }); at >= 0 {
		return &formats[at]
	}
	return nil
}

// NotLogError is a file that is no accounting log.
type NotLogError struct{ Name, Kind, hint string }

// newNotLogError returns what is to be said of a file that begins in some way and is no log.
func newNotLogError(name string, begin []byte, formats []Format) *NotLogError {
	for _, f := range formats {
		if f.IsLike != nil && f.IsLike(begin) {
			return &NotLogError{name, f.Like, f.Hint(begin)}
		}
	}
	kind := file.KindOf(begin)
	if kind == "" || kind == file.CSV || kind == file.JSON {
		kind = cmp.Or(PieceOf(begin, formats), kind)
	}
	return &NotLogError{Name: name, Kind: kind}
}

// PieceOf says what of a site a file is that begins in some way and is nothing that one of the formats reads, "" where none knows.
func PieceOf(begin []byte, formats []Format) string {
	for _, f := range formats {
		if f.Piece != nil {
			if is := f.Piece(begin); is != "" {
				return is
			}
		}
	}
	return ""
}

func (e *NotLogError) Error() string { return e.Name + " " + e.what() }

func (e *NotLogError) what() string {
	const not = "neither an accounting log nor a trace in the Standard Workload Format"
	switch {
	case e.hint != "":
		return "is " + e.hint
	case e.Kind == "":
		return "is " + not
	}
	return "is " + e.Kind + ", and " + not
}

// Check returns a *NotLogError for a file that begins in some way and that Read would not read by itself.
func Check(name string, first []byte, formats []Format) error {
	if len(first) == 0 || IsSWF(first) || formatOf(formats, first) != nil || IsLog(first) {
		return nil
	}
	return newNotLogError(name, first, formats)
}

// IsLog reports whether one of the lines at the begin of a file is an accounting log's, whatever its time.
func IsLog(first []byte) bool {
	for line := range bytes.Lines(first) {
		stamp, _, isCut := bytes.Cut(line, []byte(";"))
		if _, ok := parseStamp(stamp); ok && isCut {
			return true
		}
	}
	return false
}

// ErrAlone says that a trace that is no accounting log is one of several files.
var ErrAlone = errors.New("a trace in the Standard Workload Format is read by itself")

// peek returns a file, which can be read once then, and how it begins.
func peek(from file.Source) (file.Source, []byte, error) {
	in, err := from.Open()
	if err != nil {
		return from, nil, err
	}
	const enough = 64 << 10 // for the comments at the begin of a trace
	plain, first, err := file.Begin(from.Name, in, enough)
	if err != nil {
		in.Close()
		return from, nil, err
	}
	first = bytes.Clone(first)
	opened := struct {
		io.Reader
		io.Closer
	}{plain, in}
	return file.Source{Name: from.Name, Open: func() (io.ReadCloser, error) { return opened, nil }}, first, nil
}

// Begin returns when the logs begin, which jobs that ran then precede; Unknown where they
// have nothing.
func (t *Trace) Begin() int64 { return known(t.begin, t.First) }

// RunsUpTo returns up to when the logs tell that those jobs run which still do: a table tells for how long they have, which may be later than
// all of its times.
func (t *Trace) RunsUpTo() int64 { return max(t.Last, t.Printed) }

// RunsPast returns RunsUpTo where that is later than all times of the logs, else Unknown.
func (t *Trace) RunsPast() int64 {
	if t.Printed > t.Last {
		return t.Printed
	}
	return Unknown
}

// saw keeps the first and the last of all times.
func (t *Trace) saw(at int64) {
	if t.First == Unknown || at < t.First {
		t.First = at
	}
	if t.Last == Unknown || at > t.Last {
		t.Last = at
	}
}

// UseOf returns what a job has used of the resources that were asked for, NaN for
// what its record does not say.
func (t *Trace) UseOf(job int) []float64 { return t.used[job*len(t.Used) : (job+1)*len(t.Used)] }
