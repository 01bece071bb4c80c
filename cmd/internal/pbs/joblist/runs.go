package joblist

import (
	"bytes"
	"strconv"
	"time"

	"fairshare/cmd/internal/pbs/qstat"
)

// clock returns a time as qstat prints it, in seconds of its clock, or one in seconds since
// 1970; 0 for anything else.
func clock(text []byte) int64 {
	if len(text) == 0 {
		return 0
	}
	at, ok := qstat.ParseTime(string(text), time.UTC)
	if !ok {
		return 0
	}
	return at
}

// running returns how many jobs of a record run: of an array, what its counts tell, such as
// Queued:5 Running:3.
func running(state byte, counts []byte) int32 {
	if _, rest, isArray := bytes.Cut(counts, []byte("Running:")); isArray {
		digits := rest[:len(rest)-len(bytes.TrimLeft(rest, "0123456789"))]
		n, err := strconv.ParseInt(string(digits), 10, 32)
		if err != nil {
			return 0
		}
		return int32(n)
	}
	if state == 'R' {
		return 1
	}
	return 0
}
