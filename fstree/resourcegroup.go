package fstree

import (
	"fmt"
	"math"
	"strings"
)

// maxLine is how much of a line PBS's fgets takes at once; the rest of a
// longer line is read as a line of its own.
const maxLine = 255

// ParseResourceGroup reads the text of a resource_group file, whose lines are
//
//	NAME  CRESGROUP  PARENT  SHARES
//
// as PBS's parse_group: lines that begin with # or * are comments, a parent
// comes before its children, numbers are cut to 32 bits, further words are
// ignored. Lines are counted as PBS counts them, to whom a line of more than
// 255 bytes is several. The lines that PBS rejects and leaves out are returned, and with PBS "" those whose shares it takes without
// a word though they are below 0 or too many.
// The tree keeps text in memory.
func ParseResourceGroup(text string, unknownShares int32) (*Tree, []Problem) {
	t := New(unknownShares, strings.Count(text, "\n")+1)
	var problems []Problem
	for number := 1; text != ""; number++ {
		var line string
		line, text = cutLine(text)
		if skipLine(line) {
			continue
		}
		p, ok := t.parseLine(line)
		if !ok {
			p.PBS += fmt.Sprintf("resgroup: error on line %d.", number)
		}
		if p.Message != "" {
			p.Line = number
			problems = append(problems, p)
		}
	}
	return t, problems
}

// cutLine cuts off what C's fgets would read, without the newline and without
// what follows a NUL.
func cutLine(text string) (line, rest string) {
	end := min(len(text), maxLine)
	next := end
	if i := strings.IndexByte(text[:end], '\n'); i >= 0 {
		end, next = i, i+1
	}
	line, rest = text[:end], text[next:]
	if i := strings.IndexByte(line, 0); i >= 0 {
		line = line[:i]
	}
	return line, rest
}

// skipLine reports whether a line is blank or a comment, as PBS's skip_line.
func skipLine(line string) bool {
	for i := range len(line) {
		if !isSpace(line[i]) {
			return line[i] == '#' || line[i] == '*'
		}
	}
	return true
}

// parseLine adds the node of a line, unless it is rejected, and returns what is wrong with it.
func (t *Tree) parseLine(line string) (Problem, bool) {
	name, line := cutWord(line)
	cresgroup, line := cutWord(line)
	parent, line := cutWord(line)
	shares, line := cutWord(line)
	if shares == "" {
		return Problem{Message: "expected NAME CRESGROUP PARENT SHARES"}, false
	}
	_, slot, taken := t.byName.find(name, t.name)
	if taken {
		return Problem{
			PBS:     fmt.Sprintf("entity %s is not unique\n", name),
			Message: fmt.Sprintf("%q is already defined above", name),
		}, false
	}
	if parent == "root" {
		parent = RootName
	}
	// Most lines name the parent of the line before.
	p := t.parent[len(t.parent)-1]
	if p == none || t.name[p] != parent {
		var known bool
		if p, known = t.Lookup(parent); !known {
			p = none
		}
	}
	if p == none {
		return Problem{
			PBS:     fmt.Sprintf("Parent ginfo of %s doesnt exist.\n", name),
			Message: fmt.Sprintf("no line above defines the parent %q", parent),
		}, false
	}
	cg, rest := strtol(cresgroup)
	if rest != "" {
		return Problem{Message: fmt.Sprintf("cresgroup %q is not an integer", cresgroup)}, false
	}
	sh, rest := strtol(shares)
	if rest != "" {
		return Problem{Message: fmt.Sprintf("shares %q is not an integer", shares)}, false
	}
	t.add(name, slot, p, int32(cg), int32(sh))
	switch {
	case sh < 0 && int64(int32(sh)) == sh:
		return Problem{Message: fmt.Sprintf("the shares of %q are %d: PBS reckons with them, so that percentages of the tree come below 0 or above 100; write 0 or more", name, sh)}, true
	case sh < 0 || sh > math.MaxInt32:
		return Problem{Message: fmt.Sprintf("PBS takes the shares %s of %q for %d", shares, name, int32(sh))}, true
	}
	if behind := strings.TrimSpace(line); behind != "" && behind[0] != '#' {
		return Problem{Counts: true, Message: fmt.Sprintf("%q behind the shares does not count", behind)}, true
	}
	return Problem{}, true
}

// cutWord cuts off the next word between blanks and tabs, as strtok.
func cutWord(s string) (word, rest string) {
	i := 0
	for i < len(s) && (s[i] == ' ' || s[i] == '\t') {
		i++
	}
	s = s[i:]
	i = 0
	for i < len(s) && s[i] != ' ' && s[i] != '\t' {
		i++
	}
	return s[:i], s[i:]
}
