package file

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"

	"fairshare/cmd/internal/pattern"
)

// People paste what a command printed with the prompt of their shell above it, and with the next one below it. Plain passes both over:
// empty lines stand in place of those above, so that lines keep their numbers.

// promptOfShell is a line of a shell that names its user and host or its folder, with whatever command behind it: [dan@login1 ~]$ squeue.
var promptOfShell = pattern.Of(`^(\([\w.-]+\) ?)?(\[[^][|=";{}\n]+\]|[\w.-]+@[\w.-]+[^|=",;{}\n]{0,200}?) ?[$#%>❯]( |$)`)

// promptOfCommand is any prompt with a command of a scheduler behind it, such as # sacct or % qstat -f.
var promptOfCommand = pattern.Of(`^[^|=",;{}\n]{0,200}[$#%>❯] *(sudo +|\w+=\S+ +)*(\S*/)?(` + commands + `)( |$)`)

// lastPrompt is a prompt that names nothing, as the last line of a text.
var lastPrompt = pattern.Of(`^[$%>❯#]( exit| logout)?$`)

// printedAbove is a line that other commands print above what a scheduler's does: the head of watch, and date.
var printedAbove = pattern.Of(`^(Every \d+([.,]\d+)?s: |(Mon|Tue|Wed|Thu|Fri|Sat|Sun),? [^|=;{}\n]{2,30}\d\d:\d\d(:\d\d)?[^|=;{}\n]{0,20}$)`)

// mayBePrompt reports whether a line has a sign that prompts end with before any character that none has. All lines of long tables are asked.
func mayBePrompt(line []byte) bool {
	for _, c := range line {
		switch c {
		case '$', '#', '%', '>', "❯"[0]:
			return true
		case '|', '=', '"', ';', '{', '}', '\n':
			return false
		}
	}
	return false
}

// IsPrompt reports whether a line is a prompt of a shell, with the command behind it that printed what follows.
func IsPrompt(line []byte) bool { return mayBePrompt(line) && isPrompt(line) }

func isPrompt(line []byte) bool {
	line = bytes.TrimRight(line, " \t\r\n")
	return promptOfShell().Match(line) || promptOfCommand().Match(line)
}

// mostPrompted is how many bytes the prompts above or below a text have at most.
const mostPrompted = 4 << 10

// isRecord is how texts begin that programs write by themselves and nobody pastes, and that are long.
var isRecord = pattern.Of(`^(\d\d/\d\d/\d{4} \d\d:\d\d:\d\d;|;)`)

// unprompted returns what a buffer of sizeOfBuffer reads, without the prompts above and below it.
func unprompted(b *bufio.Reader) *bufio.Reader {
	first, _ := b.Peek(mostPrompted) // what fails then fails when it is read
	if bytes.IndexByte(first, 0) >= 0 || isRecord().Match(first) {
		return b
	}
	above := promptsAbove(first)
	lines := bytes.Count(first[:above], []byte("\n"))
	if all, err := b.Peek(sizeOfBuffer); above == 0 && errors.Is(err, io.EOF) && promptsBelow(all) == 0 {
		return b
	}
	_, _ = b.Discard(above) // which is in the buffer
	return bufio.NewReaderSize(io.MultiReader(strings.NewReader(strings.Repeat("\n", lines)), &aboveLast{Reader: b}), sizeOfBuffer)
}

// promptsAbove returns how many bytes the prompts and the heads of other commands have that a text begins with, and blank lines above them.
func promptsAbove(text []byte) (n int) {
	for at := 0; ; {
		end := bytes.IndexByte(text[at:], '\n') + 1
		line := bytes.TrimSpace(text[at : at+end])
		at += end
		switch {
		case end == 0:
			return n
		case IsPrompt(line), printedAbove().Match(line):
			n = at
		case len(line) > 0:
			return n
		}
	}
}

// promptsBelow returns how many bytes the prompts have that a text ends with, and blank lines around them.
func promptsBelow(text []byte) int {
	rest := text
	for {
		ended := bytes.TrimRight(rest, " \t\r\n")
		begin := bytes.LastIndexByte(ended, '\n') + 1
		line := ended[begin:]
		if begin == 0 || !mayBePrompt(line) || !promptOfShell().Match(line) && !lastPrompt().Match(line) {
			return len(text) - len(rest)
		}
		rest = ended[:begin]
	}
}

// aboveLast reads what a buffer does, without the prompts below it.
type aboveLast struct {
	*bufio.Reader
	end io.Reader // what is left once it is known where that ends
}

// Read implements io.Reader.
func (r *aboveLast) Read(p []byte) (n int, err error) {
	if r.end != nil {
		return r.end.Read(p)
	}
	last, err := r.Peek(mostPrompted + 1)
	switch {
	case err == nil:
		last, _ = r.Peek(r.Buffered())
		n = copy(p, last[:len(last)-mostPrompted])
		return r.Discard(n)
	case errors.Is(err, io.EOF):
		r.end = io.LimitReader(r.Reader, int64(len(last)-promptsBelow(last)))
	default:
		r.end = r.Reader
	}
	return r.end.Read(p)
}
