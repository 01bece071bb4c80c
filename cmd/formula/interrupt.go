package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// interrupts returns a context that ends with the first interrupt from now on. A second
// one ends the program at once.
func (s *session) interrupts() context.Context {
	if s.ctx == nil {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		context.AfterFunc(ctx, stop)
		s.ctx = ctx
	}
	return s.ctx
}
