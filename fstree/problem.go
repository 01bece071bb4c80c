package fstree

import "fmt"

// Problem is a line of resource_group or sched_config that PBS rejects, or
// takes for something else than what it says, or that counts and is worth a word.
type Problem struct {
	Line    int    // of the file, from 1; the first of a continued line
	Message string // what is wrong, in our words
	PBS     string // what PBS prints about the line, "" if it says nothing
	Counts  bool   // whether the line counts as it stands all the same
}

func (p Problem) Error() string { return fmt.Sprintf("line %d: %s", p.Line, p.Message) }
