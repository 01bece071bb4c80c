package qstat

import (
	"bytes"
	"slices"
)

// null is the value of what is not there.
var null = []byte("null")

// attributeName is an attribute's name as it stands in the list, from behind its first
// quote up to its value.
type attributeName struct {
	text    []byte
	place   int    // of an attribute in the schema; of a resource, the length of its name
	unknown string // the name, where it is that of an attribute that is not known here
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
			r.b.problem("a Resource_List that is no list of resources")
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
			if l.unknown != "" {
				r.b.countUnknown(l.unknown)
			}
			return l.place, r.at < len(r.data) || r.stopped()
		}
	}
	start := r.at + 1
	name, value, ok := r.key()
	if !ok {
		return 0, false
	}
	place = placeOfNothing
	unknown := ""
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
	} else if !isKnown(string(name)) {
		unknown = string(name)
		r.b.countUnknown(unknown)
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
		r.b.order = slices.Insert(order, min(*expected, len(order)), attributeName{bytes.Clone(text), place, unknown})
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
	l := attributeName{text: bytes.Clone(r.data[start:value]), place: len(name)}
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
