package jobs

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"sync"
)

// Format is how a list is written.
type Format string

// The formats.
const (
	Auto  Format = "auto"
	JSON  Format = "json"
	Text  Format = "text"
	DSV   Format = "dsv"
	CSV   Format = "csv"
	JSONL Format = "jsonl"
)

// Options tell how to read.
type Options struct {
	Format  Format
	Schema  *Schema
	Queues  bool            // read queues (qstat -Qf) instead of jobs
	Workers int             // that parse at a time; 0 is one a processor
	Read    func(bytes int) // told how much has been read, may be nil
	Chunk   int             // bytes that a worker gets at a time; 0 is a good size
}

const (
	chunkSize = 512 << 10
	peekSize  = 4 << 10 // by which a format is told
	// maxChunk bounds one job, or a list without the line ends by which it
	// could be cut.
	maxChunk = 256 << 20
)

// ErrNoText is something that is no list, such as /dev/zero.
var ErrNoText = errors.New("this is no text")

// ErrTooLong is a list that cannot be cut into chunks.
var ErrTooLong = errors.New("a job of more than 256 MB, or a list without line ends")

// Read reads a list. work runs on several chunks at a time and makes of each
// Batch what is to be kept of it; collect gets that in the list's order.
func Read[T any](r io.Reader, o Options, work func(*Batch) T, collect func(T) error) (Format, error) {
	c := &chunker{r: r, read: o.Read, size: o.Chunk}
	if c.size == 0 {
		c.size = chunkSize
	}
	first, err := c.peek()
	if err != nil {
		return o.Format, err
	}
	if bytes.IndexByte(first, 0) >= 0 {
		return o.Format, ErrNoText
	}
	format := o.Format
	if format == Auto || format == "" {
		format = detect(first)
	}
	c.start(format, first)
	workers := o.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	// Results come in the order of the chunks: each has a channel of its own,
	// and these stand in a line.
	line := make(chan chan T, workers+1)
	slots := make(chan struct{}, workers)
	stop := make(chan struct{})
	var readErr error
	go func() {
		defer close(line)
		for {
			chunk, err := c.next()
			if err != nil || chunk == nil {
				readErr = err
				return
			}
			b, ok := c.batches.Get().(*Batch)
			if !ok {
				b = &Batch{schema: o.Schema, queues: o.Queues, delimiter: c.delimiter, header: c.header}
			}
			b.reset(chunk)
			b.last = c.ended && len(c.buffer) == 0
			result := make(chan T, 1)
			select {
			case line <- result:
			case <-stop:
				return
			}
			slots <- struct{}{}
			go func() {
				parsers[format](b)
				b.close()
				result <- work(b)
				if !b.last { // a pool would keep these for nobody
					c.reuse(chunk)
					c.batches.Put(b)
				}
				<-slots
			}()
		}
	}()
	for result := range line {
		if err := collect(<-result); err != nil {
			close(stop)
			for result := range line { // let the reader and the workers end
				<-result
			}
			return format, err
		}
	}
	return format, readErr
}

var parsers = map[Format]func(*Batch){JSON: parseJSON, Text: parseText, DSV: parseDSV, CSV: parseCSV, JSONL: parseLines}

// detect tells a list's format by its first bytes.
func detect(first []byte) Format {
	text := bytes.TrimLeft(first, " \t\r\n\xef\xbb\xbf")
	line, _, _ := bytes.Cut(text, []byte("\n"))
	switch {
	case len(text) == 0:
		return Text
	case bytes.HasPrefix(text, []byte("Job Id:")) || bytes.HasPrefix(text, []byte("Queue:")):
		if bytes.Contains(line, []byte("Job_Name=")) || bytes.Contains(line, []byte("Job_Owner=")) {
			return DSV
		}
		return Text
	case text[0] == '{' && bytes.HasSuffix(bytes.TrimSpace(line), []byte("}")) && !bytes.Contains(line, []byte(`"Jobs"`)) && len(bytes.TrimSpace(line)) > 2:
		return JSONL
	case text[0] == '{' || bytes.Contains(first, []byte("\"Jobs\":")):
		return JSON
	case bytes.Contains(first, []byte("\nJob Id: ")):
		return Text
	case bytes.IndexByte(line, ',') > 0:
		return CSV
	}
	return Text
}

// chunker cuts the input between jobs.
type chunker struct {
	r         io.Reader
	read      func(int)
	size      int // of a chunk, mostly
	buffer    []byte
	ended     bool
	separator []byte    // ends a job; the cut is behind its last byte
	keep      int       // bytes of the separator that belong to the next chunk
	depth     bool      // cut by counting braces instead
	delimiter []byte    // of DSV
	header    []byte    // of CSV
	spare     sync.Pool // of chunks
	batches   sync.Pool
}

// reuse takes a chunk's memory back: nothing that is kept lies in it.
func (c *chunker) reuse(chunk []byte) {
	chunk = chunk[:0]
	c.spare.Put(&chunk)
}

// space is memory for at least size bytes.
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
func (c *chunker) start(format Format, first []byte) {
	switch format {
	case Text:
		c.separator, c.keep = []byte("\nJob Id: "), len("Job Id: ")
	case JSON:
		if c.separator = []byte("\n\t\t}"); !bytes.Contains(first, c.separator) {
			c.depth = true
		}
	default:
		c.separator = []byte("\n")
	}
	c.buffer = bytes.TrimPrefix(c.buffer, []byte("\xef\xbb\xbf"))
	if format == DSV {
		line, _, _ := bytes.Cut(first, []byte("\n"))
		c.delimiter = bytes.Clone(findDelimiter(line))
	}
	if format == CSV {
		if i := bytes.IndexByte(c.buffer, '\n'); i >= 0 {
			c.header = bytes.Clone(c.buffer[:i+1])
			c.buffer = c.buffer[i+1:]
		}
	}
}

// next returns the next chunk, nil at the end. A chunk is the callee's.
func (c *chunker) next() ([]byte, error) {
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

// cut is where the last whole job of the buffer ends, 0 when none does.
func (c *chunker) cut() int {
	if c.depth {
		return lastObject(c.buffer)
	}
	if c.header != nil {
		return lastRow(c.buffer)
	}
	i := bytes.LastIndex(c.buffer, c.separator)
	if i < 0 {
		return 0
	}
	return i + len(c.separator) - c.keep
}

// lastRow is where the last row of CSV ends whose quotes are closed.
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

// lastObject is where the last object ends that a chunk's worth of JSON
// without qstat's line ends holds on its outermost level of jobs.
func lastObject(data []byte) int {
	depth, outer, last := 0, 0, 0
	if i := bytes.Index(data, []byte(`"Jobs"`)); i >= 0 {
		outer = 2
	}
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			for i++; i < len(data) && data[i] != '"'; i++ {
				if data[i] == '\\' {
					i++
				}
			}
		case '{':
			depth++
		case '}':
			if depth--; depth == outer {
				last = i + 1
			}
		}
	}
	return last
}
