package witness

import (
	"cmp"
	"fmt"

	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/report"
)

// mostSingle is how many starts that differ are named each by itself, and mostNamed how many of the nodes of each.
const mostSingle, mostNamed = 5, 4

// single keeps in words how a start differs from the rules, for the first ones.
func (j *Judgement) single(s *Start) {
	for _, side := range searched {
		if len(j.Single) == mostSingle {
			return
		}
		v := s.Verdict(side)
		if v.Finding != Differs {
			continue
		}
		text := fmt.Sprintf("%s: job %s ", side, s.Job)
		if s.At != 0 {
			text += fmt.Sprintf("(started %s) ", moment.Clock(s.At, j.Facts.zone()))
		}
		switch {
		case side == May:
			text += "is not allowed by the rules"
			if why := cmp.Or(v.Reason, v.Rule); why != "" {
				text += " (" + why + ")"
			}
		case side == Where && v.Rule != "":
			text += "had " + v.Rule
		case side == Where:
			text += fmt.Sprintf("is on %s, where the rules would have taken %s", cmp.Or(report.Some(s.Recorded, mostNamed), "others"), cmp.Or(report.Some(s.Chosen, mostNamed), "others"))
		default:
			otherwise := "started it"
			if s.IsKept {
				otherwise = "kept free for it what others took"
			}
			text += fmt.Sprintf("kept waiting for %s where the rules would have %s", report.Duration(float64(s.Waited)), otherwise)
		}
		j.Single = append(j.Single, text)
	}
}
