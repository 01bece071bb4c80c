package nodes

import (
	"slices"
	"strings"

	"fairshare/cmd/internal/nodes"
	"fairshare/cmd/internal/slurm"
)

// inShort are the words of states as sinfo shortens them.
var inShort = map[string]string{"alloc": "allocated", "mix": "mixed", "comp": "completing", "drng": "draining", "resv": "reserved", "plnd": "planned", "unk": "unknown", "futr": "future", "failg": "failing", "pow_up": "powering_up", "pow_dn": "powered_down"}

// stateNames returns the words by which nodes are asked for in states, in small letters.
func stateNames() (names []string) {
	for _, of := range slurm.NodeStates {
		if name := strings.ToLower(of.Name); !slices.Contains(names, name) && name != nodes.Idle {
			names = append(names, name)
		}
	}
	for short := range inShort {
		if !slices.Contains(names, short) {
			names = append(names, short)
		}
	}
	slices.Sort(names)
	return names
}

// stateWords returns the words by which a node in a state is found, as sinfo -t finds it: one with the flag DRAIN is draining while
// something runs there, and else drained.
func stateWords(state string) []string {
	words := nodes.WordsOf(state)
	has := func(all ...string) bool {
		return slices.ContainsFunc(all, func(word string) bool { return slices.Contains(words, word) })
	}
	if strings.Contains(state, "*") {
		words = append(words, "no_respond")
	}
	if has("drain", "drained", "draining") {
		is := "drained"
		if has("allocated", "alloc", "mixed", "completing", "draining") {
			is = "draining"
		}
		words = append(words, "drain", is)
	}
	for short, long := range inShort {
		switch {
		case has(short):
			words = append(words, long)
		case has(long):
			words = append(words, short)
		}
	}
	return words
}
