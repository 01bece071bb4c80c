package trace

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"fairshare/cmd/internal/file"
)

// Problem is a line that could not be read.
type Problem struct {
	File   string
	Line   int // from 1
	Detail string
}

// IsCut reports whether the rest of the file is missing.
func (p Problem) IsCut() bool { return strings.HasPrefix(p.Detail, file.CutOff) }

func (p Problem) Error() string { return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Detail) }

// spareChunks serve again for other chunks.
var spareChunks = sync.Pool{New: func() any { return &parsedChunk{} }}

// parsedChunk is what became of a chunk.
type parsedChunk struct {
	events    []event
	problems  []Problem
	types     [256]int       // lines by type
	first     int64          // the local time of the first line as if it were UTC, unknown without one
	last      int64          // that of the last one
	hours     map[int64]bool // that lines are of, counted from 1970
	requested nameSet
	text      []byte // of the chunk, in which the events' bytes are
}

// readLog reads a log; several chunks are parsed at a time, and collect gets them in
// the order of the file.
func readLog(from file.Source, keep Keep, collect func(*parsedChunk)) error {
	line := make(chan chan *parsedChunk, runtime.GOMAXPROCS(0)+1)
	failed := make(chan error, 1)
	damaged := func(number int, why string) {
		result := make(chan *parsedChunk, 1)
		name, number := from.Place(number)
		result <- &parsedChunk{first: Unknown, last: Unknown, problems: []Problem{{name, number, why}}}
		line <- result
	}
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	go func() {
		defer close(line)
		failed <- file.EachChunk(from, func(c file.Chunk) error {
			result := make(chan *parsedChunk, 1)
			line <- result
			slots <- struct{}{}
			go func() {
				p := parse(c, from.Name, keep)
				for i := range p.problems {
					p.problems[i].File, p.problems[i].Line = from.Place(p.problems[i].Line)
				}
				result <- p
				<-slots
			}()
			return nil
		}, damaged)
	}()
	for result := range line {
		p := <-result
		collect(p)
		if p.text != nil {
			file.Reuse(p.text)
			spareChunks.Put(p)
		}
	}
	return <-failed
}

// Damaged returns the lines of a log that Read leaves out, by their numbers. It is an error
// where the log cannot be read to its end.
func Damaged(from file.Source) (map[int]bool, error) {
	lines := map[int]bool{}
	var cut error
	err := readLog(from, Keep{}, func(p *parsedChunk) {
		for _, problem := range p.problems {
			lines[problem.Line] = true
			if problem.IsCut() {
				cut = errors.New(problem.Detail)
			}
		}
	})
	return lines, cmp.Or(err, cut)
}

// parse reads the lines of a chunk, without those of another time.
func parse(c file.Chunk, name string, keep Keep) *parsedChunk {
	p, hasJumped := parseWithout(nil, c, name, keep)
	if !hasJumped {
		return p
	}
	if strays := straysOf(c); len(strays) > 0 {
		spareChunks.Put(p)
		p, _ = parseWithout(strays, c, name, keep)
	}
	return p
}

// cutRecord is what is said of a record that is cut off.
const cutRecord = "the record is cut off: only its time, its type and its job count"

// farAway is how far, in seconds, the time of a line is from that of all others where it is wrong.
const farAway = 300 * secondsOfDay

// straysOf returns the lines of a chunk, by their numbers, whose time is the better part of
// a year or more away from that of all others, and that are few.
func straysOf(c file.Chunk) map[int]bool {
	const part = 100 // of how many lines one may be a stray
	type stamped struct {
		wall   int64
		number int
	}
	var list []stamped
	number := c.First
	for line := range bytes.Lines(c.Text) {
		if r, why := cut(bytes.TrimRight(line, "\r\n")); why == "" {
			list = append(list, stamped{r.stamp.wall(), number})
		}
		number++
	}
	slices.SortFunc(list, func(a, b stamped) int { return cmp.Compare(a.wall, b.wall) })
	var times [][]stamped // lines that are near each other
	most := 0
	for begin, i := 0, 1; i <= len(list); i++ {
		if i == len(list) || list[i].wall-list[i-1].wall > farAway {
			times = append(times, list[begin:i])
			most = max(most, i-begin)
			begin = i
		}
	}
	strays := map[int]bool{}
	for _, near := range times {
		if len(near) < most && len(near) <= max(1, most/part) {
			for _, s := range near {
				strays[s.number] = true
			}
		}
	}
	return strays
}

// parseWithout reads the lines of a chunk but for strays. hasJumped reports whether two lines
// that follow each other are of different years.
func parseWithout(strays map[int]bool, c file.Chunk, name string, keep Keep) (p *parsedChunk, hasJumped bool) {
	p = spareChunks.Get().(*parsedChunk)
	*p = parsedChunk{first: Unknown, last: Unknown, text: c.Text, events: p.events[:0], hours: map[int64]bool{}}
	if len(keep.Asked) > 0 {
		keep.seen = &p.requested
	}
	number := c.First
	var last Stamp
	for line := range bytes.Lines(c.Text) {
		isCut := line[len(line)-1] != '\n' // only the last line of a file can be
		line = bytes.TrimRight(line, "\r\n")
		if len(line) > 0 && len(bytes.TrimSpace(line)) > 0 {
			r, why := cut(line)
			if isOfJob := why == "" && isOfJobs(r.kind[0]); isOfJob && len(r.id) == 0 {
				why = "it names no job"
			}
			if why == "" && strays[number] {
				why = fmt.Sprintf("its time %s is far from that of the lines around it: the record is left out", r.stamp)
			}
			if why != "" {
				p.problems = append(p.problems, Problem{name, number, why})
			} else {
				p.types[r.kind[0]]++
				if r.stamp.Hour != last.Hour || r.stamp.Day != last.Day || r.stamp.Month != last.Month || r.stamp.Year != last.Year {
					p.hours[r.stamp.wall()/secondsOfHour] = true
				}
				if last.Year == 0 {
					p.first = r.stamp.wall()
				}
				hasJumped = hasJumped || last.Year != 0 && last.Year != r.stamp.Year
				last = r.stamp
				if isOfJobs(r.kind[0]) {
					switch e, why := newEvent(r, keep); {
					case isCut || why == "" && e.lacksEnd():
						p.problems = append(p.problems, Problem{name, number, cutRecord})
						p.events = append(p.events, bareEvent(r))
					case why != "":
						p.problems = append(p.problems, Problem{name, number, why + ": the record is left out"})
					default:
						p.events = append(p.events, e)
					}
				}
			}
		}
		number++
	}
	if last.Year > 0 {
		p.last = last.wall()
	}
	return p, hasJumped
}
