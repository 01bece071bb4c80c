package lab

import (
	"context"
	"errors"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"

	"fairshare/cmd/internal/diag"
)

// Replayer replays recorded work under the policy in force and under a changed one, and
// returns a page of it. progress is told the part that is done.
type Replayer func(ctx context.Context, s State, progress func(part float64)) (page []byte, err error)

// Work is a replay that was asked for.
type Work struct {
	ID     string  `json:"id"`
	Part   float64 `json:"part"`
	IsDone bool    `json:"is_done"`
	Error  string  `json:"error"`

	page   []byte
	cancel context.CancelFunc
}

// works are the replays of a lab: one at a time, and the pages of the last few.
type works struct {
	mutex sync.Mutex
	list  []*Work
	next  int
}

// maxWorks is how many pages are kept.
const maxWorks = 5

// StartReplay begins a replay and returns its number. It is an error where the state cannot be replayed.
func (c *Common) StartReplay(s State) (string, error) {
	if c.Replay != nil && c.CanReplay != nil && s.Check() == nil {
		if err := c.CanReplay(s); err != nil {
			return "", err
		}
	}
	w := &c.work
	w.mutex.Lock()
	defer w.mutex.Unlock()
	switch {
	case c.Replay == nil:
		return "", diag.Requestf("there are no logs to replay")
	case s.Check() != nil:
		return "", s.Check()
	case slices.ContainsFunc(w.list, func(x *Work) bool { return !x.IsDone }):
		return "", diag.Requestf("a replay is running: cancel it first")
	}
	ctx, cancel := context.WithCancel(context.Background())
	w.next++
	x := &Work{ID: strconv.Itoa(w.next), cancel: cancel}
	w.list = append(w.list, x)
	if len(w.list) > maxWorks {
		w.list = w.list[1:]
	}
	go func() {
		defer cancel()
		page, err := c.replay(ctx, s, func(part float64) {
			w.mutex.Lock()
			x.Part = max(x.Part, part)
			w.mutex.Unlock()
		})
		w.mutex.Lock()
		defer w.mutex.Unlock()
		x.page, x.IsDone = page, true
		switch {
		case ctx.Err() != nil:
			x.Error, x.page = "cancelled", nil
		case err != nil:
			x.Error = err.Error()
		}
	}()
	return x.ID, nil
}

// replay replays, and makes a fault of that an error: it is no reason to end.
func (c *Common) replay(ctx context.Context, s State, progress func(part float64)) (page []byte, err error) {
	defer func() {
		if what := recover(); what != nil {
			c.fault(what, debug.Stack())
			page, err = nil, ErrFault
		}
	}()
	page, err = c.Replay(ctx, s, progress)
	var fault *diag.FaultError
	if errors.As(err, &fault) {
		c.fault(fault.What, fault.Stack)
		return nil, ErrFault
	}
	return page, err
}

// End cancels the replay that is running, if there is one.
func (c *Common) End() {
	if id := c.Running(); id != "" {
		c.CancelReplay(id)
	}
}

// Running returns the replay that is running, "" for none.
func (c *Common) Running() string {
	c.work.mutex.Lock()
	defer c.work.mutex.Unlock()
	for _, x := range c.work.list {
		if !x.IsDone {
			return x.ID
		}
	}
	return ""
}

// find returns a replay, nil if there is none.
func (w *works) find(id string) *Work {
	at := slices.IndexFunc(w.list, func(x *Work) bool { return x.ID == id })
	if at < 0 {
		return nil
	}
	return w.list[at]
}

// ReplayNow returns how far a replay is. Its error is a *diag.RequestError.
func (c *Common) ReplayNow(id string) (Work, error) {
	c.work.mutex.Lock()
	defer c.work.mutex.Unlock()
	if x := c.work.find(id); x != nil {
		return *x, nil
	}
	return Work{}, diag.Requestf("there is no such replay")
}

// CancelReplay ends a replay, if it is still running.
func (c *Common) CancelReplay(id string) error {
	c.work.mutex.Lock()
	defer c.work.mutex.Unlock()
	x := c.work.find(id)
	if x == nil {
		return diag.Requestf("there is no such replay")
	}
	x.cancel()
	return nil
}

// ReplayPage returns the page of a replay that is done, nil if there is none.
func (c *Common) ReplayPage(id string) []byte {
	c.work.mutex.Lock()
	defer c.work.mutex.Unlock()
	if x := c.work.find(id); x != nil {
		return x.page
	}
	return nil
}
