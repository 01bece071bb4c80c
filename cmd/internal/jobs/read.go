package jobs

import (
	"bytes"
	"errors"
	"io"
	"runtime"
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

// Options say how to read.
type Options struct {
	Format  Format
	Schema  *Schema
	Queues  bool            // read queues (qstat -Qf) instead of jobs
	Workers int             // that parse at a time; 0 is one a processor
	Read    func(bytes int) // told how much has been read, may be nil
	Chunk   int             // bytes that a worker gets at a time; 0 is a good size
}

// ErrNoText is something that is no list, such as /dev/zero.
var ErrNoText = errors.New("the input is not text")

// ErrNoJobs is JSON that is no list of jobs.
var ErrNoJobs = errors.New(`this JSON has neither "Jobs" nor members named by job IDs; jobs that have their ID among their members stand one on a line, as jq -c '.[]' makes it of an array`)

// ErrTooLong is a list that cannot be cut into chunks.
var ErrTooLong = errors.New("a job of more than 256 MB, or a list without line ends")

// piece is a chunk of a list and what was made of it.
type piece[T any] struct {
	batch *Batch
	value T
}

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
	parse := func(b *Batch) piece[T] {
		parsers[format](b)
		b.close()
		return piece[T]{b, work(b)}
	}
	// Results come in the order of the chunks: each has a channel of its own,
	// and these stand in a line.
	line := make(chan chan piece[T], workers+1)
	slots := make(chan struct{}, workers)
	stop := make(chan struct{})
	var readErr error
	go func() {
		defer close(line)
		for {
			b, err := c.next(o)
			if err != nil || b == nil {
				readErr = err
				return
			}
			result := make(chan piece[T], 1)
			select {
			case line <- result:
			case <-stop:
				return
			}
			slots <- struct{}{}
			go func() {
				result <- parse(b)
				<-slots
			}()
		}
	}()
	join := joiner[T]{parse: parse, collect: collect, isJSON: format == JSON}
	for result := range line {
		p := <-result
		if err := join.add(p); err != nil {
			close(stop)
			for result := range line { // let the reader and the workers end
				<-result
			}
			return format, err
		}
		c.reuse(p.batch)
	}
	if readErr == nil && join.isStrange && !join.isList {
		readErr = ErrNoJobs
	}
	return format, readErr
}

var parsers = map[Format]func(*Batch){JSON: parseJSON, Text: parseText, DSV: parseDSV, CSV: parseCSV, JSONL: parseLines}

// joiner collects pieces in the list's order. A piece of JSON that turns out to
// begin elsewhere than assumed is parsed again.
type joiner[T any] struct {
	parse   func(*Batch) piece[T]
	collect func(T) error
	isJSON  bool

	state jsonState // after what was collected
	rest  []byte    // behind it, what could not be read yet
	tried int       // how much of rest was read in vain

	isList, isStrange bool // whether there was a list of jobs, or something else
}

// note keeps whether what was read of JSON is a list of jobs.
func (j *joiner[T]) note(b *Batch) {
	j.isList = j.isList || b.hasJobs || len(b.Records) > 0
	j.isStrange = j.isStrange || b.isStrange
}

func (j *joiner[T]) add(p piece[T]) error {
	b := p.batch
	if !j.isJSON {
		return j.collect(p.value)
	}
	if len(j.rest) == 0 && b.from == j.state {
		j.state, j.rest = b.to, bytes.Clone(b.chunk[b.rest:])
		j.note(b)
		return j.collect(p.value)
	}
	j.rest = append(j.rest, b.chunk...)
	tooLong := len(j.rest) >= maxJob
	if len(j.rest) < 2*j.tried && !tooLong && !b.last {
		return nil
	}
	again := &Batch{schema: b.schema, queues: b.queues, order: b.order, chunk: j.rest, last: b.last, whole: b.last || tooLong, from: j.state}
	value := j.parse(again).value
	j.note(again)
	j.state, j.rest, j.tried = again.to, bytes.Clone(j.rest[again.rest:]), 0
	if again.rest == 0 {
		j.tried = len(j.rest)
	}
	return j.collect(value)
}

// detect returns a list's format by its first bytes.
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
	case text[0] == '{' && isJobOnLine(bytes.TrimSpace(line)):
		return JSONL
	case text[0] == '{' || text[0] == '[' || bytes.Contains(first, []byte("\"Jobs\":")):
		return JSON
	case bytes.Contains(first, []byte("\nJob Id: ")):
		return Text
	case bytes.IndexByte(line, ',') > 0:
		return CSV
	}
	return Text
}
