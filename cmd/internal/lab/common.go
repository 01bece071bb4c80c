// Package lab serves the local page of a site of any scheduler: who is let in, what a request may be, the
// states that were tried last, and replays that run beside them. What a page asks about a site is answered
// by the room of its scheduler. It reads nothing that a request names and writes nothing at all.
package lab

import "errors"

// Site is what a page asks: a site of any kind.
type Site interface {
	// Answer answers a question, with something that JSON has or with *Taken.
	Answer(name string, q Request) (any, error)

	common() *Common
}

// Common is what sites of all kinds have.
type Common struct {
	// Replay replays recorded work; nil where there are no logs.
	Replay Replayer

	// CanReplay returns what is wrong with a state that shall be replayed; nil where each may be.
	CanReplay func(s State) error

	// Fault is told what has panicked, and where; nil for nobody.
	Fault func(what any, stack []byte)

	work works
}

func (c *Common) common() *Common { return c }

// fault tells of a panic.
func (c *Common) fault(what any, stack []byte) {
	if c.Fault != nil {
		c.Fault(what, stack)
	}
}

// Request is the body of a request.
type Request struct {
	Query
	Job   string `json:"job"`
	Other string `json:"other"`
	What  string `json:"what"`
	ID    string `json:"id"`

	Jobs []string `json:"jobs"`
}

// Query is a state and which part of its order is to be shown. A name that is "" is any.
type Query struct {
	State
	User  string `json:"user"`
	Group string `json:"group"` // of PBS, as Queue
	Queue string `json:"queue"`

	Account   string `json:"account"` // of Slurm, as the following
	Partition string `json:"partition"`
	QOS       string `json:"qos"`
	All       string `json:"all"` // "" for those jobs alone that are considered

	First int    `json:"first"` // the first row that is wanted, from 0
	Count int    `json:"count"`
	By    string `json:"by"` // the kind of name that lines are coloured by
}

// ErrUnknown is about a question that nobody answers.
var ErrUnknown = errors.New("there is no such question")

// ErrFault stands for a panic.
var ErrFault = errors.New("this could not be computed: it is a fault of the program")

// NoJobError is about a job that the list does not have.
type NoJobError struct{ Err error }

func (e *NoJobError) Error() string { return e.Err.Error() }
func (e *NoJobError) Unwrap() error { return e.Err }

// Download is what can be taken away from a state.
type Download struct {
	Name string // of a file
	Type string // its media type
	Text []byte
}

// TextDownload returns a text that can be taken away.
func TextDownload(name, text string) *Download {
	return &Download{name, "text/plain; charset=utf-8", []byte(text)}
}

// PageDownload returns a page that can be taken away.
func PageDownload(name string, text []byte) *Download {
	return &Download{name, "text/html; charset=utf-8", text}
}
