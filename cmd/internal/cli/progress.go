package cli

import (
	"fmt"
	"os"
	"sync"

	"golang.org/x/term"
)

// progress shows on standard error how much of a long input has been read, if
// that is a terminal.
type progress struct {
	terminal     *os.File // nil if nobody would see it
	total, shown int
}

func newProgress(s *session) *progress {
	p := &progress{}
	if stderr, ok := s.diag.W.(*os.File); ok && term.IsTerminal(int(stderr.Fd())) {
		p.terminal = stderr
	}
	return p
}

// read is told how many bytes more have been read.
func (p *progress) read(n int) {
	const step = 64 << 20
	if p.total += n; p.terminal != nil && p.total-p.shown >= step {
		p.shown = p.total
		fmt.Fprintf(p.terminal, "\rformula: read %d MB", p.total>>20)
	}
}

// part is told how many of all steps of something long are done.
func (p *progress) part(done, all int) {
	if percent := 100 * done / max(1, all); p.terminal != nil && percent > p.shown {
		p.shown = percent
		fmt.Fprintf(p.terminal, "\rformula: %d %% done", percent)
	}
}

// steps returns a function that several goroutines may tell how much of something is done.
func (p *progress) steps() func(part, all float64) {
	var mutex sync.Mutex
	const steps = 1000
	return func(part, all float64) {
		mutex.Lock()
		defer mutex.Unlock()
		p.part(int(part*steps), int(all*steps))
	}
}

// end takes the line of progress away.
func (p *progress) end() {
	if p.shown > 0 {
		fmt.Fprint(p.terminal, "\r\x1b[K")
	}
}
