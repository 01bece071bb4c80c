// Package diag talks to the person at the terminal. The rules: results go to
// standard output, everything else to standard error, in lines that begin
// with the program's name and "error:", "warning:", "note:" or "hint:", with
// no capital after it and no full stop at the end. Where text is at fault, it
// is shown with a caret below.
package diag

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"fairshare/cmd/internal/report"
)

// Remark is something that a person should know of and that does not stop the
// work. Packages return remarks as values; commands print them.
type Remark struct {
	Kind Kind
	Text string

	// IsDamage says that some of the input was not readable, so that the result
	// is only of the rest.
	IsDamage bool
	// IsLack says that the answer lacks something of what was asked.
	IsLack bool
	// IsOfOthers says that what could not be read are rows of a list of jobs, of which what is said of a job that was
	// found is not.
	IsOfOthers bool
	// IsCut says that an unknown part of the input is missing.
	IsCut bool
	// IsGeneral says that it is of where a site comes from, and neither of what is missing nor of
	// what is assumed.
	IsGeneral bool
	// Short is what is printed of it where not all notes are wanted, "" for the text; of a general one, "" is nothing.
	Short string
	// IsSite says, of those under Place, that it names the site, which stands before all else.
	IsSite bool
	// Under is what remarks have in common of which each is a part of one line where not all notes are wanted, such as "not modelled",
	// "" for a line of its own.
	Under string
	// File and Line are where what it is about stands, which its text begins with; "" for no file, and 0 for one as a whole.
	File string
	Line int
	// IsWrong says that what stands there does not count, or not as it is written.
	IsWrong bool
	// IsOfPeople says that it names or counts people or their jobs, which a page for one of them does not show.
	IsOfPeople bool
	// Jobs are the IDs of the jobs that it is about, with a blank before and behind each; "" where it is not about single ones. It is left
	// to all notes in an answer that is about other jobs.
	Jobs string
	// Tried is what of a site is other than the site says, in a remark on that: "server.backfill_depth=3 (was 0)"; "" in another one.
	Tried string
	// IsVerdict says that it is what a record says of the rules by which all is answered: it stands before all other warnings.
	IsVerdict bool
	// IsOfAsked says that it is of what was asked for, such as a setting that changes nothing: it stands whole with the answer.
	IsOfAsked bool
}

// Kind is how much a Remark matters.
type Kind string

// The kinds of remarks.
const (
	Warning Kind = "warning" // it was done, but may not be what was meant
	Note    Kind = "note"    // it is worth knowing
)

// Warningf returns a Warning.
func Warningf(format string, args ...any) Remark {
	return Remark{Kind: Warning, Text: fmt.Sprintf(format, args...)}
}

// Damagef returns a Warning that some of the input was not readable.
func Damagef(format string, args ...any) Remark {
	return Remark{Kind: Warning, Text: fmt.Sprintf(format, args...), IsDamage: true}
}

// LeftOutf returns a Warning that rows of a list of jobs are left out, since they were not readable.
func LeftOutf(format string, args ...any) Remark {
	return Remark{Kind: Warning, Text: fmt.Sprintf(format, args...), IsDamage: true, IsOfOthers: true}
}

// Cutf returns a Warning that the input ends too early, so that nobody knows what is
// missing.
func Cutf(format string, args ...any) Remark {
	return Remark{Kind: Warning, Text: fmt.Sprintf(format, args...), IsDamage: true, IsCut: true}
}

// Lackf returns a warning that the answer lacks something of what was asked.
func Lackf(format string, args ...any) Remark {
	return Remark{Kind: Warning, Text: fmt.Sprintf(format, args...), IsLack: true}
}

// Notef returns a Note.
func Notef(format string, args ...any) Remark {
	return Remark{Kind: Note, Text: fmt.Sprintf(format, args...)}
}

// WhatIf returns a Note on what of a site is other than the site says.
func WhatIf(tried string) Remark {
	return Remark{Kind: Note, Text: "what if: " + tried, Tried: tried}
}

// Generalf returns a Note on where a site comes from.
func Generalf(format string, args ...any) Remark {
	return Remark{Kind: Note, Text: fmt.Sprintf(format, args...), IsGeneral: true}
}

// At returns a remark as one on a line of a file, 0 for the file as a whole.
func (r Remark) At(file string, line int) Remark {
	r.File, r.Line, r.IsWrong = file, line, r.IsWrong || r.IsDamage
	return r
}

// Bare returns the text of a remark on a line of a file without where that stands.
func (r Remark) Bare() string {
	text := strings.TrimPrefix(r.Text, r.File+": ")
	if r.Line > 0 {
		text = strings.TrimPrefix(text, fmt.Sprintf("line %d: ", r.Line))
	}
	return text
}

// Of returns a remark with words before it that say of which of several things it is.
func (r Remark) Of(which string) Remark {
	if r.Text = which + r.Text; r.Short != "" {
		r.Short = which + r.Short
	}
	return r
}

// Further returns remarks with those of another thing that are not among them, which have words before them that say of which they are.
func Further(remarks, others []Remark, which string) []Remark {
	for _, r := range others {
		if !slices.Contains(remarks, r) {
			remarks = append(remarks, r.Of(which))
		}
	}
	return remarks
}

// OfPeople returns a remark as one that names people or their jobs.
func (r Remark) OfPeople() Remark {
	r.IsOfPeople = true
	return r
}

// OfJobs returns a remark as one of some jobs, and so of people.
func (r Remark) OfJobs(ids []string) Remark {
	r.Jobs = " " + strings.Join(ids, " ") + " "
	return r.OfPeople()
}

// OfRules returns a remark as what a record says of the rules by which all is answered.
func (r Remark) OfRules() Remark {
	r.IsVerdict = true
	return r
}

// OfAsked returns a remark as one of what was asked for.
func (r Remark) OfAsked() Remark {
	r.IsOfAsked = true
	return r
}

// Briefly returns a remark with what is printed of it where not all notes are wanted.
func (r Remark) Briefly(format string, args ...any) Remark {
	r.Short = fmt.Sprintf(format, args...)
	return r
}

// Each returns remarks that have something in common, such as "priorities differ", each of one job or the like: at most so many of
// them. Where not all notes are wanted, the first is a line that has some and counts the others.
func Each(head string, texts []string, most int) (remarks []Remark) {
	const few = 2 // of a line
	for i, text := range texts[:min(most, len(texts))] {
		remark := Generalf("%s", text)
		if i == 0 {
			shown := strings.Join(texts[:min(few, len(texts))], "; ")
			if more := len(texts) - few; more > 0 {
				shown += fmt.Sprintf("; and %d more (--notes)", more)
			}
			remark = Notef("%s", text).Briefly("%s: %s", head, shown).OfAsked() // values are what is asked for
		}
		remarks = append(remarks, remark)
	}
	if more := len(texts) - most; more > 0 {
		remarks = append(remarks, Generalf("%d more %s", more, head))
	}
	return remarks
}

// Place is what remarks are under that say where an answer comes from: their line has no other head.
const Place = "place"

// Heads of lines that several parts of a program have remarks for.
const (
	NotModelled = "not modelled"
	NotKnown    = "not known"
)

// Joined returns a remark as a part of the line that all under one head are joined in where not all notes are wanted.
func (r Remark) Joined(head, format string, args ...any) Remark {
	r.Under = head
	return r.Briefly(format, args...)
}

// Placed returns the remarks on a site with one line under Place that has its name and of when it is, in short and in full.
// Where one of them says already what of the site is read, that is the line.
func Placed(remarks []Remark, name, short, full string) []Remark {
	remarks = slices.Clone(remarks)
	for i := range remarks {
		if r := &remarks[i]; r.IsGeneral && r.Short != "" {
			r.Short, r.Under, r.IsSite = r.Short+", "+short, Place, true
			return remarks
		}
	}
	site := Generalf("%s, %s", name, full).Joined(Place, "%s, %s", name, short)
	site.IsSite = true
	return append([]Remark{site}, remarks...)
}

// Printer writes a program's diagnostics.
type Printer struct {
	Program string
	W       io.Writer
	All     bool // whether notes on where a site comes from are printed in full

	// Asked reports whether an answer is about a job; nil where it is about all.
	Asked func(id string) bool

	said map[Remark]bool
	all  []Remark // in the order in which they were said
	held []Remark // those that wait for Release

	isHeld bool
}

// Hold keeps what is said until Release, so that an answer stands before it.
func (p *Printer) Hold() { p.isHeld = true }

// IsHeld reports whether what is said waits for Release.
func (p *Printer) IsHeld() bool { return p.isHeld }

// Drop forgets what was said since Hold where not all notes are wanted, for there is no answer that it stands with. What says that
// input is damaged, missing or does not count as it is written stays, since it may explain why there is none.
func (p *Printer) Drop() {
	if !p.All {
		p.held = slices.DeleteFunc(p.held, func(r Remark) bool { return !r.IsDamage && !r.IsCut && !r.IsWrong })
	}
}

// Release prints what was said since Hold, in a few lines where not all notes are wanted.
func (p *Printer) Release() { p.release(brief) }

// ReleaseWhole prints each line of what was said since Hold, for there is no answer that stands with them.
func (p *Printer) ReleaseWhole() { p.release(func(lines []Remark) []Remark { return lines }) }

func (p *Printer) release(of func(lines []Remark) []Remark) {
	p.isHeld = false
	if p.Asked != nil && !p.All {
		p.held = slices.DeleteFunc(p.held, func(r Remark) bool { return r.Jobs != "" && !slices.ContainsFunc(strings.Fields(r.Jobs), p.Asked) })
	}
	lines := p.joined()
	if !p.All {
		lines = of(lines)
	}
	for _, r := range lines {
		p.Tell(r)
	}
	p.held = nil
}

// joined returns what was said since Hold, with remarks under one head as one, where the first of them stood. Of many it has
// the first, as many as there is room for, and counts the others.
func (p *Printer) joined() []Remark {
	if p.All {
		return verdictFirst(p.held)
	}
	const most, room = 1, 130 // parts of a line, or more of few bytes
	var lines []Remark
	parts, at := map[string][]string{}, map[string]int{}
	for _, r := range p.held {
		i, isThere := at[r.Under]
		switch {
		case r.Under == "":
			lines = append(lines, r)
			continue
		case !isThere:
			at[r.Under] = len(lines)
			lines = append(lines, Remark{Kind: r.Kind, Under: r.Under, IsDamage: r.IsDamage, IsCut: r.IsCut})
		default:
			line := &lines[i]
			line.IsDamage, line.IsCut = line.IsDamage || r.IsDamage, line.IsCut || r.IsCut
			if r.Kind == Warning {
				line.Kind = Warning
			}
		}
		if r.IsSite {
			parts[r.Under] = slices.Insert(parts[r.Under], 0, r.Short)
			continue
		}
		parts[r.Under] = append(parts[r.Under], r.Short)
	}
	for head, i := range at {
		list := parts[head]
		n, length := 0, 0
		for n < len(list) && (n < most || length+len(list[n]) <= room) {
			length += len(list[n])
			n++
		}
		if more := len(list) - n; more > 1 {
			list = append(list[:n:n], fmt.Sprintf("and %d more (--notes)", more))
		}
		lines[i].Short = strings.Join(list, "; ")
	}
	return lines
}

func (p *Printer) line(kind, text string) {
	fmt.Fprintf(p.W, "%s: %s: %s\n", p.Program, kind, report.Printable(text))
}

// Error says why something was not done, behind what was said before.
func (p *Printer) Error(format string, args ...any) {
	p.ReleaseWhole()
	p.line("error", fmt.Sprintf(format, args...))
}

// Hint says what to do about an error or a warning, behind what was said before.
func (p *Printer) Hint(format string, args ...any) {
	p.Release()
	p.line("hint", fmt.Sprintf(format, args...))
}

// Say prints remarks, each once however often it comes. Of many places that are damaged it
// prints the first and counts the others.
func (p *Printer) Say(remarks ...Remark) {
	if p.said == nil {
		p.said = map[Remark]bool{}
	}
	if !p.isHeld {
		p.Hold()
		defer p.Release()
	}
	const most = 10 // places
	damaged := 0
	for _, r := range remarks {
		if r.IsDamage {
			if damaged++; damaged > most {
				continue
			}
		}
		p.say(r)
	}
	if damaged > most {
		p.say(Warningf("and %d more such places", damaged-most))
	}
}

func (p *Printer) say(r Remark) {
	if p.said[r] {
		return
	}
	p.said[r] = true
	p.all = append(p.all, r)
	p.held = append(p.held, r)
}

// Tell prints a remark and does not keep it: one of very many.
func (p *Printer) Tell(r Remark) {
	text := r.Text
	if !p.All {
		text = r.shown()
	}
	if text != "" {
		p.line(string(r.Kind), text)
	}
}

// Said returns the remarks that were said, in their order but for the verdict of a record on the rules, which stands before other
// warnings, for those who read them elsewhere.
func (p *Printer) Said() []Remark { return verdictFirst(p.all) }

// verdictFirst returns remarks with a warning that a record disagrees with the rules before all other warnings.
func verdictFirst(remarks []Remark) []Remark {
	isWarning := func(r Remark) bool { return r.Kind == Warning }
	first := slices.IndexFunc(remarks, isWarning)
	at := slices.IndexFunc(remarks, func(r Remark) bool { return isWarning(r) && r.IsVerdict })
	if at <= first {
		return remarks
	}
	return slices.Insert(slices.Delete(slices.Clone(remarks), at, at+1), first, remarks[at])
}

// Warning says that something was done, but may not be what was meant.
func (p *Printer) Warning(format string, args ...any) { p.Say(Warningf(format, args...)) }

// Note says what is worth knowing.
func (p *Printer) Note(format string, args ...any) { p.Say(Notef(format, args...)) }

// Source shows the part of a line of text around the bytes from start to end,
// and marks them.
func (p *Printer) Source(text string, start, end int) {
	const width = 76
	start, end = clamp(start, len(text)), clamp(end, len(text))
	from := 0
	if end > width {
		from = max(0, start-width/2)
	}
	shown := text[from:min(len(text), from+width)]
	marks := max(1, min(end, from+width)-start)
	fmt.Fprintf(p.W, "  %s\n  %s%s\n", report.Printable(shown), strings.Repeat(" ", start-from), strings.Repeat("^", marks))
}

func clamp(i, most int) int { return max(0, min(i, most)) }
