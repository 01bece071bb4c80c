// Package command runs the commands that a site is asked with.
package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os/exec"
	"strings"
	"time"
)

// Place returns where a command of this host is, "" where there is none.
func Place(name string) string {
	at, err := exec.LookPath(name)
	if err != nil {
		return ""
	}
	return at
}

// Run runs a command, which stands at a path, within a time limit. What it printed comes with an
// error, a *Error, too.
func Run(ctx context.Context, path string, command, env []string, limit time.Duration) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	c := exec.CommandContext(ctx, path, command[1:]...)
	c.Env = env
	const most = min(4<<30, math.MaxInt)
	out, complaint := boundedBuffer{most: most}, boundedBuffer{most: 4 << 10}
	c.Stdout, c.Stderr = &out, &complaint
	c.WaitDelay = time.Second // for what it may have started itself and that is not stopped with it
	stopGroup(c)
	err := c.Run()
	said, _, _ := strings.Cut(strings.TrimSpace(complaint.String()), "\n")
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		err = &TimeoutError{limit}
	case out.isFull:
		err = fmt.Errorf("it printed more than %d bytes", out.most)
	case err != nil && said != "":
		err = errors.New(said)
	}
	if err != nil {
		err = &Error{strings.Join(command, " "), err}
	}
	return out.Bytes(), err
}

// Error is a command that failed.
type Error struct {
	Command string
	Err     error
}

func (e *Error) Error() string { return e.Command + ": " + e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// TimeoutError is a command that did not answer in time.
type TimeoutError struct{ limit time.Duration }

func (e *TimeoutError) Error() string { return fmt.Sprintf("no answer within %v", e.limit) }

// boundedBuffer is a buffer that takes no more than most bytes.
type boundedBuffer struct {
	bytes.Buffer
	most   int
	isFull bool
}

func (b *boundedBuffer) Write(p []byte) (int, error) {
	if b.Len()+len(p) > b.most {
		b.isFull = true
		return len(p), nil
	}
	return b.Buffer.Write(p)
}
