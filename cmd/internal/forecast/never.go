package forecast

import (
	"fmt"
	"strings"

	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/pattern"
	"fairshare/cmd/internal/report"
)

// itsOwn matches what is of a job alone where it is said why the job never starts, in the words of any scheduler: how much it asks for, whose
// it is, and the job that it was to follow.
var itsOwn = pattern.Of(`^select=\S+ |\S+ asked\)|\bit asks for [^(;]*|\bno \w+( that takes jobs of queue \S+)? has \S+ |\(after\w*:.*|\baccount \S+( with QOS \S+)?`)

// Stuck gathers the jobs that wait and never start as a site is, by what keeps them.
type Stuck struct {
	causes []stuckBy
	at     map[string]int // of each cause among them, without what is of a job alone
}

// stuckBy is what keeps some jobs from ever starting, as it is said of the first of them.
type stuckBy struct {
	why     string
	jobs    []string
	differs bool // whether that of others is of another amount, account or job
}

// Add adds a job that never starts, and why, in the words of explain.
func (s *Stuck) Add(id, why string) {
	why = strings.TrimPrefix(why, outcome.Never)
	key := itsOwn().ReplaceAllString(why, "")
	if s.at == nil {
		s.at = map[string]int{}
	}
	i, isThere := s.at[key]
	if !isThere {
		i = len(s.causes)
		s.at[key], s.causes = i, append(s.causes, stuckBy{why: why})
	}
	of := &s.causes[i]
	of.jobs, of.differs = append(of.jobs, id), of.differs || why != of.why
}

// Said says of each cause how many jobs it keeps, in the order in which they came. as is how the site is: "as things are".
func (s *Stuck) Said(as string) (list []string) {
	for _, of := range s.causes {
		start, which := "start", ""
		if len(of.jobs) == 1 {
			start = "starts"
		}
		if of.differs {
			which = " (of " + of.jobs[0] + "; the others likewise)"
		}
		list = append(list, fmt.Sprintf("%s never %s %s (%s): %s%s", report.Count(len(of.jobs), "waiting job"), start, as, report.First(of.jobs), of.why, which))
	}
	return list
}
