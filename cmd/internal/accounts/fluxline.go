package accounts

import (
	"slices"

	"fairshare/cmd/internal/report"
)

// FluxLine is a job of flux as JSON and CSV have it.
type FluxLine struct {
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

// FluxLines returns the lines of some users' jobs, nil for everybody's, and at most so many
// (0: all).
func FluxLines(jobs []FluxJob, users []string, most int) []FluxLine {
	var lines []FluxLine
	for _, j := range jobs {
		if (users == nil || slices.Contains(users, j.User)) && (most == 0 || len(lines) < most) {
			lines = append(lines, FluxLine{j.ID, j.User, j.Bank, j.Queue, j.Urgency, j.Fairshare, j.QueuePriority, j.BankPriority, report.Number(j.Priority), report.Optional(j.Stored)})
		}
	}
	return lines
}
