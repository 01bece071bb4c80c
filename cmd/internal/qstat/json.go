package qstat

import (
	"bytes"
	"maps"
	"slices"
)

// JSON is read by its structure: objects, members and strings, whatever the
// white space. The readers of a list work on pieces of it side by side, each of
// which begins at what looks like a job; whether it was one, the piece before
// tells (see jsonState).
//
// qstat writes lists that are no JSON, and others are cut off or have text mixed
// in. The strict reading of a job says where it fails; only such a job is read
// again with repairs, and so is what follows up to that place.

// jsonState is where a reader stands between two jobs: what the piece after must
// begin with for its own reading to count.
type jsonState struct {
	place   jsonPlace
	repairs int // how many bytes from here on are read with repairs
}

// jsonPlace is a level of a list in JSON.
type jsonPlace uint8

const (
	outside jsonPlace = iota // of any object
	atTop                    // among the members of an outermost object
	inJobs                   // among the members of "Jobs"
)

// jsonReader reads a piece of a list.
type jsonReader struct {
	jsonScanner
	b       *Batch
	place   jsonPlace
	until   int  // up to where jobs are read with repairs
	partial bool // whether more of the list follows the piece
	lines   bool // whether the list is an object a line
	inValue bool // whether it is the job of an entry that is read
	end     int  // of the last record

	lineEnd, quote ahead // for the reading with repairs
}

// parseJSON reads the jobs of a piece that begins in b.from, and sets b.to. What
// it cannot read without the piece behind it remains from b.rest on.
func parseJSON(b *Batch) {
	r := jsonReader{jsonScanner: jsonScanner{data: b.chunk}, b: b, place: b.from.place, until: b.from.repairs, partial: !b.whole}
	b.rest = len(b.chunk)
	for r.step() {
	}
	b.After = r.data[r.end:b.rest]
	b.to = jsonState{r.place, max(0, r.until-b.rest)}
	if b.last && r.place != outside {
		b.problem("a list that is cut off")
	}
}

// step reads the next token between jobs, or the next job. It returns false at
// the end of the piece.
func (r *jsonReader) step() bool {
	r.space()
	if r.at >= len(r.data) {
		return false
	}
	switch c := r.data[r.at]; {
	case c == '{' && r.place == outside:
		r.at++
		r.place = atTop
	case c == '}' && r.place != outside:
		r.at++
		r.place--
	case c == ',' && r.place != outside, (c == '[' || c == ']' || c == ',') && r.place == outside:
		r.at++ // lists may stand in an array
	case c == '"' && r.place != outside:
		return r.next()
	default:
		r.b.problem("text that is not JSON")
		if r.place == outside {
			r.resume("{")
		} else {
			r.resume("\"}")
		}
	}
	return true
}

// resume goes on behind what is no JSON, at the next of some characters.
func (r *jsonReader) resume(marks string) {
	i := bytes.IndexAny(r.data[r.at:], marks)
	if i < 0 {
		i = len(r.data) - r.at
	}
	r.at += i
}

// next reads a member of an outermost object or of "Jobs". It returns false
// where the piece ends before the member does.
func (r *jsonReader) next() bool {
	start := r.at
	key, value, ok := r.key()
	if !ok {
		if r.endsHere {
			return r.leave(start)
		}
		r.b.problem("text that is not JSON")
		r.at = start + 1
		r.resume("\"}")
		return true
	}
	r.at = value
	isObject := r.data[value] == '{'
	switch {
	case isObject && string(key) == listKey:
		if r.b.hasJobs || r.b.from.place == inJobs {
			r.b.problem("a second " + listKey + " object")
		}
		r.b.hasJobs = true
		r.at++
		r.place = inJobs
		return true
	case isObject && r.place == inJobs && len(key) == 0:
		r.b.problem(noID)
	case isObject && (r.place == inJobs || LooksLikeID(key)):
		return r.job(start, key)
	}
	if r.place == atTop && !slices.Contains(qstatMembers, string(key)) {
		r.b.isStrange = true
	}
	if !r.skipValue() {
		if r.endsHere && r.partial {
			return r.leave(start)
		}
		if isObject && !r.tooDeep {
			r.at = value + 1 // its members may be what can be read
		}
		r.b.problem("text that is not JSON")
	}
	return true
}

// listKey is the member in which qstat prints its list.
const listKey = "Jobs"

// qstatMembers are what qstat -F json prints before "Jobs".
var qstatMembers = []string{"timestamp", "pbs_version", "pbs_server"}

// leave leaves what begins at start for when more of the list is there. At the
// end of the list it is lost.
func (r *jsonReader) leave(start int) bool {
	if r.partial {
		r.b.rest = start
	}
	r.at = len(r.data)
	return false
}

// key reads a member's key and finds its value. It returns the key's text.
func (r *jsonReader) key() (text []byte, value int, ok bool) {
	text, ok = r.text()
	if !ok || !r.take(':') {
		r.endsHere = r.endsHere || r.at >= len(r.data)
		return nil, 0, false
	}
	r.space()
	r.endsHere = r.at >= len(r.data)
	return text, r.at, !r.endsHere
}

// job reads the job whose member begins at start, and whose object begins here.
// Where the strict reading fails, it reads with repairs.
func (r *jsonReader) job(start int, id []byte) bool {
	body := r.at + 1
	record := r.b.add(id)
	if start >= r.until {
		r.at, r.hasID = body, false
		if r.members(record) && (!r.hasID || r.closes()) {
			r.finish(record, start)
			return true
		}
		if r.endsHere && r.partial {
			r.b.dropLast()
			return r.leave(start)
		}
		if r.until = r.at; r.endsHere {
			r.until = len(r.data)
		}
		r.b.clearLast()
	}
	problems := maps.Clone(r.b.Problems)
	r.at = body
	if !r.repairedMembers(record) && r.partial {
		r.b.Problems = problems
		r.b.dropLast()
		return r.leave(start)
	}
	r.finish(record, start)
	return true
}

// closes reports whether the list closes behind a job that holds another one, as
// it does where that is meant, and does not where the job's own brace is missing.
func (r *jsonReader) closes() bool {
	after := jsonScanner{data: r.data, at: r.at}
	for open := r.place; open > outside; {
		switch after.space(); {
		case after.at >= len(after.data):
			r.endsHere = true
			return false
		case after.data[after.at] == '}':
			open--
		case after.data[after.at] == ',':
			return true // and goes on
		default:
			r.endsHere = false
			return false
		}
		after.at++
	}
	return true
}

// finish keeps a record and what stands around it.
func (r *jsonReader) finish(record *Record, start int) {
	switch len(r.b.Records) {
	case 1:
		r.b.Before = r.data[:start]
	case 2:
		r.b.Between = r.data[r.end:start]
	}
	r.end = r.at
	record.Raw = r.data[start:r.at]
}

// LooksLikeID reports whether a key is a job's and no attribute's: 12.server,
// 12[].server, 12.
func LooksLikeID(key []byte) bool {
	i := 0
	for i < len(key) && '0' <= key[i] && key[i] <= '9' {
		i++
	}
	return i > 0 && (i == len(key) || key[i] == '.' || key[i] == '[')
}

// Places of attributes that are none of the schema's.
const (
	placeOfNothing   = -1
	placeOfResources = -2 // Resource_List
	placeOfID        = -3 // one of idNames, where jobs are lines
	placeOfValue     = -4 // "value", the job of an entry of jq's to_entries
	placeOfOwn       = -5 // what only this program's own output has
)

// null is the value of what is not there.
var null = []byte("null")

// learned is an attribute's name as it stands in the list, from behind its first
// quote up to its value.
type learned struct {
	text  []byte
	place int // of an attribute in the schema; of a resource, the length of its name
}

// members reads a job's attributes strictly, up to and with its closing brace.
// It returns false where the text is no JSON, or ends.
func (r *jsonReader) members(record *Record) bool {
	r.space()
	if r.at < len(r.data) && r.data[r.at] == '}' {
		r.at++
		return true
	}
	for expected := 0; ; r.at++ {
		r.space()
		if r.at >= len(r.data) || r.data[r.at] != '"' {
			return r.stopped()
		}
		place, ok := r.attribute(&expected)
		if !ok {
			return false
		}
		switch {
		case place == placeOfNothing:
			ok = r.skipString() || r.skipValue()
		case place == placeOfOwn:
			r.b.IsOwn = true
			ok = r.skipValue()
		case bytes.HasPrefix(r.data[r.at:], null):
			ok = r.skipValue() // as if it were not there
		case place == placeOfID && (r.data[r.at] == '{' || r.data[r.at] == '['):
			ok = r.skipValue()
		case place == placeOfID:
			record.ID, ok = r.value()
			record.ID = bytes.TrimSpace(record.ID)
		case place == placeOfValue && r.data[r.at] == '{' && !r.inValue:
			r.at++
			r.inValue = true
			ok = r.members(record)
		case place == placeOfValue:
			ok = r.skipValue() // this program's own output has one too
		case place != placeOfResources:
			record.Values[place], ok = r.value()
		case r.data[r.at] == '{':
			ok = r.resources()
		default:
			ok = r.skipValue()
		}
		if !ok {
			return false
		}
		r.space()
		if r.at >= len(r.data) {
			return r.stopped()
		}
		switch r.data[r.at] {
		case ',':
		case '}':
			r.at++
			return true
		default:
			return r.stopped()
		}
	}
}

// attribute reads a name and what stands before its value. A list has the
// attributes of all jobs in one order, so that it first looks whether the one
// comes that came last time.
func (r *jsonReader) attribute(expected *int) (place int, ok bool) {
	order := r.b.order
	if *expected < len(order) {
		if l := &order[*expected]; bytes.HasPrefix(r.data[r.at+1:], l.text) && r.at+1+len(l.text) < len(r.data) {
			r.at += 1 + len(l.text)
			r.space() // there may be more of it than the last time
			*expected++
			return l.place, r.at < len(r.data) || r.stopped()
		}
	}
	start := r.at + 1
	name, value, ok := r.key()
	if !ok {
		return 0, false
	}
	place = placeOfNothing
	if alias, ok := aliases[string(name)]; ok && r.lines {
		name = []byte(alias)
	}
	if r.lines && (slices.Contains(idNames, string(name)) || string(name) == "key" && r.data[value] == '"') {
		place = placeOfID
	} else if r.lines && string(name) == ownMark {
		place = placeOfOwn
	} else if r.lines && string(name) == "value" {
		place = placeOfValue
	} else if i, wanted := r.b.schema.wants(name); wanted {
		place = i
	} else if string(name) == "Resource_List" || r.lines && string(name) == "vars" {
		place = placeOfResources
	} else if LooksLikeID(name) {
		r.hasID = r.hasID || r.data[value] == '{'
		return place, true
	}
	text := r.data[start:value]
	for i := range order {
		if at := (*expected + i) % len(order); bytes.Equal(order[at].text, text) {
			*expected = at + 1
			return place, true
		}
	}
	const most = 200
	if len(order) < most {
		r.b.order = slices.Insert(order, min(*expected, len(order)), learned{bytes.Clone(text), place})
		*expected++
	}
	return place, true
}

// resources reads the object of Resource_List strictly.
func (r *jsonReader) resources() bool {
	r.at++
	if r.take('}') {
		return true
	}
	for place := 0; ; place++ {
		r.space()
		if r.at >= len(r.data) || r.data[r.at] != '"' {
			return r.stopped()
		}
		name, ok := r.resourceName(place)
		if !ok {
			return false
		}
		isNull := bytes.HasPrefix(r.data[r.at:], null)
		value, ok := r.value()
		if !ok {
			return false
		}
		if !isNull {
			r.b.addResource(name, value)
		}
		switch {
		case r.take(','):
		case r.take('}'):
			return true
		default:
			return r.stopped()
		}
	}
}

// resourceName reads the name of the resource at a place, and what stands before
// its value. Most jobs have the same resources, so that it first looks whether
// the one comes that came there last.
func (r *jsonReader) resourceName(place int) (name []byte, ok bool) {
	if place < len(r.b.resourceOrder) {
		if l := &r.b.resourceOrder[place]; bytes.HasPrefix(r.data[r.at+1:], l.text) && r.at+1+len(l.text) < len(r.data) {
			r.at += 1 + len(l.text)
			r.space()
			return l.text[:l.place], r.at < len(r.data) || r.stopped()
		}
	}
	start := r.at + 1
	name, value, ok := r.key()
	const most = 200
	if !ok || place >= most {
		return name, ok
	}
	l := learned{text: bytes.Clone(r.data[start:value]), place: len(name)}
	if !bytes.HasPrefix(l.text, name) { // it had escapes
		return name, true
	}
	if place < len(r.b.resourceOrder) {
		r.b.resourceOrder[place] = l
	} else {
		r.b.resourceOrder = append(r.b.resourceOrder, l)
	}
	return name, true
}
