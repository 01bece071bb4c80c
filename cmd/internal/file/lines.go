package file

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"
)

// MaxLine bounds a line; a longer one is damaged.
const MaxLine = 1 << 20

var tooLong = fmt.Sprintf("the line has more than %d bytes", MaxLine)

// CutOff begins what is said of a line behind which a file has more that cannot be read.
const CutOff = "the file cannot be read from here on"

// EachLine calls f for each line of a log, without its end, and with its number. f may not keep
// the line. damaged is called for each line that is too long to be one, and where a file
// cannot be read to its end.
func EachLine(from Source, f func(number int, line []byte) error, damaged func(number int, why string)) error {
	return EachChunk(from, func(c Chunk) error {
		defer Reuse(c.Text)
		number := c.First
		for line := range bytes.Lines(c.Text) {
			if line = bytes.TrimRight(line, "\r\n"); len(line) > MaxLine {
				damaged(number, tooLong)
			} else if err := f(number, line); err != nil {
				return err
			}
			number++
		}
		return nil
	}, damaged)
}

// Chunk is some lines of a file.
type Chunk struct {
	Text  []byte
	First int // the number of the first line
}

const chunkSize = 1 << 20

// spareTexts are those of chunks, which serve again.
var spareTexts = sync.Pool{New: func() any { return make([]byte, 0, chunkSize+MaxLine) }}

// Reuse says that the text of a chunk is not needed any more.
func Reuse(text []byte) {
	//lint:ignore SA6002 The slice that this allocates is nothing beside a chunk.
	spareTexts.Put(text)
}

// EachChunk reads a file in pieces that end with lines.
func EachChunk(from Source, f func(Chunk) error, damaged func(number int, why string)) error {
	in, err := from.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	plain, err := Plain(in)
	if err != nil {
		return fmt.Errorf("%s: %w", from.Name, err)
	}
	number := 1
	var rest []byte // of a line whose end has not come
	for {
		text := append(spareTexts.Get().([]byte)[:0], rest...)
		n, err := fill(plain, text[len(text):min(cap(text), len(text)+chunkSize)])
		text = text[:len(text)+n]
		isEnd := err != nil
		if end := bytes.LastIndexByte(text, '\n') + 1; isEnd {
			rest = nil
		} else {
			rest = append(rest[:0], text[end:]...)
			text = text[:end]
		}
		if len(text) > 0 {
			if err := f(Chunk{text, number}); err != nil {
				return err
			}
			number += bytes.Count(text, []byte("\n"))
		}
		if isEnd {
			if !errors.Is(err, io.EOF) {
				damaged(number, CutOff+": "+err.Error())
			}
			return nil
		}
		if len(rest) > MaxLine {
			damaged(number, tooLong)
			number++
			rest = nil
			if !skipLine(plain) {
				damaged(number, CutOff+": it has no more lines")
				return nil
			}
		}
	}
}

// fill reads until a buffer is full, or nothing more can be read.
func fill(r io.Reader, b []byte) (n int, err error) {
	for n < len(b) && err == nil {
		var more int
		more, err = r.Read(b[n:])
		n += more
	}
	return n, err
}

// skipLine reads up to the end of a line, and reports whether it has one within reason. What
// fails then fails at the next read too.
func skipLine(r *bufio.Reader) bool {
	const most = 1 << 30
	skipped := 0
	for err := bufio.ErrBufferFull; errors.Is(err, bufio.ErrBufferFull) && skipped < most; {
		var piece []byte
		piece, err = r.ReadSlice('\n')
		skipped += len(piece)
	}
	return skipped < most
}
