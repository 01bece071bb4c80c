package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/compare"
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

// SeeBoth says of a job and another one of a table, or the first one that waits of a user, which came first. Which goes first no table tells.
func SeeBoth(t qstat.Table, of Seen, vs string) (Verdict, error) {
	id, user := vs, ""
	if !joblist.LooksLikeID(vs) {
		id, user = "", vs
	}
	other, err := See(t, id, user)
	if err != nil {
		return Verdict{}, err
	}
	if other.ID == of.ID {
		return Verdict{}, compare.Itself(of.ID)
	}
	v := Verdict{First: of.ID, Second: other.ID, Parts: []Part{}, Turn: []compare.TurningPoint{}, Notes: []string{}}
	switch {
	case of.Reason != "" && other.Reason != "":
		v.Why = fmt.Sprintf("neither of %s and %s waits for its turn: %[1]s is %[3]s, %[2]s is %[4]s", of.ID, other.ID, of.Reason, other.Reason)
		return v, nil
	case of.Reason != "":
		v.Why = fmt.Sprintf("%s waits, %s does not: it is %s", other.ID, of.ID, of.Reason)
		return v, nil
	case other.Reason != "":
		v.Why = fmt.Sprintf("%s waits, %s does not: it is %s", of.ID, other.ID, other.Reason)
		return v, nil
	}
	v.Unplaced = of.Unplaced
	v.Why = fmt.Sprintf("which of %s and %s goes first is not known, since a table has no priorities", of.ID, other.ID)
	first, second := of.ID, other.ID
	a, _ := joblist.LeadingNumber(first)
	b, _ := joblist.LeadingNumber(second)
	if b < a {
		first, second = second, first
	}
	if a != b {
		v.Why += fmt.Sprintf("; %s came to the server before %s (by their numbers)", first, second)
	}
	for _, part := range []Part{{Text: "queue", First: of.Queue, Second: other.Queue}, {Text: "tasks", First: of.Tasks, Second: other.Tasks}, {Text: "walltime (HH:MM)", First: of.Walltime, Second: other.Walltime}} {
		if part.First+part.Second != "" {
			part.First, part.Second, part.Differ = cmp.Or(part.First, notKnown), cmp.Or(part.Second, notKnown), part.First != part.Second
			v.Parts = append(v.Parts, part)
		}
	}
	return v, nil
}
