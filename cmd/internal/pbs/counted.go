package pbs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// StateCount is how many jobs the server or a queue has in each state.
const StateCount = "state_count"

// Waiting returns how many jobs wait as the server counts them, or else all its queues: those that are queued, held, in transit or wait
// for their time. An array counts once, and one that has begun does not. ok is false where nothing tells.
func (s *Site) Waiting() (jobs int, ok bool) {
	if jobs, ok = waitingOf(s.Sched.Server); ok {
		return jobs, true
	}
	for _, q := range s.Queues {
		n, isTold := q.Waiting()
		if !isTold {
			return 0, false
		}
		jobs += n
	}
	return jobs, len(s.Queues) > 0
}

// Waiting returns how many jobs wait in the queue as PBS counts them, as those of a site. ok is false where nothing tells.
func (q *Queue) Waiting() (jobs int, ok bool) { return waitingOf(q.Attributes) }

// waitingOf reads how many jobs wait of what state_count says.
func waitingOf(a Attributes) (jobs int, ok bool) { return WaitingIn(a.States()) }

// WaitingIn returns how many jobs wait of those in each state as PBS counts them. ok is false where no state is one in which they do.
func WaitingIn(states map[string]int) (jobs int, ok bool) {
	for state, n := range states {
		if slices.Contains([]string{"Transit", "Queued", "Held", "Waiting"}, state) {
			jobs, ok = jobs+n, true
		}
	}
	return jobs, ok
}

// States returns how many jobs the server or a queue has in each state, as state_count says: "Transit:0 Queued:23 Held:2 Waiting:0
// Running:1 Exiting:0 Begun:0"; nil where it says nothing.
func (a Attributes) States() map[string]int {
	var states map[string]int
	for word := range strings.FieldsSeq(a[StateCount]) {
		if states == nil {
			states = map[string]int{}
		}
		state, count, _ := strings.Cut(word, ":")
		states[state], _ = strconv.Atoi(count) // which is checked when it is read
	}
	return states
}

// CountedAs returns the state under which PBS counts a job in a job_state, "" for one that it does not count.
func CountedAs(letter byte) string {
	switch letter {
	case 'T':
		return "Transit"
	case 'Q':
		return "Queued"
	case 'H':
		return "Held"
	case 'W':
		return "Waiting"
	case 'R', 'S', 'U': // a job that is suspended is shown as such, and counted as one that runs
		return "Running"
	case 'E':
		return "Exiting"
	case 'B':
		return "Begun"
	}
	return ""
}

// checkStates checks a value that is how many jobs there are in each state.
func checkStates(value string) error {
	for word := range strings.FieldsSeq(value) {
		_, count, _ := strings.Cut(word, ":")
		if _, err := strconv.Atoi(count); err != nil {
			return fmt.Errorf("%q is no count of a state", word)
		}
	}
	return nil
}
