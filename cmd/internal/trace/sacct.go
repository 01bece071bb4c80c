package trace

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"slices"
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
	*SacctSplitter
	at [sacctWidth]int // -1 for none
}

func newSacctHeader(line []byte) *sacctHeader {
	needed := map[string]bool{}
	for _, names := range sacctColumns {
		for _, name := range names {
			needed[name] = true
		}
	}
	h := &sacctHeader{SacctSplitter: NewSacctSplitter(line, func(column string) bool { return needed[column] })}
	for column, names := range sacctColumns {
		h.at[column] = -1
		for _, name := range names {
			if at := slices.Index(h.Names, name); at >= 0 {
				h.at[column] = at
				break
			}
		}
	}
	return h
}

// isWhole reports whether the columns are there without which nothing is known of a job.
func (h *sacctHeader) isWhole() bool {
	return len(h.Names) > 1 && h.at[sacctID] >= 0 && h.at[sacctState] >= 0 && (h.at[sacctStart] >= 0 || h.at[sacctSubmit] >= 0)
}

// hasCPUs reports whether a column says how many CPUs a job had.
func (h *sacctHeader) hasCPUs() bool {
	return slices.ContainsFunc([]int{sacctNCPUs, sacctReqCPUs, sacctAllocTRES, sacctReqTRES}, func(column int) bool { return h.at[column] >= 0 })
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

	row sacctRow
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
	err := file.EachLine(from, func(number int, line []byte) error {
		if r.sacctHeader == nil {
			line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
			if len(line) == 0 {
				return nil
			}
			if r.sacctHeader = newSacctHeader(line); !r.isWhole() {
				return fmt.Errorf("%s:%d: sacct's table needs the columns JobID, State, and Submit or Start", from.Name, number)
			}
			if !r.hasCPUs() {
				problem(number, "no column says how many CPUs a job had (AllocCPUS, NCPUS, ReqCPUS or AllocTRES): core hours and all that is made of them come to 0")
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
	cells, why := r.Split(line)
	if why != "" {
		return why
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
