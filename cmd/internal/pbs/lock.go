package pbs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"fairshare/usagefile"
)

// LockUsage locks the usage database of a sched_priv for a program that says so, by waiting,
// before it waits for another one. After that time its error is usagefile.ErrLocked.
func LockUsage(dir string, wait time.Duration, waiting func()) (unlock func() error, err error) {
	if unlock, err = usagefile.TryLock(dir); !errors.Is(err, usagefile.ErrLocked) {
		return unlock, err
	}
	waiting()
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	unlock, err = usagefile.Lock(ctx, dir)
	if errors.Is(err, usagefile.ErrLocked) {
		err = fmt.Errorf("cannot lock %s within %v: %w", dir, wait, usagefile.ErrLocked)
	}
	return unlock, err
}
