package order

import (
	"strconv"

	"fairshare/cmd/internal/report"
)

// Line is a job in JSON. Terms are the points that are added up.
type Line struct {
	Rank       *int                     `json:"rank"`
	ID         string                   `json:"id"`
	Value      *report.Number           `json:"value"` // null of one that has no priority yet, as computed is
	Computed   *report.Number           `json:"computed"`
	User       string                   `json:"user"`
	Bank       string                   `json:"bank"`
	Queue      string                   `json:"queue"`
	QueueRank  *int                     `json:"queue_rank"` // within its queue
	Project    string                   `json:"project"`
	Urgency    int                      `json:"urgency"`
	State      string                   `json:"state"`
	Number     string                   `json:"number"`       // the id in digits, which is more than a double holds
	Factor     string                   `json:"factor_queue"` // whose priority is the queue factor
	Reason     string                   `json:"reason"`
	Limit      string                   `json:"limit"`      // that holds the job
	Inferred   string                   `json:"inferred"`   // how its factors are known where no list tells them
	Difference string                   `json:"difference"` // of flux's priority and the one computed
	Terms      map[string]report.Number `json:"terms"`
}

// Line returns a row as JSON has it.
func (r Row) Line() Line {
	l := Line{
		ID: r.Job.ID, User: r.Job.User, Bank: r.Job.Bank, Queue: r.Job.Queue, Project: r.Job.Project,
		Urgency: r.Job.Urgency, State: r.Job.State, Number: strconv.FormatUint(r.Job.Number, 10), Factor: r.FactorQueue, Reason: r.Reason, Limit: r.Limit,
		Inferred: r.Why, Difference: r.Difference(), Terms: map[string]report.Number{},
	}
	if r.Rank == 0 {
		return l
	}
	l.Rank, l.QueueRank = &r.Rank, &r.QueueRank
	l.Value, l.Computed = report.Optional(r.Value), report.Optional(r.Computed)
	for i, x := range r.Points() {
		l.Terms[TermNames[i]] = report.Number(x)
	}
	return l
}

// TermNames are the names of a priority's terms, none of which is called as another field of a Line.
var TermNames = []string{"fairshare_points", "queue_points", "bank_points", "urgency_points"}

// Points returns the terms of a row in the order of TermNames.
func (r Row) Points() []float64 {
	return []float64{r.points.Fairshare, r.points.Queue, r.points.Bank, r.points.Urgency}
}
