// Package ahead does pieces of work on several processors at once, and hands over what comes of them in their order.
package ahead

import (
	"context"
	"runtime"
	"sync"
)

// Each does pieces of work, so many at a time, 0 for one on each processor, and gives what comes of each to take, in their
// order. No more than one piece beyond those is done before it is taken. It returns the first error of take, or that of the
// context; by then no piece is being done any more.
func Each[T any](ctx context.Context, pieces, workers int, do func(ctx context.Context, piece int) T, take func(piece int, of T) error) error {
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	ctx, stop := context.WithCancel(ctx)
	var all sync.WaitGroup
	defer all.Wait()
	defer stop()
	next := make(chan int, pieces)
	done := make([]chan T, pieces)
	for k := range pieces {
		done[k] = make(chan T, 1)
		next <- k
	}
	close(next)
	room := make(chan struct{}, workers+1)
	for range workers {
		all.Go(func() {
			for {
				select { // before a piece is chosen, so that the first ones always have room
				case room <- struct{}{}:
				case <-ctx.Done():
					return
				}
				k, isLeft := <-next
				if !isLeft {
					return
				}
				done[k] <- do(ctx, k)
			}
		})
	}
	for k := range pieces {
		select {
		case of := <-done[k]:
			if err := take(k, of); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
		<-room
	}
	return nil
}
