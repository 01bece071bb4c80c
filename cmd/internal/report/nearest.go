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
