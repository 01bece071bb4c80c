package history

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/trace"
)

// Count is what became of the jobs of a name.
type Count struct {
	Name                           string
	Jobs                           int
	Well, Badly, Running, Awaiting int // those that ended well and those that did not, and those that run and wait
}

// HasNoLengths reports whether nothing tells of any job that ran for how long it did.
func (h *History) HasNoLengths() bool {
	return slices.ContainsFunc(h.Jobs, func(j *trace.Job) bool { return !isOff(j) }) && !slices.ContainsFunc(h.Jobs, func(j *trace.Job) bool {
		_, hasRun := j.Length()
		_, runs := j.SoFar()
		return hasRun || runs || len(j.Earlier()) > 0
	})
}

// Counts returns what became of the jobs that are kept by their names of a kind, those of most jobs first.
func (h *History) Counts(kind trace.Kind) (list []Count) {
	at := map[string]int{}
	for _, j := range h.Jobs {
		name := kind.Of(j)
		k, isKnown := at[name]
		if !isKnown {
			k, at[name] = len(list), len(list)
			list = append(list, Count{Name: name})
		}
		c := &list[k]
		c.Jobs++
		switch {
		case j.State == trace.Running:
			c.Running++
		case j.State == trace.Waiting:
			c.Awaiting++
		case endsBadly(h.Trace, j):
			c.Badly++
		default:
			c.Well++
		}
	}
	slices.SortStableFunc(list, func(a, b Count) int { return cmp.Or(cmp.Compare(b.Jobs, a.Jobs), strings.Compare(a.Name, b.Name)) })
	return list
}

// endsBadly reports whether a job that is over has left before it ran, or has ended in a state or with an exit status that says so.
func endsBadly(t *trace.Trace, j *trace.Job) bool {
	state, _ := t.EndedAs(j)
	return j.State == trace.Deleted || state != "" || j.HasFailed()
}

// BadEnds returns in which states jobs ended badly, such as "2 FAILED", the most frequent first.
func (h *History) BadEnds() (list []string) {
	counts := map[string]int{}
	for _, j := range h.Jobs {
		if j.State == trace.Running || j.State == trace.Waiting || !endsBadly(h.Trace, j) {
			continue
		}
		state, _ := h.Trace.EndedAs(j)
		word, _, _ := strings.Cut(state, " ") // CANCELLED by 1001
		counts[cmp.Or(word, "with another exit status than 0")]++
	}
	states := slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(a, b)) })
	for _, state := range states {
		list = append(list, strconv.Itoa(counts[state])+" "+state)
	}
	return list
}
