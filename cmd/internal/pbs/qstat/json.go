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

	lineEnd, quote nextPlace // for the reading with repairs
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
		b.problem(cutList)
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
	if !isObject && r.place == inJobs {
		r.b.problem(noObject)
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

// noObject is what a job is that has null, a text or a list in place of its attributes.
const noObject = "a job without attributes"

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
