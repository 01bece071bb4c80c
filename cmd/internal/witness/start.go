// Package witness judges the rules of a scheduler by what a site has recorded: given what ran and
// waited at each recorded start, the rules either allow and choose that start or they do not. What
// differs is put into groups by what the starts have in common.
//
// A wing makes a Record of its scheduler's; this package counts and looks for causes.
package witness

// Start is a job that a record shows to start, or to wait until the record ends, and what the rules
// say of it.
type Start struct {
	Job, Queue, User, Group, Account, Project, QOS string // Queue is the partition with Slurm; "" for what is not known

	Asks  []string // resources that it asks for besides cpus, memory and time
	CPUs  int64
	Nodes int64   // 0 where that is not known
	Hours float64 // cpu hours that it ran, or asks for if it never did

	Came int64 // since when it could run, in seconds since 1970
	At   int64 // when it started, 0 for never
	End  int64 // of that run, 0 where the record does not tell

	Recorded []string // vnodes that it had, each once
	Chosen   []string // vnodes that the rules choose; nil where they choose none, or nobody can tell

	May   Verdict // whether the rules allow the start, on those vnodes, at that time
	Where Verdict // whether they choose those vnodes, and where a Rule says so, what it had of them that they do not give
	Who   Verdict // whether they would have started no other job before it, which really kept waiting

	Passed []Passed // jobs that they would have started before it
	Others bool     // whether they would have started others then who kept waiting, before it or behind it

	// Waited is for how many seconds the job itself kept waiting since a recorded start at which the rules
	// would have started it, 0 for not at all. Since is the time of that start.
	Waited, Since int64
	Beside        []string // vnodes that they would have given it then
	IsFree        bool     // whether these stayed free, so that nobody else took them
	IsKept        bool     // whether they would not have started it, but kept the nodes for it that another one took

	hasNoOrder bool // whether nothing tells the order of jobs
}

// withoutOrder takes away what depends on the order of jobs.
func (s *Start) withoutOrder() {
	if s.May.IsOfOrder {
		s.May, s.Where = Verdict{}, Verdict{}
	}
	s.hasNoOrder, s.Who, s.Passed, s.Others, s.Waited, s.Since, s.Beside, s.IsFree, s.IsKept = true, Verdict{}, nil, false, 0, 0, nil, false, false
}

// Passed is a job that kept waiting although the rules would have started it.
type Passed struct {
	Job    string `json:"job"`
	Waited int64  `json:"waited"` // for how many seconds
}

// Verdict is what the rules say of one side of a start.
type Verdict struct {
	Finding Finding
	Rule    string // where it differs, in words that many starts have in common: "a limit of users", "more CPUs than the rules give"
	Reason  string // likewise of this start alone: "limit of user bob"

	// IsOfMoment is whether it is about what others have or are to have then, so that one moment may be wrong for many.
	IsOfMoment bool

	IsOfOrder bool // whether it is about who goes first
}

// VerdictOf returns the verdict of rules that agree with the record, or differ from it.
func VerdictOf(agrees bool) Verdict {
	if agrees {
		return Verdict{Finding: Agrees}
	}
	return Verdict{Finding: Differs}
}

// Finding is whether rules and record agree.
type Finding byte

// What may be found.
const (
	Unjudged Finding = iota // the record does not tell enough, or no rule is asked
	Agrees
	Differs
)

// String returns the finding in a word.
func (f Finding) String() string {
	return [...]string{"unjudged", "agrees", "differs"}[f]
}

// Side is what is judged of a start.
type Side int

// The sides of a start. Wait is that of the job itself while it waited: whether the rules would have
// started it sooner. Who counts the starts that passed others, Wait those others.
const (
	May Side = iota
	Where
	Who
	Wait
	sides
)

// String returns what a side is called.
func (s Side) String() string { return [...]string{"may", "where", "who", "wait"}[s] }

// Verdict returns what the rules say of one side.
func (s *Start) Verdict(side Side) Verdict {
	switch side {
	case May:
		return s.May
	case Where:
		return s.Where
	case Who:
		return s.Who
	}
	switch {
	case s.hasNoOrder:
		return Verdict{}
	case s.Waited <= 0 && s.At == 0:
		return Verdict{} // it never came to it
	}
	return VerdictOf(s.Waited <= 0)
}
