package trace

import (
	"iter"
	"math"
	"strconv"
	"strings"
)

// IsArray reports whether an ID is a job array's own: 7[].server.
func IsArray(id string) bool {
	_, index, _, ok := cutIndex(id)
	return ok && index == ""
}

// Subjob returns the ID of the array that a subjob belongs to and its index in it:
// 7[].server and 3 of 7[3].server. isSubjob is false for any other ID.
func Subjob(id string) (array string, index int, isSubjob bool) {
	number, text, server, ok := cutIndex(id)
	if index, isSubjob = parseIndex(text); !ok || !isSubjob {
		return "", 0, false
	}
	return number + "[]" + server, index, true
}

// SubjobID returns the ID of an array's subjob: 7[3].server of 7[].server.
func SubjobID(array string, index int) string {
	number, _, server, _ := cutIndex(array)
	return number + "[" + strconv.Itoa(index) + "]" + server
}

// WithoutServer returns an ID without the name of the server: 7[3] of 7[3].server.
func WithoutServer(id string) string {
	id, _, _ = strings.Cut(id, ".")
	return id
}

// cutIndex cuts an ID at its brackets: 7[3].server into 7, 3 and .server. ok is false for
// an ID that has none.
func cutIndex(id string) (number, index, server string, ok bool) {
	number, rest, isOpen := strings.Cut(id, "[")
	index, server, isClosed := strings.Cut(rest, "]")
	return number, index, server, isOpen && isClosed && (server == "" || server[0] == '.')
}

// Indices are the indices of an array's subjobs.
type Indices []span

// span is the indices from first to last, each step-th one.
type span struct{ first, last, step int }

// ParseIndices reads indices as PBS writes them: 0-9:2,12, or "-" for none. How many of
// them may run at a time, as in 0-9%2, is passed over. ok is false for anything else.
func ParseIndices(text string) (indices Indices, ok bool) {
	if text = strings.TrimSpace(text); text == "-" {
		return nil, true
	}
	for part := range strings.SplitSeq(text, ",") {
		part, _, _ = strings.Cut(part, "%")
		bounds, step, isStepped := strings.Cut(strings.TrimSpace(part), ":")
		first, last, isSpan := strings.Cut(bounds, "-")
		if !isSpan {
			last = first
		}
		if !isStepped {
			step = "1"
		}
		var s span
		var isFirst, isLast, isStep bool
		s.first, isFirst = parseIndex(first)
		s.last, isLast = parseIndex(last)
		s.step, isStep = parseIndex(step)
		if !isFirst || !isLast || !isStep || s.step == 0 || s.last < s.first {
			return nil, false
		}
		indices = append(indices, s)
	}
	return indices, true
}

// parseIndex reads digits. What they stand for is small enough to be added to another one.
func parseIndex(text string) (index int, ok bool) {
	n, err := strconv.ParseUint(text, 10, 62)
	return int(n), err == nil
}

// Count returns how many indices there are, at most as many as an int32 can tell.
func (indices Indices) Count() int {
	count := 0
	for _, s := range indices {
		count = min(count+(s.last-s.first)/s.step+1, math.MaxInt32)
	}
	return count
}

// Has reports whether an index is one of them.
func (indices Indices) Has(index int) bool {
	for _, s := range indices {
		if s.first <= index && index <= s.last && (index-s.first)%s.step == 0 {
			return true
		}
	}
	return false
}

// All yields the indices in their order. There may be more than anybody can go through.
func (indices Indices) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		for _, s := range indices {
			for i := s.first; i <= s.last; i += s.step {
				if !yield(i) {
					return
				}
			}
		}
	}
}

// TasksNamed returns the number of a job, and of tasks of an array as squeue has those that wait, 20_[4-7,9%2], the number of the array
// and which these are: nil for all, as where squeue has cut their list.
func TasksNamed(asked string) (number string, tasks Indices) {
	number, text, isList := strings.Cut(asked, "_[")
	if isList {
		tasks, _ = ParseIndices(strings.TrimSuffix(text, "]"))
	}
	return number, tasks
}

// ArrayOf returns the array of which a job is a part, in the words of PBS or Slurm, "" for other jobs.
func ArrayOf(id string) string {
	if array, _, is := Subjob(id); is {
		return array
	}
	if array, index, is := strings.Cut(id, "_"); is && index != "" && strings.Trim(index, "0123456789") == "" {
		return array
	}
	return ""
}

// IsNamed reports whether somebody who asks about a job means this one: its number is enough, and
// an array names its subjobs.
func IsNamed(job, asked string) bool {
	asked, tasks := TasksNamed(asked)
	number, _, _ := strings.Cut(job, ".")
	array, _, isSubjob := strings.Cut(number, "[")
	if of, text, isTask := strings.Cut(number, "_"); isTask && of == asked { // as Slurm has them
		index, isIndex := parseIndex(text)
		return tasks == nil || !isIndex || tasks.Has(index)
	}
	isOfArray := array == asked || array+"[]" == asked || strings.HasPrefix(asked, array+"[].")
	return job == asked || number == asked || isSubjob && isOfArray
}
