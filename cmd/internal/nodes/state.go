package nodes

import (
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
)

// The states by which nodes are asked for at sites of all schedulers, beside those that a scheduler has itself.
const (
	Away = "away" // takes no jobs, as it is down, offline or drained
	Idle = "idle" // takes jobs, and nothing of it is in use
)

// WordsOf returns the words of a state in small letters, without the signs behind them.
func WordsOf(state string) (words []string) {
	for word := range strings.FieldsFuncSeq(strings.ToLower(state), func(c rune) bool { return c == ',' || c == '+' || c == ' ' }) {
		words = append(words, strings.TrimRight(word, "*~#!%$@^-"))
	}
	return words
}

// CheckStates returns a *diag.RequestError for states that the site's scheduler does not have.
func (m *Machine) CheckStates(states []string) error {
	known := append([]string{Idle, Away}, m.States...)
	for _, state := range states {
		if !slices.Contains(known, strings.ToLower(state)) {
			return diag.Requestf("there is no state %s of %ss: there are %s (takes jobs, and nothing of it is in use), %s (takes none), %s", state, m.Called, Idle, Away, strings.Join(m.States, ", "))
		}
	}
	return nil
}

// IsIn reports whether a node is in one of some states.
func (n *Node) IsIn(states []string) bool {
	return slices.ContainsFunc(states, func(state string) bool {
		switch state = strings.ToLower(state); state {
		case Away:
			return !n.IsUp
		case Idle:
			return n.use() == isIdle
		default:
			return slices.Contains(n.Words, state)
		}
	})
}

// use is what a node is used for.
type use int

// What a node is used for, as sinfo counts nodes: the state matters only of one on which nobody runs.
const (
	isAllocated use = iota // by jobs, or for a reservation that has it now
	isIdle
	isOther // takes no job now
)

// use returns what a node is used for.
func (n *Node) use() use {
	switch {
	case len(n.Jobs) > 0 || n.IsUp && n.CPUs.Used() > 0:
		return isAllocated
	case !n.IsUp || n.CPUs.All > 0 && n.CPUs.Free == 0:
		return isOther
	default:
		return isIdle
	}
}

// cpus returns how many cpus of a node are in use, idle, and no job's though nobody has them.
func (n *Node) cpus() (c Counts) {
	c.Total = n.CPUs.All
	if n.IsUp {
		c.Allocated, c.Idle, c.Other = n.CPUs.Used(), max(0, n.CPUs.Free), n.CPUs.Idle
		return c
	}
	for _, j := range n.Jobs {
		c.Allocated += j.CPUs
	}
	c.Other = max(0, c.Total-c.Allocated)
	return c
}
