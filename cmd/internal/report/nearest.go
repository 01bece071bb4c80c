package report

import (
	"slices"
	"strconv"
	"strings"
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
func nearest(word string, names []string, most int) (at, by int) {
	at, by = -1, most
	for i, name := range names {
		d := distance(word, name)
		if hasNoneInCommon := word != "" && d == max(len(word), len(name)); !hasNoneInCommon && (d < by || d == by && at >= 0 && name < names[at]) {
			at, by = i, d
		}
	}
	return at, by
}

// distance returns how many letters are to be put in, left out or replaced to make one word of another, where two neighbours that
// have changed places count once.
func distance(a, b string) int {
	from, to := []rune(a), []rune(b)
	before, last, row := make([]int, len(to)+1), make([]int, len(to)+1), make([]int, len(to)+1) // of the begins of a by two letters shorter, by one, and this
	for k := range last {
		last[k] = k
	}
	for i, x := range from {
		row[0] = i + 1
		for k, y := range to {
			other := 1
			if x == y {
				other = 0
			}
			row[k+1] = min(last[k+1]+1, row[k]+1, last[k]+other)
			if i > 0 && k > 0 && x == to[k-1] && from[i-1] == y {
				row[k+1] = min(row[k+1], before[k-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(to)]
}

// Typo returns the name from which a word differs by a letter or two alone, in whatever letters, "" if there is none or the
// word is one of them.
func Typo(word string, names []string) string {
	const most = 2 // letters
	lower := make([]string, len(names))
	for i, name := range names {
		lower[i] = strings.ToLower(name)
	}
	at, by := nearest(strings.ToLower(word), lower, most+1)
	if at < 0 || by == 0 {
		return ""
	}
	return names[at]
}

// Slip returns the name from which a word differs by a third of its letters at most, at least by one, "" for none.
func Slip(word string, names []string) string {
	const part = 3
	if at, _ := nearest(word, names, max(1, len(word)/part)+1); at >= 0 {
		return names[at]
	}
	return ""
}

// NearestResource is Nearest of a resource, of which people leave out what stands before the slash: gpus is gres/gpu.
func NearestResource(word string, names []string) string {
	base := func(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }
	var bases []string
	for _, name := range names {
		bases = append(bases, base(name))
	}
	if at := slices.Index(bases, Nearest(base(word), bases)); at >= 0 {
		return names[at]
	}
	return ""
}

// Meant asks behind a message whether a name was meant; "" for none.
func Meant(name string) string {
	if name == "" {
		return ""
	}
	return "; did you mean " + name + "?"
}

// NoSuch says that nothing of a kind has a name, which one was meant perhaps, and which there are: all of them where they are
// few, and else the nearest.
func NoSuch(kind, name string, names []string) string {
	text := "there is no " + kind + " " + name
	if near := Nearest(name, names); near != "" {
		text += Meant(near)
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
		distances[name] = distance(word, strings.ToLower(name))
	}
	near := slices.Clone(names)
	slices.SortStableFunc(near, func(a, b string) int { return distances[a] - distances[b] })
	near = near[:min(most, len(near))]
	slices.Sort(near)
	return near
}
