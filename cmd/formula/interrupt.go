package main

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// heeded is a context that ends with the first interrupt since somebody has begun to heed it.
// Before, and from the second one on, an interrupt ends the program at once, so that nobody
// waits for a command that does not heed it.
type heeded struct {
	context.Context
	begin func() context.Context
}

// interrupts returns a context that ends with an interrupt.
func interrupts() context.Context {
	return heeded{context.Background(), sync.OnceValue(func() context.Context {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		context.AfterFunc(ctx, stop)
		return ctx
	})}
}

// Done begins to heed interrupts.
func (h heeded) Done() <-chan struct{} { return h.begin().Done() }

// Err begins to heed interrupts.
func (h heeded) Err() error { return h.begin().Err() }
