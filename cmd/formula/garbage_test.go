package main

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// Until garbage has been collected once, nothing that a command allows makes that sooner. Then what it has allowed last holds.
func TestGarbage(t *testing.T) {
	ask := func() int {
		is := debug.SetGCPercent(-1)
		debug.SetGCPercent(is)
		return is
	}
	defer debug.SetGCPercent(ask())
	g := newGarbage(200)
	percent := func() int {
		g.mu.Lock() // else what the first collection sets meanwhile is set back
		defer g.mu.Unlock()
		return ask()
	}
	first := percent()
	g.allow(70)
	if is := percent(); is != first {
		t.Errorf("before the first collection, %d percent hold, and %d once others are allowed", first, is)
	}
	for runtime.GC(); percent() == first; runtime.Gosched() {
	}
	if is := percent(); is != 70 {
		t.Errorf("after the first collection %d percent hold, not 70", is)
	}
	if g.allow(80); percent() != 80 {
		t.Errorf("%d percent hold, not 80", percent())
	}
}
