package trace

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
)

// sacctRow is a row of sacct.
type sacctRow struct {
	text [sacctWidth][]byte

	submit, eligible, start, end int64
	elapsed                      int64
	ncpus                        int64
	state                        State
	isRequeued                   bool // whether another run of the job may follow
}

// sacctStates are what became of jobs in the states of Slurm. One that is COMPLETING has ended but
// for its last cleaning up.
var sacctStates = map[string]State{
	"PENDING": Waiting, "REQUEUE_FED": Waiting, "REQUEUE_HOLD": Waiting, "SPECIAL_EXIT": Waiting, "RESV_DEL_HOLD": Waiting,
	"RUNNING": Running, "SUSPENDED": Running, "COMPLETING": Running, "CONFIGURING": Running, "SIGNALING": Running, "STAGE_OUT": Running, "STOPPED": Running, "RESIZING": Running,
	"COMPLETED": Ended, "FAILED": Ended, "TIMEOUT": Ended, "CANCELLED": Ended, "NODE_FAIL": Ended, "OUT_OF_MEMORY": Ended, "PREEMPTED": Ended, "DEADLINE": Ended,
	"BOOT_FAIL": Ended, "REVOKED": Ended, "REQUEUED": Ended, "LAUNCH_FAILED": Ended, "RECONFIG_FAIL": Ended, "EXPEDITING": Waiting, "POWER_UP_NODE": Running,
}

// word returns the state of a row as Slurm calls it, such as CANCELLED of "CANCELLED by 6001".
func (row *sacctRow) word() string {
	word, _, _ := bytes.Cut(row.text[sacctState], []byte(" "))
	return string(bytes.TrimRight(word, "+"))
}

// tres returns how much a job asked for of a resource or, where that is not told, was given.
func (row *sacctRow) tres(name string) int64 {
	return positive(sacctAmount(row.text[sacctReqTRES], name), sacctAmount(row.text[sacctAllocTRES], name))
}

// parse reads the times and the state of a row.
func (r *sacctReader) parse(row *sacctRow) (why string) {
	if len(row.text[sacctID]) == 0 || row.text[sacctID][0] < '0' || row.text[sacctID][0] > '9' {
		return fmt.Sprintf("%q is no job", row.text[sacctID])
	}
	row.state = sacctStates[row.word()]
	if row.state == 0 {
		return fmt.Sprintf("%q is no state of a job", row.text[sacctState])
	}
	switch string(row.word()) {
	case "REQUEUED", "NODE_FAIL", "PREEMPTED", "BOOT_FAIL", "LAUNCH_FAILED":
		row.isRequeued = true
	default:
		row.isRequeued = false
	}
	for _, f := range []struct {
		column int
		into   *int64
	}{{sacctSubmit, &row.submit}, {sacctEligible, &row.eligible}, {sacctStart, &row.start}, {sacctEnd, &row.end}} {
		var ok bool
		if *f.into, ok = r.time(row.text[f.column]); !ok {
			return fmt.Sprintf("%s %q is no time", sacctColumns[f.column][0], row.text[f.column])
		}
	}
	if row.elapsed = integer(row.text[sacctElapsedRaw]); row.elapsed == Unknown {
		row.elapsed = sacctSeconds(row.text[sacctElapsed])
	}
	OrderTwice(r.zone, []*int64{&row.submit, &row.eligible, &row.start, &row.end}, row.elapsed)
	if row.end != Unknown && row.start != Unknown && row.end < row.start {
		return "it ends before it starts"
	}
	row.ncpus = positive(integer(row.text[sacctNCPUs]), integer(row.text[sacctReqCPUs]))
	if row.ncpus == Unknown {
		row.ncpus = positive(sacctAmount(row.text[sacctAllocTRES], "cpu"), sacctAmount(row.text[sacctReqTRES], "cpu"))
	}
	if row.ncpus > mostThings {
		return fmt.Sprintf("%d cpus are more than any machine has", row.ncpus)
	}
	return ""
}

// time reads a time: local, with a zone behind it, or seconds since 1970.
func (r *sacctReader) time(text []byte) (int64, bool) {
	const local = "2006-01-02T15:04:05"
	switch {
	case len(text) == 0 || text[0] == 'U' || text[0] == 'N': // Unknown, None, N/A
		return Unknown, true
	case len(text) < len(local):
		n, err := strconv.ParseInt(string(text), 10, 64)
		return n, err == nil && n >= 0 && n < maxSacctTime
	case len(text) > len(local):
		for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05-0700"} {
			if t, err := time.Parse(layout, string(text)); err == nil {
				return t.Unix(), true
			}
		}
		return Unknown, false
	}
	n := [6]int{}
	for i, at := range [6][2]int{{0, 4}, {5, 7}, {8, 10}, {11, 13}, {14, 16}, {17, 19}} {
		for _, digit := range text[at[0]:at[1]] {
			if digit < '0' || digit > '9' {
				return Unknown, false
			}
			n[i] = n[i]*10 + int(digit-'0')
		}
	}
	if text[4] != '-' || text[7] != '-' || text[10] != 'T' || text[13] != ':' || text[16] != ':' || n[0] < 1970 || n[1] < 1 || n[1] > 12 || n[2] < 1 || n[2] > 31 || n[3] > 23 || n[4] > 59 || n[5] > 60 {
		return Unknown, false
	}
	key := int64(n[0]*12+n[1])<<16 | int64(n[2])<<8 | int64(n[3])<<2 | int64(n[4]/15)
	begin, ok := r.local[key]
	if !ok {
		const quarterMinutes = 15
		begin = time.Date(n[0], time.Month(n[1]), n[2], n[3], n[4]/quarterMinutes*quarterMinutes, 0, 0, r.zone).Unix()
		if comesTwice(r.zone, begin-secondsOfHour) {
			begin -= secondsOfHour
		}
		r.local[key] = begin
	}
	return begin + int64(n[4]%15)*60 + int64(n[5]), true
}

// maxSacctTime bounds times, in the year 5138.
const maxSacctTime = 1e11

// sacctSeconds reads [DAYS-]HOURS:MINUTES:SECONDS or MINUTES:SECONDS with parts of a second.
func sacctSeconds(text []byte) int64 {
	s, _, _ := strings.Cut(string(text), ".")
	days, rest, hasDays := strings.Cut(s, "-")
	if !hasDays {
		days, rest = "0", s
	}
	total, err := strconv.ParseInt(days, 10, 32)
	if err != nil || rest == "" {
		return Unknown
	}
	fields := strings.Split(rest, ":")
	if len(fields) < 2 || len(fields) > 3 {
		return Unknown
	}
	seconds := int64(0)
	for _, field := range fields {
		n, err := strconv.ParseInt(field, 10, 32)
		if err != nil || n < 0 {
			return Unknown
		}
		seconds = seconds*60 + n
	}
	return total*secondsOfDay + seconds
}

// add adds a row's job, or those of an array's tasks that have not started.
func (r *sacctReader) add(row *sacctRow) (why string) {
	id := row.text[sacctID]
	if open := bytes.IndexByte(id, '['); open >= 0 {
		tasks, why := ArrayTasks(string(id[open:]))
		if why != "" {
			return why
		}
		if len(r.Jobs)+len(tasks) > maxSacctTasks && len(tasks) > 1 {
			return fmt.Sprintf("the tasks of arrays that wait are more than %d", maxSacctTasks)
		}
		for _, task := range tasks {
			r.addJob(row, strconv.AppendInt(bytes.Clone(id[:open]), task, 10))
		}
		return ""
	}
	r.addJob(row, id)
	return ""
}

// maxSacctTasks bounds what a few rows of arrays can come to.
const maxSacctTasks = 50_000_000

// ArrayTasks returns the tasks of an array that [5-20%5], [1,3,7-9:2] or [0xFFE0] names, or why it names none.
func ArrayTasks(text string) (tasks []int64, why string) {
	const most = 4_000_001 // the largest MaxArraySize
	s, _, _ := strings.Cut(strings.Trim(text, "[]"), "%")
	if mask, isMask := strings.CutPrefix(s, "0x"); isMask { // in JSON: a bit for each task
		bits, ok := new(big.Int).SetString(mask, 16)
		if !ok || len(mask) > most/4 {
			return nil, fmt.Sprintf("%q are no tasks of an array", text)
		}
		for n := range bits.BitLen() {
			if bits.Bit(n) == 1 {
				tasks = append(tasks, int64(n))
			}
		}
		return tasks, ""
	}
	for part := range strings.SplitSeq(s, ",") {
		span, step, hasStep := strings.Cut(part, ":")
		low, high, isSpan := strings.Cut(span, "-")
		if !isSpan {
			high = low
		}
		by := int64(1)
		from, err1 := strconv.ParseInt(low, 10, 32)
		to, err2 := strconv.ParseInt(high, 10, 32)
		if hasStep {
			by, _ = strconv.ParseInt(step, 10, 32)
		}
		if err1 != nil || err2 != nil || by < 1 || to < from || (to-from)/by+int64(len(tasks)) >= most {
			return nil, fmt.Sprintf("%q are no tasks of an array", text) // also what a table has cut: [1-5,...]
		}
		for n := from; n <= to; n += by {
			tasks = append(tasks, n)
		}
	}
	return tasks, ""
}

// positive returns the first of some numbers that is known and above 0, else Unknown.
func positive(numbers ...int64) int64 {
	for _, n := range numbers {
		if n != Unknown && n > 0 {
			return n
		}
	}
	return Unknown
}

// sacctAmount returns how much of a resource a list such as cpu=8,mem=16000M has; memory in kb.
func sacctAmount(list []byte, name string) int64 {
	for len(list) > 0 {
		var part []byte
		part, list, _ = bytes.Cut(list, []byte(","))
		key, value, ok := bytes.Cut(part, []byte("="))
		if ok && string(key) == name {
			if name == "mem" {
				return sacctKB(value)
			}
			return integer(value)
		}
	}
	return Unknown
}

// sacctKB reads an amount of memory such as 125G, 62.50G or 16000M; without a unit it is in MB.
func sacctKB(text []byte) int64 {
	if len(text) == 0 {
		return Unknown
	}
	scale, number := 1024., text
	if unit := strings.IndexByte("KMGTP", text[len(text)-1]); unit >= 0 {
		scale, number = math.Pow(1024, float64(unit)), text[:len(text)-1]
	}
	x, err := strconv.ParseFloat(string(number), 64)
	if err != nil || !(x >= 0) || x*scale > 1e17 {
		return Unknown
	}
	return int64(math.Round(x * scale))
}

// sacctMemory reads ReqMem, which in old versions is that of each node (4Gn) or cpu (2000Mc).
func sacctMemory(text []byte, j *Job) int64 {
	times := int64(1)
	switch {
	case bytes.HasSuffix(text, []byte("n")):
		times, text = max(1, j.Nodes), text[:len(text)-1]
	case bytes.HasSuffix(text, []byte("c")):
		times, text = max(1, j.NCPUs), text[:len(text)-1]
	}
	if kb := sacctKB(text); kb != Unknown {
		return product(kb, times)
	}
	return Unknown
}

// sacctExitCode reads CODE:SIGNAL of a job in a state; a signal counts as PBS has it, 256 and its number. A job
// that Slurm ended at its time limit has PBS's status for that, and one that failed never 0.
func sacctExitCode(state string, text []byte) int64 {
	const signalled = 256
	code, signal, _ := bytes.Cut(text, []byte(":"))
	status := integer(code)
	if n := integer(signal); n != Unknown && n > 0 {
		status = signalled + n
	}
	switch state {
	case "TIMEOUT":
		return KilledAtWalltime
	case "FAILED", "NODE_FAIL", "BOOT_FAIL", "OUT_OF_MEMORY", "DEADLINE", "LAUNCH_FAILED":
		if status == 0 || status == Unknown {
			return FailedInSlurm
		}
	}
	return status
}
