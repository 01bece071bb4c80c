package trace

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/file"
)

// Columns of the Standard Workload Format, version 2.2.
const (
	swfNumber = iota
	swfSubmit
	swfWait
	swfRun
	swfProcessors
	swfCPU // mean seconds of a processor
	swfMemory
	swfRequested
	swfWalltime
	swfRequestedMemory // kb of a processor
	swfStatus
	swfUser
	swfGroup
	swfExecutable
	swfQueue
	swfPartition
	swfColumns = 18
)

// swfCancelled is the status of a job that was cancelled.
const swfCancelled = 5

// IsSWF reports whether a text looks like a trace in the Standard Workload Format:
// comments that begin with a semicolon, and lines of numbers.
func IsSWF(first []byte) bool {
	const fewest = 5
	for line := range bytes.Lines(first) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		if line[0] == ';' {
			return true // no accounting log has such a line
		}
		words := bytes.Fields(line)
		if len(words) < fewest {
			return false
		}
		for _, word := range words[:fewest] {
			if _, err := strconv.ParseFloat(string(word), 64); err != nil {
				return false
			}
		}
		return true
	}
	return false
}

// ReadSWF reads a trace in the Standard Workload Format. Users, groups and queues
// may be names or numbers, for which the header may have names; -1 is unknown. What
// jobs have used is not kept.
func ReadSWF(from file.Source, keep Keep) (*Trace, error) {
	t := newTrace(keep)
	h := swfHeader{names: map[string]string{}}
	problem := func(number int, detail string) { t.AddProblem(Problem{from.Name, number, detail}) }
	err := file.EachLine(from, func(number int, line []byte) error {
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			return nil
		}
		if line[0] == ';' {
			h.read(string(line))
			if len(t.comments) < maxComments {
				t.comments = append(t.comments, string(line))
			}
			return nil
		}
		if why := t.addSWF(&h, bytes.Fields(line)); why != "" {
			problem(number, why)
		}
		return nil
	}, problem)
	return t, err
}

// maxComments bounds the comments of a trace that are kept.
const maxComments = 1 << 16

// swfHeader is what the comments of a trace say.
type swfHeader struct {
	begin int64             // seconds since 1970 of time 0
	names map[string]string // by kind and number, such as "User 3"
}

// read reads a comment: UnixStartTime, and the names of users, groups and queues.
func (h *swfHeader) read(line string) {
	name, value, ok := strings.Cut(strings.TrimLeft(line, "; \t"), ":")
	value = strings.TrimSpace(value)
	if !ok {
		return
	}
	switch name {
	case "UnixStartTime":
		if begin, err := strconv.ParseFloat(value, 64); err == nil && begin >= 0 && begin < 1e11 {
			h.begin = int64(begin)
		}
	case "User", "Group", "Queue", "Partition":
		number, text, _ := strings.Cut(value, " ")
		if text = strings.TrimSpace(text); text != "" {
			h.names[name+" "+number] = text
		}
	}
}

// name returns the name of a user, a group or a queue, "" if it is unknown.
func (h *swfHeader) name(kind string, word []byte) []byte {
	if string(word) == "-1" {
		return nil
	}
	if name, ok := h.names[kind+" "+string(word)]; ok {
		return []byte(name)
	}
	return word
}

// swfLine is the columns of a line.
type swfLine [][]byte

// number returns a number, Unknown for none.
func (l swfLine) number(column int) int64 {
	if column >= len(l) {
		return Unknown
	}
	f, err := strconv.ParseFloat(string(l[column]), 64)
	if err != nil || f < 0 || f > 1e15 || math.IsNaN(f) {
		return Unknown
	}
	return int64(math.Round(f))
}

// wrongSWF says what is wrong with a line that is no job, "" for one that is.
func (t *Trace) wrongSWF(h *swfHeader, l swfLine) string {
	const fewest = 5
	const latest = 253402300799 // the last second of the year 9999
	submit := l.number(swfSubmit)
	switch {
	case len(l) < fewest:
		return "it has fewer than five columns"
	case l.number(swfNumber) == Unknown || submit == Unknown:
		return "its first two columns are no job number and no time of submission"
	case h.begin+submit+max(0, l.number(swfWait))+max(0, l.number(swfRun)) > latest:
		return "its times lie behind the year 9999"
	}
	if _, isTaken := t.index[string(l[swfNumber])]; isTaken {
		return "its job number occurs earlier"
	}
	if max(l.number(swfRequested), l.number(swfProcessors)) > mostThings {
		return "it has more processors than any machine"
	}
	return ""
}

// addSWF adds the job of a line. why says what is wrong with a line that is none.
func (t *Trace) addSWF(h *swfHeader, words swfLine) (why string) {
	if why := t.wrongSWF(h, words); why != "" {
		return why
	}
	j, _ := t.newJob(words[swfNumber])
	if !t.keepsRequests { // to be printed back as it is
		j.makeRare().swf = string(bytes.Join(words, []byte(" ")))
	}
	submit := words.number(swfSubmit)
	j.Arrival = h.begin + submit
	const long = 1e8 // no trace has as many seconds
	if h.begin > long && submit >= h.begin {
		j.Arrival = submit // not since the begin, as it should be
	}
	t.saw(j.Arrival)
	wait, run := words.number(swfWait), words.number(swfRun)
	if wait != Unknown {
		j.Start, j.State = j.Arrival+wait, Running
		t.saw(j.Start)
	}
	if run != Unknown && wait != Unknown {
		j.End, j.State = j.Start+run, Ended
		t.saw(j.End)
	}
	if run != Unknown && wait == Unknown && words.number(swfStatus) != swfCancelled {
		j.length = run + 1
	}
	j.NCPUs = known(words.number(swfRequested), words.number(swfProcessors))
	if p := words.number(swfProcessors); j.NCPUs == Unknown || p != Unknown && p > 0 {
		j.NCPUs = p
	}
	j.Walltime = words.number(swfWalltime)
	if mem := words.number(swfRequestedMemory); mem != Unknown && j.NCPUs != Unknown {
		j.Mem = product(mem, j.NCPUs)
	}
	if cpu := words.number(swfCPU); cpu != Unknown && j.NCPUs != Unknown {
		j.UsedCput = product(cpu, j.NCPUs)
	}
	switch status := words.number(swfStatus); {
	case status == swfCancelled && wait == Unknown:
		j.State, j.End = Deleted, j.Arrival
	case status == 1:
		j.Exit = 0
	case status != Unknown:
		j.Exit = 1
	}
	for _, name := range []struct {
		of   *int32
		kind string
		at   int
	}{{&j.User, "User", swfUser}, {&j.Group, "Group", swfGroup}, {&j.Queue, "Queue", swfQueue}} {
		if name.at < len(words) {
			*name.of = t.Names.number(h.name(name.kind, words[name.at]))
		}
	}
	return ""
}

// product returns the product of two amounts, Unknown if it is too large to be one.
func product(a, b int64) int64 {
	if high, low := bits.Mul64(uint64(max(0, a)), uint64(max(0, b))); high == 0 && low <= math.MaxInt64 {
		return int64(low)
	}
	return Unknown
}

// WriteSWF writes jobs of a trace in the Standard Workload Format, version 2.2, in
// the order of their arrival. Those without a time of arrival are left out. Jobs
// that were read from this format are written as they were.
func (t *Trace) WriteSWF(w io.Writer, jobs []*Job) error {
	b := bufio.NewWriter(w)
	if len(t.Jobs) > 0 && t.Jobs[0].rare != nil && t.Jobs[0].rare.swf != "" {
		for _, comment := range t.comments {
			fmt.Fprintln(b, comment)
		}
		for _, j := range jobs {
			fmt.Fprintln(b, j.rare.swf)
		}
		return b.Flush()
	}
	sorted := slices.DeleteFunc(slices.Clone(jobs), func(j *Job) bool { return j.Arrival == Unknown })
	slices.SortStableFunc(sorted, func(a, b *Job) int { return cmp.Compare(a.Arrival, b.Arrival) })
	begin := int64(0)
	if len(sorted) > 0 {
		begin = sorted[0].Arrival
	}
	fmt.Fprintf(b, "; Version: 2.2\n; UnixStartTime: %d\n; MaxJobs: %d\n", begin, len(sorted))
	numbers := map[string]map[int32]int{}
	number := func(kind string, name int32) int {
		if name == 0 {
			return -1
		}
		if numbers[kind] == nil {
			numbers[kind] = map[int32]int{}
		}
		if _, ok := numbers[kind][name]; !ok {
			numbers[kind][name] = len(numbers[kind]) + 1
			fmt.Fprintf(b, "; %s: %d %s\n", kind, numbers[kind][name], strings.Join(strings.Fields(t.Names.List[name]), "_"))
		}
		return numbers[kind][name]
	}
	for _, j := range sorted { // the header comes first
		number("User", j.User)
		number("Group", j.Group)
		number("Queue", j.Queue)
	}
	orNone := func(n int64) int64 {
		if n == Unknown {
			return -1
		}
		return n
	}
	each := func(total int64, n int64) int64 {
		if total == Unknown || n <= 0 {
			return -1
		}
		return total / n
	}
	for i, j := range sorted {
		wait, run, status := int64(-1), int64(-1), int64(-1)
		if j.Start != Unknown {
			wait = max(0, j.Start-j.Arrival)
		}
		if j.State == Ended && j.End != Unknown {
			run, status = j.End-j.Start, 1
			if j.HasFailed() {
				status = 0
			}
		} else if j.State == Deleted {
			status = 5
		}
		fmt.Fprintf(b, "%d %d %d %d %d %d -1 %d %d %d %d %d %d -1 %d -1 -1 -1\n", i+1, j.Arrival-begin, wait, run, orNone(j.NCPUs), each(j.UsedCput, j.NCPUs),
			orNone(j.NCPUs), orNone(j.Walltime), each(j.Mem, j.NCPUs), status, number("User", j.User), number("Group", j.Group), number("Queue", j.Queue))
	}
	return b.Flush()
}
