package lab

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"fairshare/cmd/internal/diag"
)

// The last states that were tried are remembered, and no more of them however many there
// are; one that is asked for again is the last one then.
func TestRecent(t *testing.T) {
	var recent Recent[*int]
	try := func(n int) *int {
		t.Helper()
		got, err := recent.Of(State{Formula: fmt.Sprintf("%d*ncpus", n), Settings: []string{"ann.shares=9"}}, func() (*int, error) { return new(int), nil })
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	var all []*int
	for n := range 10 * maxRecent {
		all = append(all, try(n))
		if want := min(n+1, maxRecent); len(recent.list) != want {
			t.Fatalf("%d are remembered after %d, want %d", len(recent.list), n+1, want)
		}
	}
	last := len(all) - 1
	oldest := last - maxRecent + 1
	if try(oldest) != all[oldest] {
		t.Error("one of the last is made again")
	}
	another := try(last + 1) // which is in the place of the oldest one, that is no longer it
	for n := oldest + 2; n <= last; n++ {
		if try(n) != all[n] {
			t.Errorf("number %d of %d is made again", n, last)
		}
	}
	if try(oldest) != all[oldest] || try(last+1) != another {
		t.Error("one that was asked for again is forgotten before others")
	}
	if try(oldest+1) == all[oldest+1] {
		t.Error("one that nobody has asked for any more is remembered")
	}
	// Neither a formula nor a setting makes a state alone, and one is no part of the other.
	states := []State{{Formula: "ncpus"}, {Formula: "ncpus", Settings: []string{"ann.shares=9"}}, {Formula: "ncpus", Settings: []string{"ann.shares=9", "bob.shares=3"}}, {Formula: "ncpus", Settings: []string{"ann.shares=9,bob.shares=3"}}}
	seen := map[*result[*int]]bool{}
	for _, s := range states {
		got := recent.recall(s)
		if seen[got] {
			t.Errorf("%q is taken for another state", s)
		}
		seen[got] = true
		if recent.recall(s) != got {
			t.Errorf("%q is not taken for itself", s)
		}
	}
}

// What is said of how far a replay is never falls, whatever the replay itself says.
func TestProgressNeverFalls(t *testing.T) {
	l := &testSite{}
	step, seen := make(chan float64), make(chan bool)
	l.Replay = func(ctx context.Context, s State, progress func(float64)) ([]byte, error) {
		for part := range step {
			progress(part)
			seen <- true
		}
		return []byte("a page"), nil
	}
	id, err := l.StartReplay(State{Formula: "ncpus"})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ told, want float64 }{{.25, .25}, {.5, .5}, {.375, .5}, {0, .5}, {.5, .5}, {.75, .75}, {-1, .75}, {1, 1}, {.5, 1}} {
		step <- row.told
		<-seen
		if now, err := l.ReplayNow(id); err != nil || now.Part != row.want || now.IsDone {
			t.Errorf("after %v it is %+v (%v), want %v", row.told, now, err, row.want)
		}
	}
	close(step)
	if w := wait(t, l, id); w.Part != 1 || w.Error != "" {
		t.Errorf("%+v", w)
	}
}

// faults notes what a lab is told of panics.
type faults struct {
	mutex sync.Mutex
	list  []string
}

func (f *faults) note(what any, stack []byte) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.list = append(f.list, fmt.Sprintf("%v\n%s", what, stack))
}

// taken returns what was noted, once.
func (f *faults) taken() []string {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	list := f.list
	f.list = nil
	return list
}

// breaks panics where its name stands in the stack.
func breaks() { panic("it is broken") }

// Whatever panics, somebody is told what it was and where, and the browser only that it is
// a fault.
func TestFaultIsTold(t *testing.T) {
	l := &testSite{}
	l.Replay = func(ctx context.Context, s State, progress func(float64)) ([]byte, error) {
		switch s.Formula {
		case "panics":
			breaks()
		case "panicked":
			return nil, fmt.Errorf("policy 1: %w", &diag.FaultError{What: "it is broken", Stack: []byte("lab.breaks, elsewhere")})
		}
		return nil, errors.New("it fails")
	}
	for _, row := range []struct {
		formula, want string
		isFault       bool
	}{
		{"panics", ErrFault.Error(), true},
		{"panicked", ErrFault.Error(), true},
		{"fails", "it fails", false},
	} {
		var told faults
		l.Fault = told.note
		replay := func() string {
			t.Helper()
			id, err := l.StartReplay(State{Formula: row.formula})
			if err != nil {
				t.Fatal(err)
			}
			return wait(t, l, id).Error
		}
		if got := replay(); got != row.want {
			t.Errorf("%s: %q, want %q", row.formula, got, row.want)
		}
		list := told.taken()
		if isTold := len(list) == 1 && strings.HasPrefix(list[0], "it is broken\n") && strings.Contains(list[0], "lab.breaks"); isTold != row.isFault || len(list) > 1 {
			t.Errorf("%s: told %q", row.formula, list)
		}
		l.Fault = nil // nobody has to be told
		if got := replay(); got != row.want {
			t.Errorf("%s, with nobody to tell: %q, want %q", row.formula, got, row.want)
		}
	}
}

// A question whose answer panics is answered, however often, and others after it are too.
func TestFaultOfAnswer(t *testing.T) {
	l := &testSite{}
	var told faults
	l.Fault = told.note
	s, served := serve(t, l)
	ask := func(formula string) (int, string) {
		t.Helper()
		status, text, _ := attack(t, "POST", served.URL+s.Path()+"try", fmt.Sprintf(`{"formula":%q}`, formula), nil)
		return status, text
	}
	l.isBroken = true
	for n := range 2 * maxComputing {
		if status, text := ask(fmt.Sprintf("%d*ncpus", n)); status != http.StatusInternalServerError || strings.TrimSpace(text) != ErrFault.Error() {
			t.Errorf("%d: %d %s", n, status, text)
		}
		if all := told.taken(); len(all) != 1 || !strings.Contains(all[0], "nil pointer dereference\n") || !strings.Contains(all[0], "lab.(*testSite).make") {
			t.Errorf("%d: told %q", n, all)
		}
		if _, text := ask(fmt.Sprintf("%d*ncpus", n)); !strings.Contains(text, ErrFault.Error()) {
			t.Errorf("%d, again: %s", n, text)
		}
		if all := told.taken(); len(all) != 0 {
			t.Errorf("%d, again: told %q", n, all)
		}
	}
	l.isBroken = false
	if status, text := ask("ncpus/7"); status != http.StatusOK || strings.Contains(text, ErrFault.Error()) {
		t.Errorf("afterwards: %d %s", status, text)
	}
}
