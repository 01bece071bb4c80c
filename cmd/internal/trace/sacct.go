package trace

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"strconv"
	"strings"
	"time"

	"fairshare/cmd/internal/file"
)

// Columns of sacct that are read, by their places in a row.
const (
	sacctID = iota
	sacctState
	sacctSubmit
	sacctEligible
	sacctStart
	sacctEnd
	sacctElapsed
	sacctElapsedRaw
	sacctNCPUs
	sacctReqCPUs
	sacctNodes
	sacctMem
	sacctReqTRES
	sacctAllocTRES
	sacctLimit
	sacctLimitRaw
	sacctUser
	sacctGroup
	sacctAccount
	sacctPartition
	sacctName
	sacctExit
	sacctCPU
	sacctNodeList
	sacctWidth
)

// sacctColumns are what the columns are called in lower case, the better one first.
var sacctColumns = [sacctWidth][]string{
	sacctID: {"jobid"}, sacctState: {"state"}, sacctSubmit: {"submit"}, sacctEligible: {"eligible"}, sacctStart: {"start"}, sacctEnd: {"end"},
	sacctElapsed: {"elapsed"}, sacctElapsedRaw: {"elapsedraw"}, sacctNCPUs: {"alloccpus", "ncpus"}, sacctReqCPUs: {"reqcpus"}, sacctNodes: {"nnodes", "allocnodes", "reqnodes"},
	sacctMem: {"reqmem"}, sacctReqTRES: {"reqtres"}, sacctAllocTRES: {"alloctres"}, sacctLimit: {"timelimit"}, sacctLimitRaw: {"timelimitraw"},
	sacctUser: {"user"}, sacctGroup: {"group"}, sacctAccount: {"account"}, sacctPartition: {"partition"}, sacctName: {"jobname"}, sacctExit: {"exitcode"},
	sacctCPU: {"totalcpu"}, sacctNodeList: {"nodelist"},
}

// IsSacct reports whether a text looks like what sacct -P or sacct --json prints.
func IsSacct(first []byte) bool {
	first = bytes.TrimLeft(first, " \t\r\n\xef\xbb\xbf")
	if len(first) > 0 && first[0] == '{' {
		return isSacctJSON(first)
	}
	line, _, _ := bytes.Cut(first, []byte("\n"))
	return newSacctHeader(line).isWhole()
}

// sacctHeader is where a table has its columns.
type sacctHeader struct {
	names []string        // in lower case
	at    [sacctWidth]int // -1 for none
	free  []int           // the columns in which people write what they like
}

// isFree are the columns in which a pipe may be.
var isFree = map[string]bool{
	"jobname": true, "comment": true, "admincomment": true, "systemcomment": true, "submitline": true, "workdir": true, "wckey": true, "container": true,
	"constraints": true, "extra": true, "failednode": true, "licenses": true, "stdin": true, "stdout": true, "stderr": true,
}

func newSacctHeader(line []byte) *sacctHeader {
	h := &sacctHeader{}
	for i, name := range strings.Split(strings.ToLower(strings.TrimRight(string(line), "\r\n")), "|") {
		h.names = append(h.names, name)
		if isFree[name] {
			h.free = append(h.free, i)
		}
	}
	for column, names := range sacctColumns {
		h.at[column] = -1
		for _, name := range names {
			for i := range h.names {
				if h.names[i] == name && h.at[column] < 0 {
					h.at[column] = i
				}
			}
		}
	}
	return h
}

// isWhole reports whether the columns are there without which nothing is known of a job.
func (h *sacctHeader) isWhole() bool {
	return len(h.names) > 1 && h.at[sacctID] >= 0 && h.at[sacctState] >= 0 && (h.at[sacctStart] >= 0 || h.at[sacctSubmit] >= 0)
}

// sacctReader adds the rows of sacct to a trace.
type sacctReader struct {
	*Trace
	*sacctHeader
	zone     *time.Location
	local    map[int64]int64 // when quarters of an hour of local time begin
	requeued map[string]bool // jobs of which another run may follow
	asked    []string        // resources whose requested amounts are kept
	seen     rowSet          // rows of runs that are over and no longer in Jobs, see sacctReader.key
	seed     maphash.Seed

	cells [][]byte
	row   sacctRow
}

func newSacctReader(keep Keep, zone *time.Location) *sacctReader {
	return &sacctReader{
		Trace: newTrace(keep), zone: zone, local: map[int64]int64{}, requeued: map[string]bool{}, asked: keep.Asked, seed: maphash.MakeSeed(),
	}
}

// ReadSacct reads what sacct -P prints under its header, with local times in a zone. Steps are
// left out; the tasks of an array that have not started are jobs of their own. The rows that
// sacct -D has of a job that was requeued are its earlier runs.
func ReadSacct(from file.Source, zone *time.Location, keep Keep) (*Trace, error) {
	r := newSacctReader(keep, zone)
	problem := func(number int, detail string) { r.addProblem(Problem{from.Name, number, detail}) }
	err := EachLine(from, func(number int, line []byte) error {
		if r.sacctHeader == nil {
			line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
			if len(line) == 0 {
				return nil
			}
			if r.sacctHeader = newSacctHeader(line); !r.isWhole() {
				return fmt.Errorf("%s:%d: sacct's table needs the columns JobID, State, and Submit or Start", from.Name, number)
			}
			return nil
		}
		if len(line) == 0 {
			return nil
		}
		if why := r.line(line); why != "" {
			problem(number, why)
		}
		return nil
	}, problem)
	return r.Trace, err
}

// line adds the job of a line.
func (r *sacctReader) line(line []byte) (why string) {
	r.cells = r.cells[:0]
	for rest := line; ; {
		end := bytes.IndexByte(rest, '|')
		if end < 0 {
			r.cells = append(r.cells, rest)
			break
		}
		r.cells = append(r.cells, rest[:end])
		rest = rest[end+1:]
	}
	cells := r.cells
	switch extra := len(cells) - len(r.names); {
	case extra == 1 && len(cells[len(cells)-1]) == 0: // of sacct -p, whose lines end with one
		cells = cells[:len(cells)-1]
	case extra < 0:
		return fmt.Sprintf("%d columns, the header has %d: the row is left out", len(cells), len(r.names))
	case extra > 0:
		if cells, why = r.sacctHeader.join(cells, extra); why != "" {
			return why
		}
	}
	for column, at := range r.at {
		r.row.text[column] = nil
		if at >= 0 {
			r.row.text[column] = cells[at]
		}
	}
	if bytes.IndexByte(r.row.text[sacctID], '.') >= 0 {
		return "" // a step
	}
	if why := r.parse(&r.row); why != "" {
		return why + ": the row is left out"
	}
	return r.add(&r.row)
}

// join puts cells together that a pipe in a name has parted: in a way in which all other
// columns have what belongs into them, if all such ways say the same of the job.
func (h *sacctHeader) join(cells [][]byte, extra int) (joined [][]byte, why string) {
	const most = 200
	if extra > most || len(h.free) == 0 {
		return nil, fmt.Sprintf("%d columns, the header has %d: the row is left out", len(cells), len(h.names))
	}
	var ways [][]int // how many more cells each free column has
	steps := 0
	var try func(column, at int, given []int)
	try = func(column, at int, given []int) {
		const mostSteps, mostWays = 100_000, 100
		if steps++; len(ways) == mostWays || steps > mostSteps {
			return
		}
		if column == len(h.names) {
			if at == len(cells) {
				ways = append(ways, append([]int(nil), given...))
			}
			return
		}
		if !isFree[h.names[column]] {
			if at < len(cells) && sacctFits(h.names[column], cells[at]) {
				try(column+1, at+1, given)
			}
			return
		}
		left := len(cells) - at - (len(h.names) - column)
		for more := 0; more <= left; more++ {
			try(column+1, at+1+more, append(given, more))
		}
	}
	try(0, 0, nil)
	for i, way := range ways {
		other := h.joinAs(cells, way)
		for _, at := range h.at {
			if i > 0 && at >= 0 && !bytes.Equal(other[at], joined[at]) {
				return nil, ambiguous
			}
		}
		joined = other
	}
	if joined == nil {
		return nil, ambiguous
	}
	return joined, ""
}

// ambiguous is why a row is left out whose columns cannot be told apart.
const ambiguous = "a name has a pipe in it, and the columns cannot be told apart: the row is left out (sacct without the columns in which people write has no such doubt)"

// joinAs puts cells together, in each free column so many more than one.
func (h *sacctHeader) joinAs(cells [][]byte, more []int) (joined [][]byte) {
	at, free := 0, 0
	for column := range h.names {
		n := 1
		if isFree[h.names[column]] {
			n += more[free]
			free++
		}
		joined = append(joined, bytes.Join(cells[at:at+n], []byte("|")))
		at += n
	}
	return joined
}

// sacctFits reports whether a cell may stand in a column.
func sacctFits(column string, cell []byte) bool {
	text := string(cell)
	isNumber := func() bool { _, err := strconv.ParseFloat(text, 64); return err == nil || text == "" }
	switch column {
	case "submit", "eligible", "start", "end":
		return text == "" || text == "Unknown" || text == "None" || len(text) >= len("2006-01-02T15:04:05") && text[4] == '-' && text[10] == 'T'
	case "alloccpus", "ncpus", "reqcpus", "nnodes", "allocnodes", "reqnodes", "elapsedraw", "priority", "uid", "gid", "associd", "dbindex", "cputimeraw", "qosraw", "wckeyid", "resvcpuraw", "restarts":
		return isNumber()
	case "state":
		return text == "" || sacctStates[strings.Fields(text + " -")[0]] != 0
	case "exitcode", "derivedexitcode":
		return text == "" || strings.Count(text, ":") == 1 && !strings.ContainsAny(text, " =")
	case "elapsed", "timelimit", "cputime", "suspended", "resvcpu":
		return text == "" || strings.Contains(text, ":") || text == "UNLIMITED" || text == "Partition_Limit" || text == "INVALID"
	case "jobid", "jobidraw":
		return text != "" && text[0] >= '0' && text[0] <= '9'
	case "reqtres", "alloctres":
		return text == "" || strings.Contains(text, "=")
	case "usercpu", "systemcpu", "totalcpu":
		return text == "" || strings.Contains(text, ":")
	}
	return column == "nodelist" || column == "reason" || !strings.Contains(text, " ")
}
