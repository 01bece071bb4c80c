package qstat

import (
	"bytes"
	"errors"
	"io"
	"sync"
)

const (
	chunkSize = 512 << 10
	peekSize  = 4 << 10 // by which a format is told
	// maxChunk bounds one job, or a list without the marks by which it could be
	// cut.
	maxChunk = 256 << 20
	// maxJob bounds a job in JSON; beyond it the brace that ends it is taken to
	// be missing.
	maxJob = 16 << 20
	// longWithoutID is the length from which on JSON without a key that looks
	// like a job ID is cut before any member whose value is an object: its jobs
	// probably have other keys.
	longWithoutID = 4 << 20
)

// chunker cuts the input between jobs.
type chunker struct {
	r         io.Reader
	read      func(int)
	size      int // of a chunk, mostly
	buffer    []byte
	ended     bool
	isCutOff  bool // what unpacks the list failed, which ends it
	isJSON    bool
	first     bool      // whether the next chunk is the first
	place     jsonPlace // where the chunks of JSON after the first seem to begin
	separator []byte    // ends a job; the cut is behind its last byte
	keep      int       // bytes of the separator that belong to the next chunk
	header    []byte    // that begins a job of text
	delimiter []byte    // of DSV
	columns   *csvColumns
	spare     sync.Pool // of chunks
	batches   sync.Pool
}

// reuse takes a batch's memory back: nothing that is kept lies in it.
func (c *chunker) reuse(b *Batch) {
	chunk := b.chunk[:0]
	c.spare.Put(&chunk)
	c.batches.Put(b)
}

// space returns memory for at least size bytes.
func (c *chunker) space(size int) []byte {
	if spare, ok := c.spare.Get().(*[]byte); ok && cap(*spare) >= size {
		return *spare
	}
	return make([]byte, 0, size)
}

// fill reads until the buffer has size bytes or the input ends.
func (c *chunker) fill(size int) error {
	if cap(c.buffer) < size {
		grown := make([]byte, len(c.buffer), size)
		copy(grown, c.buffer)
		c.buffer = grown
	}
	for len(c.buffer) < size && !c.ended {
		n, err := c.r.Read(c.buffer[len(c.buffer):size])
		c.buffer = c.buffer[:len(c.buffer)+n]
		if c.read != nil {
			c.read(n)
		}
		if errors.Is(err, io.EOF) {
			c.ended = true
		} else if errors.Is(err, io.ErrUnexpectedEOF) {
			c.ended, c.isCutOff = true, true
		} else if err != nil {
			return err
		}
	}
	return nil
}

func (c *chunker) peek() ([]byte, error) {
	err := c.fill(max(c.size, peekSize))
	return c.buffer, err
}

// start sets how the format is cut.
func (c *chunker) start(format Format, first []byte) error {
	c.buffer = bytes.TrimPrefix(c.buffer, []byte("\xef\xbb\xbf"))
	c.first = true
	switch format {
	case Text:
		if c.header = headerOf(bytes.TrimLeft(c.buffer, whiteSpace)); c.header == nil {
			c.header = jobHeaders[0]
		}
		c.separator, c.keep = append([]byte{'\n'}, c.header...), len(c.header)
	case JSON:
		c.isJSON, c.place = true, inJobs
		if at := bytes.IndexByte(c.buffer, '{'); at >= 0 && beginsJob(bytes.TrimLeft(c.buffer[at+1:], whiteSpace), LooksLikeID) {
			c.place = atTop // jq .Jobs
		}
	default:
		c.separator = []byte("\n")
	}
	if format == DSV {
		line, _, _ := bytes.Cut(first, []byte("\n"))
		c.delimiter = bytes.Clone(findDelimiter(line))
	}
	if format == CSV {
		end := bytes.IndexByte(c.buffer, '\n') + 1
		if end == 0 {
			end = len(c.buffer)
		}
		var err error
		c.columns, err = newColumns(bytes.Clone(c.buffer[:end]))
		c.buffer = c.buffer[end:]
		return err
	}
	return nil
}

// next returns the next chunk as a batch, nil at the end.
func (c *chunker) next(o Options) (*Batch, error) {
	chunk, err := c.chunk()
	if err != nil || chunk == nil {
		return nil, err
	}
	b, ok := c.batches.Get().(*Batch)
	if !ok {
		b = &Batch{schema: o.Schema, header: c.header, delimiter: c.delimiter, columns: c.columns}
	}
	b.reset(chunk)
	b.last, b.isCutOff = c.ended && len(c.buffer) == 0, c.isCutOff
	if b.whole = b.last; !c.first {
		b.from.place = c.place
	}
	c.first = false
	return b, nil
}

// chunk returns the next chunk, nil at the end. The caller owns the chunk.
func (c *chunker) chunk() ([]byte, error) {
	for size := c.size; ; size *= 2 {
		if err := c.fill(size); err != nil {
			return nil, err
		}
		if len(c.buffer) == 0 {
			return nil, nil
		}
		cut := len(c.buffer)
		if !c.ended {
			cut = c.cut()
		}
		if cut > 0 {
			chunk, rest := c.buffer[:cut], c.buffer[cut:]
			c.buffer = append(c.space(c.size), rest...)
			return chunk, nil
		}
		if size >= maxChunk {
			return nil, ErrTooLong
		}
	}
}

// cut returns where the last whole job of the buffer ends, 0 where none does.
func (c *chunker) cut() int {
	if c.isJSON {
		cut := lastJob(c.buffer, LooksLikeID)
		if n := len(c.buffer); cut == 0 && n >= longWithoutID {
			cut = lastJob(c.buffer, func([]byte) bool { return true })
		}
		if n := len(c.buffer); cut == 0 && n >= maxJob {
			cut = n // inside a job, which the joiner puts together
		}
		return cut
	}
	if c.columns != nil {
		return lastRow(c.buffer)
	}
	i := bytes.LastIndex(c.buffer, c.separator)
	if i < 0 {
		return 0
	}
	return i + len(c.separator) - c.keep
}

const whiteSpace = " \t\r\n"

// lastJob returns where the last member of JSON begins that looks like a job, by
// its key, and stands behind another object; 0 where there is none.
func lastJob(data []byte, isID func(key []byte) bool) int {
	for end := len(data); ; {
		brace := bytes.LastIndexByte(data[:end], '{')
		if brace < 0 {
			return 0
		}
		end = brace
		key := bytes.TrimRight(data[:brace], whiteSpace)
		if n := len(key); n < 2 || key[n-1] != ':' {
			continue
		}
		key = bytes.TrimRight(key[:len(key)-1], whiteSpace)
		const longestID = 256
		from := max(0, len(key)-longestID)
		if n := len(key); n < 2 || key[n-1] != '"' {
			continue
		}
		open := bytes.LastIndexByte(key[from:len(key)-1], '"')
		if open < 0 || !beginsJob(data[from+open:], isID) {
			continue
		}
		before := bytes.TrimRight(data[:from+open], whiteSpace)
		if n := len(before); n < 2 || before[n-1] != ',' {
			continue
		}
		if before = bytes.TrimRight(before[:len(before)-1], whiteSpace); len(before) > 0 && before[len(before)-1] == '}' {
			return from + open
		}
	}
}

// beginsJob reports whether JSON begins with a member that looks like a job, by
// its key.
func beginsJob(data []byte, isID func(key []byte) bool) bool {
	if len(data) == 0 || data[0] != '"' {
		return false
	}
	id, rest, closed := bytes.Cut(data[1:], []byte{'"'})
	if !closed || !isID(id) {
		return false
	}
	rest, colon := bytes.CutPrefix(bytes.TrimLeft(rest, whiteSpace), []byte{':'})
	return colon && bytes.HasPrefix(bytes.TrimLeft(rest, whiteSpace), []byte{'{'})
}

// lastRow returns where the last row of CSV ends whose quotes are closed.
func lastRow(data []byte) int {
	quoted, last := false, 0
	for i, c := range data {
		switch {
		case c == '"':
			quoted = !quoted
		case c == '\n' && !quoted:
			last = i + 1
		}
	}
	return last
}
