package study

import "fairshare/cmd/internal/witness"

// DoubtMark follows the name of those whose recorded starts disagree with the rules.
const DoubtMark = " *"

// DoubtNote says what DoubtMark is.
const DoubtNote = "* recorded starts disagree with the rules: these figures may be wrong"

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
