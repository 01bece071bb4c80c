package calibrate

import (
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/calibrate"
	"fairshare/cmd/internal/trace"
)

// limitScheme are max_run and max_run_res.ncpus of PBS's server and queues. The letters of the kinds are
// those of a limit's value; o is everybody.
var limitScheme = &calibrate.LimitScheme{
	Kinds: []calibrate.LimitKind{
		{Name: "u", Of: func(j *trace.Job) int32 { return j.User }},
		{Name: "g", Of: func(j *trace.Job) int32 { return j.Group }},
		{Name: "p", Of: func(j *trace.Job) int32 { return j.Project }},
		{Name: "o", Of: func(j *trace.Job) int32 { return -1 }},
	},
	Scope:        func(j *trace.Job) int32 { return j.Queue },
	IsEverywhere: true,
	Setting:      setting,
}

// setting returns a setting with one limit for all names if several come up to the same, and one for
// each name that comes up to another. If more names have passed the limit for all than come up to any,
// there is none.
func setting(l calibrate.Limit) (text string, ok bool) {
	text = "server"
	if l.Scope != "" {
		text = "queue." + l.Scope
	}
	if text += ".max_run="; l.CPUs {
		text = strings.TrimSuffix(text, "=") + "_res.ncpus="
	}
	var terms []string
	for _, names := range []map[string]int64{l.Own, l.Past} {
		for name, limit := range names {
			if l.Kind == "o" {
				name = "PBS_ALL"
			}
			terms = append(terms, fmt.Sprintf("[%s:%s=%d]", l.Kind, name, limit))
		}
	}
	slices.Sort(terms)
	if l.All > 0 {
		if len(terms) > l.Names {
			return "", false
		}
		terms = append([]string{fmt.Sprintf("[%s:PBS_GENERIC=%d]", l.Kind, l.All)}, terms...)
	}
	return text + strings.Join(terms, ","), true
}
