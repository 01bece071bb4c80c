package slurm

import (
	"slices"
	"strings"
)

// Attribute is something that slurmctld goes by, by the name under which scontrol or slurm.conf have it, and what becomes of
// it here: it is read, or what is not modelled is said, or no start depends on it. Those of QOS and associations stand
// beside the limits that they are, see the fields of setup.
type Attribute struct {
	Name  string
	Lacks string  // what of it is not modelled, in words that go on behind its name; "" for nothing
	Idle  string  // why no start depends on it; "" for one that is read or said
	On    Answers // which answers depend on what lacks, beside those on when jobs start
	Copy  Copy    // how a copy without names keeps it

	TakesNone bool // of a word of a node's state: whether no job starts on a node that has it

	In       Presence // in which records of scontrol it stands
	Or       string   // the attribute that scontrol prints in place of it
	IsFilled bool     // whether it always says something, if only that there is none: an empty one is as one that lacks

	// Usual are the values of a setting that say what a slurm.conf does that does not set it; nil for such as say that there is none.
	Usual []string

	IsNumber bool // of a word of a list: whether its value is a whole number

	none []string // the values under which what lacks does not matter, beside those that ask for nothing everywhere
}

// Answers are those of commands that depend on something. What is not modelled bears on when jobs start (OnStarts: when,
// replay, witness, and what would start right now), which is not noted of each. The commands of an answer that does not
// depend on it do not say it: what waiting jobs ask for, and how passes and plans go, changes neither the order of jobs nor
// which nodes are free.
type Answers int

const (
	OnStarts   Answers = 1 << iota
	OnQueue            // which job goes first, and what holds it: sort, explain --vs, compare, the lab and metrics
	OnRoom             // which nodes have room for a job: nodes
	OnArrivals         // which jobs come from now on, and so forecasts (when), and neither the order nor what starts right now
)

// Presence is in which records of scontrol an attribute stands.
type Presence int

const (
	Sometimes Presence = iota // where it says something, or where some versions print it
	Always                    // in each, of every version: that it is missing is said
	Needed                    // in each as well, and a record without it is not read
)

// Attributes are those of one kind of things, in the order in which the page of them has them.
type Attributes []Attribute

// Of returns one by its name in whatever letters, nil for one that no version has which is known here.
func (s Attributes) Of(name string) *Attribute {
	if at := slices.IndexFunc(s, func(of Attribute) bool { return strings.EqualFold(of.Name, name) }); at >= 0 {
		return &s[at]
	}
	return nil
}

// Names returns the names of all.
func (s Attributes) Names() (names []string) {
	for _, a := range s {
		names = append(names, a.Name)
	}
	return names
}

// Missing returns those that every version prints and that a record lacks: the first without which it is not read, "" for
// none, and all others. of returns what a record has of one, and whether it stands there.
func (s Attributes) Missing(of func(name string) (text string, isThere bool)) (needed string, others []string) {
	for i := range s {
		x := &s[i]
		has := func(name string) bool {
			text, isThere := of(name)
			return isThere && (text != "" || !x.IsFilled)
		}
		switch {
		case x.In == Sometimes || has(x.Name) || x.Or != "" && has(x.Or):
		case x.In == Always:
			others = append(others, x.Name)
		case needed == "":
			needed = x.Name
		}
	}
	return needed, others
}

// Copies returns how a copy keeps each, by their names in lower case.
func (s Attributes) Copies() map[string]Copy {
	copies := map[string]Copy{}
	for i := range s {
		if s[i].Copy != CopyNot {
			copies[strings.ToLower(s[i].Name)] = s[i].Copy
		}
	}
	return copies
}

// Matters reports whether under a value of it something lacks.
func (s *Attribute) Matters(value string) bool {
	return s.Lacks != "" && !asksNothing(value) && !slices.Contains(s.none, value)
}

// asksNothing reports whether a value is one with which Slurm writes that there is none.
func asksNothing(value string) bool {
	return value == "" || slices.Contains([]string{"(null)", "N/A", "n/a", "none", "None", "NONE", "Unknown", "UNLIMITED"}, value)
}
