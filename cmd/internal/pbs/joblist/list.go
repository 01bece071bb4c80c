// Package joblist holds a list of jobs as columns: for each job only what a
// formula, the order and the output need.
package joblist

import (
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/qstat"
	"fairshare/cmd/internal/trace"
)

// List is a list of jobs.
type List struct {
	facts
	Columns []string // names of the amounts that are kept of each job
	Format  qstat.Format

	// IsComplete is whether a resource that a job does not have is one that it does
	// not request, as in what qstat prints.
	IsComplete bool

	// TellsSuspension is whether Started of the jobs that the scheduler has suspended is when it
	// did.
	TellsSuspension bool

	// What stands around the records in the input, where they are kept.
	Before, Between, After []byte

	blocks []*block // of blockRows rows, the last one of fewer
	seen   idTable
}

// facts are what is known of several jobs together.
type facts struct {
	Users      Names
	Queues     Names
	Entities   Names
	Groups     Names           // egroup, where Options.Groups asks for them
	Projects   Names           // likewise
	Comments   Names           // texts that PBS writes of jobs, such as why they do not run, when it expects to start them, when they came to their queue and what they ask for; likewise
	Requested  map[string]bool // resources with an amount that some job requests
	Asking     map[string]int  // resources, and how many jobs ask for each
	Counts     map[string]int  // of Options.Counted, how many jobs have such a value
	Unreadable map[int]string  // by row, an amount that the scheduler cannot read, such as "mem=1pb"
	Problems   map[string]int  // kinds of damage, and how often each was met
	Missing    map[string]int  // attributes, and how many jobs lack them
	Unused     []string        // columns of CSV that nobody knows
	Unknown    pbs.Unknown     // attributes that are not known here
	HasColumn  []bool          // by column, whether some job has an amount of it
	IsOwn      bool            // whether this program wrote the list
	Repeats    int             // how many jobs are repeated
	TorqueJobs int             // that are TORQUE's
	Ranked     int             // that have a queue_rank
	Unranked   int             // that have not left, and have none that can be read
}

func newFacts(columns int) facts {
	return facts{HasColumn: make([]bool, columns), Requested: map[string]bool{}, Asking: map[string]int{}, Counts: map[string]int{}, Unreadable: map[int]string{}, Problems: map[string]int{}, Missing: map[string]int{}}
}

// Job is one job of a list.
type Job struct {
	ID      string
	Rank    float64 // queue_rank
	User    int32   // a number in List.Users
	Queue   int32   // in List.Queues
	Entity  int32   // in List.Entities
	Group   int32   // in List.Groups
	Project int32   // in List.Projects
	Comment int32   // in List.Comments
	Changed int32   // mtime, when PBS changed something of it last and before which it wrote the comment; likewise
	Expects int32   // estimated.start_time, likewise
	Queued  int32   // qtime, likewise
	Until   int32   // Execution_Time, likewise
	Asks    int32   // what it asks for as a whole, likewise
	Course  int32   // of a job that does not wait in its queue: what has become of it, likewise, as courseOf has it
	Subjobs int32   // of an array, how many wait; 1 for other jobs
	State   byte    // job_state, 0 if it is not said

	isUntold   bool // of an array, whether nothing tells how many of its subjobs wait
	IsRepeated bool // whether a job before it has its ID

	IsIneligible bool // whether PBS says that its eligible_time does not grow: accrue_type 1; where comments are kept

	IsPreempted bool  // whether the scheduler has suspended it: state S in substate 45
	HasRun      bool  // whether it has run before, by its run_count
	Running     int32 // of an array, how many subjobs run; of other jobs 1 in state R
	Started     int64 // when it first started, in seconds of the list's clock; 0 where that is not told (see TellsSuspension)
}

// blockRows are kept together: a long list grows by blocks, not by copying.
const blockRows = 4096

// block is some rows of a list.
type block struct {
	rows    []Job
	amounts []float64 // of row i from i*len(List.Columns) on
	records []string  // as they stand in the input
}

// Len returns the number of jobs.
func (l *List) Len() int {
	if len(l.blocks) == 0 {
		return 0
	}
	return (len(l.blocks)-1)*blockRows + len(l.blocks[len(l.blocks)-1].rows)
}

// Job returns the job of a row.
func (l *List) Job(row int) *Job { return &l.blocks[row/blockRows].rows[row%blockRows] }

// Amount returns what the job of a row has of a column.
func (l *List) Amount(row, column int) float64 {
	return l.blocks[row/blockRows].amounts[row%blockRows*len(l.Columns)+column]
}

// With returns the list with another amount of a column in one row; all else is that of the list.
func (l *List) With(row, column int, amount float64) *List {
	changed, of := *l, *l.blocks[row/blockRows]
	of.amounts = slices.Clone(of.amounts)
	of.amounts[row%blockRows*len(l.Columns)+column] = amount
	changed.blocks = slices.Clone(l.blocks)
	changed.blocks[row/blockRows] = &of
	return &changed
}

// Comment returns what PBS says of the job of a row, such as why it does not run; "" where it says nothing, or comments are not kept.
func (l *List) Comment(row int) string { return l.Comments.Of(l.Job(row).Comment) }

// EstimatedStart returns when PBS itself expects to start the job of a row that waits, as it prints the time; "" where it says nothing,
// or comments are not kept.
func (l *List) EstimatedStart(row int) string {
	if j := l.Job(row); j.State == 'Q' {
		return l.Comments.Of(j.Expects)
	}
	return ""
}

// Asks returns what the job of a row asks for that its vnodes and the time depend on, as PBS prints it; "" where it is not told, or comments
// are not kept.
func (l *List) Asks(row int) string { return l.Comments.Of(l.Job(row).Asks) }

// Changed returns when PBS changed something of the job of a row last, such as its comment, as it prints the time; "" where it is not told,
// or comments are not kept.
func (l *List) Changed(row int) string { return l.Comments.Of(l.Job(row).Changed) }

// Queued returns when the job of a row came to its queue, as PBS prints the time; "" where it is not told, or comments are not kept.
func (l *List) Queued(row int) string { return l.Comments.Of(l.Job(row).Queued) }

// HeldUntil returns until when the job of a row is held in state W, as PBS prints the time; "" for others and where it is not told, or
// comments are not kept.
func (l *List) HeldUntil(row int) string {
	if j := l.Job(row); j.State == 'W' {
		return l.Comments.Of(j.Until)
	}
	return ""
}

// Record returns the job of a row as it stands in the input, where records are
// kept.
func (l *List) Record(row int) string { return l.blocks[row/blockRows].records[row%blockRows] }

// HasLeft reports whether a job is finished, moved or an expired subjob, which
// qstat -x lists and the scheduler does not see any more.
func (j *Job) HasLeft() bool {
	return j.State == 'C' || j.State == 'F' || j.State == 'M' || j.State == 'X'
}

// IsEvaluated reports whether the scheduler evaluates the formula for a row.
func (l *List) IsEvaluated(row int) bool { return l.Unreadable[row] == "" && !l.Job(row).HasLeft() }

// Arrays returns the IDs of the list's job arrays.
func (l *List) Arrays() map[string]bool {
	arrays := map[string]bool{}
	for row := range l.Len() {
		if id := l.Job(row).ID; trace.IsArray(id) {
			arrays[id] = true
		}
	}
	return arrays
}

// LooksLikeID reports whether a text may be a job's ID: 12.server, 12[], 12[3], 12.
func LooksLikeID(text string) bool { return qstat.LooksLikeID([]byte(text)) }

// FindError says that a list has no job of an ID, or several.
type FindError struct {
	Detail string
	Like   []string // IDs that may be meant
}

func (e *FindError) Error() string { return e.Detail }

// Find returns the row of a job by its ID, or by its ID without the server where
// the list has only one such job. The number of an array is enough. The error is a *FindError.
func (l *List) Find(id string) (int, error) {
	var found, arrays []int
	for row := range l.Len() {
		name := l.Job(row).ID
		if name == id {
			return row, nil
		}
		if trace.WithoutServer(name) == id {
			found = append(found, row)
		} else if trace.IsArray(name) && trace.IsNamed(name, id) {
			arrays = append(arrays, row)
		}
	}
	if len(found) == 0 {
		found = arrays
	}
	if len(found) == 0 {
		if !LooksLikeID(id) {
			return 0, &FindError{"the list has no job named " + id, l.like(id)}
		}
		why := diag.MayHaveEnded
		if l.IsCut() {
			why = "it may stand behind where the list is cut off, or have ended"
		}
		return 0, &FindError{"the list has no job " + id + ": " + why, l.like(id)}
	}
	for _, row := range found[1:] {
		if a, b := l.Job(found[0]).ID, l.Job(row).ID; a != b {
			return 0, &FindError{fmt.Sprintf("%s is %s and %s: name the server too", id, a, b), nil}
		}
	}
	return found[0], nil
}

// like returns IDs of the list that an ID may be meant for: those of its array
// and of its subjobs, and those with the same number on another server.
func (l *List) like(id string) []string {
	const most = 5
	number := leadingDigits(id)
	var like []string
	for row := range l.Len() {
		if name := l.Job(row).ID; number != "" && leadingDigits(name) == number && len(like) < most {
			like = append(like, name)
		}
	}
	return like
}

func leadingDigits(id string) string { return id[:len(id)-len(strings.TrimLeft(id, "0123456789"))] }

// Index returns the rows of all jobs by their IDs, the first one where an ID
// stands several times.
func (l *List) Index() map[string]int {
	rows := make(map[string]int, l.Len())
	for row := range l.Len() {
		if _, twice := rows[l.Job(row).ID]; !twice {
			rows[l.Job(row).ID] = row
		}
	}
	return rows
}
