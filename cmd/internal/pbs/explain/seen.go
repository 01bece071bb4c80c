package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/compare"
	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pbs/joblist"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/pbs/qstat"
	"fairshare/cmd/internal/report"
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
	Chunks    string `json:"chunks,omitempty"`   // likewise
	Tasks     string `json:"tasks,omitempty"`    // likewise, its cpus
	Memory    string `json:"memory,omitempty"`   // likewise
	Unplaced  string `json:"unplaced,omitempty"` // why its place is not known

	Waiting         int      `json:"waiting,omitempty"` // of a job that waits: how many jobs of the table do, it among them
	WaitingInQueue  int      `json:"waiting_in_queue,omitempty"`
	SubmittedBefore int      `json:"submitted_before,omitempty"` // how many of those in its queue have a lower number
	Cut             []string `json:"cut,omitempty"`              // its names that qstat has cut
	IsBegun         bool     `json:"is_begun,omitempty"`         // whether it is an array that has begun, of which the table does not tell whether subjobs wait
	Begun           int      `json:"begun,omitempty"`            // how many of the others that count as waiting are such
	OfOne           string   `json:"of_one,omitempty"`           // the user whose all jobs of the table are, "" for several

	Room *Room `json:"room,omitempty"` // what is free for a job that waits, nil where nothing tells
}

// Room is what vnodes have on which jobs of a queue may run, as far as a table and they tell.
type Room struct {
	CPUs  int    `json:"free_cpus"`
	All   int    `json:"cpus"` // of the vnodes that are up
	Nodes int    `json:"vnodes"`
	Of    string `json:"queue,omitempty"` // whose jobs these take, "" for all vnodes
	OfOne string `json:"room,omitempty"`  // of a job of one chunk, whether a vnode has room for it, in words

	Most    int `json:"free_cpus_for_chunks,omitempty"` // the cpus that as many hosts have free as a job of several chunks asks for, of those with most; 0 for another job
	Largest int `json:"cpus_of_largest,omitempty"`      // the cpus of the largest host, likewise
}

// say says what is free, and for which number of chunks and cpus that is too little.
func (r *Room) say(chunks, tasks string) string {
	take := " that take jobs"
	if r.Nodes == 1 {
		take = " that takes jobs"
	}
	text := fmt.Sprintf("%d of %d cpus are free on the %s", r.CPUs, r.All, report.Count(r.Nodes, "vnode")+take)
	if r.Of != "" {
		text += " of queue " + r.Of
	}
	several, _ := strconv.Atoi(chunks)
	switch asked, err := strconv.Atoi(tasks); {
	case err != nil:
	case r.Largest > 0 && asked > several*r.Largest:
		text += fmt.Sprintf(": it never starts so, for some of its chunks asks for more than the %d cpus of the largest host", r.Largest)
	case asked > r.All:
		text += ": they have fewer than it asks for"
	case asked > r.CPUs:
		text += ": fewer than it asks for"
	case r.Most > 0 && asked > r.Most:
		text += fmt.Sprintf(": there is no room for it now, for the %d hosts with most of them have %d", several, r.Most)
	case r.OfOne != "":
		text += "; as far as the table tells what it asks for, " + r.OfOne
	default:
		text += ": enough of these, and neither whether its chunks fit where they are free is told, nor whether jobs have vnodes for themselves"
	}
	return text
}

// Asks says in words what a job asks for as a table tells it, and what of that is free; "" for nothing.
func (s *Seen) Asks() string {
	var asks []string
	for _, of := range [][2]string{{"chunks (NDS)", s.Chunks}, {"cpus (TSK)", s.Tasks}, {"memory", s.Memory}, {"walltime (HH:MM)", s.Walltime}} {
		if of[1] != "" {
			asks = append(asks, of[0]+" "+of[1])
		}
	}
	if resource, amount := s.Further(); resource != "" {
		asks = append(asks, resource+" "+amount+" (by PBS's comment, of it or of one of its chunks)")
	}
	text := ""
	if asks != nil {
		text = "it asks for: " + strings.Join(asks, ", ")
	}
	if s.Room != nil && text != "" {
		text += "; "
	}
	if s.Room != nil {
		text += s.Room.say(s.Chunks, s.Tasks)
	}
	return text
}

// Further returns a resource that a job asks for beside the columns of its table, and how much of it, as PBS's comment tells them; "" for
// none.
func (s *Seen) Further() (resource, amount string) {
	if resource, amount = qstat.Lacking(s.Comment); amount == "" || resource == "ncpus" || resource == "mem" {
		return "", ""
	}
	return resource, amount
}

// Keeps returns PBS's comment where it tells why the job does not run, so that room for what its table shows is not all that it waits for;
// "" for none.
func (s *Seen) Keeps() string {
	if kind, _ := qstat.MeaningOf(s.Comment); kind == qstat.OfState {
		return ""
	}
	return s.Comment
}

// Select returns the request of a job of one chunk, which is all that a table tells where it tells that, with what PBS's comment tells of
// it; "" of several, whose parts no table tells.
func (s *Seen) Select() string {
	if s.Chunks != "1" || s.Tasks == "" {
		return ""
	}
	text := "select=1:ncpus=" + s.Tasks
	if s.Memory != "" {
		text += ":mem=" + s.Memory
	}
	if resource, amount := s.Further(); resource != "" {
		text += ":" + resource + "=" + amount
	}
	if s.Walltime != "" {
		text += ",walltime=" + s.Walltime + ":00"
	}
	return text
}

// waits reports whether a job is one that the scheduler would look at.
func waits(r *qstat.TableRow) bool { return r.State == 'Q' || r.State == 'B' }

// counted returns the jobs of a table that wait. An array counts once, as in an order, whether qstat -t prints its subjobs beside it or not:
// they do not count beside it, and it does not where none of those that are printed waits.
func counted(t qstat.Table) (jobs []*qstat.TableRow) {
	arrayOf := func(r *qstat.TableRow) string {
		array, _, _ := trace.Subjob(qstat.Number(r.ID))
		return array
	}
	isListed, hasSubjobs, hasWaiting := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for i := range t.Rows {
		r := &t.Rows[i]
		if array := arrayOf(r); array != "" {
			hasSubjobs[array], hasWaiting[array] = true, hasWaiting[array] || waits(r)
		} else {
			isListed[qstat.Number(r.ID)] = true
		}
	}
	for i := range t.Rows {
		r := &t.Rows[i]
		isStarted := r.State == 'B' && hasSubjobs[qstat.Number(r.ID)] && !hasWaiting[qstat.Number(r.ID)]
		if waits(r) && !isListed[arrayOf(r)] && !isStarted {
			jobs = append(jobs, r)
		}
	}
	return jobs
}

// isBegun reports whether a job is an array that has begun, of which the table has no subjob: whether some wait it does not tell.
func isBegun(t qstat.Table, r *qstat.TableRow) bool {
	isOf := func(other qstat.TableRow) bool {
		array, _, isSubjob := trace.Subjob(qstat.Number(other.ID))
		return isSubjob && array == qstat.Number(r.ID)
	}
	return r.State == 'B' && !slices.ContainsFunc(t.Rows, isOf)
}

// See says of the job of an ID, or of the first one that waits of a user, what a table tells.
func See(t qstat.Table, id, user string) (Seen, error) {
	isNamed := func(of string) bool {
		return of == id || trace.IsNamed(strings.TrimSuffix(of, "*"), trace.WithoutServer(id))
	}
	_, server, hasServer := strings.Cut(id, ".")
	at := -1
	var users []string
	for i := range t.Rows {
		r := &t.Rows[i]
		users = append(users, r.User)
		isIt := id != "" && isNamed(r.ID) || id == "" && r.User == user
		isBetter := at < 0 || id == "" && !waits(&t.Rows[at]) && waits(r) || hasServer && !qstat.IsSameName(t.Rows[at].Server(), server) && qstat.IsSameName(r.Server(), server)
		if isIt && isBetter {
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
	if t.Servers() != nil {
		if id != "" && !hasServer {
			for i := range t.Rows {
				if other := &t.Rows[i]; isNamed(other.ID) && !qstat.IsSameName(other.Server(), r.Server()) {
					return Seen{}, &joblist.FindError{Detail: fmt.Sprintf("the tables are of several servers, and %s and %s are two jobs: name one of them so", r.ID, other.ID)}
				}
			}
		}
		t.Rows = slices.DeleteFunc(slices.Clone(t.Rows), func(other qstat.TableRow) bool { return !qstat.IsSameName(other.Server(), r.Server()) })
		r = &t.Rows[slices.IndexFunc(t.Rows, func(other qstat.TableRow) bool { return other.ID == r.ID })]
	}
	s := Seen{ID: r.ID, User: r.User, Queue: r.Queue, State: string(rune(r.State)), Comment: r.Comment, Estimated: r.Starts, Walltime: r.Walltime, Chunks: r.Chunks, Tasks: r.Tasks, Memory: r.Memory, Cut: r.Cut}
	if isOther := func(user string) bool { return user != r.User }; !slices.ContainsFunc(users, isOther) {
		s.OfOne = r.User
	}
	waiting := counted(t)
	switch {
	case !waits(r):
		s.Reason = order.StateWord(r.State)
		return s, nil
	case r.State == 'B' && !slices.Contains(waiting, r):
		s.Reason = "a job array of whose subjobs the table lists none that waits"
		return s, nil
	}
	s.Unplaced = "what qstat prints without -f tells neither when jobs came to their queue nor all that they ask for: qstat -f does"
	s.IsBegun = isBegun(t, r)
	number, _ := joblist.LeadingNumber(r.ID)
	for _, other := range waiting {
		if other != r && isBegun(t, other) {
			s.Begun++
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
	for _, part := range []Part{{Text: "queue", First: of.Queue, Second: other.Queue}, {Text: "chunks (NDS)", First: of.Chunks, Second: other.Chunks}, {Text: "cpus (TSK)", First: of.Tasks, Second: other.Tasks}, {Text: "memory", First: of.Memory, Second: other.Memory}, {Text: "walltime (HH:MM)", First: of.Walltime, Second: other.Walltime}} {
		if part.First+part.Second != "" {
			part.First, part.Second, part.Differ = cmp.Or(part.First, notKnown), cmp.Or(part.Second, notKnown), part.First != part.Second
			v.Parts = append(v.Parts, part)
		}
	}
	return v, nil
}
