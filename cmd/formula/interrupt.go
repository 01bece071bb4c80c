package main

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// signalCatcher is a context that changes what interrupts do to the program: the first call of Done or Err
// begins to catch them, and the next one ends the context. Before that call, and from the second interrupt
// on, an interrupt ends the program at once, so that nobody waits for a command that does not look at its
// context.
type signalCatcher struct {
	context.Context
	catch func() context.Context // begins to catch, once
}

// interrupts returns a context that ends with an interrupt, as a signalCatcher does.
func interrupts() context.Context {
	return signalCatcher{context.Background(), sync.OnceValue(func() context.Context {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		context.AfterFunc(ctx, stop)
		return ctx
	})}
}

// Done begins to catch interrupts.
func (s signalCatcher) Done() <-chan struct{} { return s.catch().Done() }

// Err begins to catch interrupts.
func (s signalCatcher) Err() error { return s.catch().Err() }
