package main

import (
	"fmt"
	"os"

	"golang.org/x/term"
)

// Long input shows its progress on standard error when that is a terminal and
// the input is not.

// progressStep is how many bytes pass between two lines of progress.
const progressStep = 64 << 20

// progress returns what the reader calls with each piece of input, nil when
// nobody would see it.
func (s *session) progress() func(int) {
	stderr, ok := s.diag.W.(*os.File)
	if !ok || !term.IsTerminal(int(stderr.Fd())) {
		return nil
	}
	total, shown := 0, 0
	return func(n int) {
		if total += n; total-shown >= progressStep {
			shown = total
			s.progressing = true
			fmt.Fprintf(stderr, "\rformula: read %d MB", total>>20)
		}
	}
}

func (s *session) endProgress() {
	if s.progressing {
		fmt.Fprint(s.diag.W, "\r\x1b[K")
		s.progressing = false
	}
}

// terminalWidth is standard output's width, 0 when it is no terminal.
func (s *session) terminalWidth() int {
	if s.stdout == nil || !term.IsTerminal(int(s.stdout.Fd())) {
		return 0
	}
	width, _, err := term.GetSize(int(s.stdout.Fd()))
	if err != nil || width < 20 {
		return 80
	}
	return width
}
