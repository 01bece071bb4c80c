package witness

import (
	"context"
	"fmt"

	"fairshare/cmd/internal/report"
)

// Guess is something that a site does not tell, and that may be so.
type Guess struct {
	Says   string        // "MaxJobsAccruePU=3 of QOS low, for which sacctmgr was not asked"
	Set    string        // the flag with which the site has it
	Record func() Record // as the rules judge it then
}

// MostTried is how many starts are judged by each guess.
const MostTried = 2000

// guess tries what the site does not tell where a group is about who goes first. What fits best explains such groups, if no more
// than half as many starts differ with it.
func (j *Judgement) guess(ctx context.Context, r Record) {
	if j.untold() == "" || j.Facts.Guesses == nil {
		return
	}
	own, err := summarize(ctx, r, MostTried)
	if err != nil {
		return // somebody interrupted
	}
	best, explained := own, ""
	for _, g := range j.Facts.Guesses() {
		with, err := summarize(ctx, g.Record(), MostTried)
		if err != nil {
			return
		}
		if with.differ() < best.differ() {
			best = with
			explained = fmt.Sprintf("%s (%s), with which %s of %s are what the rules give, and %s without", g.Says, g.Set, percent(with.Share()), report.Count(with.Starts, "start"), percent(own.Share()))
		}
	}
	if 2*best.differ() > own.differ() || own.differ()-best.differ() < leastMoments {
		return
	}
	for i := range j.Causes {
		if c := &j.Causes[i]; c.IsOfOrder {
			c.Guess = explained
		}
	}
}

// differ returns how many starts are not what the rules give.
func (s *Summary) differ() int { return s.Starts - s.Agree }
