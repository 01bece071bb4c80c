package jobs

import (
	"bytes"
	"slices"
)

// parseJSON reads the jobs of a piece of qstat's JSON: members "ID": {…},
// wherever the piece begins. It is a scanner of our own, since no JSON reader
// goes on behind what qstat gets wrong.
func parseJSON(b *Batch) {
	s := jsonScanner{b: b, data: b.chunk}
	end := 0
	for s.find('"') {
		start := s.at
		key, ok := s.text()
		if !ok || !s.take(':') {
			if looksLikeText(key) {
				b.problem("text that is no JSON")
			}
			continue
		}
		if !s.take('{') {
			s.skipValue()
			continue
		}
		if !looksLikeID(key) {
			if string(key) == "Jobs" || string(key) == "Queue" {
				if len(b.Records) > 0 {
					b.problem("a second " + string(key) + " object")
				}
				continue // what follows is inside
			}
			if !b.queues {
				b.problem("an object whose key is no job ID")
				s.at--
				s.skipValue()
				continue
			}
		}
		s.note(start, end)
		r := b.add(key)
		s.members(r)
		end = s.at
		r.Raw = s.data[start:end]
	}
	b.After = s.data[end:]
	if text := bytes.TrimSpace(s.data); b.last && len(text) > 0 && text[len(text)-1] != '}' {
		b.problem("a list that is cut off")
	}
}

// note keeps what stands around the records.
func (s *jsonScanner) note(start, end int) {
	switch len(s.b.Records) {
	case 0:
		s.b.Before = s.data[:start]
	case 1:
		s.b.Between = s.data[end:start]
	}
}

// looksLikeID tells a job from an attribute: 12.server, 12[].server, 12.
func looksLikeID(key []byte) bool {
	i := 0
	for i < len(key) && '0' <= key[i] && key[i] <= '9' {
		i++
	}
	return i > 0 && (i == len(key) || key[i] == '.' || key[i] == '[')
}

func looksLikeText(key []byte) bool { return bytes.ContainsAny(key, " \n") }

// members reads a job's attributes up to its closing brace. A key that is
// another job's ID tells that the brace is missing.
func (s *jsonScanner) members(r *Record) {
	expected := 0
	for {
		if bytes.HasPrefix(s.data[s.at:], attributeIndent) {
			s.at += len(attributeIndent)
		}
		s.space()
		for s.at < len(s.data) && s.data[s.at] == ',' {
			if s.at++; bytes.HasPrefix(s.data[s.at:], attributeIndent) {
				s.at += len(attributeIndent)
			}
			s.space()
		}
		if s.at >= len(s.data) {
			s.b.problem("a job that is cut off")
			return
		}
		switch s.data[s.at] {
		case '}':
			s.at++
			return
		case '"':
		default:
			s.b.problem("text that is no JSON")
			i := bytes.IndexAny(s.data[s.at:], "\"}")
			if i < 0 {
				s.at = len(s.data)
			} else {
				s.at += i
			}
			continue
		}
		start := s.at
		place, ok := s.attribute(&expected)
		if !ok {
			s.b.problem("a job that is cut off")
			continue
		}
		s.space()
		object := s.at < len(s.data) && s.data[s.at] == '{'
		switch {
		case object && place == placeOfJob:
			s.b.problem("a job that is cut off")
			s.at = start
			return
		case object && place == placeOfResources:
			s.at++
			s.resources()
		case place >= 0:
			r.Values[place] = s.value()
		default:
			s.skipLines()
		}
	}
}

// Places of attributes that are none of the schema's.
const (
	placeOfNothing   = -1 - iota
	placeOfResources // Resource_List
	placeOfJob       // no attribute, but what looks like another job's ID
)

// learned is an attribute's name as it stands in the list, with the quote and
// the colon behind it.
type learned struct {
	text  []byte
	place int
}

// attribute reads a name and its colon. qstat writes each job's attributes in
// one order, so it first looks whether the one comes that came last time.
func (s *jsonScanner) attribute(expected *int) (place int, ok bool) {
	order := s.b.order
	if *expected < len(order) && bytes.HasPrefix(s.data[s.at+1:], order[*expected].text) {
		place = order[*expected].place
		s.at += 1 + len(order[*expected].text)
		*expected++
		return place, true
	}
	start := s.at + 1
	name, ok := s.text()
	if !ok || !s.take(':') {
		return 0, false
	}
	place = placeOfNothing
	if i, wanted := s.b.schema.wants(name); wanted {
		place = i
	} else if string(name) == "Resource_List" {
		place = placeOfResources
	} else if looksLikeID(name) {
		return placeOfJob, true
	}
	text := s.data[start:s.at]
	for i, l := range order {
		if bytes.Equal(l.text, text) {
			*expected = i + 1
			return place, true
		}
	}
	const most = 200
	if len(order) < most {
		s.b.order = slices.Insert(order, min(*expected, len(order)), learned{bytes.Clone(text), place})
		*expected++
	}
	return place, true
}

func (s *jsonScanner) resources() {
	for {
		for s.take(',') {
		}
		if s.at >= len(s.data) || s.data[s.at] != '"' {
			s.take('}')
			return
		}
		name, ok := s.text()
		if !ok || !s.take(':') {
			s.b.problem("a job that is cut off")
			return
		}
		s.b.addResource(name, s.value())
	}
}

// parseLines reads JSON objects, one a line, each with its ID among the
// members.
func parseLines(b *Batch) {
	for line := range bytes.Lines(b.chunk) {
		text := bytes.TrimSpace(line)
		if len(text) == 0 {
			continue
		}
		if text[0] != '{' {
			b.problem("a line that is no object")
			continue
		}
		s := jsonScanner{b: b, data: text, at: 1}
		r := b.add(nil)
		s.members(r)
		r.Raw = line
		for _, name := range IDNames {
			if i, ok := b.schema.index[name]; ok && r.ID == nil {
				r.ID = r.Values[i]
			}
		}
	}
}

// IDNames are what a job's ID may be called where it is a member or a column.
var IDNames = []string{"id", "Job Id", "Job_Id", "job_id", "JobID", "jobid"}
