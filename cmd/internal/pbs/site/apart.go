package site

import (
	"fmt"
	"time"

	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/report"
)

// Prompt is how far a list of jobs may be from the time of an answer and still be of that time: taking a snapshot takes some.
const Prompt = 10 * time.Minute

// Apart says when a list was made and how far from the time for which answers are, with times in a zone; "" where it was made
// then, or nothing tells when.
func Apart(listed, asked time.Time, zone *time.Location) string {
	gap := asked.Sub(listed)
	if listed.IsZero() || gap.Abs() <= Prompt {
		return ""
	}
	side := "before"
	if gap < 0 {
		side = "after"
	}
	far := ""
	if gap.Abs() > 31*24*time.Hour {
		far = ", perhaps of another year than is meant"
	}
	return fmt.Sprintf("the list of jobs was made at %s, %s %s the time for which this is, %s%s", listed.In(zone).Format(moment.Layout), report.Span(gap.Abs().Seconds()), side, asked.In(zone).Format(moment.Layout), far)
}
