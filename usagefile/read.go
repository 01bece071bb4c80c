// Package usagefile reads and replaces PBS's fairshare usage database, the
// binary file "usage" in sched_priv.
//
// Version 2 is a header of 32 bytes (the tag "PBS_MAG!" with a NUL in 16
// bytes, the version 2 as a double, the time of the last decay as a 64-bit
// integer) and records of 64 bytes (a name in 50 bytes, padding, the usage as
// a double). Version 1, which has no header, is records of 24 bytes (a name
// in 9 bytes, padding, the usage). Numbers are little-endian, as on the
// machines that PBS runs on.
package usagefile

import (
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	magic      = "PBS_MAG!\x00"
	headerSize = 24 // tag and version
	decaySize  = 8
	recordSize = 64
	nameSize   = 50 // with its NUL
	usageAt    = 56 // in a record

	recordSizeV1 = 24
	usageAtV1    = 16

	// oldestDecay is 1 January 2000 in Pacific time, before which version 2
	// did not exist: PBS takes a last decay up to here for damage.
	oldestDecay = 946713600
)

// Database is the content of a usage file.
type Database struct {
	Version   int   // 1 or 2; 0 when nothing could be read
	LastDecay int64 // Unix time, 0 for never
	Records   []Record

	// Problems are what PBS passes over in silence, in file order.
	Problems []Problem
	// Unlisted counts skipped records beyond the first maxProblems.
	Unlisted int
}

// maxProblems bounds what a file of garbage leaves in memory.
const maxProblems = 100

// Record is the usage of one entity, or of a group that once was one. A name
// may stand in several records.
type Record struct {
	Name  string
	Usage float64 // in units of fairshare_usage_res
}

// Problem is something in the file that is not as it should be.
type Problem struct {
	Offset  int64 // where in the file, in bytes
	Message string

	// Damage reports that the rest of the file could not be read, so that
	// writing what was read would lose it. Otherwise one record was skipped.
	Damage bool

	// Hole reports that a block of the file is of something else, zeros or garbage, and that the records
	// which stood there are lost.
	Hole bool
}

func (p Problem) Error() string { return fmt.Sprintf("byte %d: %s", p.Offset, p.Message) }

// Damage returns the first problem that makes the file unsafe to overwrite.
func (db *Database) Damage() (Problem, bool) {
	for _, p := range db.Problems {
		if p.Damage {
			return p, true
		}
	}
	return Problem{}, false
}

// Hole returns the first problem that is a hole of the file.
func (db *Database) Hole() (Problem, bool) {
	for _, p := range db.Problems {
		if p.Hole {
			return p, true
		}
	}
	return Problem{}, false
}

// All yields the records' names and usage in file order.
func (db *Database) All() iter.Seq2[string, float64] {
	return func(yield func(string, float64) bool) {
		for _, r := range db.Records {
			if !yield(r.Name, r.Usage) {
				return
			}
		}
	}
}

// Parse reads a usage file's bytes, given as a string that the records' names
// share. It never fails: it reads what PBS's read_usage would, and says in
// Problems what it made of the rest.
func Parse(data string) *Database {
	db := &Database{}
	switch {
	case data == "":
		db.problem(0, false, "the file is empty")
	case len(data) < headerSize:
		db.damage(0, "the file ends inside its header, after %d of %d bytes", len(data), headerSize+decaySize)
	case strings.HasPrefix(data, magic):
		db.parseV2(data)
	default:
		db.parseV1(data)
	}
	return db
}

func (db *Database) problem(offset int, damage bool, format string, args ...any) {
	if len(db.Problems) >= maxProblems && !damage {
		db.Unlisted++
		return
	}
	db.Problems = append(db.Problems, Problem{Offset: int64(offset), Message: fmt.Sprintf(format, args...), Damage: damage})
}

func (db *Database) damage(offset int, format string, args ...any) {
	db.problem(offset, true, format, args...)
}

// skip notes a record that is none, and whether it is a hole, which is kept however many problems there are.
func (db *Database) skip(offset int, isHole bool, format string, args ...any) {
	if _, isKnown := db.Hole(); isHole && !isKnown && len(db.Problems) >= maxProblems {
		db.Problems = db.Problems[:maxProblems-1]
		db.Unlisted++
	}
	before := len(db.Problems)
	db.problem(offset, false, format, args...)
	if len(db.Problems) > before {
		db.Problems[before].Hole = isHole
	}
}

func (db *Database) parseV2(data string) {
	if v := float64At(data, headerSize-8); v != 2 {
		db.damage(headerSize-8, "version %v is not known, nothing was read", v)
		return
	}
	db.Version = 2
	if len(data) < headerSize+decaySize {
		db.damage(len(data), "the file ends before the time of the last decay")
		return
	}
	last := int64(uint64At(data, headerSize))
	if last != 0 && last <= oldestDecay {
		db.damage(headerSize, "the time of the last decay, %d, is before the year 2000, nothing was read", last)
		return
	}
	db.LastDecay = last

	start := headerSize + decaySize
	db.Records = make([]Record, 0, (len(data)-start)/recordSize)
	for at := start; at < len(data); at += recordSize {
		if len(data)-at < recordSize {
			db.truncated(at, len(data)-at, recordSize)
			return
		}
		db.record(at, data[at:at+nameSize], data[at+nameSize:at+usageAt], float64At(data, at+usageAt))
	}
}

// parseV1 reads the format without a header. A name of 9 letters has no NUL
// of its own, so it is taken to reach to the one in the padding, as C does.
func (db *Database) parseV1(data string) {
	if name, ok := cutName(data[:usageAtV1]); !ok || name == "" && float64At(data, usageAtV1) == 0 {
		db.damage(0, "the file begins with neither the tag of version 2 nor a record of version 1")
	}
	db.Version = 1
	db.Records = make([]Record, 0, len(data)/recordSizeV1)
	for at := 0; at < len(data); at += recordSizeV1 {
		if len(data)-at < recordSizeV1 {
			db.truncated(at, len(data)-at, recordSizeV1)
			return
		}
		db.record(at, data[at:at+usageAtV1], "", float64At(data, at+usageAtV1))
	}
}

func (db *Database) truncated(at, got, want int) {
	db.damage(at, "the file ends inside a record, after %d of %d bytes", got, want)
}

// record keeps a record unless PBS would skip it.
func (db *Database) record(at int, field, padding string, usage float64) {
	name, ok := cutName(field)
	switch {
	case !ok:
		db.skip(at, isGarbage(name) && strings.Trim(padding, "\x00") != "", "the name %q is not one that PBS accepts, the record is skipped", name)
	case !(usage >= 0):
		db.problem(at, false, "the usage of %q is %v, the record is skipped", name, usage)
	case name == "" && usage == 0:
		// PBS makes an entity without a name of it; zeros are what a file
		// system leaves of a file that was not written to the end.
		db.skip(at, true, "a record is empty")
		db.Records = append(db.Records, Record{name, usage})
	default:
		db.Records = append(db.Records, Record{name, usage})
	}
}

// isGarbage reports whether a name that PBS does not accept is none that somebody gave either, as where a block of the
// file is of something else: it has bytes that no text has.
func isGarbage(name string) bool {
	return !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl)
}

// cutName returns the name up to its NUL and reports whether PBS accepts it, as
// is_valid_pbs_name: letters, digits, "-_. :", also none of them.
func cutName(field string) (string, bool) {
	name, _, ended := strings.Cut(field, "\x00")
	if !ended {
		return name, false
	}
	return name, ValidName(name)
}

// ValidName reports whether PBS accepts a name in a record.
func ValidName(name string) bool {
	for i := range len(name) {
		c := name[i]
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		digit := '0' <= c && c <= '9'
		if !letter && !digit && strings.IndexByte("-_. :", c) < 0 {
			return false
		}
	}
	return true
}

func uint64At(data string, at int) uint64 {
	return binary.LittleEndian.Uint64([]byte(data[at : at+8]))
}

func float64At(data string, at int) float64 {
	return math.Float64frombits(uint64At(data, at))
}
