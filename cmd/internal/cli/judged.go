package cli

import (
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/witness"
)

// judgeRules lets the record judge the rules of a study's first policy, where it has what that needs.
func judgeRules(s *session, on *site.Study) error {
	if on.Record == nil || len(on.Policies) == 0 {
		return nil
	}
	shown := newProgress(s)
	on.Progress = shown.steps()
	found, err := witness.Summarize(s.ctx, on.Record())
	shown.end()
	if s.ctx.Err() != nil { // what is printed then says that it was interrupted
		return nil
	}
	on.Judged = found
	return err
}
