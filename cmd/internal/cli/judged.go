package cli

import (
	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/witness"
)

// judgeRules lets the record judge the rules of a study's first policy, where it has what that needs.
func judgeRules(s *session, on *site.Study) error {
	if on.Record == nil || len(on.Policies) == 0 {
		return nil
	}
	on.Progress = s.progress.begin("events of the record")
	found, err := witness.Summarize(s.ctx, on.Record())
	if s.ctx.Err() != nil { // what is printed then says that it was interrupted
		return nil
	}
	on.Judged = found
	return err
}

// judgeBeside lets the past of a site judge its own rules, by which or by a change of which something else is answered, and
// says in one line what comes of that. It returns nil where the site cannot be asked. What is wrong with its past is told by who reads it
// for the answer.
func judgeBeside(s *session, at any, q site.Forecasting, usage string) *witness.Summary {
	judge, isAble := at.(site.PastJudge)
	if !isAble {
		return nil
	}
	found := &witness.Summary{}
	if record, err := judge.Past(s.ctx, q, usage); err == nil && record != nil {
		if found, err = witness.Summarize(s.ctx, record); err != nil {
			return nil
		}
	}
	trier, isTrier := at.(site.Trier)
	found.IsOfSite = q.Formula != "" || q.NoFormula || len(q.Settings) > 0 || isTrier && trier.Tries()
	if found.Disagrees() || len(found.Doubts) > 0 {
		s.say(diag.Warningf("%s", found.Sentence()).Briefly("%s", found.Brief()).OfPeople().OfRules())
	} else {
		s.say(diag.Generalf("%s", found.Sentence()))
	}
	return found
}
