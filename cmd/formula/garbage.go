package main

import (
	"runtime"
	"runtime/debug"
	"sync"
)

// garbage says how much memory may be garbage, in percent of what is in use. That holds once garbage has been collected for the
// first time, which is with 32 MB allocated: most commands have ended before, whose garbage it would cost a fifth of their time to collect.
type garbage struct {
	mu       sync.Mutex
	most     int
	hasBegun bool // whether it has been collected once
}

// newGarbage returns what holds from now on.
func newGarbage(most int) *garbage {
	const percentOf32MB = 800 // of the 4 MB with which Go begins
	g := &garbage{most: most}
	debug.SetGCPercent(percentOf32MB)
	runtime.AddCleanup(new([64]byte), (*garbage).collected, g) // which nobody has, so that the first collection finds it
	return g
}

// collected begins what holds after the first collection.
func (g *garbage) collected() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.hasBegun = true
	debug.SetGCPercent(g.most)
}

// allow changes how much may be garbage.
func (g *garbage) allow(most int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.most = most; g.hasBegun {
		debug.SetGCPercent(most)
	}
}
