// Package world reads what happens to a PBS complex besides its jobs: vnodes that fail or are
// taken away, reservations, and times that have rules of their own.
package world

import "time"

// World is what happens to a complex while its jobs come and go. The zero World is one in
// which nothing does. It never changes and may be shared.
type World struct {
	HasVnodes    bool           // whether it would be known if anything happened to a vnode
	Vnodes       []VnodeEvent   // by time
	Reservations []*Reservation // by when they were asked for
	Zone         *time.Location // in which times are told, nil for UTC
	Hours        *Hours         // prime and dedicated time; nil where all times are alike
}

// Told returns the vnodes of which events tell when they are away.
func (w *World) Told() map[string]bool {
	told := map[string]bool{}
	if w == nil {
		return told
	}
	for _, e := range w.Vnodes {
		if e.Kind != Resized && e.Kind != InUse {
			told[e.Vnode] = true
		}
	}
	return told
}
