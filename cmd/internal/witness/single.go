package witness

import (
	"cmp"
	"fmt"
	"strings"

	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/report"
)

// mostSingle is how many starts that differ are named each by itself.
const mostSingle = 5

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
			text += fmt.Sprintf("is on %s, where the rules would have taken %s", cmp.Or(listed(s.Recorded), "others"), cmp.Or(listed(s.Chosen), "others"))
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

// listed returns names of nodes, of many the first ones.
func listed(names []string) string {
	const most = 4
	if n := len(names) - most; n > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), n)
	}
	return strings.Join(names, ", ")
}
