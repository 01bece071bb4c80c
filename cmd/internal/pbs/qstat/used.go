package qstat

import (
	"bytes"
	"iter"
)

// Names under which lists have what a job has used: in JSON all of it as an object, else each resource for itself.
const (
	usedObject = "resources_used"
	usedPrefix = usedObject + "."
)

// used yields what a record says that a job has used of some resources, whose own values stand behind those of
// recordNames.
func used(r *Record, names []string) iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		for i, name := range names {
			value := r.Values[len(recordNames)+i]
			if value == nil {
				value = memberOf(r.Values[recordUsed], name)
			}
			if value != nil && !yield([]byte(name), value) {
				return
			}
		}
	}
}

// Names under which lists have when PBS expects to start a job: the time alone, or in JSON an object of which it is a member.
const (
	Estimated      = "estimated"
	EstimatedStart = Estimated + "." + startMember
	startMember    = "start_time"
)

// StartOf returns when PBS expects to start a job, of what its record has under EstimatedStart and Estimated; nil where it does not say.
func StartOf(start, object []byte) []byte {
	if len(start) > 0 {
		return start
	}
	return memberOf(object, startMember)
}

// memberOf returns the value of a member of a JSON object of plain values, without quotes; nil where it has none.
func memberOf(object []byte, name string) []byte {
	_, rest, ok := bytes.Cut(object, []byte(`"`+name+`"`))
	if !ok {
		return nil
	}
	rest = bytes.TrimLeft(rest, " \t\r\n:")
	if quoted, isQuoted := bytes.CutPrefix(rest, []byte(`"`)); isQuoted {
		value, _, _ := bytes.Cut(quoted, []byte(`"`))
		return value
	}
	if end := bytes.IndexAny(rest, ",} \t\r\n"); end >= 0 {
		return rest[:end]
	}
	return rest
}
