package cli

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"sync"

	"fairshare/cmd/internal/file"
)

// reading reads logs for a session: it shows how many of them are read, and ends them where somebody interrupts, so that
// what was read until then can be told.
type reading struct {
	ctx   context.Context
	steps func(part, all float64)

	mutex sync.Mutex
	parts []float64 // of each log, how much is read
}

// watched returns logs that show how far they are read.
func (s *session) watched(logs []file.Source) (*reading, []file.Source) {
	r := &reading{ctx: s.ctx, steps: s.progress.begin("logs"), parts: make([]float64, len(logs))}
	of := make([]file.Source, len(logs))
	for i, log := range logs {
		of[i] = log
		of[i].Open = func() (io.ReadCloser, error) {
			in, err := log.Open()
			if err != nil {
				return nil, err
			}
			size := int64(0) // not known
			if f, ok := in.(fs.File); ok {
				if info, err := f.Stat(); err == nil {
					size = info.Size()
				}
			}
			return &logReader{ReadCloser: in, of: r, number: i, size: size}, nil
		}
	}
	return r, of
}

// sum returns how many logs are read, as a sum of parts.
func (r *reading) sum() (sum float64) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for _, part := range r.parts {
		sum += part
	}
	return sum
}

// left says what was read where somebody interrupted.
func (r *reading) left() string {
	return fmt.Sprintf("%.0f %% of the logs were read", 100*r.sum()/float64(max(1, len(r.parts))))
}

// logReader reads a log.
type logReader struct {
	io.ReadCloser
	of         *reading
	number     int
	size, done int64
}

// Read implements io.Reader.
func (l *logReader) Read(b []byte) (int, error) {
	if l.of.ctx.Err() != nil {
		return 0, io.EOF
	}
	n, err := l.ReadCloser.Read(b)
	l.done += int64(n)
	part := 0.
	if l.size > 0 {
		part = min(1, float64(l.done)/float64(l.size))
	}
	if err == io.EOF {
		part = 1
	}
	l.of.mutex.Lock()
	isMore := part > l.of.parts[l.number]
	l.of.parts[l.number] = max(part, l.of.parts[l.number])
	l.of.mutex.Unlock()
	if isMore {
		l.of.steps(l.of.sum(), float64(len(l.of.parts)))
	}
	return n, err
}
