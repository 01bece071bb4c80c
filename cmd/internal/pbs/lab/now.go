package lab

import (
	"context"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/lab"
	"fairshare/cmd/internal/pbs"
)

// Judge returns what one cycle of the scheduler right now would make of each job of a site.
type Judge func(ctx context.Context, at *pbs.Site) (map[string]forecast.CycleResult, error)

// Standings says what a cycle right now would make of some jobs under a state, in the words of
// sort --now.
func (l *Lab) Standings(s lab.State, jobs []string) (map[string]string, error) {
	if l.Judge == nil {
		return nil, diag.Requestf("nothing tells which vnodes there are, or when the list of jobs was made")
	}
	t, err := l.order(s)
	if err != nil {
		return nil, err
	}
	t.judged.Do(func() {
		t.wrong = lab.ErrFault // if it panics
		t.standing, t.wrong = l.Judge(context.Background(), t.site)
	})
	if t.wrong != nil {
		return nil, t.wrong
	}
	said := map[string]string{}
	for _, id := range jobs {
		of, isJudged := t.standing[id]
		if !isJudged { // as one that runs
			if _, err := l.find(id); err != nil {
				return nil, err
			}
		}
		said[id] = of.String()
	}
	return said, nil
}
