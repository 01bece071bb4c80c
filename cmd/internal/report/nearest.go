package report

import (
	"slices"
	"strconv"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Nearest returns the name that a word was meant for perhaps, of several the first in their order,
// "" if none is like it.
func Nearest(word string, names []string) string {
	const part, least = 3, 2 // so much of a word may be other
	at, _ := nearest(word, names, len(word)/part+least)
	if at < 0 {
		return ""
	}
	return names[at]
}

// nearest returns which of several names is nearest to a word, of several the first in their order, and by how many letters it
// differs: by fewer than most, and -1 where none is so near.
func nearest(word string, names []string, most int) (at, distance int) {
	at, distance = -1, most
	for i, name := range names {
		if d := levenshtein.ComputeDistance(word, name); d < distance || d == distance && at >= 0 && name < names[at] {
			at, distance = i, d
		}
	}
	return at, distance
}

// Typo returns the name from which a word differs by a letter or two alone, in whatever letters, "" if there is none or the
// word is one of them.
func Typo(word string, names []string) string {
	const most = 2 // letters
	lower := make([]string, len(names))
	for i, name := range names {
		lower[i] = strings.ToLower(name)
	}
	at, distance := nearest(strings.ToLower(word), lower, most+1)
	if at < 0 || distance == 0 {
		return ""
	}
	return names[at]
}

// NoSuch says that nothing of a kind has a name, which one was meant perhaps, and which there are: all of them where they are
// few, and else the nearest.
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
	start := " There"
	if strings.HasSuffix(text, ";") {
		start = " there"
	}
	sorted := slices.Compact(slices.Sorted(slices.Values(names)))
	const most, shown = 10, 5
	if len(sorted) <= most {
		return text + start + " are " + strings.Join(sorted, ", ")
	}
	return text + start + " are " + strconv.Itoa(len(sorted)) + ", of which the nearest are " + strings.Join(nearestOf(name, sorted, shown), ", ")
}

// nearestOf returns so many of several names that are nearest to a word, in the order of the names.
func nearestOf(word string, names []string, most int) []string {
	word = strings.ToLower(word)
	distances := make(map[string]int, len(names))
	for _, name := range names {
		distances[name] = levenshtein.ComputeDistance(word, strings.ToLower(name))
	}
	near := slices.Clone(names)
	slices.SortStableFunc(near, func(a, b string) int { return distances[a] - distances[b] })
	near = near[:min(most, len(near))]
	slices.Sort(near)
	return near
}
