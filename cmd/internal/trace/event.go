package trace

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"fairshare/cmd/internal/report"
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
	depend    []byte // what it waits for, where requests are kept
	text      []byte // what the message of a deletion has before its first attribute

	ctime, qtime, etime, start, end int64 // in seconds since 1970, unknown if it is not said
	request, use                    amounts
	exit                            int64 // unknown if it is not said
	runs                            int64
	eligible                        int64     // eligible_time in seconds, unknown if it is not said
	used                            []float64 // of the resources that are asked for, NaN if it is not said
	asked                           []float64 // likewise; nil where none is said
	hosts                           []byte    // exec_host, where it is asked for
	isTorque                        bool      // whether it is a record of TORQUE
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
func isOfJobs(kind byte) bool { return bytes.IndexByte([]byte("QSERDAMzrauce"), kind) >= 0 }

// isOfPhase reports whether an event tells of a part of a run, before or after which the job has more vnodes: u and e of one
// that is over, c of one that begins.
func (e *event) isOfPhase() bool { return e.kind == 'u' || e.kind == 'c' || e.kind == 'e' }

// bareEvent returns what the first fields of a line say.
func bareEvent(r record) event {
	return event{
		wall: r.stamp.wall(), kind: r.kind[0], id: r.id,
		ctime: Unknown, qtime: Unknown, etime: Unknown, start: Unknown, end: Unknown, exit: Unknown, runs: Unknown, priority: Unknown, eligible: Unknown,
		request: noAmounts, use: noAmounts,
	}
}

// lacksEnd reports whether an event is the end of a run and does not say when that was, which PBS
// writes behind the start and what the job requested.
func (e *event) lacksEnd() bool { return e.kind == 'E' && e.start != Unknown && e.end == Unknown }

// newEvent reads a line. why says which of its values cannot be, "" where all can.
func newEvent(r record, keep Keep) (e event, why string) {
	e = bareEvent(r)
	if e.kind == 'E' && len(keep.Used) > 0 {
		e.used = make([]float64, len(keep.Used))
		fillNaN(e.used)
	}
	m := message{rest: r.message}
	if text := m.text(); e.kind == 'A' {
		e.text = text
	}
	own := torqueRecord{slots: Unknown, hostCount: Unknown}
	for m.next() {
		if why := e.set(m.name, m.value, keep); why != "" {
			return e, why
		}
		own.note(m.name, m.value)
	}
	if keep.Hosts {
		e.hosts = own.hosts
	}
	if own.is() {
		e.settle(&own, keep)
	}
	for _, at := range []*int64{&e.ctime, &e.qtime, &e.start, &e.end} {
		if *at == 0 {
			*at = Unknown // PBS's for what has not been, such as the start of a job that did not start
		}
	}
	if e.start != Unknown && e.end != Unknown && e.end < e.start {
		return e, fmt.Sprintf("end is %d, before its start %d", e.end, e.start)
	}
	return e, ""
}

// setTime keeps a time of a record, which is 0 for what has not been.
func (e *event) setTime(of *int64, name, value []byte) (why string) {
	const (
		year1990 = 631152000
		late     = 24 * 3600 // seconds; the record's own time is local
	)
	*of = Integer(value)
	switch {
	case *of == Unknown && !isNumber(value):
		return fmt.Sprintf("%s is %q, which is no time in seconds since 1970", name, shorten(value))
	case *of == Unknown || *of > e.wall+late:
		return fmt.Sprintf("%s is %s, more than a day after the record's own time", name, shorten(value))
	case *of != 0 && *of < year1990:
		return fmt.Sprintf("%s is %d, which lies before 1990", name, *of)
	}
	return ""
}

// isNumber reports whether a text is nothing but digits.
func isNumber(text []byte) bool {
	return len(text) > 0 && !slices.ContainsFunc(text, func(c byte) bool { return c < '0' || c > '9' })
}

// shorten returns a value as far as it is worth showing.
func shorten(value []byte) string {
	const most = 40
	return report.Cut(string(value), most)
}

// PlacedSelect is the name, in a Job's Request, of the select by which it is placed: with what its queue adds to its
// chunks. Lists have it, and logs do not.
const PlacedSelect = "schedselect"

// RequestEnd is behind each resource of a Job's Request.
const RequestEnd = '\x1f'

var requested, usedPrefix = []byte("Resource_List."), []byte("resources_used.")

// set keeps an attribute. why says what is wrong with a value that cannot be.
func (e *event) set(name, value []byte, keep Keep) (why string) {
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
		e.priority = Integer(value)
	case "depend":
		if keep.Requests {
			e.depend = value
		}
	case "exec_vnode":
		if keep.Requests {
			e.vnodes = value
		}
	case "ctime":
		return e.setTime(&e.ctime, name, value)
	case "qtime":
		return e.setTime(&e.qtime, name, value)
	case "etime":
		return e.setTime(&e.etime, name, value)
	case "start":
		return e.setTime(&e.start, name, value)
	case "end":
		return e.setTime(&e.end, name, value)
	case "Exit_status":
		e.exit = Integer(value)
	case "eligible_time":
		e.eligible = Seconds(value)
	case "run_count":
		e.runs = Integer(value)
	default:
		if resource, ok := bytes.CutPrefix(name, requested); ok {
			return e.setRequested(name, resource, value, keep)
		} else if resource, ok := bytes.CutPrefix(name, usedPrefix); ok {
			return e.setUsed(name, resource, value, keep)
		}
	}
	return ""
}

// setRequested keeps what a job asks for of a resource.
func (e *event) setRequested(name, resource, value []byte, keep Keep) (why string) {
	wrong := e.request.set(resource, value)
	if len(value) > 0 && value[0] == '-' && slices.Contains(counted, string(resource)) {
		wrong = "less than nothing"
	}
	if wrong != "" {
		why = fmt.Sprintf("%s is %s, %s", name, shorten(value), wrong)
	}
	if keep.seen != nil {
		keep.seen.add(resource)
	}
	for i, wanted := range keep.Asked {
		if string(resource) == wanted {
			e.ask(i, len(keep.Asked), amountOf(value))
		}
	}
	if keep.Requests && string(resource) != "walltime" {
		e.requested = append(append(append(append(e.requested, resource...), '='), value...), RequestEnd)
	}
	return why
}

// setUsed keeps what a job has used of a resource.
func (e *event) setUsed(name, resource, value []byte, keep Keep) (why string) {
	wrong := e.use.set(resource, value)
	if len(value) > 0 && value[0] == '-' && slices.Contains(measured, string(resource)) {
		wrong = "less than nothing"
	}
	if wrong != "" {
		why = fmt.Sprintf("%s is %s, %s", name, shorten(value), wrong)
	}
	for i, wanted := range keep.Used {
		if e.used != nil && string(resource) == wanted {
			e.used[i] = amountOf(value)
		}
	}
	return why
}

// nameSet is a few names, each once.
type nameSet []string

func (s *nameSet) add(name []byte) {
	const most = 1000
	for _, known := range *s {
		if known == string(name) {
			return
		}
	}
	if len(*s) < most {
		*s = append(*s, string(name))
	}
}

// Requested returns the resources that jobs request, in their order; of a trace that keeps the
// amounts of some.
func (t *Trace) Requested() []string { return slices.Sorted(slices.Values(t.requested)) }

// ask keeps the requested amount of a resource out of several.
func (e *event) ask(resource, of int, amount float64) {
	if e.asked == nil {
		e.asked = make([]float64, of)
		fillNaN(e.asked)
	}
	e.asked[resource] = amount
}

// Amounts beyond these are of no machine.
const (
	mostThings  = 100_000_000        // cpus, or nodes
	mostMem     = 1 << 50            // kb: an exabyte
	mostSeconds = math.MaxInt32 * 60 // as PBS has it
	mostCput    = 1 << 60
)

// counted are resources of which nobody asks for less than none; a walltime of -1 is none.
var counted = []string{"ncpus", "nodect", "mem"}

// measured are the resources whose use PBS measures.
var measured = []string{"ncpus", "mem", "vmem", "walltime", "cput", "cpupercent"}

// set keeps an amount, or says what is wrong with it.
func (a *amounts) set(resource, value []byte) (wrong string) {
	switch string(resource) {
	case "ncpus":
		a.ncpus = count(value)
		return wrongly(value, a.ncpus, mostThings, "which is no number")
	case "nodect":
		a.nodes = count(value)
		return wrongly(value, a.nodes, mostThings, "which is no number")
	case "mem":
		kb, mem := amountOf(value), int64(Unknown)
		if kb > mostMem {
			return beyond
		}
		if !math.IsNaN(kb) {
			mem = int64(kb)
			a.mem = mem
		}
		return wrongly(value, mem, mostMem, "which is no size")
	case "walltime":
		a.walltime = Seconds(value)
		return wrongly(value, a.walltime, mostSeconds, "which is no time")
	case "cput":
		a.cput = Seconds(value)
		return wrongly(value, a.cput, mostCput, "which is no time")
	}
	return ""
}

// beyond is what is wrong with an amount that no machine has.
const beyond = "more than any machine has"

// wrongly says what is wrong with an amount, which is none or beyond the most that there may be; "" for nothing. What is below 0 is
// for who knows of what it is.
func wrongly(value []byte, amount, most int64, none string) string {
	switch {
	case amount > most || isTooLong(value):
		return beyond
	case amount == Unknown && len(value) > 0 && value[0] != '-':
		return none
	}
	return ""
}
