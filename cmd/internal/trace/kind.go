package trace

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/diag"
)

// Kind is a way to tell jobs apart.
type Kind struct {
	Name string
	Of   func(*Job) string
}

// Naming is which kinds of names jobs have, and what they are called.
type Naming struct {
	Kinds []string          // in the order in which they are told
	Rare  []string          // of these, those that tell nothing where all jobs have the same name
	Words map[string]string // what people call some of them
	Lacks map[string]string // why jobs have none of others

	Exit  func(status int64) string // how an exit status is told, nil for its number
	Ended func(state string) string // why a job has ended in a state, "" where that says all; nil where records tell no states
	Times string                    // what tells when jobs came and ran, for traces that do not
	Uses  string                    // what tells how much memory a job has used, "" where nothing does
}

// ofLogs is that of accounting logs.
var ofLogs = &Naming{
	Kinds: []string{"queue", "user", "group", "account", "project", "size"}, Rare: []string{"account", "project"},
	Words: map[string]string{"qos": "QOS"}, Lacks: map[string]string{"qos": "jobs of these logs have no QOS"},
	Uses: "resources_used.mem",
}

// ofReplays is that of the jobs of a Slurm site that are replayed, see OfSlurm.
var ofReplays = &Naming{
	Kinds: []string{"partition", "qos", "account", "user", "size"}, Rare: []string{"account", "qos"}, Words: map[string]string{"qos": "QOS"},
}

// naming returns that of the trace.
func (t *Trace) naming() *Naming { return cmp.Or(t.Naming, ofLogs) }

// Kinds returns the ways to tell the jobs of a trace apart: by queue, user, group,
// account, project and size; those of a Slurm site by partition, qos, account, user and size.
func (t *Trace) Kinds() (kinds []Kind) {
	names := t.Names.List
	queue, project := func(j *Job) string { return names[j.Queue] }, func(j *Job) string { return names[j.Project] }
	of := map[string]func(*Job) string{
		"queue":     queue,
		"partition": queue,
		"user":      func(j *Job) string { return names[j.User] },
		"group":     func(j *Job) string { return names[j.Group] },
		"account":   func(j *Job) string { return names[j.Account] },
		"project":   project,
		"qos":       project,
		"size":      SizeOf,
	}
	for _, name := range t.naming().Kinds {
		kinds = append(kinds, Kind{name, of[name]})
	}
	return kinds
}

// WordFor returns what a kind of names is called where the trace comes from.
func (t *Trace) WordFor(kind string) string { return cmp.Or(t.naming().Words[kind], kind) }

// ExitText returns how an exit status of a job is told where the trace comes from.
func (t *Trace) ExitText(status int64) string {
	if text := t.naming().Exit; text != nil {
		return text(status)
	}
	return ExitInWords(strconv.FormatInt(status, 10))
}

// EndedAs returns the state in which a job has ended as the record has it, and why, "" for none.
func (t *Trace) EndedAs(j *Job) (state, why string) {
	if state = t.Names.List[j.Ended]; state != "" && t.naming().Ended != nil {
		why = t.naming().Ended(state)
	}
	return state, why
}

// TimesBy returns what tells when jobs came and ran of which the trace does not.
func (t *Trace) TimesBy() string { return t.naming().Times }

// UsesBy returns what tells how much memory a job has used, "" where nothing does.
func (t *Trace) UsesBy() string { return t.naming().Uses }

// CheckKind returns an error for a kind of names that the jobs of the trace do not have.
func (t *Trace) CheckKind(kind string) error {
	if why := t.naming().Lacks[kind]; why != "" {
		return &diag.RequestError{Err: errors.New(why)}
	}
	return nil
}

// IsReservation reports whether a queue is that of a reservation. Those of Slurm have no queues.
func (t *Trace) IsReservation(queue string) bool {
	return !t.isOfTable && !t.isSlurm && IsReservation(queue)
}

// IsReservation reports whether a queue is called as PBS calls those of reservations.
func IsReservation(queue string) bool {
	return len(queue) > 1 && strings.IndexByte("RSM", queue[0]) >= 0 && strings.Trim(queue[1:], "0123456789") == ""
}

// TellingKinds returns Kinds without those of which no job has a name, as of a table without such a column, and without the rare ones, such
// as account, project and qos, where all jobs have the same one.
func (t *Trace) TellingKinds(jobs []*Job) []Kind {
	var kinds []Kind
	for _, k := range t.Kinds() {
		hasNames := len(jobs) == 0 || slices.ContainsFunc(jobs, func(j *Job) bool { return k.Of(j) != "" })
		if hasNames && (!slices.Contains(t.naming().Rare, k.Name) || k.tells(jobs)) {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// tells reports whether jobs have more than one name of a kind.
func (k Kind) tells(jobs []*Job) bool {
	for _, j := range jobs {
		if k.Of(j) != k.Of(jobs[0]) {
			return true
		}
	}
	return false
}

// Groups returns jobs by their names of a kind.
func (k Kind) Groups(jobs []*Job) map[string][]*Job {
	groups := map[string][]*Job{}
	for _, j := range jobs {
		groups[k.Of(j)] = append(groups[k.Of(j)], j)
	}
	return groups
}
