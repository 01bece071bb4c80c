package usagefile

import (
	"bufio"
	"encoding/binary"
	"io"
	"iter"
	"math"
)

// MaxName is how many bytes of a name the file has room for.
const MaxName = nameSize - 1

// Write writes a version 2 database, as PBS's write_usage, which cuts names
// at MaxName.
func Write(w io.Writer, lastDecay int64, records iter.Seq2[string, float64]) error {
	b := bufio.NewWriterSize(w, 64<<10)
	var header [headerSize + decaySize]byte
	copy(header[:], magic)
	binary.LittleEndian.PutUint64(header[headerSize-8:], math.Float64bits(2))
	binary.LittleEndian.PutUint64(header[headerSize:], uint64(lastDecay))
	b.Write(header[:]) // a bufio.Writer keeps its first error until Flush
	for name, usage := range records {
		var record [recordSize]byte
		copy(record[:MaxName], name)
		binary.LittleEndian.PutUint64(record[usageAt:], math.Float64bits(usage))
		b.Write(record[:])
	}
	return b.Flush()
}
