package main

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/jobs"
	"fairshare/formula"
)

// jobList is what is kept of the jobs of a list: for each only what the
// formula, the order and the output need.
type jobList struct {
	rows     []row
	slots    []string  // names of amounts, the same for each row
	amounts  []float64 // of row i from i*len(slots) on
	users    names
	queues   names
	entities names
	seen     map[string]bool // resources that some job requests
	problems map[string]int
	missing  map[string]int // attributes that jobs lack
	format   jobs.Format
	before   []byte // around the records, for -o jobs
	between  []byte
	after    []byte
}

// row is one job.
type row struct {
	id         string
	raw        string // as it stands in the input, for -o jobs
	unreadable string // an amount that the scheduler cannot read, "mem=1pb"
	user       int32
	queue      int32
	entity     int32
	subjobs    int32
	rank       float64
	state      byte
}

func (l *jobList) amount(row, slot int) float64 { return l.amounts[row*len(l.slots)+slot] }

// names numbers strings.
type names struct {
	list  []string
	index map[string]int32
}

func (n *names) number(name []byte) int32 {
	if i, ok := n.index[string(name)]; ok {
		return i
	}
	if n.index == nil {
		n.index = map[string]int32{}
	}
	i := int32(len(n.list))
	n.list = append(n.list, string(name))
	n.index[n.list[i]] = i
	return i
}

// Attributes that are no numbers, in the schema's order.
const (
	atState = iota
	atQueue
	atUser
	atGroup
	atOwner
	atRank
	atArray
	atEntity // whatever fairshare_entity names
	fixedAttributes
)

// jobAttributes are the names of attributes that stand for keywords.
var jobAttributes = map[string]string{"eligible_time": "eligible_time", "job_priority": "Priority", "accrue_type": "accrue_type"}

// listReader turns batches of records into parts of a jobList.
type listReader struct {
	schema  *jobs.Schema
	symbols *formula.Symbols
	slots   []string
	entity  string // fairshare_entity
	keepRaw bool
}

func newListReader(symbols *formula.Symbols, slots []string, entity string, keepRaw bool) *listReader {
	attributes := []string{"job_state", "queue", "euser", "egroup", "Job_Owner", "queue_rank", "array_indices_remaining", entity}
	for _, slot := range slots {
		if attribute, ok := jobAttributes[slot]; ok {
			attributes = append(attributes, attribute)
		} else {
			attributes = append(attributes, slot) // as a column of its own
		}
	}
	attributes = append(attributes, "id", "Job Id", "Job_Id", "job_id", "JobID", "jobid")
	return &listReader{jobs.NewSchema(attributes...), symbols, slots, entity, keepRaw}
}

// read reads a whole list.
func (lr *listReader) read(in io.Reader, format jobs.Format, workers int, progress func(int)) (*jobList, error) {
	l := &jobList{slots: lr.slots, seen: map[string]bool{}, problems: map[string]int{}, missing: map[string]int{}}
	format, err := jobs.Read(in, jobs.Options{Format: format, Schema: lr.schema, Workers: workers, Read: progress},
		lr.part, func(part *jobList) error { l.join(part); return nil })
	l.format = format
	return l, err
}

// join appends a part, whose names have numbers of their own.
func (l *jobList) join(part *jobList) {
	users, queues, entities := l.users.join(part.users), l.queues.join(part.queues), l.entities.join(part.entities)
	for i := range part.rows {
		r := &part.rows[i]
		r.user, r.queue, r.entity = users[r.user], queues[r.queue], entities[r.entity]
	}
	if len(l.rows) == 0 {
		l.before = part.before
	}
	if l.between == nil {
		l.between = part.between
	}
	l.after = part.after
	l.rows = append(l.rows, part.rows...)
	l.amounts = append(l.amounts, part.amounts...)
	maps.Copy(l.seen, part.seen)
	for kind, n := range part.problems {
		l.problems[kind] += n
	}
	for name, n := range part.missing {
		l.missing[name] += n
	}
}

func (n *names) join(part names) []int32 {
	numbers := make([]int32, len(part.list))
	for i, name := range part.list {
		numbers[i] = n.number([]byte(name))
	}
	return numbers
}

// part makes of a batch what is kept. It runs on several batches at a time.
func (lr *listReader) part(b *jobs.Batch) *jobList {
	l := &jobList{
		rows:    make([]row, len(b.Records)),
		amounts: make([]float64, len(b.Records)*len(lr.slots)),
		seen:    map[string]bool{}, problems: b.Problems, missing: map[string]int{},
	}
	if lr.keepRaw {
		l.before, l.between, l.after = bytes.Clone(b.Before), bytes.Clone(b.Between), bytes.Clone(b.After)
	}
	resources := map[string]*resource{}
	var ids strings.Builder // one string for the batch
	for i := range b.Records {
		r := &b.Records[i]
		ids.Write(r.ID)
		lr.row(l, &l.rows[i], r, l.amounts[i*len(lr.slots):(i+1)*len(lr.slots)], resources)
	}
	all := ids.String()
	for i := range b.Records {
		n := len(b.Records[i].ID)
		l.rows[i].id, all = all[:n], all[n:]
	}
	for name, r := range resources {
		l.seen[name] = l.seen[name] || r.numeric
	}
	return l
}

// resource is what is known of a resource's name.
type resource struct {
	typ     formula.Type
	slot    int // -1 when no amount is kept
	numeric bool
}

func (lr *listReader) row(l *jobList, out *row, r *jobs.Record, amounts []float64, resources map[string]*resource) {
	v := r.Values
	out.state = 'Q'
	if state := v[atState]; len(state) > 0 {
		out.state = state[0]
	} else {
		l.missing["job_state"]++
	}
	if v[atQueue] == nil {
		l.missing["queue"]++
	}
	user := v[atUser]
	if user == nil {
		user, _, _ = bytes.Cut(v[atOwner], []byte("@"))
		l.missing["euser"]++
	}
	out.user = l.users.number(user)
	out.queue = l.queues.number(v[atQueue])
	out.entity = l.entities.number(lr.entityName(v, user))
	out.rank, _ = strconv.ParseFloat(string(v[atRank]), 64)
	out.subjobs = countSubjobs(v[atArray])
	if lr.keepRaw {
		out.raw = string(r.Raw)
	}
	for slot, name := range lr.slots {
		if text := v[fixedAttributes+slot]; text != nil {
			lr.attribute(out, &amounts[slot], name, text)
			if _, keyword := jobAttributes[name]; !keyword {
				l.seen[name] = true
			}
		}
	}
	for _, e := range r.Resources {
		res := resources[string(e.Name)]
		if res == nil {
			res = &resource{typ: lr.symbols.Type(string(e.Name)), slot: slices.Index(lr.slots, string(e.Name))}
			resources[string(e.Name)] = res
		}
		if res.typ != "" && !res.typ.Numeric() {
			continue
		}
		amount, kind := readAmount(e.Value, res.typ)
		switch {
		case kind == amountUnreadable:
			out.unreadable = string(e.Name) + "=" + string(e.Value)
		case kind == amountText:
		default:
			res.numeric = true
			if res.slot >= 0 {
				amounts[res.slot] = amount
			}
		}
	}
}

// attribute keeps a keyword's number, or a resource that has a column.
func (lr *listReader) attribute(out *row, to *float64, name string, text []byte) {
	t := lr.symbols.Type(name)
	amount, kind := readAmount(text, t)
	if kind == amountUnreadable || kind == amountText && t != "" {
		out.unreadable = name + "=" + string(text)
		return
	}
	*to = amount
}

// entityName is a job's fairshare entity, as PBS's site_find_alloc_share: the
// attribute that fairshare_entity names, "egroup:euser" for a job without it.
func (lr *listReader) entityName(v [][]byte, user []byte) []byte {
	name := v[atEntity]
	switch lr.entity {
	case "euser":
		name = user
	case "egroup":
		name = v[atGroup]
	case "queue":
		name = v[atQueue]
	}
	if len(name) > 0 {
		return name
	}
	return append(append(bytes.Clone(v[atGroup]), ':'), user...)
}

// countSubjobs counts the indexes of an array that wait, "0-2,7" or "1-9:4".
// Anything else is one job.
func countSubjobs(text []byte) int32 {
	const most = 10_000_000 // PBS allows far fewer
	total := 0
	for part := range bytes.SplitSeq(text, []byte(",")) {
		span, step, stepped := bytes.Cut(part, []byte(":"))
		first, last, isSpan := bytes.Cut(bytes.TrimSpace(span), []byte("-"))
		a, err := strconv.Atoi(string(first))
		b := a
		if err == nil && isSpan {
			b, err = strconv.Atoi(string(last))
		}
		by := 1
		if err == nil && stepped {
			by, err = strconv.Atoi(string(step))
		}
		if err != nil || by < 1 || b < a {
			return 1
		}
		total = min(total+(b-a)/by+1, most)
	}
	return int32(max(total, 1))
}

type amountKind uint8

const (
	amountNumber amountKind = iota
	amountText
	amountUnreadable // the scheduler leaves the whole job out
)

// readAmount reads an amount as the scheduler does: a number, a size in kB, a
// time in seconds. An unknown type is what the text looks like.
func readAmount(value []byte, t formula.Type) (float64, amountKind) {
	text := string(value)
	if t != formula.Size || text == "" {
		f, err := strconv.ParseFloat(text, 64)
		switch {
		case err == nil && !math.IsNaN(f) && !math.IsInf(f, 0):
			return f, amountNumber
		case err == nil, errors.Is(err, strconv.ErrRange):
			return 0, amountUnreadable
		}
	}
	if t == formula.Size || t == "" {
		if f, ok := formula.ParseSize(text); ok {
			return f, amountNumber
		}
	}
	if t == formula.Duration || t == "" {
		if f, ok := formula.ParseDuration(text); ok {
			return f, amountNumber
		}
	}
	if t == "" && !strings.HasSuffix(text, "pb") && !strings.HasSuffix(text, "pw") {
		return 0, amountText
	}
	return 0, amountUnreadable
}
