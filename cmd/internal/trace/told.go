package trace

import (
	"bufio"
	"bytes"
	"io"

	"fairshare/cmd/internal/file"
)

// Mark is by how many seconds local times are ahead of UTC at a time.
type Mark struct{ At, Offset int64 }

// ToldOffset returns by how many seconds local times of the lines of a log are ahead of the times since 1970 that stand in the same
// lines, and one of those times. ok is false where no line among the first ones tells. The last line of them that tells counts, and
// of a file on disk the last of all.
func ToldOffset(from file.Source) (offset, at int64, ok bool) {
	const most = 1 << 20 // of a log that is read
	begin := tailOf(from)
	if begin == nil {
		_ = from.Read(func(plain *bufio.Reader) error {
			begin, _ = io.ReadAll(io.LimitReader(plain, most))
			return nil
		})
	}
	return ToldOffsetIn(begin)
}

// ToldOffsetIn does as ToldOffset with a part of a log. It looks at its lines from the last one on, since nearly each of them tells.
func ToldOffsetIn(part []byte) (offset, at int64, ok bool) {
	for len(part) > 0 {
		begin := bytes.LastIndexByte(part[:len(part)-1], '\n') + 1
		if offset, at, ok = toldInLine(part[begin:]); ok {
			return offset, at, ok
		}
		part = part[:begin]
	}
	return 0, 0, false
}

// toldInLine does as ToldOffset with one line.
func toldInLine(line []byte) (offset, at int64, ok bool) {
	const jitter = 300 // seconds that a record comes late
	l, why := ParseLine(bytes.TrimRight(line, "\r\n"))
	if why != "" {
		return 0, 0, false
	}
	at = l.told()
	offset, ok = offsetOf(l.Stamp.wall(), at, jitter)
	return offset, at, ok
}
