package sacct

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"

	"fairshare/cmd/internal/slurm"
)

// Row is what sacct tells of a job. Its texts hold until the next one comes.
type Row struct {
	ID      []byte // of the job, such as 7, 20_5 of an array and 7+1 of a heterogeneous job
	Printed []byte // as ID stands in the file: 20_[5-20%5] of an array's tasks that wait

	// State is what became of the job; where no column tells, it has no name, and a fate as the times tell.
	State *slurm.JobState
	Fate  slurm.Fate

	// Times are in seconds since 1970. A job that waits has neither a start nor an end, one that runs no end, and
	// one that is over has no start where it never ran.
	Submit, Eligible, Start, End int64

	Elapsed, Suspended int64 // seconds
	UsedCPU            int64 // seconds
	Limit              int64 // seconds, Unknown for none
	CPUs               int64 // that it was given, or else that it asked for
	AskedCPUs          int64 // ReqCPUS
	Nodes, Mem         int64 // that it asked for, or was given; Mem in kb
	Exit, Signal       int64
	Restarts           int64 // how often it was queued again

	// Amounts by the names of resources in lower case, memory in MB; nil where nothing tells them. Rows share them.
	Asked, Given map[string]float64

	header *Header
	text   [columns][]byte
}

// Text returns what stands in a column, without blanks around it.
func (row *Row) Text(c Column) []byte { return row.text[c] }

// Has reports whether a column says something, be it that it is not known.
func (row *Row) Has(c Column) bool { return len(row.text[c]) > 0 }

// IsInDoubt reports whether pipes in a row leave doubt about what stands in a column, which is then as an empty one.
func (row *Row) IsInDoubt(c Column) bool {
	at := row.header.at[c]
	return row.header.Splitter != nil && at >= 0 && slices.Contains(row.header.doubt, at)
}

// HasColumn reports whether the table has a column, whatever stands in it.
func (row *Row) HasColumn(c Column) bool { return row.header.Has(c) }

// Amount returns how much a job asked for of a resource or, where that is not told, was given: memory in
// kb. It is Unknown where there is none.
func (row *Row) Amount(resource string) int64 {
	if amount := amountIn(row.Asked, resource); amount != Unknown {
		return amount
	}
	return row.givenOf(resource)
}

// givenOf returns how much a job was given of a resource, memory in kb. It is Unknown where there is none.
func (row *Row) givenOf(resource string) int64 { return amountIn(row.Given, resource) }

func amountIn(amounts map[string]float64, resource string) int64 {
	n := amounts[resource]
	if n <= 0 {
		return Unknown
	}
	if resource == "mem" {
		n *= 1024
	}
	return int64(math.Round(n))
}

// word returns the name of a state, such as CANCELLED of "CANCELLED by 6001".
func word(text []byte) []byte {
	word, _, _ := bytes.Cut(text, []byte(" "))
	return bytes.TrimRight(word, "+")
}

// parse reads what stands in the columns of a row, or says why it cannot be read.
func (r *Reader) parse(row *Row) error {
	if len(row.ID) == 0 || row.ID[0] < '0' || row.ID[0] > '9' {
		return fmt.Errorf("%q is no job", row.ID)
	}
	if row.State = slurm.StateNamed(word(row.text[State])); row.State.Fate == 0 && row.header.Has(State) {
		return fmt.Errorf("%q is no state of a job", row.text[State])
	}
	r.clock.isTwice = false
	for _, f := range [...]struct {
		column Column
		into   *int64
	}{{Submit, &row.Submit}, {Eligible, &row.Eligible}, {Start, &row.Start}, {End, &row.End}} {
		var ok bool
		if *f.into, ok = r.clock.time(row.text[f.column]); !ok {
			return fmt.Errorf("%s %q is no time", f.column, row.text[f.column])
		}
	}
	if row.Elapsed = integer(row.text[ElapsedRaw]); row.Elapsed == Unknown {
		row.Elapsed = duration(row.text[Elapsed])
	}
	r.orderTimes(row)
	end := row.End // also of a job that runs
	row.place()
	if row.Fate == slurm.IsOver && row.Start != Unknown && row.End == Unknown && row.header.Has(End) {
		return fmt.Errorf("the job is over (%s), but when it ended is not told", row.State.Name) // it would count to the end of the record
	}
	if row.Fate == slurm.IsOver && row.header.Has(Start) && !row.Has(Start) { // else Unknown or None is printed
		return fmt.Errorf("the job is over (%s), but whether it started is not told", row.State.Name)
	}
	row.Suspended, row.UsedCPU = duration(row.text[Suspended]), duration(row.text[TotalCPU])
	r.back.take(row)
	if err := row.possible(end); err != nil {
		return err
	}
	row.Asked, row.Given = r.amounts(row.text[ReqTRES]), r.amounts(row.text[AllocTRES])
	row.AskedCPUs = integer(row.text[ReqCPUS])
	if row.CPUs = positive(integer(row.text[AllocCPUS]), row.AskedCPUs); row.CPUs == Unknown {
		row.CPUs = int64(max(row.Given["cpu"], 0))
		row.CPUs = positive(row.CPUs, row.Amount("cpu"))
	}
	const mostThings = 100_000_000
	if row.CPUs > mostThings {
		return fmt.Errorf("%d cpus are more than any machine has", row.CPUs)
	}
	row.Nodes = positive(integer(row.text[NNodes]), int64(max(row.Given["node"], 0)), integer(row.text[ReqNodes]), row.Amount("node"))
	row.Mem = positive(amountIn(row.Asked, "mem"), row.memory(), row.givenOf("mem"))
	row.Limit = limit(row.text[Timelimit], row.text[TimelimitRaw])
	row.Restarts = integer(row.text[Restarts])
	code, signal, _ := bytes.Cut(row.text[ExitCode], []byte(":"))
	row.Exit, row.Signal = integer(code), integer(signal)
	return nil
}

// place takes away the times that are none: when a job that waits is expected to start, and when one began that
// was over before it ran.
func (row *Row) place() {
	row.Fate = row.State.Fate
	switch {
	case row.Fate != 0:
	case row.End != Unknown:
		row.Fate = slurm.IsOver
	case row.Start != Unknown:
		row.Fate = slurm.Runs
	default:
		row.Fate = slurm.Waits
	}
	switch row.Fate {
	case slurm.Waits:
		row.Start, row.End = Unknown, Unknown
	case slurm.Runs:
		row.End = Unknown
	case slurm.IsOver:
		if row.isOverUnrun() {
			row.Start = Unknown
		}
	}
}

// isOverUnrun reports whether a job that is over was so before it ran.
func (row *Row) isOverUnrun() bool {
	list := row.text[NodeList]
	isNowhere := bytes.HasPrefix(list, []byte("None")) || len(list) == 0 && (row.header.Has(NodeList) || row.State.Name == "CANCELLED")
	hasRun := row.Elapsed > 0 || row.Elapsed == Unknown && row.Start != row.End
	return row.Fate == slurm.IsOver && isNowhere && !hasRun
}

// amounts reads a list such as cpu=8,mem=16000M, nil if it says nothing or cannot be read. Most jobs ask for what
// others do.
func (r *Reader) amounts(text []byte) map[string]float64 {
	if len(text) == 0 {
		return nil
	}
	amounts, isKnown := r.lists[string(text)]
	if !isKnown {
		const most = 1 << 16
		if len(r.lists) > most {
			clear(r.lists)
		}
		if list, err := slurm.ParseAmounts(string(text)); err == nil {
			amounts = slurm.AmountsByName(list)
		}
		r.lists[string(text)] = amounts
	}
	return amounts
}

// memory reads ReqMem, which in old versions is that of each node (4Gn) or cpu (2000Mc): Unknown where nothing tells how many CPUs the job has.
func (row *Row) memory() int64 {
	text, times := string(row.text[ReqMem]), int64(1)
	if number, isOfNode := strings.CutSuffix(text, "n"); isOfNode {
		text, times = number, max(1, row.Nodes) // as all that is made of a job of which nothing tells that
	} else if number, isOfCPU := strings.CutSuffix(text, "c"); isOfCPU {
		text, times = number, row.CPUs
	}
	if text == "" || times <= 0 {
		return Unknown
	}
	list, err := slurm.ParseAmounts("mem=" + text)
	if err != nil {
		return Unknown
	}
	return int64(math.Round(list[0].Count * 1024 * float64(times)))
}

// limit reads a time limit, and minutes where that says nothing. 0 is no limit.
func limit(text, minutes []byte) int64 {
	if seconds := duration(text); seconds > 0 {
		return seconds
	}
	const most = 1<<31 - 1 // above it are marks for no limit
	n := positive(integer(text), integer(minutes))
	if n == Unknown || n > most {
		return Unknown
	}
	return n * 60
}
