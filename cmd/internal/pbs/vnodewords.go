package pbs

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"fairshare/cmd/internal/report"
)

// AwayStates are the states in which a vnode takes no job, and which last.
var AwayStates = []string{"down", "offline", "unknown", "state-unknown", "Stale", "stale", "provisioning", "wait-provisioning", "initializing", "unresolvable", "maintenance"}

// otherStates are those in which a vnode takes jobs, or takes none just now; the last ones are of TORQUE.
var otherStates = []string{
	"free", "job-busy", "job-exclusive", "resv-exclusive", "busy", "sleep", "offline_by_mom", "need-credentials", "deleted", "<various>", "reserve", "job-sharing", "time-shared",
}

// SharingWords are the values of sharing of vnodes.
var SharingWords = []string{"default_shared", "default_excl", "default_exclhost", "ignore_excl", "force_excl", "force_exclhost"}

// IsVnodeState reports whether a word is a state of vnodes.
func IsVnodeState(word string) bool {
	return slices.Contains(AwayStates, word) || slices.Contains(otherStates, word)
}

// VnodeStates returns the states of vnodes in small letters, each once.
func VnodeStates() (words []string) {
	for _, word := range slices.Concat(otherStates, AwayStates) {
		if word = strings.ToLower(word); !slices.Contains(words, word) && word[0] != '<' {
			words = append(words, word)
		}
	}
	return words
}

// WithoutState returns the state of a vnode without one of its words, "free" where none is left. had reports whether it is among them.
func WithoutState(state, word string) (left string, had bool) {
	words := strings.Split(state, ",")
	others := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return strings.TrimSpace(w) == word })
	return cmp.Or(strings.Join(others, ","), "free"), len(others) < len(words)
}

// checkState returns which word of a state of vnodes PBS does not have.
func checkState(value string) error {
	for word := range strings.SplitSeq(strings.Trim(value, quotes), ",") {
		if word = strings.TrimSpace(word); !IsVnodeState(word) {
			return errors.New(report.NoSuch("state of vnodes", word, []string{"free", "offline"}))
		}
	}
	return nil
}
