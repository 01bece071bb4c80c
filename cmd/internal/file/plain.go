package file

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"sync"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// packings are what files that are no text begin with, and what unpacks those
// that are not unpacked here.
var packings = []struct{ magic, name, command string }{
	{"\xfd7zXZ\x00", "xz", "xz -dc"},
	{"\x28\xb5\x2f\xfd", "zstd", "zstd -dc"},
	{"PK\x03\x04", "zip", "unzip -p"},
}

// PackedError is a file that has to be unpacked first.
type PackedError struct{ Packing, Command string }

func (e *PackedError) Error() string {
	return fmt.Sprintf("it is packed with %s: unpack it first (%s)", e.Packing, e.Command)
}

// decoderFor returns what turns UTF-16 into UTF-8, nil for other text.
func decoderFor(first []byte) transform.Transformer {
	switch {
	case isUTF16(first, "\xff\xfe", 1):
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder()
	case isUTF16(first, "\xfe\xff", 0):
		return unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewDecoder()
	}
	return nil
}

// isUTF16 reports whether a text begins with a byte order mark, or with ASCII
// characters in two bytes each, of which the one at zeroAt is zero.
func isUTF16(first []byte, mark string, zeroAt int) bool {
	if bytes.HasPrefix(first, []byte(mark)) {
		return true
	}
	for i, c := range first {
		if (c == 0) != (i%2 == zeroAt) {
			return false
		}
	}
	return len(first) >= 4
}

// Plain returns what a file holds as plain bytes: it unpacks gzip and bzip2, and
// turns UTF-16, as Windows writes it, into UTF-8, and passes over the prompts of a shell
// above and below a text. The error is a *PackedError for other packings.
func Plain(r io.Reader) (*bufio.Reader, error) { return plainOf(bufio.NewReaderSize(r, sizeOfBuffer)) }

const sizeOfBuffer = 64 << 10

// buffers are for files of which nothing is read once a function returns: a site has some hundred, most of which are much smaller.
var buffers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, sizeOfBuffer) }}

// borrow returns a buffer that reads a stream, until it is given back.
func borrow(r io.Reader) *bufio.Reader {
	b := buffers.Get().(*bufio.Reader)
	b.Reset(r)
	return b
}

func giveBack(b *bufio.Reader) {
	b.Reset(nil)
	buffers.Put(b)
}

// plainOf is Plain of what a buffer holds and reads.
func plainOf(b *bufio.Reader) (*bufio.Reader, error) {
	const layers = 2 // a list may be packed twice by mistake
	for range layers {
		first, err := b.Peek(6)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		begins := func(magic string) bool { return bytes.HasPrefix(first, []byte(magic)) }
		switch {
		case begins("\x1f\x8b"):
			z, err := gzip.NewReader(b)
			if err != nil {
				return nil, fmt.Errorf("it is packed with gzip and damaged: %w", err)
			}
			b = bufio.NewReaderSize(z, sizeOfBuffer)
			continue
		case begins("BZh") && len(first) > 3 && '1' <= first[3] && first[3] <= '9':
			b = bufio.NewReaderSize(bzip2.NewReader(b), sizeOfBuffer)
			continue
		}
		if decoder := decoderFor(first); decoder != nil {
			return unprompted(bufio.NewReaderSize(transform.NewReader(b, decoder), sizeOfBuffer)), nil
		}
		if mark := "\xef\xbb\xbf"; begins(mark) { // as editors put before UTF-8
			_, err := b.Discard(len(mark))
			return unprompted(b), err
		}
		for _, p := range packings {
			if begins(p.magic) {
				return nil, &PackedError{p.name, p.command}
			}
		}
		break
	}
	return unprompted(b), nil
}

// Begin returns a stream as Plain does, and up to n bytes of its begin, which are
// still to be read. An error names the stream.
func Begin(name string, r io.Reader, n int) (plain *bufio.Reader, first []byte, err error) {
	return begin(name, bufio.NewReaderSize(r, sizeOfBuffer), n)
}

// begin is Begin of what a buffer holds and reads.
func begin(name string, b *bufio.Reader, n int) (plain *bufio.Reader, first []byte, err error) {
	if plain, err = plainOf(b); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	first, err = plain.Peek(n)
	if err != nil && !errors.Is(err, io.EOF) && len(first) == 0 {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	return plain, first, nil
}
