package usagefile

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"testing"
	"time"
)

// A lock that another holds is waited for until the context ends, for whatever reason, and not
// longer than until it is free.
func TestLock(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	unlock, err := TryLock(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := TryLock(dir); !errors.Is(err, ErrLocked) {
		t.Errorf("a second TryLock: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(30*time.Millisecond, cancel)
	if _, err := Lock(ctx, dir); !errors.Is(err, ErrLocked) || !errors.Is(err, context.Canceled) {
		t.Errorf("a Lock that is cancelled: %v", err)
	}
	if _, err := Lock(ctx, dir); !errors.Is(err, ErrLocked) || !errors.Is(err, context.Canceled) {
		t.Errorf("a Lock that was cancelled before: %v", err)
	}
	time.AfterFunc(30*time.Millisecond, func() { unlock() })
	second, err := Lock(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := second(); err != nil {
		t.Error(err)
	}
	third, err := Lock(ctx, dir) // which is free, and nobody waits for it
	if err != nil {
		t.Fatal(err)
	}
	if err := third(); err != nil {
		t.Error(err)
	}
	missing := filepath.Join(dir, "missing")
	for what, lock := range map[string]func() (func() error, error){
		"Lock":    func() (func() error, error) { return Lock(t.Context(), missing) },
		"TryLock": func() (func() error, error) { return TryLock(missing) },
	} {
		if _, err := lock(); !errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrLocked) {
			t.Errorf("%s of what is not there: %v", what, err)
		}
	}
}
