package fstree

import (
	"fmt"
	"strings"
)

// maxLine is how much of a line PBS's fgets takes at once; the rest of a
// longer line is read as a line of its own.
const maxLine = 255

// GroupProblem is a line of resource_group that PBS rejects and skips.
type GroupProblem struct {
	Line   int    // counted as PBS counts, where a long line is several
	Cause  string // PBS's own line about it, often none
	Detail string // ours
}

// Error is what PBS prints about the line.
func (p GroupProblem) Error() string {
	s := fmt.Sprintf("resgroup: error on line %d.", p.Line)
	if p.Cause != "" {
		s = p.Cause + "\n" + s
	}
	return s
}

// ParseResourceGroup reads the text of a resource_group file, whose lines are
//
//	NAME  CRESGROUP  PARENT  SHARES
//
// as PBS's parse_group: lines that begin with # or * are comments, a parent
// comes before its children, numbers are cut to 32 bits, further words are
// ignored. Rejected lines are returned and left out. The percentages are
// stale until CalcPercentages. The tree keeps text in memory.
func ParseResourceGroup(text string, unknownShares int32) (*Tree, []GroupProblem) {
	t := New(unknownShares, strings.Count(text, "\n")+1)
	var problems []GroupProblem
	for number := 1; text != ""; number++ {
		var line string
		line, text = cutLine(text)
		if skipLine(line) {
			continue
		}
		if p, ok := t.parseLine(line); !ok {
			p.Line = number
			problems = append(problems, p)
		}
	}
	return t, problems
}

// cutLine takes what fgets would, without the newline and what follows a NUL.
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

// skipLine tells whether a line is blank or a comment, as PBS's skip_line.
func skipLine(line string) bool {
	for i := range len(line) {
		if !isSpace(line[i]) {
			return line[i] == '#' || line[i] == '*'
		}
	}
	return true
}

func (t *Tree) parseLine(line string) (GroupProblem, bool) {
	name, line := cutWord(line)
	cresgroup, line := cutWord(line)
	parent, line := cutWord(line)
	shares, _ := cutWord(line)
	if shares == "" {
		return GroupProblem{Detail: "expected NAME CRESGROUP PARENT SHARES"}, false
	}
	_, slot, taken := t.byName.find(name, t.name)
	if taken {
		return GroupProblem{
			Cause:  fmt.Sprintf("entity %s is not unique", name),
			Detail: fmt.Sprintf("%q stands above already", name),
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
		return GroupProblem{
			Cause:  fmt.Sprintf("Parent ginfo of %s doesnt exist.", name),
			Detail: fmt.Sprintf("no line above defines the parent %q", parent),
		}, false
	}
	cg, rest := strtol(cresgroup)
	if rest != "" {
		return GroupProblem{Detail: fmt.Sprintf("cresgroup %q is no integer", cresgroup)}, false
	}
	sh, rest := strtol(shares)
	if rest != "" {
		return GroupProblem{Detail: fmt.Sprintf("shares %q is no integer", shares)}, false
	}
	t.add(name, slot, p, int32(cg), int32(sh))
	return GroupProblem{}, true
}

// cutWord takes the next word between blanks and tabs, as strtok.
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
