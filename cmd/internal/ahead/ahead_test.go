package ahead

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
)

func TestEach(t *testing.T) {
	square := func(_ context.Context, k int) int { return k * k }
	for _, workers := range []int{0, 1, 3, 100} {
		var got, want []int
		err := Each(context.Background(), 50, workers, square, func(k, of int) error {
			got = append(got, of)
			want = append(want, k*k)
			return nil
		})
		if err != nil || len(got) != 50 || !slices.Equal(got, want) {
			t.Errorf("%d workers: %v, %v", workers, got, err)
		}
	}
}

func TestEachIsNotFarAhead(t *testing.T) {
	const workers = 3
	var begun, taken atomic.Int32
	err := Each(context.Background(), 200, workers, func(_ context.Context, k int) int {
		if n := begun.Add(1) - taken.Load(); n > workers+2 { // one is on its way
			t.Errorf("%d pieces are begun and not taken", n)
		}
		return k
	}, func(int, int) error {
		taken.Add(1)
		return nil
	})
	if err != nil || taken.Load() != 200 {
		t.Error(taken.Load(), err)
	}
}

func TestEachEnds(t *testing.T) {
	wrong := errors.New("wrong")
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	waits := func(ctx context.Context, k int) int {
		if k > 2 {
			<-ctx.Done() // what goes on is told to end
		}
		return k
	}
	if err := Each(ctx, 10, 2, waits, func(k, _ int) error {
		if k == 2 {
			return wrong
		}
		return nil
	}); err != wrong {
		t.Error(err)
	}
	if err := Each(ctx, 10, 2, waits, func(k, _ int) error {
		if k == 2 {
			stop()
		}
		return nil
	}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
