package trace

import (
	"bytes"
	"math"

	"fairshare/formula"
)

// event is what a line of a log says of a job. Its bytes belong to the chunk that it
// was read from.
type event struct {
	wall int64 // the line's local time as if it were UTC
	kind byte
	id   []byte

	user, group, account, project, queue, name, indices []byte

	requested []byte // as in Job.Request, where requests are kept
	vnodes    []byte // exec_vnode, likewise
	priority  int64  // Unknown if it is not said

	ctime, qtime, etime, start, end int64 // in seconds since 1970, unknown if it is not said
	request, use                    amounts
	exit                            int64 // unknown if it is not said
	runs                            int64
	used                            []float64 // of the resources that are asked for, NaN if it is not said
}

// amounts are what a job has requested or used.
type amounts struct {
	ncpus, nodes, mem int64 // mem in kb; unknown if it is not said
	walltime, cput    int64 // in seconds
}

// Unknown is the value of a number that the record does not say.
const Unknown = math.MinInt64

var noAmounts = amounts{Unknown, Unknown, Unknown, Unknown, Unknown}

// isOfJobs reports whether lines of a type say something of a job's way.
func isOfJobs(kind byte) bool { return bytes.IndexByte([]byte("QSERDAMzra"), kind) >= 0 }

// newEvent reads a line. used are the resources whose use is kept.
func newEvent(r record, keep Keep) event {
	e := event{
		wall: r.stamp.wall(), kind: r.kind[0], id: r.id,
		ctime: Unknown, qtime: Unknown, etime: Unknown, start: Unknown, end: Unknown, exit: Unknown, runs: Unknown, priority: Unknown,
		request: noAmounts, use: noAmounts,
	}
	if e.kind == 'E' && len(keep.Used) > 0 {
		e.used = make([]float64, len(keep.Used))
		for i := range e.used {
			e.used[i] = math.NaN()
		}
	}
	m := message{rest: r.message}
	for m.text(); m.next(); {
		e.set(m.name, m.value, keep)
	}
	// A time before 1970, or that is yet to come, is damaged.
	const zones = 2 * 24 * 3600 // the log's own time is local
	for _, at := range []*int64{&e.ctime, &e.qtime, &e.etime, &e.start, &e.end} {
		if *at < 0 || *at > e.wall+zones {
			*at = Unknown
		}
	}
	if e.start == 0 {
		e.start = Unknown // PBS's for a job that did not start
	}
	if e.end == 0 {
		e.end = Unknown
	}
	return e
}

// RequestEnd is behind each resource of a Job's Request.
const RequestEnd = '\x1f'

var requested, usedPrefix = []byte("Resource_List."), []byte("resources_used.")

// set keeps an attribute.
func (e *event) set(name, value []byte, keep Keep) {
	switch string(name) {
	case "user":
		e.user = value
	case "group":
		e.group = value
	case "account":
		e.account = value
	case "project":
		e.project = value
	case "queue":
		e.queue = value
	case "jobname":
		e.name = value
	case "array_indices":
		e.indices = value
	case "Priority":
		e.priority = integer(value)
	case "exec_vnode":
		if keep.Requests {
			e.vnodes = value
		}
	case "ctime":
		e.ctime = integer(value)
	case "qtime":
		e.qtime = integer(value)
	case "etime":
		e.etime = integer(value)
	case "start":
		e.start = integer(value)
	case "end":
		e.end = integer(value)
	case "Exit_status":
		e.exit = integer(value)
	case "run_count":
		e.runs = integer(value)
	default:
		if resource, ok := bytes.CutPrefix(name, requested); ok {
			e.request.set(resource, value)
			if keep.Requests && string(resource) != "walltime" {
				e.requested = append(append(append(append(e.requested, resource...), '='), value...), RequestEnd)
			}
		} else if resource, ok := bytes.CutPrefix(name, usedPrefix); ok {
			e.use.set(resource, value)
			for i, wanted := range keep.Used {
				if e.used != nil && string(resource) == wanted {
					e.used[i] = amountOf(value)
				}
			}
		}
	}
}

func (a *amounts) set(resource, value []byte) {
	switch string(resource) {
	case "ncpus":
		a.ncpus = count(value)
	case "nodect":
		a.nodes = count(value)
	case "mem":
		if kb := amountOf(value); !math.IsNaN(kb) {
			a.mem = int64(kb)
		}
	case "walltime":
		a.walltime = seconds(value)
	case "cput":
		a.cput = seconds(value)
	}
}

// integer returns a number, unknown for what is none.
func integer(text []byte) int64 {
	n, digits := int64(0), text
	if len(text) > 0 && text[0] == '-' {
		digits = text[1:]
	}
	const longest = 18
	if len(digits) == 0 || len(digits) > longest {
		return Unknown
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return Unknown
		}
		n = 10*n + int64(c-'0')
	}
	if len(digits) < len(text) {
		return -n
	}
	return n
}

// count returns a number of things, unknown for what is none.
func count(text []byte) int64 {
	const most = math.MaxInt32 // as PBS has it
	if n := integer(text); n >= 0 && n <= most {
		return n
	}
	return Unknown
}

// seconds returns a time written as HH:MM:SS, MM:SS or seconds, unknown for what is
// none.
func seconds(text []byte) int64 {
	if n := integer(text); n >= 0 {
		return n
	}
	const most = math.MaxInt32 * 60
	if x, ok := formula.ParseDuration(string(text)); ok && x >= 0 && x <= most {
		return int64(x)
	}
	return Unknown
}

// amountOf returns an amount: a number, a size in kb, a time in seconds; NaN for
// what is none.
func amountOf(value []byte) float64 {
	if n := len(value) - 2; n > 0 && string(value[n:]) == "kb" {
		if kb := integer(value[:n]); kb != Unknown {
			return float64(kb) // as mom reports sizes
		}
	}
	if n := integer(value); n != Unknown {
		return float64(n)
	}
	v, ok := formula.ParseAmount(string(value), "")
	x, isNumber := v.Number()
	if !ok || !isNumber {
		return math.NaN()
	}
	return x
}
