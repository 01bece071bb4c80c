package order

import "fairshare/cmd/internal/report"

// Line is all that is said of a job of an order, as JSON has it.
type Line struct {
	Rank       *int                    `json:"rank"`                  // from 1; null if the job is not considered
	RankUnsure bool                    `json:"rank_unsure,omitempty"` // whether sched_config or priorities of queues, which are not there, may put it elsewhere
	RankFrom   *int                    `json:"rank_from,omitempty"`   // of a rank that is not known: the first place that it may be
	RankTo     *int                    `json:"rank_to,omitempty"`     // likewise, the last one
	ID         string                  `json:"id"`
	Value      *report.Number          `json:"value"` // null if there is none
	Float32    *report.Number          `json:"float32"`
	Log        string                  `json:"log"` // as PBS logs the value
	User       string                  `json:"user"`
	Entity     string                  `json:"entity"`
	Queue      string                  `json:"queue"`
	State      string                  `json:"state"`
	Considered bool                    `json:"considered"`
	Reason     string                  `json:"reason"` // why it is not considered
	Error      string                  `json:"error"`  // of the evaluation, "Class: message"
	QueueRank  report.Number           `json:"queue_rank"`
	Subjobs    int32                   `json:"subjobs"`         // of an array, how many wait; 1 for other jobs
	Started    int64                   `json:"stime,omitempty"` // of a job that the scheduler has suspended: when it did or, where that is not told, when the job first started, in seconds of the list's clock
	Vars       map[string]PrintedValue `json:"vars"`
}

// Line returns what is said of a row.
func (o *Order) Line(row int) Line {
	l := o.List
	job := l.Job(row)
	line := Line{
		ID: job.ID, User: l.Users.List[job.User], Entity: l.Entities.List[job.Entity],
		Queue: l.Queues.List[job.Queue], State: stateText(job.State),
		Considered: o.reasons[row] == isConsidered, Reason: o.Reason(row), QueueRank: report.Number(job.Rank), Subjobs: job.Subjobs, Vars: map[string]PrintedValue{},
	}
	if job.IsPreempted {
		line.Started = job.Started
	}
	if rank := o.Place(row); rank > 0 {
		line.Rank, line.RankUnsure = &rank, o.IsUnsure
	}
	if o.Values == nil || !l.IsEvaluated(row) {
		return line
	}
	result := o.Values.Result(row)
	value, float := report.Number(result.Value), report.Number(result.Float32())
	line.Value, line.Float32, line.Log = &value, &float, result.Log()
	if result.Err != nil {
		line.Error = result.Err.Error()
	}
	for i, name := range o.Values.Variables() {
		line.Vars[name] = PrintedValue(o.Values.Text(i, row))
	}
	return line
}

// Variables returns the names of the formula's variables, none without a formula.
func (o *Order) Variables() []string {
	if o.Values == nil {
		return nil
	}
	return o.Values.Variables()
}

// stateText returns a job_state, "" where it is not said.
func stateText(state byte) string {
	if state == 0 {
		return ""
	}
	return string(rune(state))
}

// PrintedValue is a variable as PBS prints it.
type PrintedValue string

// MarshalJSON implements json.Marshaler: the digits are a number already, but
// for those that JSON lacks.
func (p PrintedValue) MarshalJSON() ([]byte, error) {
	switch p {
	case "inf", "-inf", "nan":
		return []byte(`"` + p + `"`), nil
	}
	return []byte(p), nil
}
