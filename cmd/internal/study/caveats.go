package study

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/report"
)

// Caveats returns remarks that readers of the figures have to know: which jobs could not run
// or never started, where the formula failed, and which replays are saturated or were
// interrupted.
func (s *Study) Caveats(all []*Measured, zone *time.Location) []diag.Remark {
	var remarks []diag.Remark
	if s.Stop != nil {
		remarks = append(remarks, diag.Warningf("%s", s.Stop.Text(len(all)-1, zone)))
	}
	var left []leftJobs
	for i, m := range all[1:] {
		result := m.First.Result
		policy := fmt.Sprintf("policy %d", i+1)
		of := policy + ": "
		say := func(how func(format string, args ...any) diag.Remark, as, text string) { // in full and as a part of the policy's line
			remarks = append(remarks, how("%s%s%s", policy, as, text).Joined(policy, "%s", text))
		}
		if impossible := result.Impossible; len(impossible) > 0 {
			remarks = append(remarks, diag.Damagef("%s%s cannot run on its cluster and count nowhere, such as %v", of, report.Count(len(impossible), "job"), impossible[0]))
		}
		for _, message := range slices.Sorted(maps.Keys(result.Errors)) {
			remarks = append(remarks, diag.Damagef("%sthe formula failed %s, and its value was 0: %s", of, report.Count(result.Errors[message], "time"), message))
		}
		if middle, end, is := result.IsSaturated(s.last()); is {
			at := "the last time of the logs"
			if s.Stop != nil {
				at = moment.Clock(s.Stop.At, zone)
			}
			say(diag.Warningf, " is ", fmt.Sprintf("saturated: %d jobs wait at %s, %d in the middle, so that waits grow with the time that is looked at", end, at, middle))
		}
		never, late := result.Left()
		if s.Stop != nil { // who waits at that time is told with the figures
			never, late = 0, 0
		}
		if never > 0 {
			left = append(left, leftJobs{policy, never, result})
		}
		if i > 0 && !m.IsCut && !all[1].IsCut && slices.Equal(result.Start, all[1].First.Result.Start) {
			remarks = append(remarks, diag.Warningf("policy %d starts every job when policy 1 does%s: %s", i+1, s.InFirstRun(""), MovesNone("it changes")))
		}
		if p, before := m.First.Preemptions(), all[1].First.Preemptions(); p != nil && before != nil && p.Cancelled > before.Cancelled {
			remarks = append(remarks, diag.Warningf("policy %d cancels %s for others%s, which do not run again, so that their waits end early", i+1, report.Count(p.Cancelled, "job"), s.InFirstRun("")).OfAsked())
		}
		for _, text := range result.Refused {
			say(diag.Warningf, ": ", text)
		}
		if late > 0 {
			say(diag.Notef, ": ", report.Count(late, "job")+" started after the last time of the logs, when nobody else comes")
		}
		if m.IsCut && s.Stop == nil {
			remarks = append(remarks, diag.Warningf("interrupted: policy %d has been replayed %d of %d times", i+1, m.Runs, s.Runs))
		}
	}
	return slices.Concat(remarks, neverStarted(left, len(all)-1), s.ownShares(all))
}

// MovesNone says that something which is changed moves no job, in words that have who changes it, such as "it changes".
func MovesNone(change string) string { return "what " + change + " moves no job of this record" }

// leftJobs are the jobs that a policy never starts.
type leftJobs struct {
	policy string
	n      int
	of     *outcome.Result
}

// neverStarted says in one remark how many jobs never start under each policy of so many, and why as far as a limit or a setting keeps them
// for ever. It is a warning where some policy leaves more of them than the first one does.
func neverStarted(left []leftJobs, policies int) []diag.Remark {
	if len(left) == 0 {
		return nil
	}
	var long, short []string
	first, most, said := 0, 0, ""
	for i, l := range left {
		what := fmt.Sprintf("%d under %s", l.n, l.policy)
		if i == 0 {
			what = fmt.Sprintf("%s under %s", report.Count(l.n, "job"), l.policy)
		}
		var why []string
		brief := what
		if by := l.of.Kept; len(by) > 0 {
			why = append(why, l.of.KeptFor())
			if by[0] == said {
				why[0] = fmt.Sprintf("%d of them", len(by))
			}
			said = by[0]
			brief += " (" + why[0] + ")"
		}
		if over := l.of.Exceeding; len(over) > 0 {
			why = append(why, fmt.Sprintf("%d alone would exceed a limit, such as job %s", len(over), over[0]))
		}
		if len(why) > 0 {
			what += " (" + strings.Join(why, "; ") + ")"
		}
		long, short = append(long, what), append(short, brief)
		if most = max(most, l.n); l.policy == "policy 1" {
			first = l.n
		}
	}
	how := diag.Notef
	if most > first && policies > 1 {
		how = diag.Warningf
	}
	return []diag.Remark{how("never started: %s", strings.Join(long, "; ")).Briefly("never started: %s", strings.Join(short, "; "))}
}

// Fewest returns how many runs were made of each policy.
func (s *Study) Fewest(all []*Measured) int {
	least := s.Runs
	for _, m := range all[1:] {
		least = min(least, m.Runs)
	}
	return least
}

// Made says how many runs of each policy were made, and of how many where somebody interrupted.
func (s *Study) Made(all []*Measured) string {
	if least := s.Fewest(all); least < s.Runs {
		return fmt.Sprintf("%d of %s", least, report.Count(s.Runs, "run"))
	}
	return report.Count(s.Runs, "run")
}

// InFirstRun labels what is told of the first run alone, of what follows: "" where there is no other run.
func (s *Study) InFirstRun(of string) string {
	if s.Runs <= 1 {
		return ""
	}
	return " in the first run" + of
}

// CountedNote returns by which jobs the figures are and up to when waits are told, as far as that is not all jobs and none is left
// waiting, and how many ran more than once; "" for nothing.
func (s *Study) CountedNote(all []*Measured, zone *time.Location) string {
	parts := slices.DeleteFunc([]string{s.countedNote(all, zone), s.againNote()}, func(text string) bool { return text == "" })
	return strings.Join(parts, "; ")
}

// againNote says how many jobs of the record ran more than once, whose waits end with the last start, "" for none.
func (s *Study) againNote() string {
	n := 0
	for i, j := range s.Work.Jobs {
		if s.counted[i] && len(j.Earlier()) > 0 {
			n++
		}
	}
	if n == 0 || s.NoFigures {
		return ""
	}
	return report.Count(n, "job") + " of the record ran more than once: waits are those to the last start, and formula history counts one of each run"
}

// countedNote is CountedNote without the jobs that ran more than once.
func (s *Study) countedNote(all []*Measured, zone *time.Location) string {
	if !s.end.IsKnown() {
		return ""
	}
	left, n, at := s.leftNote(all), len(all[1].First.Counted), moment.Clock(int64(s.end), zone)
	text := fmt.Sprintf("by the %s that had come by the last start of the record, without those deleted before they started", report.Count(n, "job"))
	by := "the last start of the record, " + at
	switch {
	case s.Stop != nil:
		text = fmt.Sprintf("by the %s that had come by %s, %s, without those deleted before they started", report.Count(n, "job"), s.EndWords(), at)
		by = "then"
	case n == 0 || n == len(s.Work.Jobs) && left == "":
		return ""
	case n == len(s.Work.Jobs):
		text = fmt.Sprintf("by all %s", report.Count(n, "job"))
	}
	if left != "" {
		text += fmt.Sprintf("; waits are those by %s: %s", by, left)
	}
	return text
}

// leftNote says how many jobs wait when the record ends, "" if there are none under any policy and as
// observed.
func (s *Study) leftNote(all []*Measured) string {
	var parts []string
	some := false
	for i, m := range all {
		if m.First.isUnknown() {
			continue
		}
		left := outcome.Left(m.First.Counted)
		some = some || left.Jobs > 0
		of := "as observed"
		if i > 0 {
			of = fmt.Sprintf("under policy %d", i)
		}
		text := fmt.Sprintf("%d %s", left.Jobs, of)
		if left.Jobs > 0 {
			text = fmt.Sprintf("%d (%s) %s", left.Jobs, hoursLeft(left), of)
		}
		parts = append(parts, text)
	}
	if !some {
		return ""
	}
	return "jobs that still wait then" + s.InFirstRun(" of each policy") + " are " + strings.Join(parts, ", ")
}

// hoursLeft says how many core hours jobs have that wait when the record ends, of those that ran in it and of those that did not.
func hoursLeft(left outcome.StillWaiting) string {
	asked := report.Fixed(left.AskedFor, 0)
	switch {
	case left.Asking == left.Jobs:
		return asked + " core hours asked for"
	case left.Asking > 0:
		return fmt.Sprintf("%s core hours, and %s asked for by %d of which the record has no end", report.Fixed(left.Hours, 0), asked, left.Asking)
	}
	return report.Fixed(left.Hours, 0) + " core hours"
}
