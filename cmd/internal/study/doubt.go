package study

import (
	"strings"

	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/witness"
)

// DoubtMark follows the name of those whose recorded starts disagree with the rules.
const DoubtMark = " *"

// DoubtNote says what DoubtMark is.
const DoubtNote = "* recorded starts disagree with the rules: these figures may be wrong"

// DoubtOfAll says of whom all are whose recorded starts disagree with the rules, in place of marks, which others may have beside them.
func DoubtOfAll(names []string, areOthersMarked bool) string {
	text := "recorded starts of " + report.Listed(names)
	if areOthersMarked {
		text += ", and of what has a" + DoubtMark + ","
	}
	return text + " disagree with the rules: these figures may be wrong"
}

// Departure says that the replay of the first policy does not follow the record, so that its figures are not to be relied on, as the judges of
// its rules find, or where its starts are farther from the recorded ones than jobs wait on average; "" where it follows the record, or
// nothing tells. Two means may then be equal by chance, so that the mean wait is no yardstick.
func (s *Study) Departure(all []*Measured) string {
	t := all[1].First.Trust()
	disagrees := s.Judged.Disagrees()
	if !disagrees && !isFar(t) {
		return ""
	}
	var is []string
	if disagrees {
		is = s.Judged.Agreements()
	}
	if t.Jobs > 0 {
		is = append(is, "its starts are "+report.Duration(t.Mean)+" away from the recorded ones on average")
	}
	last := len(is) - 1
	if last > 0 {
		is[last] = "and " + is[last]
	}
	return "The replay does not follow the record, and these figures may be wrong: " + strings.Join(is, ", ") + " (formula witness SITE says what differs)."
}

// isFar reports whether the starts of a replay are farther from the recorded ones than jobs have waited on average.
func isFar(t outcome.Trust) bool { return t.Jobs > 0 && t.Mean > t.MeanWait[0] && t.Mean >= 60 }

// doubtKinds are the kinds of jobs' names, as the judges of rules have them.
var doubtKinds = map[string]witness.Kind{
	"queue": witness.OfQueue, "partition": witness.OfQueue, "qos": witness.OfQOS, "account": witness.OfAccount,
	"project": witness.OfProject, "group": witness.OfGroup, "user": witness.OfUser,
}

// DoubtOf returns what is doubtful of the figures of a party, such as a user, since its recorded starts disagree
// with the rules of the first policy; nil for nothing.
func (s *Study) DoubtOf(kind, name string) *witness.Doubt {
	of, isKnown := doubtKinds[kind]
	if !isKnown {
		return nil
	}
	return s.Judged.Doubt(of, name)
}
