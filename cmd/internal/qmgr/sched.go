package qmgr

import (
	"fairshare/cmd/internal/file"
	"strconv"
	"strings"
)

// Sched is what "print sched" (or "print server") says about the order of
// jobs.
type Sched struct {
	Formula          string // job_sort_formula
	Threshold        *float64
	PreemptQueuePrio int      // preempt_queue_prio
	PreemptPrio      []string // preempt_prio's levels
}

// DefaultPreemptQueuePrio is preempt_queue_prio when it is not set.
const DefaultPreemptQueuePrio = 150

// ParseSched reads "set sched NAME = VALUE" lines, also "set server".
func ParseSched(text string) (Sched, []*file.LineError) {
	s := Sched{PreemptQueuePrio: DefaultPreemptQueuePrio, PreemptPrio: []string{"express_queue", "normal_jobs"}}
	var problems []*file.LineError
	number := 0
	for line := range strings.Lines(text) {
		number++
		attribute, value, ok := strings.Cut(strings.TrimSpace(line), " = ")
		words := strings.Fields(attribute)
		if !ok || len(words) < 3 || words[0] != "set" {
			continue
		}
		value = strings.TrimSpace(value)
		if n := len(value); n > 1 && (value[0] == '"' || value[0] == '\'') && value[n-1] == value[0] {
			value = value[1 : n-1]
		}
		var err error
		switch words[len(words)-1] {
		case "job_sort_formula":
			s.Formula = value
		case "job_sort_formula_threshold":
			var threshold float64
			if threshold, err = strconv.ParseFloat(value, 64); err == nil {
				s.Threshold = &threshold
			}
		case "preempt_queue_prio":
			s.PreemptQueuePrio, err = strconv.Atoi(value)
		case "preempt_prio":
			s.PreemptPrio = nil
			for level := range strings.SplitSeq(value, ",") {
				s.PreemptPrio = append(s.PreemptPrio, strings.TrimSpace(level))
			}
		}
		if err != nil {
			problems = append(problems, &file.LineError{Line: number, Detail: strconv.Quote(value) + " is no number"})
		}
	}
	return s, problems
}

// PreemptsFairshare tells whether jobs of entities over their share have a
// preemption level of their own.
func (s Sched) PreemptsFairshare() bool {
	for _, level := range s.PreemptPrio {
		if level == "fairshare" {
			return true
		}
	}
	return false
}
