package cli

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maxLine bounds a line of --jsonl input.
const maxLine = 4 << 20

// eachLine calls f for every line that is not blank.
func eachLine(r io.Reader, f func(line []byte) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		if err := f(lines.Bytes()); err != nil {
			return err
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return fail(exitUnreadable, "standard input: a line of more than %d bytes", maxLine)
	} else if err != nil {
		return unreadable("standard input", err)
	}
	return nil
}
