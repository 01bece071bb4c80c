package calibrate

import (
	"fmt"

	"fairshare/cmd/internal/calibrate"
	"fairshare/cmd/internal/trace"
)

// limitsOf returns the limits of QOS on running jobs and their CPUs: of a user, an account, and all
// together.
func limitsOf() *calibrate.LimitScheme {
	return &calibrate.LimitScheme{
		Kinds: []calibrate.LimitKind{
			{Name: "PU", Of: func(j *trace.Job) int32 { return j.User }},
			{Name: "PA", Of: func(j *trace.Job) int32 { return j.Account }},
			{Name: "Grp", Of: func(*trace.Job) int32 { return -1 }},
		},
		Scope:   func(j *trace.Job) int32 { return j.Project },
		Setting: setting,
	}
}

// setting returns the setting of a limit. Slurm's limits of a QOS are the same for all users and all
// accounts: what some have passed is none.
func setting(l calibrate.Limit) (string, bool) {
	limit := l.All
	if limit == 0 && l.Names == 1 {
		for _, own := range l.Own {
			limit = own
		}
	}
	if l.Scope == "" || limit == 0 || l.Most > limit {
		return "", false
	}
	name := "Max%s" + l.Kind
	if l.Kind == "Grp" {
		name = "Grp%s"
	}
	if l.CPUs {
		return fmt.Sprintf("qos.%s."+name+"=cpu=%d", l.Scope, "TRES", limit), true
	}
	return fmt.Sprintf("qos.%s."+name+"=%d", l.Scope, "Jobs", limit), true
}
