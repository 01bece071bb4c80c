package sched

import (
	"fmt"
	"slices"
)

// Refusal is a limit of submissions, and of the jobs that it would have refused when they came how many there
// are and how long their CPUs run, in seconds.
type Refusal struct {
	Limit      string // such as MaxSubmitPU (20) of QOS high
	Jobs       int
	CPUSeconds float64
}

// come notes that a job comes. Slurm refuses one with which there would be more jobs that wait or run than a
// limit of submissions allows (acct_policy.c, _acct_policy_validate and _qos_policy_validate). A record has
// only jobs that Slurm took, so that one which would be refused here is told of, and runs: it counts for no
// other one's limit, as if it had not come.
func (e *engine) come(j *Job) {
	if e.limitsAge() {
		j.IsAgeless = true
		e.ageless = append(e.ageless, j)
	}
	limit := e.ledger.refuses(e.Setup, j)
	if limit == "" {
		e.ledger.come(j, 1)
		return
	}
	at := slices.IndexFunc(e.result.Refused, func(r Refusal) bool { return r.Limit == limit })
	if at < 0 {
		at = len(e.result.Refused)
		e.result.Refused = append(e.result.Refused, Refusal{Limit: limit})
	}
	e.result.Refused[at].Jobs++
	e.result.Refused[at].CPUSeconds += float64(j.Request.CPUs) * float64(j.Run)
}

// come puts a job that comes (1) or is over (-1) into the ledger.
func (l *Ledger) come(j *Job, sign int64) {
	if is := sign > 0; !l.hasSubmit || j.isCome == is {
		return
	}
	j.isCome = sign > 0
	levels := l.of(j)
	for i := range levels {
		for _, t := range levels[i].tallies {
			t.came += sign
		}
	}
}

// refuses returns the limit with which Slurm would refuse a job that comes, "" for none.
func (l *Ledger) refuses(s *Setup, j *Job) string {
	if !l.hasSubmit {
		return ""
	}
	levels := l.of(j)
	for i := range levels {
		v := &levels[i]
		of, perUser := "QOS "+v.qos, "MaxSubmitPU"
		if v.qos == "" {
			of, perUser = s.nameOf(v.whose), "MaxSubmit"
		}
		switch x := &v.limits; {
		case v.all.came >= x.AllSubmit:
			return fmt.Sprintf("GrpSubmit (%d) of %s", x.AllSubmit, of)
		case v.account != nil && v.account.came >= x.AccountSubmit:
			return fmt.Sprintf("MaxSubmitPA (%d) of %s", x.AccountSubmit, of)
		case v.user.came >= x.UserSubmit:
			return fmt.Sprintf("%s (%d) of %s", perUser, x.UserSubmit, of)
		}
	}
	return ""
}

// nameOf returns what an association is called.
func (s *Setup) nameOf(association int) string {
	if association < len(s.Names) {
		return s.Names[association].String()
	}
	return fmt.Sprintf("association %d", association)
}
