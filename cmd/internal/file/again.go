package file

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"sync"
)

// mostSpare is how much of a stream is kept in memory, so that it can be read again. What is more goes to a file of its
// own, which is gone with the program.
const mostSpare = 64 << 20

// spool keeps what is read of a stream.
type spool struct {
	mu     sync.Mutex
	open   func() (io.ReadCloser, error)
	stream io.ReadCloser // nil before it is opened
	err    error         // with which it ended, io.EOF for its end; nil while there is more
	memory bytes.Buffer
	disk   *os.File // nil while memory is enough
	size   int64    // of all that is kept
}

// Again returns a source, such as standard input, that can be opened once, as one that can be opened as often as wanted.
func Again(once Source) Source {
	s := &spool{open: once.Open}
	once.Open = func() (io.ReadCloser, error) { return &spoolReader{s: s}, nil }
	return once
}

// more reads on in the stream, and keeps what it has.
func (s *spool) more(n int) error {
	if s.stream == nil && s.err == nil {
		s.stream, s.err = s.open()
	}
	if s.err != nil {
		return s.err
	}
	const most = 64 << 10
	b := make([]byte, min(n, most))
	n, s.err = s.stream.Read(b)
	if err := s.keep(b[:n]); err != nil {
		s.err = err
	}
	if n > 0 {
		return nil
	}
	return s.err
}

func (s *spool) keep(b []byte) (err error) {
	if s.disk == nil && s.memory.Len()+len(b) > mostSpare {
		if s.disk, err = os.CreateTemp("", "formula-"); err != nil {
			return fmt.Errorf("it is read more than once, and cannot be kept: %w", err)
		}
		_ = os.Remove(s.disk.Name()) // which stays readable while it is open, but for Windows
	}
	s.size += int64(len(b))
	if s.disk == nil {
		s.memory.Write(b)
		return nil
	}
	if _, err = s.disk.Write(b); err != nil {
		return fmt.Errorf("it is read more than once, and cannot be kept: %w", err)
	}
	return nil
}

// spoolReader reads what a spool has, and what comes.
type spoolReader struct {
	s  *spool
	at int64
}

// Read implements io.Reader.
func (r *spoolReader) Read(p []byte) (int, error) {
	s := r.s
	s.mu.Lock()
	defer s.mu.Unlock()
	for r.at == s.size {
		if err := s.more(max(len(p), 1)); err != nil {
			return 0, err
		}
	}
	var n int
	var err error
	if inMemory := s.memory.Bytes(); r.at < int64(len(inMemory)) {
		n = copy(p, inMemory[r.at:])
	} else if n, err = s.disk.ReadAt(p, r.at-int64(len(inMemory))); n > 0 {
		err = nil
	}
	r.at += int64(n)
	return n, err
}

// Close implements io.Closer.
func (*spoolReader) Close() error { return nil }
