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
	l := newLab(t, 5)
	try := func(n int) *tried {
		t.Helper()
		got, err := l.order(State{Formula: fmt.Sprintf("%d*ncpus", n), Settings: []string{"ann.shares=9"}})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	var all []*tried
	for n := range 10 * maxRecent {
		all = append(all, try(n))
		if want := min(n+1, maxRecent); len(l.recent.list) != want {
			t.Fatalf("%d are remembered after %d, want %d", len(l.recent.list), n+1, want)
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
	seen := map[*remembered[*tried]]bool{}
	for _, s := range states {
		got := l.recent.recall(s)
		if seen[got] {
			t.Errorf("%q is taken for another state", s)
		}
		seen[got] = true
		if l.recent.recall(s) != got {
			t.Errorf("%q is not taken for itself", s)
		}
	}
}

// What is said of how far a replay is never falls, whatever the replay itself says.
func TestProgressNeverFalls(t *testing.T) {
	l := newLab(t, 5)
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

// A test that is taken away says nothing of jobs that tie, or that have no value.
func TestTakenTest(t *testing.T) {
	l := newLab(t, 30) // which request as many cpus as their number
	for formula, want := range map[string]string{
		"ncpus*(ncpus<4)":       "order 3.s 2.s 1.s 4.s\nvalue 3 of 3.s\nvalue 2 of 2.s\nvalue 1 of 1.s\n",
		"1 + ncpus//10":         "order 30.s 20.s 10.s 1.s\nvalue 4 of 30.s\nvalue 3 of 20.s\nvalue 2 of 10.s\n",
		"7 + 0*ncpus":           "value 7 of 1.s\n",
		"max(ncpus, 28)":        "order 30.s 29.s 1.s\nvalue 30 of 30.s\nvalue 29 of 29.s\nvalue 28 of 1.s\n",
		"1/(ncpus==30)":         "value 1 of 30.s\n",
		"ncpus if ncpus else 0": "order 30.s 29.s 28.s 27.s 26.s 25.s 24.s 23.s 22.s 21.s 20.s 19.s 18.s 17.s 16.s 15.s 14.s 13.s 12.s 11.s\nvalue 30 of 30.s\nvalue 29 of 29.s\nvalue 28 of 28.s\n",
	} {
		taken, err := l.Take(State{Formula: formula}, "test")
		if err != nil {
			t.Errorf("%s: %v", formula, err)
			continue
		}
		_, got, _ := strings.Cut(string(taken.Text), "formula "+formula+"\n")
		if got != want {
			t.Errorf("%s:\n%swant\n%s", formula, taken.Text, want)
		}
	}
	if taken, err := l.Take(State{Formula: "1/(ncpus*0)"}, "test"); err == nil {
		t.Errorf("no job has a value, and yet there is a test:\n%s", taken.Text)
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
	l := newLab(t, 5)
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
		{"panics", errFault.Error(), true},
		{"panicked", errFault.Error(), true},
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
	l := newLab(t, 5)
	var told faults
	l.Fault = told.note
	s, served := serve(t, l)
	ask := func(formula string) (int, string) {
		t.Helper()
		status, text, _ := attack(t, "POST", served.URL+s.Path()+"try", fmt.Sprintf(`{"formula":%q}`, formula), nil)
		return status, text
	}
	list := l.List
	l.List = nil // which no order can be made of
	for n := range 2 * maxComputing {
		if status, text := ask(fmt.Sprintf("%d*ncpus", n)); status != http.StatusInternalServerError || strings.TrimSpace(text) != errFault.Error() {
			t.Errorf("%d: %d %s", n, status, text)
		}
		if all := told.taken(); len(all) != 1 || !strings.Contains(all[0], "nil pointer dereference\n") || !strings.Contains(all[0], "lab.(*Lab).make") {
			t.Errorf("%d: told %q", n, all)
		}
		if _, text := ask(fmt.Sprintf("%d*ncpus", n)); !strings.Contains(text, errFault.Error()) {
			t.Errorf("%d, again: %s", n, text)
		}
		if all := told.taken(); len(all) != 0 {
			t.Errorf("%d, again: told %q", n, all)
		}
	}
	l.List = list
	if status, text := ask("ncpus/7"); status != http.StatusOK || strings.Contains(text, errFault.Error()) {
		t.Errorf("afterwards: %d %s", status, text)
	}
}
