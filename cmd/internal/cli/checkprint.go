package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/order"
	pbssite "fairshare/cmd/internal/pbs/site"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/site"
	"fairshare/formula"
)

// checkedJSON is what a check prints as JSON.
type checkedJSON struct {
	Verdict    string         `json:"verdict"`
	Errors     int            `json:"errors"`
	Refused    int            `json:"refused"` // of the errors, those with which the scheduler does not start
	Warnings   int            `json:"warnings"`
	Findings   []site.Finding `json:"findings"`
	Formula    *order.Verdict `json:"formula,omitempty"`
	NotChecked []string       `json:"not_checked,omitempty"`
	Decides    []string       `json:"decides,omitempty"` // about the order

	isDeadly  bool // whether the scheduler can die of the formula in force, which it lives with
	isForeign bool // whether the formula cannot be evaluated here, though qmgr may accept it
}

// counted returns findings with how many of each kind there are.
func counted(findings []site.Finding) checkedJSON {
	j := checkedJSON{Findings: append([]site.Finding{}, findings...)}
	for _, f := range findings {
		switch {
		case f.Kind == site.AWarning:
			j.Warnings++
		case f.IsRefused:
			j.Refused++
			fallthrough
		default:
			j.Errors++
		}
	}
	return j
}

// say sets what the first line says. looked is what was looked at.
func (j *checkedJSON) say(looked string) {
	errors := report.Count(j.Errors, "error")
	switch {
	case j.Refused == 0:
	case j.Refused == j.Errors:
		errors += ", with which (fatal) slurmctld does not start,"
	default:
		errors += fmt.Sprintf(", with %d of which (fatal) slurmctld does not start,", j.Refused)
	}
	switch warnings := report.Count(j.Warnings, "warning"); {
	case j.Errors > 0 && j.Warnings == 0:
		j.Verdict = errors + " in " + looked
	case j.Errors > 0:
		j.Verdict = fmt.Sprintf("%s and %s in %s", errors, warnings, looked)
	case j.isForeign:
		j.Verdict = fmt.Sprintf("a formula that cannot be evaluated here, and %s in %s", warnings, looked)
	case j.isDeadly:
		j.Verdict = fmt.Sprintf("a formula in force that the scheduler can die of, and %s in %s", warnings, looked)
	case j.Warnings > 0:
		j.Verdict = fmt.Sprintf("nothing wrong and %s in %s", warnings, looked)
	default:
		j.Verdict = "nothing to warn of in " + looked
	}
}

// printFindings prints what the verdict is of.
func (j *checkedJSON) printFindings(s *session) {
	for _, f := range j.Findings {
		kind := "wrong"
		switch {
		case f.Kind == site.AWarning:
			kind = f.Kind
		case f.IsRefused:
			kind = "fatal" // as slurmctld calls it in its log
		}
		fmt.Fprintf(s.out, "%s: %s%s\n", kind, f.Place, f.Message)
	}
}

// printAdvice prints what of a configuration decides, what is wrong, and what cannot have the effect that it seems to have.
func (c *checkCmd) printAdvice(s *session, at site.Adviser) error {
	advice, err := at.Advice(s.ctx, c.Set)
	if err != nil {
		return err
	}
	s.answerFirst() // the verdict
	j := counted(advice.Findings)
	j.say(cmp.Or(advice.Looked, "the settings of priorities, scheduling and preemption; of others the names and types alone are looked at"))
	s.partly = s.partly || j.Errors > 0
	if c.Output == "json" {
		j.Decides, j.NotChecked = advice.Counts, advice.NotChecked
		return s.encode(j)
	}
	fmt.Fprintln(s.out, j.Verdict)
	j.printFindings(s)
	if len(advice.Counts) > 0 {
		fmt.Fprintln(s.out, "\nWhat decides about the order:")
	}
	for _, text := range advice.Counts {
		fmt.Fprintln(s.out, text)
	}
	return nil
}

// printChecked prints what was found in the files of a site of PBS, and the verdict on its formula or on the one given.
func (c *checkCmd) printChecked(s *session, checked pbssite.Checked, at *pbs.Site, isInForce bool, symbols *formula.Symbols, around formula.Surroundings) error {
	s.answerFirst() // the verdict
	src := at.Sched.Formula
	isThere := src != "" && (!checked.LacksFormula || !isInForce)
	j := counted(checked.Findings)
	if j.NotChecked = checked.Lacks; checked.LacksFormula && isInForce {
		j.NotChecked = append(slices.Clone(checked.Lacks), "the formula in force")
	}
	looked := checked.Looked
	var verdict order.Verdict
	if isThere {
		looked = append(slices.Clone(looked), "the formula")
		verdict = order.Check(src, symbols, around)
		j.Formula = &verdict
		kills := 0
		for _, w := range verdict.Warnings {
			if isFatal(verdict, w, isInForce) {
				kills++
			}
		}
		j.Warnings += len(verdict.Warnings) - kills
		if j.Errors += kills; verdict.Message != "" {
			j.Errors++
		}
	}
	j.isForeign, j.isDeadly = verdict.Wrong != nil, isInForce && verdict.CanKill()
	j.say(report.Listed(looked))
	s.partly = s.partly || j.Errors > 0
	if c.Output == "json" {
		if err := s.encode(j); err != nil {
			return err
		}
	} else {
		if checked.Looked != nil {
			fmt.Fprintln(s.out, j.Verdict)
		}
		printOf := func() { // what was found in the files, which is not of a formula that is given
			if checked.Looked != nil {
				j.printFindings(s)
			}
		}
		if isInForce {
			printOf()
		}
		c.printFormula(s, src, isThere, isInForce, checked.LacksFormula, verdict)
		if !isInForce {
			defer printOf()
		}
	}
	if len(j.NotChecked) > 0 {
		s.diag.Note("not checked, since nothing tells it here: %s", strings.Join(j.NotChecked, "; "))
	}
	if !isThere {
		return nil
	}
	if at.Resources == nil {
		defer sayUnlisted(s, src, symbols)
	}
	if verdict.Wrong != nil {
		return verdict.Wrong
	}
	switch {
	case isInForce || c.Output == "json":
	case verdict.CanKill():
		fmt.Fprintln(s.out, "no command to set it is shown, since the scheduler can die of it")
	default:
		fmt.Fprintf(s.out, "to set it: %s\n", pbs.CommandToSet(src))
	}
	return nil
}

// printFormula prints the verdict on a formula with its warnings.
func (c *checkCmd) printFormula(s *session, src string, isThere, isInForce, isUntold bool, v order.Verdict) {
	which := "the formula"
	if isInForce {
		which = "the formula in force, " + report.Printable(src)
	}
	switch {
	case !isThere && isUntold:
		return
	case !isThere:
		fmt.Fprintln(s.out, "there is no formula in force to check: other keys order the jobs")
		return
	case v.Message == "":
		fmt.Fprintf(s.out, "qmgr would accept %s\n", which)
	case v.Error == 0:
		fmt.Fprintf(s.out, "qmgr would refuse %s: %s\n", which, v.Message)
	default:
		fmt.Fprintf(s.out, "qmgr would refuse %s: %s (%d)\n", which, v.Message, v.Error)
	}
	for _, w := range v.Warnings {
		kind := site.AWarning
		if isFatal(v, w, isInForce) {
			kind = "fatal"
		}
		fmt.Fprintf(s.out, "%s: %s: %s\n", kind, w.Rule, w.Message)
		if w.Instead != "" {
			fmt.Fprintf(s.out, "  instead: %s\n", w.Instead)
		}
	}
}

// isFatal reports whether a warning of a formula is an error, since the scheduler can die of it: not of one in force, which it lives with,
// nor of one that cannot be evaluated here, which ends with another status.
func isFatal(v order.Verdict, w order.Warning, isInForce bool) bool {
	return !isInForce && v.Wrong == nil && formula.Warning(w).CanKill()
}
