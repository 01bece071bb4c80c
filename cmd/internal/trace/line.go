// Package trace reads what a site has recorded of its work into a trace: the jobs of accounting logs, of traces in
// the Standard Workload Format, and of other formats that a caller gives it.
package trace

import (
	"bytes"
	"fmt"
	"time"
)

// Line is a line of an accounting log, in parts that print back to it.
type Line struct {
	Stamp Stamp
	Type  string // Q, S, E and so on
	ID    string // of a job, a reservation, or "license"

	// Text is what the message has before its first attribute, with the blanks
	// behind it.
	Text       string
	Attributes []Attribute
}

// Attribute is a part of a message: NAME=VALUE.
type Attribute struct {
	Name, Value string
	Quote       byte // around the value, 0 for none
	Blanks      int  // behind it
}

// Stamp is the local time of a line.
type Stamp struct{ Year, Month, Day, Hour, Minute, Second int }

// String returns a stamp as the log has it.
func (s Stamp) String() string {
	return fmt.Sprintf("%02d/%02d/%04d %02d:%02d:%02d", s.Month, s.Day, s.Year, s.Hour, s.Minute, s.Second)
}

// wall returns the seconds since 1970 of a stamp as if it were UTC.
func (s Stamp) wall() int64 {
	return time.Date(s.Year, time.Month(s.Month), s.Day, s.Hour, s.Minute, s.Second, 0, time.UTC).Unix()
}

// stampLayout has a 0 for each digit.
const stampLayout = "00/00/0000 00:00:00"

// parseStamp reads a stamp. ok is false for what is none.
func parseStamp(text []byte) (s Stamp, ok bool) {
	if len(text) != len(stampLayout) {
		return s, false
	}
	for i := range text {
		isDigit := '0' <= text[i] && text[i] <= '9'
		if stampLayout[i] == '0' && !isDigit || stampLayout[i] != '0' && text[i] != stampLayout[i] {
			return s, false
		}
	}
	number := func(from, to int) int {
		n := 0
		for _, c := range text[from:to] {
			n = 10*n + int(c-'0')
		}
		return n
	}
	s = Stamp{number(6, 10), number(0, 2), number(3, 5), number(11, 13), number(14, 16), number(17, 19)}
	ok = 1 <= s.Month && s.Month <= 12 && 1 <= s.Day && s.Hour < 24 && s.Minute < 60 && s.Second < 60
	const shortest = 28 // days of a month
	return s, ok && (s.Day <= shortest || time.Date(s.Year, time.Month(s.Month), s.Day, 0, 0, 0, 0, time.UTC).Day() == s.Day)
}

// record is a line in its four fields, of which the message is not read yet.
type record struct {
	stamp             Stamp
	kind, id, message []byte
}

// Years outside of which no log was written.
const oldest, newest = 1990, 2199

// cut cuts a line into its fields: only the first three semicolons separate. why
// says what is wrong with a line that is none, "" for one that is.
func cut(line []byte) (r record, why string) {
	stamp, rest, ok := bytes.Cut(line, []byte(";"))
	if !ok {
		return r, "there is no semicolon in it"
	}
	if r.stamp, ok = parseStamp(stamp); !ok {
		return r, "it does not begin with a time, MM/DD/YYYY HH:MM:SS"
	}
	if r.stamp.Year < oldest || r.stamp.Year > newest {
		return r, fmt.Sprintf("its time %s does not lie between %d and %d", r.stamp, oldest, newest)
	}
	if r.kind, rest, ok = bytes.Cut(rest, []byte(";")); !ok || len(r.kind) != 1 || !isLetter(r.kind[0]) {
		return r, "its second field is no type"
	}
	if r.id, r.message, ok = bytes.Cut(rest, []byte(";")); !ok {
		return r, "it has fewer than four fields"
	}
	return r, ""
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// ParseLine reads a line without its end. why says what is wrong with a line that is
// none, "" for one that is.
func ParseLine(line []byte) (l Line, why string) {
	r, why := cut(line)
	if why != "" {
		return l, why
	}
	l = Line{Stamp: r.stamp, Type: string(r.kind), ID: string(r.id)}
	m := message{rest: r.message}
	l.Text = string(m.text())
	for m.next() {
		l.Attributes = append(l.Attributes, Attribute{string(m.name), string(m.value), m.quote, m.blanks})
	}
	return l, ""
}

// String returns the line as the log has it.
func (l Line) String() string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s;%s;%s;%s", l.Stamp, l.Type, l.ID, l.Text)
	for _, a := range l.Attributes {
		b.WriteString(a.Name + "=")
		if a.Quote != 0 {
			b.WriteByte(a.Quote)
		}
		b.WriteString(a.Value)
		if a.Quote != 0 {
			b.WriteByte(a.Quote)
		}
		b.Write(bytes.Repeat([]byte(" "), a.Blanks))
	}
	return b.String()
}

// message steps through the attributes of a message.
type message struct {
	rest []byte

	// Of the attribute that next has read:
	name, value []byte
	quote       byte
	blanks      int

	unclosed [2]bool // whether no value that begins with " or ' ends any more
	ahead    int     // the length of the name with which rest begins, as far as it is known; else 0
}

// text takes what stands before the first attribute.
func (m *message) text() []byte {
	whole := m.rest
	for at := 0; at < len(whole); at++ {
		if at == 0 || whole[at-1] == ' ' {
			if m.ahead = nameLength(whole[at:]); m.ahead > 0 {
				m.rest = whole[at:]
				return whole[:at]
			}
		}
	}
	m.rest = nil
	return whole
}

// endsName has the bytes that no name has.
var endsName = func() (table [256]bool) {
	for _, c := range []byte(" =\"';({,") {
		table[c] = true
	}
	return table
}()

// nameLength returns the length of the name with which a text begins if "=" stands
// behind it, else 0.
func nameLength(text []byte) int {
	if len(text) == 0 || !isLetter(text[0]) && text[0] != '_' {
		return 0
	}
	for i, c := range text {
		if endsName[c] {
			if c == '=' {
				return i
			}
			return 0
		}
	}
	return 0
}

// next reads the next attribute. A token without "=" belongs to the value before,
// since nothing is escaped.
func (m *message) next() bool {
	n := m.ahead
	if n == 0 || takesLongWay {
		n = nameLength(m.rest)
	}
	if n == 0 {
		return false
	}
	m.name, m.quote = m.rest[:n], 0
	value := m.rest[n+1:]
	end := -1
	if len(value) > 1 && (value[0] == '"' || value[0] == '\'') && !bytes.HasPrefix(m.name, usedPrefix) {
		unclosed := &m.unclosed[0]
		if value[0] == '\'' {
			unclosed = &m.unclosed[1]
		}
		if !*unclosed {
			end, m.ahead = endOfValue(value, value[:1])
			*unclosed = end < 0
		}
		if end > 0 {
			m.quote = value[0]
			m.value, m.rest = value[1:end], value[end+1:]
		}
	}
	if m.quote == 0 {
		end, m.ahead = endOfValue(value, nil)
		m.value, m.rest = value[:end], value[end:]
	}
	m.blanks = leadingBlanks(m.rest)
	m.rest = m.rest[m.blanks:]
	return true
}

func leadingBlanks(text []byte) int {
	n := 0
	for n < len(text) && text[n] == ' ' {
		n++
	}
	return n
}

// endOfValue returns where a value ends: before blanks behind which the message
// ends or another attribute begins, and of a quoted one at the quote before them.
// It returns -1 for a quoted value that does not end. ahead is the length of the next attribute's name.
func endOfValue(value, quote []byte) (end, ahead int) {
	mark := byte(' ')
	if len(quote) > 0 {
		mark = quote[0]
	}
	for at := len(quote); ; {
		i := bytes.IndexByte(value[at:], mark)
		if i < 0 {
			break
		}
		at += i
		behind := value[at+len(quote):]
		after := behind[leadingBlanks(behind):]
		if len(after) == 0 {
			return at, 0
		}
		if len(after) < len(behind) {
			if ahead = nameLength(after); ahead > 0 {
				return at, ahead
			}
		}
		at = max(at+1, len(value)-len(after)) // not each blank of a run by itself
	}
	if len(quote) > 0 {
		return -1, 0
	}
	return len(value), 0
}

// AddDays returns a stamp days later, or earlier.
func (s Stamp) AddDays(days int) Stamp {
	day := time.Date(s.Year, time.Month(s.Month), s.Day+days, 0, 0, 0, 0, time.UTC)
	s.Year, s.Month, s.Day = day.Year(), int(day.Month()), day.Day()
	return s
}
