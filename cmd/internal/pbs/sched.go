package pbs

import (
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/file"
)

// Sched is what the attributes of a scheduler say about the order of jobs.
type Sched struct {
	Formula          string   // job_sort_formula, "" if it is not set
	Threshold        float64  // job_sort_formula_threshold
	PreemptQueuePrio int      // preempt_queue_prio
	PreemptPrio      []string // the levels of preempt_prio
}

// defaultSched returns the attributes of a scheduler for which nothing is set.
func defaultSched() Sched {
	return Sched{Threshold: -2147483648, PreemptQueuePrio: 150, PreemptPrio: []string{"express_queue", "normal_jobs"}}
}

// parseSched returns the attributes that qmgr's "print sched" or "print server"
// prints, as lines "set sched NAME = VALUE".
func parseSched(text string) (Sched, []*file.Problem) {
	s := defaultSched()
	var problems []*file.Problem
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
				s.Threshold = threshold
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
			problems = append(problems, &file.Problem{Line: number, Message: strconv.Quote(value) + " is not a number"})
		}
	}
	return s, problems
}

// PreemptsFairshare reports whether jobs of entities over their share have a
// preemption level of their own.
func (s Sched) PreemptsFairshare() bool { return slices.Contains(s.PreemptPrio, "fairshare") }
