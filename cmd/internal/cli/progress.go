package cli

import (
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/term"

	"fairshare/cmd/internal/site"
)

// progress shows on standard error, if that is a terminal, how far a command is that takes long: in one line, which
// goes from 0 to 100 once, however many stages the command has, and says what it counts in each of them. A long list
// of which nobody knows the end has no part of 100.
type progress struct {
	terminal *os.File          // nil if nobody would see it
	watch    func(percent int) // told what is shown, also where nobody sees it; nil for nobody

	mutex      sync.Mutex
	stages     []float64 // how much of the command each stage to come is
	done, now  float64   // of the stages that have ended, and of the present one
	shown      int       // the percent that was shown last, -1 for none
	isVisible  bool      // whether there is a line to take away
	isAnswered bool      // whether an answer has begun, beside which no line stands
	total, was int       // bytes that are read, and those that were shown last
}

func newProgress(s *session) *progress {
	p := &progress{watch: s.config.Watch, shown: -1}
	if stderr, ok := s.diag.W.(*os.File); ok && term.IsTerminal(int(stderr.Fd())) {
		p.terminal = stderr
	}
	return p
}

// plan says how much of the command each stage to come is, as parts of 1. A command that does not say is one stage.
func (p *progress) plan(stages ...float64) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if len(p.stages) == 0 && p.done == 0 && p.now == 0 {
		p.stages = stages
	}
}

// soon shows after a moment that a command is at work which has not begun its first stage by then.
func (p *progress) soon() {
	const moment = time.Second
	if p.terminal != nil {
		time.AfterFunc(moment, p.work)
	}
}

// work shows that a command is at work, where nothing is shown yet and no answer has begun.
func (p *progress) work() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.shown < 0 && !p.isVisible && !p.isAnswered {
		p.isVisible = true
		fmt.Fprint(p.terminal, "formula: reads the site and what its record tells …")
	}
}

// answer takes the line of progress away for an answer, beside which none is shown.
func (p *progress) answer() {
	p.mutex.Lock()
	p.isAnswered = true
	p.mutex.Unlock()
	p.end()
}

// begin begins the next stage, which counts what is called so, and returns a function that several goroutines may tell how
// many of all of those are done.
func (p *progress) begin(what string) func(part, all float64) {
	p.end()
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.done += p.now
	switch {
	case len(p.stages) > 0:
		p.now, p.stages = p.stages[0], p.stages[1:]
	default:
		p.now = max(0, 1-p.done)
	}
	from, part := p.done, p.now
	return func(done, all float64) { p.tell(from+part*done/max(1e-9, all), int(done+1e-9), int(all), what) }
}

// tell shows how far the command is.
func (p *progress) tell(part float64, done, all int, what string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	percent := min(100, int(100*part+1e-9))
	if percent <= p.shown {
		return
	}
	p.shown = percent
	if p.terminal != nil {
		p.isVisible = true
		fmt.Fprintf(p.terminal, "\r\x1b[Kformula: %d %% done: %d of %d %s", percent, done, all, what)
	}
	if p.watch != nil {
		p.watch(percent)
	}
}

// read is told how many bytes more of a list have been read.
func (p *progress) read(n int) {
	const step = 64 << 20
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.total += n; p.terminal != nil && p.total-p.was >= step {
		p.was, p.isVisible = p.total, true
		fmt.Fprintf(p.terminal, "\rformula: read %d MB", p.total>>20)
	}
}

// end takes the line of progress away.
func (p *progress) end() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.isVisible {
		fmt.Fprint(p.terminal, "\r\x1b[K")
		p.isVisible = false
	}
}

// of returns the progress for who knows no command line.
func (p *progress) of(what string) *site.Progress {
	return &site.Progress{Read: p.read, Steps: p.begin(what), End: p.end}
}
