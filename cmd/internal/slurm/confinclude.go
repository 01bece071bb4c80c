package slurm

import (
	"fmt"
	"io/fs"
	"iter"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pattern"
)

// Place is where a line of a slurm.conf stands.
type Place struct {
	File string // which it includes, by its path beside it; "" for itself
	Line int    // of several that are joined, the last
}

func (p Place) String() string { return file.PlaceOf(p.File, p.Line) }

// Prefix returns what a text begins with of what stands there, such as "line 7: ", "" where nothing tells the line.
func (p Place) Prefix() string {
	if p.Line == 0 {
		return ""
	}
	return p.String() + ": "
}

// placed is a text that begins with where what it says stands.
var placed = pattern.Of(`^line (\d+)(?: of (\S+))?: `)

// CutPlace returns where that stands of which a text of a configuration says something, the zero Place where it does not tell, and the
// rest of the text.
func CutPlace(text string) (Place, string) {
	m := placed().FindStringSubmatch(text)
	if m == nil {
		return Place{}, text
	}
	line, _ := strconv.Atoi(m[1])
	return Place{File: m[2], Line: line}, text[len(m[0]):]
}

// confLine is a line of slurm.conf without comments, with those joined to it that go on.
type confLine struct {
	Place
	Text string
	Left string // of a line that includes a file which is not read, that and why; "" for every other line
}

// Bounds of the files that a slurm.conf includes.
const (
	deepestInclude = 8
	mostIncludes   = 1000
	mostIncluded   = 64 << 20 // bytes of all of them
)

// Beside is where a slurm.conf stands: the folder from which it includes files, and its own name there, "" where that is not known.
type Beside struct {
	file.Dir
	Self  string
	Texts map[string]string // of the files that were read there, by their paths, where they are kept for whoever reads it next; may be nil
}

// confLines yields the lines of slurm.conf, and in place of each Include those of the file that it names. Slurm takes that from the
// folder of slurm.conf, or by its path on that host; here it is looked for beside slurm.conf alone, by its path there or by its
// last name.
func confLines(text string, beside Beside) iter.Seq[confLine] {
	return func(yield func(confLine) bool) {
		texts := beside.Texts
		if texts == nil {
			texts = map[string]string{}
		}
		r := &confReader{beside: beside.Dir, yield: yield, within: []string{beside.Self}, texts: texts}
		r.read("", text)
	}
}

// confReader reads a slurm.conf with what it includes.
type confReader struct {
	beside  file.Dir
	yield   func(confLine) bool
	cluster string   // ClusterName as far as it is read
	within  []string // the files whose lines are read, slurm.conf itself first, the innermost last
	texts   map[string]string
	files   int   // that are included, each as often as it is
	bytes   int64 // of these
	isFull  bool  // whether one was left out since there are too many, which is said
}

// isInclude finds lines that include a file, and clusterName those that name the cluster.
var (
	isInclude   = pattern.Of(`(?i)^\s*include\s+([^\s=]\S*)`)
	clusterName = pattern.Of(`(?i)^\s*ClusterName\s*=\s*"?([^\s"]+)`)
)

// read yields the lines of a file, and reports whether to go on.
func (r *confReader) read(name, text string) bool {
	for number, line := range ownLines(text) {
		at := confLine{Place: Place{name, number}, Text: line}
		m := isInclude().FindStringSubmatch(line)
		if m == nil {
			if of := clusterName().FindStringSubmatch(line); of != nil {
				r.cluster = of[1]
			}
			if !r.yield(at) {
				return false
			}
			continue
		}
		included, text, why := r.open(strings.Trim(m[1], `"`))
		if included == "" && why == "" {
			continue
		}
		if why != "" {
			at.Left = "Include " + shortened(m[1]) + " is not followed: " + why
			if !r.yield(at) {
				return false
			}
			continue
		}
		r.within = append(r.within, included)
		goesOn := r.read(included, text)
		if r.within = r.within[:len(r.within)-1]; !goesOn {
			return false
		}
	}
	return true
}

// open returns a file that is included, by its path beside slurm.conf, or why it is not read: nothing where that is said already.
func (r *confReader) open(name string) (at, text, why string) {
	if strings.Contains(name, "%c") && r.cluster == "" {
		return "", "", "no ClusterName stands before it, which %c is"
	}
	name = path.Clean(strings.ReplaceAll(name, "%c", r.cluster))
	names := []string{path.Base(name)}
	if isWithin := !path.IsAbs(name) && filepath.IsLocal(name); isWithin && name != names[0] {
		names = []string{name, names[0]}
	}
	for _, at := range names {
		if r.beside.Name == "" || !filepath.IsLocal(at) {
			continue
		}
		info, err := fs.Stat(r.beside.FS, at)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		switch {
		case slices.Contains(r.within, at):
			return "", "", at + " is read already, and would include itself for ever"
		case len(r.within) > deepestInclude:
			return "", "", "files are followed that stand in " + strings.Join(r.within[1:], " in ") + ", and no deeper"
		case r.isFull:
			return "", "", ""
		case r.files == mostIncludes || r.bytes+info.Size() > mostIncluded:
			r.isFull = true
			return "", "", fmt.Sprintf("at most %d files of %d MB together are, and none behind them", mostIncludes, mostIncluded>>20)
		}
		text, isRead := r.texts[at]
		if !isRead {
			if text, err = r.beside.Read(at, mostIncluded-r.bytes); err != nil {
				continue
			}
			r.texts[at] = text
		}
		r.files++
		r.bytes += int64(len(text))
		return at, text, ""
	}
	return "", "", "no such file stands beside it: put it there, or the lines themselves in its place"
}

// ownLines yields the lines of a file without comments, each with the number of its last line: one that ends in an odd
// number of backslashes, perhaps with blanks behind, goes on in the next (Slurm's parse_config.c, _get_next_line).
func ownLines(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		number, isOpen := 0, false
		var joined strings.Builder
		for line := range strings.Lines(text) {
			number++
			line = strings.TrimRight(line, "\r\n")
			if hash := strings.IndexByte(line, '#'); hash >= 0 && (hash == 0 || line[hash-1] != '\\') {
				line = line[:hash]
			}
			before := strings.TrimRight(line, " \t\r")
			slashes := len(before) - len(strings.TrimRight(before, `\`))
			if isOpen = slashes%2 == 1; isOpen {
				joined.WriteString(before[:len(before)-1])
				continue
			}
			joined.WriteString(line)
			if !yield(number, joined.String()) {
				return
			}
			joined.Reset()
		}
		if isOpen {
			yield(number, joined.String())
		}
	}
}

// confSetting is a setting of slurm.conf, with where it stands.
type confSetting struct {
	Name, Value string
	At          Place
}

// ConfSettings returns the settings of slurm.conf, without lines of nodes, partitions and such, and those that cannot be read: those
// that were set last first, which count in Slurm.
func ConfSettings(text string, beside Beside) (list []confSetting) {
	for line := range confLines(text, beside) {
		fields, err := pairs(line.Text)
		if err != nil || line.Left != "" || len(fields) > 0 && slices.Contains(repeated, strings.ToLower(fields[0][0])) {
			continue
		}
		for _, f := range fields {
			list = append(list, confSetting{f[0], f[1], line.Place})
		}
	}
	slices.Reverse(list)
	return list
}

// Included returns the files beside slurm.conf that it includes.
func Included(text string, beside Beside) map[string]bool {
	of := map[string]bool{}
	for line := range confLines(text, beside) {
		if line.File != "" {
			of[line.File] = true
		}
	}
	return of
}
