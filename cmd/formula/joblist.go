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
	listFacts
	blocks []*listPart // of blockRows rows, the last one of fewer
	slots  []string    // names of amounts, the same for each row
	format jobs.Format
	before []byte // around the records, for -o jobs
}

// listPart is some rows of a list. What a batch becomes has names with
// numbers of its own.
type listPart struct {
	listFacts
	rows    []row
	amounts []float64 // of row i from i*len(slots) on
	raws    []string  // the records as they stand in the input, for -o jobs
	before  []byte
}

// listFacts are what is known of several rows together.
type listFacts struct {
	users      names
	queues     names
	entities   names
	seen       map[string]bool // resources that some job requests
	unreadable map[int]string  // by row, amounts that the scheduler cannot read, "mem=1pb"
	problems   map[string]int
	missing    map[string]int // attributes that jobs lack
	between    []byte
	after      []byte
}

func newListFacts() listFacts {
	return listFacts{seen: map[string]bool{}, unreadable: map[int]string{}, problems: map[string]int{}, missing: map[string]int{}}
}

// blockRows are kept together: a long list grows by blocks, not by copying.
const blockRows = 4096

// row is one job.
type row struct {
	id      string
	rank    float64
	user    int32
	queue   int32
	entity  int32
	subjobs int32
	state   byte
}

func (l *jobList) len() int {
	if len(l.blocks) == 0 {
		return 0
	}
	return (len(l.blocks)-1)*blockRows + len(l.blocks[len(l.blocks)-1].rows)
}

func (l *jobList) row(i int) *row { return &l.blocks[i/blockRows].rows[i%blockRows] }

// gone tells whether the scheduler does not see a job any more: finished,
// moved, or an expired subjob (qstat -x lists them).
func (r *row) gone() bool { return r.state == 'F' || r.state == 'M' || r.state == 'X' }

// hasValue tells whether the scheduler evaluates the formula for a row.
func (l *jobList) hasValue(i int) bool { return l.unreadable[i] == "" && !l.row(i).gone() }

// arrays are the arrays of the list, without their brackets and server.
func (l *jobList) arrays() map[string]bool {
	arrays := map[string]bool{}
	for i := range l.len() {
		if number, index, ok := strings.Cut(l.row(i).id, "["); ok && strings.HasPrefix(index, "]") {
			arrays[number] = true
		}
	}
	return arrays
}

// subjobOf is the array whose subjob an ID names, without brackets: 7 of 7[3].
func subjobOf(id string) string {
	number, index, _ := strings.Cut(id, "[")
	if index == "" || index[0] == ']' {
		return ""
	}
	return number
}

func (l *jobList) raw(i int) string { return l.blocks[i/blockRows].raws[i%blockRows] }

func (l *jobList) amount(i, slot int) float64 {
	return l.blocks[i/blockRows].amounts[i%blockRows*len(l.slots)+slot]
}

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
	attributes = append(attributes, jobs.IDNames...)
	return &listReader{jobs.NewSchema(attributes...), symbols, slots, entity, keepRaw}
}

// read reads a whole list.
func (lr *listReader) read(in io.Reader, format jobs.Format, workers int, progress func(int)) (*jobList, error) {
	l := &jobList{listFacts: newListFacts(), slots: lr.slots}
	format, err := jobs.Read(in, jobs.Options{Format: format, Schema: lr.schema, Workers: workers, Read: progress},
		lr.part, func(part *listPart) error { l.join(part); return nil })
	l.format = format
	return l, err
}

// join appends a part.
func (l *jobList) join(part *listPart) {
	first := l.len()
	if first == 0 {
		l.before = part.before
	}
	users, queues, entities := l.users.join(part.users), l.queues.join(part.queues), l.entities.join(part.entities)
	for i := range part.rows {
		r := &part.rows[i]
		r.user, r.queue, r.entity = users[r.user], queues[r.queue], entities[r.entity]
	}
	for from := 0; from < len(part.rows); {
		if l.len()%blockRows == 0 {
			l.blocks = append(l.blocks, &listPart{
				rows: make([]row, 0, blockRows), amounts: make([]float64, 0, blockRows*len(l.slots)),
			})
		}
		block := l.blocks[len(l.blocks)-1]
		to := min(len(part.rows), from+blockRows-len(block.rows))
		block.rows = append(block.rows, part.rows[from:to]...)
		block.amounts = append(block.amounts, part.amounts[from*len(l.slots):to*len(l.slots)]...)
		if part.raws != nil {
			block.raws = append(block.raws, part.raws[from:to]...)
		}
		from = to
	}
	l.listFacts.join(&part.listFacts, first)
}

func (f *listFacts) join(part *listFacts, first int) {
	if f.between == nil {
		f.between = part.between
	}
	f.after = part.after
	maps.Copy(f.seen, part.seen)
	for i, what := range part.unreadable {
		f.unreadable[first+i] = what
	}
	for kind, n := range part.problems {
		f.problems[kind] += n
	}
	for name, n := range part.missing {
		f.missing[name] += n
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
func (lr *listReader) part(b *jobs.Batch) *listPart {
	l := &listPart{
		listFacts: newListFacts(),
		rows:      make([]row, len(b.Records)),
		amounts:   make([]float64, len(b.Records)*len(lr.slots)),
	}
	maps.Copy(l.problems, b.Problems)
	if lr.keepRaw {
		l.before, l.between, l.after = bytes.Clone(b.Before), bytes.Clone(b.Between), bytes.Clone(b.After)
		l.raws = make([]string, len(b.Records))
	}
	var resources resourceTable
	var ids strings.Builder // one string for the batch
	for i := range b.Records {
		r := &b.Records[i]
		ids.Write(r.ID)
		if lr.keepRaw {
			l.raws[i] = string(r.Raw)
		}
		lr.row(l, i, r, &resources)
	}
	all := ids.String()
	for i := range b.Records {
		n := len(b.Records[i].ID)
		l.rows[i].id, all = all[:n], all[n:]
	}
	for name, r := range resources.byName {
		l.seen[name] = l.seen[name] || r.numeric
	}
	return l
}

// resource is what is known of a resource's name.
type resource struct {
	typ     formula.Type
	slot    int // -1 when no amount is kept
	name    string
	numeric bool
}

// resourceTable finds resources by name. Most jobs have the same ones in the
// same places, so it looks there first.
type resourceTable struct {
	byName  map[string]*resource
	byPlace []*resource
}

func (t *resourceTable) find(place int, name []byte, lr *listReader) *resource {
	if place < len(t.byPlace) && t.byPlace[place].name == string(name) {
		return t.byPlace[place]
	}
	r := t.byName[string(name)]
	if r == nil {
		r = &resource{name: string(name), typ: lr.symbols.Type(string(name)), slot: slices.Index(lr.slots, string(name))}
		if t.byName == nil {
			t.byName = map[string]*resource{}
		}
		t.byName[r.name] = r
	}
	if place == len(t.byPlace) {
		t.byPlace = append(t.byPlace, r)
	}
	return r
}

func (lr *listReader) row(l *listPart, i int, r *jobs.Record, resources *resourceTable) {
	out, amounts := &l.rows[i], l.amounts[i*len(lr.slots):(i+1)*len(lr.slots)]
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
	for slot, name := range lr.slots {
		if text := v[fixedAttributes+slot]; text != nil {
			amount, kind := readAmount(text, lr.symbols.Type(name))
			if kind == amountNumber {
				amounts[slot] = amount
			} else {
				l.unreadable[i] = name + "=" + string(text)
			}
			if _, keyword := jobAttributes[name]; !keyword {
				l.seen[name] = true
			}
		}
	}
	for place, e := range r.Resources {
		res := resources.find(place, e.Name, lr)
		if res.typ != "" && !res.typ.Numeric() {
			continue
		}
		if res.slot < 0 && plainAmount(e.Value) {
			res.numeric = true
			continue
		}
		amount, kind := readAmount(e.Value, res.typ)
		switch {
		case kind == amountUnreadable:
			l.unreadable[i] = string(e.Name) + "=" + string(e.Value)
		case kind == amountText:
		default:
			res.numeric = true
			if res.slot >= 0 {
				amounts[res.slot] = amount
			}
		}
	}
}

// entityName is a job's fairshare entity, the
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

// countSubjobs counts the indexes of an array that wait, "0-2,7" or "1-9:4",
// none in "-". Anything else is one job.
func countSubjobs(text []byte) int32 {
	const most = 10_000_000 // PBS allows far fewer
	switch string(text) {
	case "":
		return 1
	case "-":
		return 0
	}
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

// plainAmount tells at a glance of most amounts that the scheduler can read
// them: a short number, a time, a size in kb, mb, gb or tb.
func plainAmount(value []byte) bool {
	const short = 15
	n := len(value)
	if n > 2 && value[n-1] == 'b' && (value[n-2] == 'k' || value[n-2] == 'm' || value[n-2] == 'g' || value[n-2] == 't') {
		n -= 2
	}
	for _, c := range value[:n] {
		if (c < '0' || c > '9') && (c != ':' || n < len(value)) {
			return false
		}
	}
	return 0 < n && n <= short && value[n-1] != ':' && value[0] != ':' && bytes.Count(value, []byte(":")) < 3
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
