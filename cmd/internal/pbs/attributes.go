package pbs

import (
	"fmt"
	"maps"
	"strconv"
	"strings"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/report"
)

// Attributes are attributes of the server, the scheduler or a queue, by name. They
// are never changed, but for copies.
type Attributes map[string]string

// backfillWindows are the words of opt_backfill_fuzzy and what they mean, in seconds.
var backfillWindows = map[string]float64{"off": 0, "low": 60, "med": 600, "medium": 600, "high": 3600}

// BackfillWindow returns opt_backfill_fuzzy in seconds: when a scheduler looks for the time
// at which a top job fits, it takes what ends in one such stretch of the clock to end at
// once. It is "low" where nothing is set, as recorded estimates show.
func (s *Sched) BackfillWindow() float64 {
	if window, ok := backfillWindows[strings.ToLower(s.Scheduler["opt_backfill_fuzzy"])]; ok {
		return window
	}
	return backfillWindows["low"]
}

// with returns a copy with the attributes of an object, which win, and what is wrong with
// those whose values are not understood: they do not count.
func (a Attributes) with(o *Object) (Attributes, []*file.Problem) {
	own := Attributes{}
	var problems []*file.Problem
	for _, attribute := range o.Attributes {
		s := textSetting(attribute.Name)
		if s == nil {
			continue
		}
		if err := s.checkText(attribute.Name, attribute.Value); err != nil {
			problems = append(problems, &file.Problem{Line: attribute.Line, Message: fmt.Sprintf("%s of %s does not count: %v", attribute.Name, o, err)})
			continue
		}
		value := strings.TrimSpace(attribute.Value) // as text has it
		if before, ok := own[attribute.Name]; ok {
			value = before + "," + value
		}
		own[attribute.Name] = value
	}
	if len(own) == 0 {
		return a, problems
	}
	all := Attributes{}
	maps.Copy(all, a)
	maps.Copy(all, own)
	return all, problems
}

// set returns a copy with one attribute changed.
func (a Attributes) set(name, value string) Attributes {
	changed := Attributes{}
	maps.Copy(changed, a)
	changed[name] = value
	return changed
}

// without returns a copy without one attribute.
func (a Attributes) without(name string) Attributes {
	changed := Attributes{}
	maps.Copy(changed, a)
	delete(changed, name)
	return changed
}

// Int returns a whole number, the one given where there is none.
func (a Attributes) Int(name string, otherwise int) int {
	if n, err := strconv.Atoi(a[name]); err == nil {
		return n
	}
	return otherwise
}

// Of returns the attributes of a name by resource: of default_chunk, those of
// default_chunk.ncpus and so on.
func (a Attributes) Of(name string) map[string]string {
	found := map[string]string{}
	for full, value := range a {
		if resource, ok := strings.CutPrefix(full, name+"."); ok {
			found[resource] = value
		}
	}
	return found
}

// CommandToSet returns what a shell runs to set the formula: between single quotes for qmgr
// where the formula has double quotes, since it takes those within single ones only.
func CommandToSet(formula string) string {
	quote := `"`
	if strings.Contains(formula, quote) {
		quote = "'"
	}
	return "qmgr -c " + report.Quote("set server job_sort_formula = "+quote+formula+quote)
}
