package diag

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/pattern"
	"fairshare/cmd/internal/report"
)

// Bounds of what stands with an answer where not all notes are wanted, beside where the answer comes from and what is of what was asked for.
const (
	mostLines = 3
	width     = 150 // bytes of a line, up to the end of a clause
)

// brief returns the lines that stand with an answer where not all notes are wanted, a few: where the answer comes from, what is of
// what was asked for, and those that bear on it most, the last of which counts the others.
func brief(lines []Remark) []Remark {
	lines = slices.DeleteFunc(slices.Clone(lines), func(r Remark) bool { return r.shown() == "" })
	slices.SortStableFunc(lines, func(a, b Remark) int { return cmp.Compare(a.rank(), b.rank()) })
	shown, others := 0, 0
	for shown < len(lines) && (lines[shown].isAlways() || others < mostLines) {
		if r := &lines[shown]; !r.isAlways() {
			*r = r.within(width)
			others++
		}
		shown++
	}
	if left := lines[shown:]; len(left) > 0 {
		last := &lines[shown-1]
		last.Short = strings.TrimSuffix(last.shown(), wholly) + " (" + counted(left) + " with --notes)"
		last.Under = ""
	}
	return lines[:shown]
}

// wholly stands behind what is not shown as a whole.
const wholly = " (--notes)"

// within returns a remark of which at most so many bytes are shown: without what stands in brackets if that is enough, or else as many
// clauses as there is room for.
func (r Remark) within(most int) Remark {
	text := r.shown()
	if len(text) <= most || r.Under != "" { // whose parts have bounds of their own
		return r
	}
	where, what := "", text // the place in a file, which is not shortened
	if at := strings.Index(text, ": "); at > 0 && !strings.Contains(text[:at], " ") {
		where, what = text[:at+2], text[at+2:]
	}
	if len(what) <= most {
		return r
	}
	if r.Short = where + report.WithoutBrackets(what); len(r.Short)-len(where) > most {
		r.Short = where + clause(what, most)
	}
	r.Short += wholly
	return r
}

// counted counts remarks that are not shown, and says how many of them are warnings.
func counted(left []Remark) string {
	warnings := 0
	for _, r := range left {
		if r.Kind == Warning {
			warnings++
		}
	}
	switch warnings {
	case 0:
		return fmt.Sprintf("%d more", len(left))
	case len(left):
		return report.Count(warnings, "more warning")
	case 1:
		return fmt.Sprintf("%d more, one of them a warning,", len(left))
	}
	return fmt.Sprintf("%d more, %d of them warnings,", len(left), warnings)
}

var flagsInBrackets = pattern.Of(`\s*\((?:--|formula )[^()]*\)`)

// Foremost returns in few words which of some remarks does most to an answer, the first of those that do alike, and how many more
// there are: "" for none. Flags and commands that it names in brackets are left out, since a page is read by others than those who type them.
func Foremost(remarks []Remark) string {
	const clear = 110 // bytes
	if len(remarks) == 0 {
		return ""
	}
	first := slices.MinFunc(remarks, func(a, b Remark) int { return cmp.Compare(a.rank(), b.rank()) })
	text := clause(flagsInBrackets().ReplaceAllString(first.shown(), ""), clear)
	if more := len(remarks) - 1; more > 0 {
		text += fmt.Sprintf("; and %d more, see below", more)
	}
	return text
}

// Ranks of remarks.
const (
	placeRank   = iota
	verdictRank // that a record disagrees with the rules, or that an unknown part of the input is missing
	askedRank   // what is of what was asked for
	lackRank    // what of the site is not modelled
	damageRank  // what is lost of the input
	warningRank
	noteRank
)

// rank orders remarks by what they do to an answer.
func (r Remark) rank() int {
	switch {
	case r.Under == Place:
		return placeRank
	case r.IsVerdict && r.Kind == Warning, r.IsCut:
		return verdictRank
	case r.Tried != "" || r.IsOfAsked:
		return askedRank
	case strings.HasPrefix(r.shown(), NotModelled+": "): // alone, or several in one line
		return lackRank
	case r.IsDamage:
		return damageRank
	case r.Kind == Warning:
		return warningRank
	}
	return noteRank
}

// isAlways reports whether a remark stands with each answer, and whole: also that an unknown part of it is missing.
func (r Remark) isAlways() bool { return r.rank() == placeRank || r.rank() == askedRank || r.IsCut }

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

// clause returns the beginning of a text of at most so many bytes, up to where a clause of it ends, with a mark where that is not all.
func clause(text string, most int) string {
	if len(text) <= most {
		return text
	}
	least := most / 3 // so that the name of a file is not all
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
