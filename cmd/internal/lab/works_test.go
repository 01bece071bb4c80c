package lab

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"
)

// wait waits until a replay is done.
func wait(t *testing.T, l *testSite, id string) Work {
	t.Helper()
	for range 1000 {
		w, err := l.ReplayNow(id)
		if err != nil {
			t.Fatal(err)
		}
		if w.IsDone {
			return w
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatal("the replay does not end")
	return Work{}
}

func TestReplays(t *testing.T) {
	l := &testSite{}
	var begun chan bool
	l.Replay = func(ctx context.Context, s State, progress func(float64)) ([]byte, error) {
		progress(.5)
		switch s.Formula {
		case "fails":
			return nil, errors.New("it fails")
		case "panics":
			panic("a fault")
		case "waits":
			close(begun)
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return []byte("page of " + s.Formula), nil
	}
	start := func(formula string) string {
		t.Helper()
		id, err := l.StartReplay(State{Formula: formula})
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	first := start("ncpus")
	if w := wait(t, l, first); w.Error != "" || string(l.ReplayPage(first)) != "page of ncpus" {
		t.Errorf("%+v %s", w, l.ReplayPage(first))
	}
	for formula, want := range map[string]string{"fails": "it fails", "panics": ErrFault.Error()} {
		id := start(formula)
		if w := wait(t, l, id); w.Error != want || l.ReplayPage(id) != nil {
			t.Errorf("%s: %q, want %q", formula, w.Error, want)
		}
	}
	// One at a time, which can be cancelled.
	begun = make(chan bool)
	id := start("waits")
	<-begun
	if running := l.Running(); running != id {
		t.Errorf("%s is running, not %s", running, id)
	}
	if _, err := l.StartReplay(State{Formula: "ncpus"}); err == nil {
		t.Error("two replays at a time")
	}
	if err := l.CancelReplay(id); err != nil {
		t.Error(err)
	}
	if w := wait(t, l, id); w.Error != "cancelled" || l.Running() != "" {
		t.Errorf("%+v", w)
	}
	// Only the last pages are kept.
	for i := range maxWorks {
		wait(t, l, start(fmt.Sprint("n", i)))
	}
	if l.ReplayPage(first) != nil || len(l.work.list) != maxWorks {
		t.Errorf("%d pages are kept", len(l.work.list))
	}
	if _, err := l.ReplayNow("none"); err == nil {
		t.Error("there is a replay that was not asked for")
	}
	if err := l.CancelReplay("none"); err == nil {
		t.Error("a replay is cancelled that was not asked for")
	}
}
