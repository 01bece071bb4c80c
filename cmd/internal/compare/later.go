package compare

import (
	"fmt"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
)

// Later says of settings that act on usage as it decays that the order now tells nothing of them; nil for none.
func Later(settings []string) []diag.Remark {
	if len(settings) == 0 {
		return nil
	}
	acts, what := "acts", "it does"
	if len(settings) > 1 {
		acts, what = "act", "they do"
	}
	text := fmt.Sprintf("%s %s on usage as it decays, over days and weeks, and not on the order now: formula replay", report.Listed(settings), acts)
	for _, x := range settings {
		text += " --set " + report.Quote(x)
	}
	return []diag.Remark{diag.Notef("%s over the jobs of some weeks says what %s", text, what)}
}
