package diag

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/pattern"
	"fairshare/cmd/internal/report"
)

// brief returns the lines that stand with an answer where not all notes are wanted, a few: where the answer comes from, what is of
// what was asked for, the two that bear on it most, and one of all else.
func brief(lines []Remark) []Remark {
	lines = slices.DeleteFunc(slices.Clone(lines), func(r Remark) bool { return r.shown() == "" })
	slices.SortStableFunc(lines, func(a, b Remark) int { return cmp.Compare(a.rank(), b.rank()) })
	lines = verdictFirst(lines)
	first := 0
	for first < len(lines) && lines[first].rank() == 0 {
		first++
	}
	const most = 3 // lines beside the place
	if len(lines)-first <= most {
		return lines
	}
	first += most - 1
	return append(lines[:first:first], summed(lines[first:]))
}

// summed returns one line of several. It names each warning, for what could mislead is not to be lost, in fewer words where they are
// many, and notes as far as there is room.
func summed(lines []Remark) Remark {
	const (
		most        = 5       // that are named in full clauses, and more only of warnings
		clear, less = 110, 60 // bytes of a clause
	)
	warnings := 0
	for _, r := range lines {
		if r.Kind == Warning {
			warnings++
		}
	}
	named, width := min(len(lines), max(most, warnings)), clear
	if named > most {
		width = less
	}
	var heads []string
	for _, r := range lines[:named] {
		if head := clause(r.shown(), width); !slices.Contains(heads, head) {
			heads = append(heads, head)
		}
	}
	text := strings.Join(heads, "; ")
	if notes := len(lines) - named; notes > 0 {
		text += "; " + report.Count(notes, "more note")
	}
	return Remark{Kind: lines[0].Kind, Text: fmt.Sprintf("also: %s (--notes says more)", text)}
}

var flagsInBrackets = pattern.Of(`\s*\(--[^()]*\)`)

// Foremost returns in few words which of some remarks does most to an answer, the first of those that do alike, and how many more
// there are: "" for none. Flags that it names in brackets are left out, since a page is read by others than those who type them.
func Foremost(remarks []Remark) string {
	const clear = 110 // bytes
	if len(remarks) == 0 {
		return ""
	}
	first := slices.MinFunc(verdictFirst(remarks), func(a, b Remark) int { return cmp.Compare(a.rank(), b.rank()) })
	text := clause(flagsInBrackets().ReplaceAllString(first.shown(), ""), clear)
	if more := len(remarks) - 1; more > 0 {
		text += fmt.Sprintf("; and %d more, see below", more)
	}
	return text
}

// rank orders remarks by what they do to an answer: where it comes from, that a record disagrees with its rules and what is of what was
// asked for, what is lost of the input, warnings, notes.
func (r Remark) rank() int {
	switch {
	case r.Under == Place || r.Tried != "" || r.IsOfAsked, r.IsVerdict && r.Kind == Warning:
		return 0
	case r.IsDamage || r.IsCut:
		return 1
	case r.Kind == Warning:
		return 2
	}
	return 3
}

// shown is what is printed of a remark where not all notes are wanted, "" for nothing.
func (r Remark) shown() string {
	switch {
	case r.Short == "" && r.IsGeneral:
		return ""
	case r.Short == "":
		return r.Text
	case r.Under == "" || r.Under == Place:
		return r.Short
	}
	return r.Under + ": " + r.Short
}

// clause returns the beginning of a text of at most so many bytes, up to where a clause of it ends, with an ellipsis where that is not all.
func clause(text string, most int) string {
	const least = 15 // bytes
	if len(text) <= most {
		return text
	}
	end, blank, depth := 0, most, 0
	for i, c := range text[:most] {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ' ':
			blank = i
		}
		ends := func(with string) bool { return strings.HasPrefix(text[i:], with) }
		if i >= least && depth == 0 && slices.ContainsFunc([]string{": ", "; ", ", ", " ("}, ends) {
			end = i
		}
	}
	if end == 0 {
		end = blank
	}
	return text[:end] + " …"
}
