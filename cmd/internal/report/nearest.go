package report

import (
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Nearest returns the name that a word was meant for perhaps, of several the first in their order,
// "" if none is like it.
func Nearest(word string, names []string) string {
	const part, least = 3, 2 // so much of a word may be other
	best, distance := "", len(word)/part+least
	for _, name := range names {
		if d := levenshtein.ComputeDistance(word, name); d < distance || d == distance && best != "" && name < best {
			best, distance = name, d
		}
	}
	return best
}

// Typo returns the name from which a word differs by a letter or two alone, in whatever letters, "" if there is none or the
// word is one of them.
func Typo(word string, names []string) string {
	const most = 2 // letters
	best, distance := "", most+1
	for _, name := range names {
		if d := levenshtein.ComputeDistance(strings.ToLower(word), strings.ToLower(name)); d < distance {
			best, distance = name, d
		}
	}
	if distance == 0 {
		return ""
	}
	return best
}

// NoSuch says that nothing of a kind has a name, which one was meant perhaps, and which
// there are.
func NoSuch(kind, name string, names []string) string {
	text := "there is no " + kind + " " + name
	if near := Nearest(name, names); near != "" {
		text += "; did you mean " + near + "?"
	} else if len(names) > 0 {
		text += ";"
	}
	if len(names) == 0 {
		return text
	}
	sorted := slices.Sorted(slices.Values(names))
	const most = 10
	if len(sorted) > most {
		sorted = append(sorted[:most], "…")
	}
	if strings.HasSuffix(text, ";") {
		return text + " there are " + strings.Join(sorted, ", ")
	}
	return text + " There are " + strings.Join(sorted, ", ")
}
