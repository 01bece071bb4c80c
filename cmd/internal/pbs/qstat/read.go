package qstat

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"slices"
	"strings"

	"fairshare/cmd/internal/file"
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
	Workers int             // that parse at a time; 0 is one a processor
	Read    func(bytes int) // told how much has been read, may be nil
	Chunk   int             // bytes that a worker gets at a time; 0 is a good size
}

// ErrNoText is something that is no list, such as /dev/zero.
var ErrNoText = errors.New("the input is not text")

// NoListError says what a text is that is no list of jobs, and what to do.
type NoListError struct{ Detail string }

func (e *NoListError) Error() string { return e.Detail }

// ErrTable is for what qstat prints without -f.
var ErrTable = &NoListError{`this is what qstat prints without -f, which tells neither when jobs came to their queue nor all that they ask for: any user can put what qstat -f -F json prints in its place, and what qstat -Bf prints, which tells the formula, beside it; of one job, formula explain JOB FILE says what this tells`}

// The texts that are told apart.
var (
	errNoJobs   = &NoListError{`this JSON has neither "Jobs" nor objects with a job's ID: qstat -f -F json prints such a list`}
	errNoIDs    = &NoListError{`the objects of this JSON have no job's ID: of what qstat -f -F json prints, jq '.Jobs | to_entries[]' keeps the IDs, and jq '.Jobs[]' loses them`}
	errNoColumn = &NoListError{`this is CSV without a column for the job's ID, which is called id, "Job Id" or job_id`}
	errNoHeader = &NoListError{`the first line names no columns: sprio and squeue print such a line without -h, and that is needed`}
	errForEyes  = &NoListError{`this is what this program prints for people: -o json, -o csv and -o jobs can be read back`}
	errNoList   = &NoListError{`this is no list of jobs: qstat -f prints one, as text, with -F json or with -F dsv, and squeue or sprio -l at a Slurm site`}
)

// ErrTooLong is a list that cannot be cut into chunks.
var ErrTooLong = errors.New("a job that is too long to be one, or a list without line ends")

// piece is a chunk of a list and what was made of it.
type piece[T any] struct {
	batch *Batch
	value T
}

// Check returns the error that Read would for what begins in some way and is no list of a format, as far as the
// begin tells; isWhole says that it is all of it.
func Check(first []byte, format Format, isWhole bool) error {
	_, err := Read(bytes.NewReader(first), Options{Workers: 1, Format: format, Schema: NewSchema()}, func(*Batch) struct{} { return struct{}{} }, func(struct{}) error { return nil })
	var none *NoListError
	if errors.Is(err, ErrNoText) || isWhole && errors.As(err, &none) {
		return err
	}
	return nil
}

// Read reads a list. work runs on several chunks at a time and makes of each
// Batch what is to be kept of it; collect gets that in the list's order.
func Read[T any](r io.Reader, o Options, work func(*Batch) T, collect func(T) error) (Format, error) {
	c := &chunker{r: r, read: o.Read, size: o.Chunk}
	if c.size == 0 {
		c.size = chunkSize
	}
	format, begin, err := c.open(o)
	if err != nil {
		return format, err
	}
	workers := o.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	parse := func(b *Batch) piece[T] {
		parsers[format](b)
		if b.last && b.isCutOff {
			b.problem(cutPacked)
		}
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
	if readErr == nil && join.records == 0 {
		readErr = whatItIs(format, begin, &join.contents)
	}
	return format, readErr
}

// open finds the format of a list, and returns how the list begins.
func (c *chunker) open(o Options) (format Format, begin []byte, err error) {
	first, err := c.peek()
	if err != nil {
		return o.Format, nil, err
	}
	if bytes.IndexByte(first, 0) >= 0 {
		if kind := file.KindOf(first); kind != file.NoText {
			return o.Format, nil, noList(first)
		}
		return o.Format, nil, ErrNoText
	}
	format = o.Format
	if format == Auto || format == "" {
		format = detect(first)
	}
	begin = bytes.TrimLeft(first, whiteSpace+"\xef\xbb\xbf")
	if format == JSON && o.Format == JSON {
		format = shapeOf(begin)
	}
	if format == JSONL && !hasObjectOnLine(begin) {
		c.r = newLineReader(io.MultiReader(bytes.NewReader(bytes.Clone(c.buffer)), c.r))
		c.buffer, c.ended = c.buffer[:0], false
	}
	return format, begin, c.start(format, first)
}

// whatItIs returns what a text is in which there was no job, nil for a list that
// has none.
func whatItIs(format Format, begin []byte, seen *contents) error {
	switch line, _, _ := bytes.Cut(begin, []byte("\n")); {
	case len(bytes.TrimSpace(begin)) == 0:
		return nil
	case slices.Contains([]string{file.NodesJSON, file.QueuesJSON, file.ServerJSON}, file.KindOf(begin)):
		return noList(begin)
	case bytes.HasPrefix(line, []byte("RANK ")):
		return errForEyes
	case bytes.Contains(begin, []byte("\nJob ID ")) || bytes.HasPrefix(line, []byte("Job id ")) || bytes.HasPrefix(line, []byte("Job ID ")):
		return ErrTable
	case format == JSONL && seen.lost > 0:
		return errNoIDs
	case format == JSON && seen.isStrange && !seen.hasList:
		return errNoJobs
	case format == Text || format == DSV || format == JSON && !bytes.ContainsRune(begin, '{'):
		return noList(begin)
	}
	return nil
}

// noList says what a text is that is no list of jobs, as far as that can be told.
func noList(begin []byte) error {
	kind := file.KindOf(begin)
	switch {
	case kind == "":
		return errNoList
	case file.IsError(kind): // which says itself what is wrong
		return &NoListError{"this is " + kind + ", and no list of jobs"}
	}
	return &NoListError{"this is " + kind + ", and " + strings.TrimPrefix(errNoList.Detail, "this is ")}
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

	contents
}

// contents are what was seen of a list.
type contents struct {
	records   int
	lost      int  // objects that are no jobs
	hasList   bool // whether a list of jobs began, which may be empty
	isStrange bool // whether there is something else
}

// note keeps what was seen in a batch.
func (s *contents) note(b *Batch) {
	s.records += len(b.Records)
	s.lost += b.Problems[noID]
	s.hasList = s.hasList || b.hasJobs
	s.isStrange = s.isStrange || b.isStrange
}

const noID = "a job without an ID"

func (j *joiner[T]) add(p piece[T]) error {
	b := p.batch
	if !j.isJSON {
		j.note(b)
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
	again := &Batch{schema: b.schema, order: b.order, chunk: j.rest, last: b.last, whole: b.last || tooLong, isCutOff: b.isCutOff, from: j.state}
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
	case bytes.HasPrefix(text, []byte("Job Id:")) || headerOf(text) != nil || bytes.HasPrefix(text, []byte("Queue:")):
		if bytes.Contains(line, []byte("Job_Name=")) || bytes.Contains(line, []byte("Job_Owner=")) {
			return DSV
		}
		return Text
	case text[0] == '{' || text[0] == '[':
		return shapeOf(text)
	case bytes.Contains(first, []byte("\"Jobs\":")):
		return JSON
	case bytes.Contains(first, []byte("\nJob Id: ")):
		return Text
	case bytes.IndexByte(line, ',') > 0:
		return CSV
	}
	return Text
}
