package qstat

import (
	"strings"

	"fairshare/cmd/internal/pattern"
)

// CommentKind is what the comment of a job that waits says of it.
type CommentKind byte

// The kinds of comments.
const (
	NoComment CommentKind = iota // none that is known
	OfNever                      // it cannot start as long as it and the site stay as they are
	OfLimit                      // a limit on jobs keeps it from starting
	OfRoom                       // what it asks for is not free
	OfPlan                       // it would be in the way of others that go before it
	OfTime                       // it has to wait for a time
	OfHold                       // somebody or something has to change first
	OfState                      // it tells what became of the job, and not why it waits
)

// comment is a form in which PBS's server and scheduler write comments, behind what says that the job does not run or never can.
type comment struct {
	form  pattern.Lazy
	kind  CommentKind
	means string // with $1 for the first part of the form
}

// amounts of a resource that lacks, as "(R: 8 A: 0 T: 16)": asked for by the job or one of its chunks, available, and in total.
const amounts = ` ?\(R: (\S+) A: (\S+) T: (\S+?)\)`

// underThreshold is what PBS writes of a job whose value is at or below job_sort_formula_threshold.
const underThreshold = "Job is under job_sort_formula threshold value"

// comments are all forms that are known, the first that fits counts.
var comments = []comment{
	{pattern.Of(`^Insufficient amount of resource: (\S+)` + amounts), OfRoom, "too little of $1 is free: it or one of its chunks asks for $2 (R), and $3 (A) of $4 in all (T) is free where it may run"},
	{pattern.Of(`^Insufficient amount of (?:queue|server) resource: (\S+)` + amounts), OfRoom, "too little of $1 is left of what the server or its queue has: it asks for $2 (R), and $3 (A) of $4 in all (T) is free"},
	{pattern.Of(`^Insufficient amount of (?:queue |server )?resource: (\S+)`), OfRoom, "no vnode that is free has as much of $1 as it asks for, or the $1 that it names"},
	{pattern.Of(`^(?:Not enough free nodes available|Not enough of the right type of nodes are available|No available resources on nodes)`), OfRoom, "what it asks for is on no vnodes that are free together"},
	{pattern.Of(`^Not enough total nodes available`), OfNever, "all vnodes together do not have what it asks for"},
	{pattern.Of(`^(?:Placement set (\S+) has too few free resources)`), OfRoom, "its chunks have to run within one placement set, and $1 has too little free"},
	{pattern.Of(`^(?:can't fit in the largest placement set, and can't span psets|Placement set (\S+) is too small)`), OfNever, "its chunks have to run within one placement set, and none is large enough"},
	{pattern.Of(`^(?:Job is requesting an exclusive node and node is in use)`), OfRoom, "it asks for vnodes for itself, and others run there"},
	{pattern.Of(`^Node has reached (?:job|user|group) run limit`), OfLimit, "the vnodes that it could run on may not have more jobs, or more of its user or group, at a time"},
	{pattern.Of(`^(?:Node can't satisfy a multi-node job|Node is in an ineligible state|Node is of type|Node has no license)`), OfRoom, "the vnodes that it could run on take no such job now"},

	{pattern.Of(`^` + underThreshold), OfHold, "its value of the formula is not above job_sort_formula_threshold, below which no job is looked at and no eligible_time grows: it waits until something else has raised its value"},
	{pattern.Of(`^(?:Job would conflict with |Job would break strict sorted order|Draining system to allow starving jobs to run|Job would delay )`), OfPlan, "jobs or reservations that go before it would start later if it ran now"},
	{pattern.Of(`^(?:Can't preempt enough work to run job|Not enough work to preempt)`), OfRoom, "it may take the place of others, and all that may make place for it together have too little"},

	{pattern.Of(`^(?:Job will run in (primetime|nonprimetime) only|Job will cross into (\S+))`), OfTime, "its queue or its walltime has it wait for other hours (prime time and non-prime time)"},
	{pattern.Of(`(?i)^(?:Dedicated time conflict|Job would cross dedicated time boundary)`), OfTime, "it would run into a time that is dedicated to other jobs, or waits for one"},
	{pattern.Of(`^Job (?:is )?(?:waiting|requested) `), OfTime, "its user has it wait"},

	{pattern.Of(`^User has reached (?:server|queue)`), OfLimit, "its user may not have more jobs running at a time: it waits until one of those ends"},
	{pattern.Of(`^(?:Group|Project) has reached (?:server|queue)`), OfLimit, "its group or project may not have more jobs running at a time: it waits until one of those ends"},
	{pattern.Of(`^(?:Server|Queue) job limit has been reached|^(?:Server|Queue \S+) job limit reached`), OfLimit, "no more jobs may run at a time on the server, in its queue, or of its group or project: it waits until one of those ends"},
	{pattern.Of(`^(?:Server|Queue (?:\S+)) per-(user|group|project) limit reached on resource (\S+)`), OfLimit, "its $1 may not have more $2 at a time: it waits until a job of that $1 ends"},
	{pattern.Of(`^(?:Server|Queue (?:\S+)) overall limit reached on resource (\S+)`), OfLimit, "all jobs together may not have more $1 at a time: it waits until one ends"},
	{pattern.Of(`^would exceed overall limit`), OfLimit, "with it all jobs together would be over a limit: it waits until one ends"},
	{pattern.Of(`^would exceed (?:(user|group|project) )?(\S+?)(?:'s|s')? (?:per-\S+ |overall )?limit`), OfLimit, "with it $1 $2 would be over a limit: it waits until one of those jobs ends"},
	{pattern.Of(`^(?:Array's max_run_subjobs|Number of concurrent running subjobs limit reached)`), OfLimit, "no more subjobs of its array may run at a time"},

	{pattern.Of(`^Queue not started`), OfHold, "its queue starts no jobs until an administrator starts it (qmgr: set queue NAME started = True)"},
	{pattern.Of(`^Queue not an execution queue|^Queue is not of type execution`), OfHold, "its queue only hands jobs on to others"},
	{pattern.Of(`^Job is in hold|^Job held`), OfHold, "somebody, PBS or its dependency holds it: it starts after qrls, or when the dependency is met"},
	{pattern.Of(`^Job has zero shares for fairshare`), OfHold, "its entity has no shares, and such jobs are not run"},
	{pattern.Of(`^(?:PBS Error|Internal [Ss]cheduling [Ee]rror)`), OfHold, "PBS failed to start it: what stands behind that is its error"},
	{pattern.Of(`^Specified (\S+) does not exist`), OfNever, "it names a $1 that there is not"},
	{pattern.Of(`limit.*(?:reached|exceed)|(?:reached|exceed).*limit`), OfLimit, "a limit keeps it back: it waits until one of the jobs that count for it ends"},
}

// never are the words before what PBS says of a job that it can never run, and waiting before that of others.
const never, waiting = "Can Never Run", "Not Running"

// ofState are comments of what became of a job.
var ofState = pattern.Of(`^(?:Job run at |Job started on |Subjob finished|Job Array Began|Job Array Held|Job finished|Job substate|Not Running: Job preempted|Job was requeued|Job requeued|Job suspended|Job preempted|Job has completed|terminated)`)

// MeaningOf says in words what the comment of a job says, "" for one whose form is not known.
func MeaningOf(text string) (kind CommentKind, means string) {
	if ofState().MatchString(text) {
		return OfState, ""
	}
	isNever := strings.HasPrefix(text, never)
	rest := text
	for _, head := range []string{never, waiting} {
		if behind, ok := strings.CutPrefix(text, head); ok {
			rest = strings.TrimLeft(behind, ": ")
		}
	}
	kind = NoComment
	for _, c := range comments {
		if at := c.form().FindStringSubmatchIndex(rest); at != nil {
			kind, means = c.kind, string(c.form().ExpandString(nil, c.means, rest, at))
			break
		}
	}
	if isNever && kind == OfRoom {
		means = ofNever(rest)
	}
	if isNever {
		kind = OfNever
	}
	return kind, strings.Join(strings.Fields(means), " ")
}

// InWords says in words what the comment of a job says, with "never" in front of what stays so, "" for one whose form is not known.
func InWords(comment string) string {
	kind, means := MeaningOf(comment)
	if kind == OfNever {
		return strings.TrimSuffix("never, as it and the site are: "+means, ": ")
	}
	return means
}

// Briefly returns what a cell of a table has of what a comment says in words: what keeps the job from starting, and not until when.
func Briefly(means string) string {
	what, _, _ := strings.Cut(means, ": ")
	what, _, _ = strings.Cut(what, " where it may run")
	return what
}

var lacksInAll = pattern.Of(`^Insufficient amount of (?:queue |server )?resource: (\S+)(?:` + amounts + `)?`)

// ofNever says what is not there for a job of which PBS says that it can never run, behind these words.
func ofNever(rest string) string {
	switch at := lacksInAll().FindStringSubmatch(rest); {
	case at == nil:
		return "what it asks for is not there"
	case at[2] == "":
		return "no vnode has as much of " + at[1] + " as it asks for, or the " + at[1] + " that it names"
	default:
		return "it or one of its chunks asks for " + at[2] + " of " + at[1] + " (R), and there is " + at[4] + " in all (T) where it may run, of which " + at[3] + " is free (A)"
	}
}

// NeverRuns reports whether the comment of a job says that the scheduler cannot start it as long as it and the site stay as they are.
func NeverRuns(comment string) bool { return strings.HasPrefix(comment, never) }

// IsUnderThreshold reports whether the comment of a job says that job_sort_formula_threshold keeps it from starting.
func IsUnderThreshold(comment string) bool { return strings.Contains(comment, underThreshold) }

// IsOfLimit reports whether the comment of a job says that a limit on jobs keeps it from starting, such as "Not Running: User has reached
// server running job limit.".
func IsOfLimit(comment string) bool {
	kind, _ := MeaningOf(comment)
	return kind == OfLimit
}

var lacks = pattern.Of(`Insufficient amount of resource: (\S+)(?:` + amounts + `)?`)

// Lacking returns the resource that a job lacks by its comment, as "Not Running: Insufficient amount of resource: ngpus (R: 2 A: 0 T: 8)" has
// it, and how much of it the job or one of its chunks asks for, where it tells that; "" for none. PBS writes that of the resources alone which
// its scheduler looks at.
func Lacking(comment string) (resource, asked string) {
	if of := lacks().FindStringSubmatch(comment); of != nil {
		return of[1], of[2]
	}
	return "", ""
}
