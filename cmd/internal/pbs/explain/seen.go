package explain

import (
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pbs/joblist"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/pbs/qstat"
	"fairshare/cmd/internal/trace"
)

// Seen is what a table of qstat without -f tells of a job.
type Seen struct {
	ID        string `json:"id"`
	User      string `json:"user"`
	Queue     string `json:"queue"`
	State     string `json:"state"`
	Reason    string `json:"reason,omitempty"` // why it does not wait, "" where it does
	Comment   string `json:"comment,omitempty"`
	Estimated string `json:"estimated_start,omitempty"`
	Walltime  string `json:"walltime,omitempty"` // that it asks for, as HH:MM
	Tasks     string `json:"tasks,omitempty"`    // likewise
	Memory    string `json:"memory,omitempty"`   // likewise
	Unplaced  string `json:"unplaced,omitempty"` // why its place is not known

	Waiting         int      `json:"waiting,omitempty"` // of a job that waits: how many jobs of the table do, it among them
	WaitingInQueue  int      `json:"waiting_in_queue,omitempty"`
	SubmittedBefore int      `json:"submitted_before,omitempty"` // how many of those in its queue have a lower number
	Cut             []string `json:"cut,omitempty"`              // its names that qstat has cut
	OfOne           string   `json:"of_one,omitempty"`           // the user whose all jobs of the table are, "" for several
}

// waits reports whether a job is one that the scheduler would look at.
func waits(r *qstat.TableRow) bool { return r.State == 'Q' || r.State == 'B' }

// See says of the job of an ID, or of the first one that waits of a user, what a table tells.
func See(t qstat.Table, id, user string) (Seen, error) {
	isNamed := func(of string) bool {
		return of == id || trace.IsNamed(strings.TrimSuffix(of, "*"), trace.WithoutServer(id))
	}
	at := -1
	var users []string
	for i := range t.Rows {
		r := &t.Rows[i]
		users = append(users, r.User)
		isIt := id != "" && isNamed(r.ID) || id == "" && r.User == user
		if isIt && (at < 0 || id == "" && !waits(&t.Rows[at]) && waits(r)) {
			at = i
		}
	}
	switch {
	case at < 0 && id == "":
		return Seen{}, diag.NoJobOfUser(user, users, "the table has no job of "+user)
	case at < 0 && slices.ContainsFunc(t.Unread, isNamed):
		return Seen{}, &joblist.FindError{Detail: "the line of job " + id + " has other columns than its table names, and cannot be read"}
	case at < 0:
		return Seen{}, &joblist.FindError{Detail: "the table has no job " + id + ": " + diag.MayHaveEnded}
	}
	r := &t.Rows[at]
	s := Seen{ID: r.ID, User: r.User, Queue: r.Queue, State: string(rune(r.State)), Comment: r.Comment, Estimated: r.Starts, Walltime: r.Walltime, Tasks: r.Tasks, Memory: r.Memory, Cut: r.Cut}
	if isOther := func(user string) bool { return user != r.User }; !slices.ContainsFunc(users, isOther) {
		s.OfOne = r.User
	}
	if !waits(r) {
		s.Reason = order.StateWord(r.State)
		return s, nil
	}
	s.Unplaced = "what qstat prints without -f tells neither when jobs came to their queue nor what they ask for: qstat -f does, and qstat -Bf tells the formula"
	number, _ := joblist.LeadingNumber(r.ID)
	for i := range t.Rows {
		other := &t.Rows[i]
		if !waits(other) {
			continue
		}
		if s.Waiting++; other.Queue == r.Queue {
			s.WaitingInQueue++
			if of, _ := joblist.LeadingNumber(other.ID); of < number {
				s.SubmittedBefore++
			}
		}
	}
	return s, nil
}
