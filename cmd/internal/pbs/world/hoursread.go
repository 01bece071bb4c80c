package world

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pbs"
)

// Problem is what is wrong with a line of a file.
type Problem struct {
	File    string
	Line    int // 0 for the file as a whole
	Message string
}

func (p Problem) Error() string {
	if p.Line == 0 {
		return p.File + ": " + p.Message
	}
	return fmt.Sprintf("%s: line %d: %s", p.File, p.Line, p.Message)
}

// Remark returns a problem as a warning about the line.
func (p Problem) Remark() diag.Remark {
	r := diag.Warningf("%v", p).At(p.File, p.Line)
	r.IsWrong = true
	return r
}

// Bounds of what the files may have. PBS keeps fewer.
const (
	mostHolidays  = 366
	mostDedicated = 10_000
	oldestYear    = 1970
	newestYear    = 9999
)

// ParseHours returns the hours that the texts of holidays and dedicated_time describe, "" for
// a file that there is none of, with what is wrong in them. Their local times are in a zone.
// As PBS has it, all is prime time without a file of holidays, and in years that it is not of.
func ParseHours(holidays, dedicated string, zone *time.Location) (*Hours, []Problem) {
	p := hoursParser{hours: &Hours{zone: zone, holidays: map[int]bool{}}, isOfWeekday: map[int]bool{}}
	p.holidays(holidays)
	p.dedicated(dedicated)
	return p.hours, p.problems
}

// ReadHours returns what ParseHours does of the files of a sched_priv. Times are printed in a zone that may be another one than that of
// the files.
func ReadHours(dir file.Dir, zone, shown *time.Location) (*Hours, []Problem) {
	const most = 16 << 20
	var texts [2]string
	var problems []Problem
	for i, name := range []string{pbs.HolidaysFile, pbs.DedicatedFile} {
		text, err := dir.Read(name, most)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			problems = append(problems, Problem{File: name, Message: err.Error()})
			continue
		}
		texts[i] = text
	}
	hours, more := ParseHours(texts[0], texts[1], zone)
	hours.shown = shown
	return hours, append(problems, more...)
}

type hoursParser struct {
	hours    *Hours
	file     string
	line     int
	problems []Problem

	isOfWeekday map[int]bool // by line, whether it is of all weekdays
}

func (p *hoursParser) warn(format string, args ...any) {
	const most = 100
	if len(p.problems) < most {
		p.problems = append(p.problems, Problem{p.file, p.line, fmt.Sprintf(format, args...)})
	}
}

// words calls a function for each line that is neither empty nor a comment.
func (p *hoursParser) words(text string, each func(words []string)) {
	p.line = 0
	for line := range strings.Lines(text) {
		p.line++
		line = strings.TrimSpace(line)
		if line != "" && line[0] != '#' && line[0] != '*' {
			each(strings.Fields(line))
		}
	}
	p.line = 0
}

// weekdays are the names that lines about days begin with, and which days each means.
var weekdays = map[string][]time.Weekday{
	"weekday": {time.Monday, time.Tuesday, time.Wednesday, time.Thursday, time.Friday},
	"sunday":  {time.Sunday}, "monday": {time.Monday}, "tuesday": {time.Tuesday}, "wednesday": {time.Wednesday},
	"thursday": {time.Thursday}, "friday": {time.Friday}, "saturday": {time.Saturday},
}

func (p *hoursParser) holidays(text string) {
	p.file = pbs.HolidaysFile
	if text == "" {
		return
	}
	h := p.hours
	told := map[time.Weekday]int{} // by which line
	isFirst, yearOf := true, 0
	year := func(words []string) {
		if h.year != 0 {
			p.warn("it tells a year again: that of line %d does not count", yearOf)
		}
		p.year(words[0])
		yearOf = p.line
		p.behind(words[1:])
	}
	p.words(text, func(words []string) {
		days, isDay := weekdays[strings.ToLower(words[0])]
		number, err := strconv.Atoi(words[0])
		switch {
		case strings.EqualFold(words[0], "YEAR"):
			if len(words) < 2 {
				p.warn("YEAR has no year")
			} else {
				year(words[1:])
			}
		case isDay:
			p.weekday(words, days, told)
		case err == nil && isFirst && number >= oldestYear && number <= newestYear:
			year(words[:1]) // as in files of old
		case err == nil:
			p.holiday(number, words)
		default:
			p.warn("%q is none of YEAR, a day of the week and the number of a day", shorten(words[0]))
		}
		isFirst = false
	})
	if h.year == 0 {
		p.warn("it tells no year, so that all is prime time")
		return
	}
	var untold []string
	for d := range h.days {
		if told[time.Weekday(d)] == 0 {
			untold = append(untold, strings.ToLower(time.Weekday(d).String()))
		}
	}
	switch n := len(untold); n {
	case 0:
	case len(h.days):
		p.warn("it says nothing of any day of the week: all are taken as prime time")
	case 1:
		p.warn("it says nothing of %s, which is taken as prime time", untold[0])
	default:
		p.warn("it says nothing of %s and %s, which are taken as prime time", strings.Join(untold[:n-1], ", "), untold[n-1])
	}
}

func (p *hoursParser) year(text string) {
	year, err := strconv.Atoi(text)
	if err != nil || year != 0 && (year < oldestYear || year > newestYear) {
		p.warn("%q is no year", shorten(text))
		return
	}
	p.hours.year = year
}

// weekday reads a line about days of the week: DAY PRIME NONPRIME.
func (p *hoursParser) weekday(words []string, days []time.Weekday, told map[time.Weekday]int) {
	const needed = 3
	if len(words) < needed {
		p.warn("expected %s and when prime and non-prime time begin", words[0])
		return
	}
	prime, ok := p.begin(words[1])
	nonPrime, alsoOK := p.begin(words[2])
	if !ok || !alsoOK {
		return
	}
	p.behind(words[needed:])
	isOne := len(days) == 1
	switch {
	case isOne && told[days[0]] != 0 && !p.isOfWeekday[told[days[0]]]:
		p.warn("it tells of %s again: line %d does not count", words[0], told[days[0]])
	case !isOne && !slices.ContainsFunc(days, func(d time.Weekday) bool { return told[d] == 0 }):
		p.warn("it changes nothing: each of its days is told of above")
	}
	for _, d := range days {
		if !isOne && told[d] != 0 {
			continue // a line of its own says more than the one of all weekdays
		}
		p.hours.days[d], told[d] = day{prime, nonPrime}, p.line
	}
	p.isOfWeekday[p.line] = !isOne
}

// behind says of words behind those that a line needs that they do not count, but for a comment.
func (p *hoursParser) behind(words []string) {
	if len(words) > 0 && !strings.HasPrefix(words[0], "#") {
		p.warn("%q behind it does not count", shorten(strings.Join(words, " ")))
	}
}

// begin reads when a kind of time begins: HHMM, all or none.
func (p *hoursParser) begin(word string) (b begin, ok bool) {
	const hour, perHour, perDay = 100, 60, 24
	switch strings.ToLower(word) {
	case "all":
		return begin{all: true}, true
	case "none":
		return begin{none: true}, true
	}
	n, err := strconv.Atoi(word)
	if err != nil || n < 0 || n/hour >= perDay || n%hour >= perHour {
		p.warn("%q is neither HHMM nor all nor none", shorten(word))
		return b, false
	}
	b.minutes = n/hour*perHour + n%hour
	return b, true
}

// holiday reads a line about a holiday: DAY_OF_YEAR DATE NAME. As in PBS, the number counts.
func (p *hoursParser) holiday(number int, words []string) {
	h := p.hours
	if number < 1 || number > mostHolidays {
		p.warn("%d is no day of a year", number)
		return
	}
	h.holidays[number] = true
	const dated = 3
	if len(words) < dated || h.year == 0 {
		return
	}
	date := time.Date(h.year, time.January, number, 0, 0, 0, 0, time.UTC)
	if month, err := time.Parse("Jan", words[1][:min(len(words[1]), 3)]); err == nil {
		day, err := strconv.Atoi(words[2])
		if last := time.Date(h.year, month.Month()+1, 0, 0, 0, 0, 0, time.UTC).Day(); err == nil && (day < 1 || day > last) {
			p.warn("%s %s is no date of %d: day %d, which PBS takes, is %s", words[1], words[2], h.year, number, date.Format("Jan 2"))
			return
		}
	}
	for _, layout := range []string{"Jan 2 2006", "January 2 2006"} {
		said, err := time.Parse(layout, fmt.Sprintf("%s %s %d", words[1], words[2], h.year))
		if err == nil && said != date {
			p.warn("day %d of %d is %s and not %s, and PBS takes the number", number, h.year, date.Format("Jan 2"), said.Format("Jan 2"))
			return
		}
	}
}

// dedicated reads lines with the begin and the end of a dedicated time. As in PBS, 24:00 is the end of a day.
func (p *hoursParser) dedicated(text string) {
	p.file = pbs.DedicatedFile
	h := p.hours
	p.words(text, func(words []string) {
		const needed = 4
		read := func(date, clock string) (time.Time, error) {
			days := 0
			if clock == "24:00" {
				days, clock = 1, "00:00"
			}
			at, err := time.ParseInLocation("1/2/2006 15:04", date+" "+clock, h.zone)
			return at.AddDate(0, 0, days), err
		}
		if len(words) < needed {
			p.warn("expected MM/DD/YYYY HH:MM MM/DD/YYYY HH:MM")
			return
		}
		from, err := read(words[0], words[1])
		to, wrong := read(words[2], words[3])
		switch {
		case cmp.Or(err, wrong) != nil:
			p.warn("expected MM/DD/YYYY HH:MM MM/DD/YYYY HH:MM")
		case from.Year() < oldestYear || to.Year() > newestYear:
			p.warn("its year does not lie between %d and %d", oldestYear, newestYear)
		case !from.Before(to):
			p.warn("it does not end after its begin")
		case len(h.dedicated) == mostDedicated:
			p.warn("it has more than %d dedicated times", mostDedicated)
		default:
			p.behind(words[needed:])
			h.dedicated = append(h.dedicated, Span{from.Unix(), to.Unix()})
		}
	})
	h.dedicated = merged(h.dedicated)
}

// merged returns spans by their time, those that touch as one.
func merged(spans []Span) []Span {
	slices.SortFunc(spans, func(a, b Span) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	var all []Span
	for _, s := range spans {
		if n := len(all); n > 0 && s.From <= all[n-1].To {
			all[n-1].To = max(all[n-1].To, s.To)
			continue
		}
		all = append(all, s)
	}
	return all
}

// shorten returns a word as far as it is worth showing.
func shorten(word string) string {
	const most = 40
	if len(word) <= most {
		return word
	}
	return word[:most] + "…"
}
