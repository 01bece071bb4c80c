package trace

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"fairshare/cmd/internal/file"
)

// errFound ends the reading of a file.
var errFound = errors.New("found")

// Logs are accounting logs as they are read: in the order of their first lines, and those that overlap, such as a month
// beside its days or a log that is given twice, as one log in which each line stands once. So it makes no difference in
// which files the lines are.
type Logs struct {
	Sources []file.Source
	merged  []*merged
}

// datedLog is a log with the local times of its first and last line as if they were UTC.
type datedLog struct {
	file.Source
	first, last int64
}

// Order returns logs as they are read. What is none is left out.
func Order(logs []file.Source) (*Logs, error) {
	var dated []datedLog
	for _, from := range logs {
		first := int64(Unknown)
		if len(logs) > 1 {
			var err error
			if first, err = firstWall(from); err != nil {
				return nil, err
			}
			if first == Unknown {
				continue
			}
		}
		dated = append(dated, datedLog{Source: from, first: first})
	}
	return order(dated), nil
}

// order returns logs whose first times are known as they are read.
func order(logs []datedLog) *Logs {
	slices.SortStableFunc(logs, func(a, b datedLog) int { return cmp.Compare(a.first, b.first) })
	for i := range logs {
		if len(logs) > 1 {
			logs[i].last = lastWall(logs[i])
		}
	}
	l := &Logs{}
	for begin := 0; begin < len(logs); {
		end, last := begin+1, logs[begin].last
		for end < len(logs) && logs[end].first <= last {
			last = max(last, logs[end].last)
			end++
		}
		if end == begin+1 {
			l.Sources = append(l.Sources, logs[begin].Source)
		} else {
			m := &merged{logs: slices.Clone(logs[begin:end])}
			l.merged, l.Sources = append(l.merged, m), append(l.Sources, m.source())
		}
		begin = end
	}
	return l
}

// Again returns how many records of a start were there more than once, once the logs have been read.
func (l *Logs) Again() (n int) {
	for _, m := range l.merged {
		n += m.again
	}
	return n
}

// Problems returns what could not be read of merged logs, once they have been read.
func (l *Logs) Problems() (list []Problem) {
	for _, m := range l.merged {
		list = append(list, m.problems...)
	}
	return list
}

// lastWall returns the time of a log's last line. The log of a day, as PBS names it, is taken to end with it where it
// begins in it, since it would have to be read for that.
func lastWall(log datedLog) int64 {
	if day, ok := DayOfName(log.Name); ok && log.first/secondsOfDay == day {
		return (day+1)*secondsOfDay - 1
	}
	last := log.first
	see := func(line []byte) {
		if r, why := cut(line); why == "" {
			last = max(last, r.stamp.wall())
		}
	}
	if tail := tailOf(log.Source); tail != nil {
		for line := range bytes.Lines(tail) {
			see(bytes.TrimRight(line, "\r\n"))
		}
		return last
	}
	_ = file.EachLine(log.Source, func(_ int, line []byte) error { see(line); return nil }, func(int, string) {})
	return last
}

// tailOf returns the end of a file that is no archive's and not packed, nil for others.
func tailOf(from file.Source) []byte {
	const enough = 1 << 20
	in, err := from.Open()
	if err != nil {
		return nil
	}
	defer in.Close()
	f, ok := in.(*os.File)
	if !ok {
		return nil
	}
	head := make([]byte, len(stampLayout))
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	if _, err := io.ReadFull(f, head); err != nil {
		return nil
	}
	if _, isPlain := parseStamp(head); !isPlain {
		return nil
	}
	tail := make([]byte, min(enough, info.Size()))
	if _, err := f.ReadAt(tail, info.Size()-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return nil
	}
	return tail
}

// merged is logs that overlap, as one.
type merged struct {
	logs []datedLog

	mu       sync.Mutex
	runs     []run // where the lines come from
	again    int   // records of a start that were left out
	problems []Problem
}

// run is some lines of a merged log, up to the next run, that follow each other in one of its logs.
type run struct {
	line, of, number int // its first line, in the merged log and in which one
}

// source returns the merged log.
func (m *merged) source() file.Source {
	var names []string
	for _, log := range m.logs {
		names = append(names, log.Name)
	}
	return file.Source{Name: strings.Join(names, " and "), Where: m.where, Open: func() (io.ReadCloser, error) {
		m.runs, m.again, m.problems = nil, 0, nil
		r := &mergeReader{m: m, seed: maphash.MakeSeed(), seen: map[uint64]*sighting{}, key: Unknown}
		for i, log := range m.logs {
			r.logs = append(r.logs, &mergedLog{of: i, from: log, key: log.first})
		}
		return r, nil
	}}
}

// where returns which log has a line, and where.
func (m *merged) where(line int) (string, int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	i, found := slices.BinarySearchFunc(m.runs, line, func(r run, line int) int { return cmp.Compare(r.line, line) })
	if !found {
		i--
	}
	if i < 0 {
		return m.logs[0].Name, line
	}
	r := m.runs[i]
	return m.logs[r.of].Name, r.number + line - r.line
}

// mergedLog is a log that is merged. It is opened when its first line is due.
type mergedLog struct {
	of     int // its number
	from   datedLog
	in     io.ReadCloser
	plain  *bufio.Reader
	line   []byte // the next one, with its end
	number int    // of it
	key    int64  // the latest time up to it
	stamp  []byte // of the line before, whose time it is
	wall   int64
	isOver bool
}

// sighting is how often a line of a time was met, by its logs, and how often it was handed on.
type sighting struct {
	by   map[int]int
	most int
}

// mergeReader reads logs as one: lines by their times, those of the earlier log first, and of a line that several
// logs have at a time as many as the one has that has most.
type mergeReader struct {
	m    *merged
	logs []*mergedLog
	seed maphash.Seed
	seen map[uint64]*sighting // of the time key
	key  int64
	out  []byte
	line int // of the merged log, so far
}

// Read implements io.Reader.
func (r *mergeReader) Read(p []byte) (int, error) {
	for len(r.out) == 0 {
		if err := r.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, r.out)
	r.out = r.out[n:]
	return n, nil
}

// Close implements io.Closer.
func (r *mergeReader) Close() error {
	for _, log := range r.logs {
		if log.in != nil {
			log.in.Close()
		}
	}
	return nil
}

// next hands on what the next line is, or leaves it out.
func (r *mergeReader) next() error {
	var log *mergedLog
	for {
		log = nil
		for _, x := range r.logs {
			if !x.isOver && (log == nil || x.key < log.key) {
				log = x
			}
		}
		switch {
		case log == nil:
			return io.EOF
		case log.line == nil:
			if err := r.advance(log); err != nil {
				return err
			}
			continue
		}
		break
	}
	if log.key != r.key {
		r.key = log.key
		clear(r.seen)
	}
	line := log.line
	isCut := line[len(line)-1] != '\n'
	line = bytes.TrimRight(line, "\r\n")
	if rec, why := cut(line); isCut && why == "" && len(line) <= file.MaxLine {
		line = line[:len(line)-len(rec.message)]
		r.m.problems = append(r.m.problems, Problem{log.from.Name, log.number, cutRecord})
	}
	hash := maphash.Bytes(r.seed, line)
	s := r.seen[hash]
	if s == nil {
		s = &sighting{by: map[int]int{}}
		r.seen[hash] = s
	}
	if s.by[log.of]++; s.by[log.of] > s.most || len(line) == 0 {
		s.most++
		r.line++
		r.m.came(r.line, log)
		r.out = append(append(r.out[:0], line...), '\n')
	} else if len(line) > len(stampLayout)+1 && line[len(stampLayout)+1] == 'S' {
		r.m.again++
	}
	return r.advance(log)
}

// came notes where a line comes from.
func (m *merged) came(line int, log *mergedLog) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n := len(m.runs); n > 0 {
		if last := m.runs[n-1]; last.of == log.of && last.number+line-last.line == log.number {
			return
		}
	}
	m.runs = append(m.runs, run{line, log.of, log.number})
}

// advance reads the next line of a log. One that cannot be read to its end ends there, which is a problem.
func (r *mergeReader) advance(log *mergedLog) (err error) {
	if log.in == nil {
		if log.in, err = log.from.Open(); err != nil {
			return err
		}
		if log.plain, err = file.Plain(log.in); err != nil {
			return fmt.Errorf("%s: %w", log.from.Name, err)
		}
	}
	log.number++
	log.line = log.line[:0]
	for {
		piece, err := log.plain.ReadSlice('\n')
		log.line = append(log.line, piece...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && !errors.Is(err, io.EOF):
			r.m.problems = append(r.m.problems, Problem{log.from.Name, log.number, file.CutOff + ": " + err.Error()})
		}
		break
	}
	if log.isOver = len(log.line) == 0; log.isOver {
		return nil
	}
	if begin := log.line[:min(len(log.line), len(stampLayout))]; !bytes.Equal(begin, log.stamp) {
		log.stamp = append(log.stamp[:0], begin...)
		if s, ok := parseStamp(begin); ok {
			hadJumped := log.wall-log.key > farAway
			if log.wall = s.wall(); hadJumped || log.wall-log.key <= farAway { // a single line may be of another time
				log.key = max(log.key, log.wall)
			}
		}
	}
	return nil
}

// firstWall returns the time of a log's first line, Unknown where the log has none.
func firstWall(from file.Source) (wall int64, err error) {
	wall = Unknown
	err = file.EachLine(from, func(number int, line []byte) error {
		const most = 1000 // lines of something else
		if r, why := cut(line); why == "" {
			wall = r.stamp.wall()
			return errFound
		}
		if IsSWF(line) {
			return fmt.Errorf("%s: %w", from.Name, ErrAlone)
		}
		if number > most {
			return errFound
		}
		return nil
	}, func(int, string) {})
	if errors.Is(err, errFound) {
		err = nil
	}
	return wall, err
}
