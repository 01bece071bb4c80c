package flux

import (
	"slices"

	"fairshare/cmd/internal/report"
)

// Line is a job of flux as JSON and CSV have it.
type Line struct {
	Job           string         `json:"job"`
	User          string         `json:"user"`
	Bank          string         `json:"bank"`
	Queue         string         `json:"queue"`
	Urgency       int            `json:"urgency"`
	Fairshare     float64        `json:"fairshare"`
	QueuePriority float64        `json:"queue_priority"`
	BankPriority  float64        `json:"bank_priority"`
	Priority      report.Number  `json:"priority"`
	FluxPriority  *report.Number `json:"flux_priority"` // null where the list has none
}

// Lines returns the lines of some users' jobs, nil for everybody's, and at most so many
// (0: all).
func Lines(jobs []Ranked, users []string, most int) []Line {
	var lines []Line
	for _, j := range jobs {
		if (users == nil || slices.Contains(users, j.User)) && (most == 0 || len(lines) < most) {
			lines = append(lines, Line{j.ID, j.User, j.Bank, j.Queue, j.Urgency, j.From.Fairshare, j.From.Queue, j.From.Bank, report.Number(j.Computed), report.Optional(j.Priority)})
		}
	}
	return lines
}
