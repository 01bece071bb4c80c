package pbs

import (
	"slices"
	"strings"
)

// shellPart is a command of a line of a shell.
type shellPart struct {
	leads  []string // the words before it that lead to it, such as then or {
	text   string   // "" where these stand alone
	after  string   // what stands before it: "" for nothing, or ; && || |
	branch int      // of the script's branches, the one that it is in, which a condition decides; 0 for none
	isElse bool     // whether it is done where a call of qmgr fails

	isSession bool // whether it is a call of qmgr that the next lines are given to
}

func (part shellPart) String() string {
	return strings.Join(append(slices.Clone(part.leads), part.text), " ")
}

// isIdle reports whether a command is none for qmgr, and none that is of any matter.
func (part shellPart) isIdle() bool {
	if part.isElse && !callsQmgr(part.text) {
		return true
	}
	return otherwise().MatchString(part.text) && !substituted().MatchString(part.text)
}

// shellParts cuts a line of a shell into its commands. A comment at its end is none.
func shellParts(line string) (parts []shellPart) {
	open, from, after := byte(0), 0, ""
	end := func(at int, next string) {
		part := shellPart{text: strings.TrimSpace(line[from:at]), after: after}
		for lead := leading().FindStringSubmatch(part.text); lead != nil; lead = leading().FindStringSubmatch(part.text) {
			part.leads = append(part.leads, lead[1]+lead[2])
			part.text = part.text[len(lead[0]):]
		}
		if from, after = at+len(next), next; part.text != "" || part.leads != nil {
			parts = append(parts, part)
		}
	}
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case c == '\\' && open != '\'':
			i++
		case open != 0:
			if c == open {
				open = 0
			}
		case c == '\'' || c == '"':
			open = c
		case c == '#' && i > 0 && (line[i-1] == ' ' || line[i-1] == '\t') && strings.TrimSpace(line[:i]) != "":
			end(i, "")
			return parts
		case c == ';' || c == '|' || strings.HasPrefix(line[i:], "&&"):
			next := line[i : i+1]
			if strings.HasPrefix(line[i:], "||") || c == '&' {
				next = line[i : i+2]
			}
			end(i, next)
			i += len(next) - 1
		}
	}
	end(len(line), "")
	return parts
}

// shellBlocks are the blocks of a script in which a command stands, the innermost one last.
type shellBlocks struct {
	open []shellBlock
	made int // branches so far
}

// shellBlock is what stands between { and }, ( and ), do and done, or if and fi.
type shellBlock struct {
	word     string // that ends it
	branch   int    // of an if, as that of a shellPart
	isElse   bool   // whether what comes now is done where a call of qmgr fails
	isInside bool   // of an if, whether its condition has ended
	isSure   bool   // of an if, whether it asks only if a call of qmgr does its work, as it is taken to do
	isNot    bool   // of an if, whether it asks if that fails
}

// place says of the next command of a script where it stands.
func (b *shellBlocks) place(part *shellPart) {
	isCall := qmgrCall().MatchString(part.text)
	if at := len(b.open) - 1; at >= 0 && !b.open[at].isInside && part.leads == nil && !isCall {
		b.open[at].isSure = false
	}
	part.isElse = part.after == "||"
	for _, lead := range part.leads {
		switch at := len(b.open) - 1; {
		case lead == "if":
			b.open = append(b.open, shellBlock{word: "fi", isSure: isCall, isNot: slices.Contains(part.leads, "!")})
		case lead == "do":
			b.open = append(b.open, shellBlock{word: "done", isInside: true})
		case lead == "{" || lead == "(":
			b.open = append(b.open, shellBlock{word: map[string]string{"{": "}", "(": ")"}[lead], isElse: part.isElse, isInside: true})
		case (lead == "then" || lead == "elif" || lead == "else") && at >= 0 && b.open[at].word == "fi":
			b.made++
			b.open[at].turn(lead, b.made)
		}
	}
	if strings.HasSuffix(part.text, "{") { // the head of a function
		b.open = append(b.open, shellBlock{word: "}", isInside: true})
	}
	for _, block := range b.open {
		if part.isElse = part.isElse || block.isElse; block.branch > 0 {
			part.branch = block.branch
		}
	}
	last := len(b.open) - 1
	first, _, _ := strings.Cut(part.text, " ")
	switch {
	case last < 0:
	case first == b.open[last].word:
		b.open = b.open[:last]
	case b.open[last].word == ")" && strings.HasSuffix(part.text, ")"):
		part.text = strings.TrimSpace(strings.TrimSuffix(part.text, ")"))
		b.open = b.open[:last]
	}
}

// turn turns to the next branch of an if.
func (b *shellBlock) turn(to string, branch int) {
	if to == "then" {
		b.isElse = b.isElse || b.isSure && b.isNot
	} else if b.isElse = b.isSure && !b.isNot; to == "elif" {
		b.isSure = b.isElse
	}
	if b.isInside, b.branch = to != "elif", branch; b.isSure {
		b.branch = 0 // since it is known which one runs
	}
}

// setBefore is where a script has set an attribute, and to what.
type setBefore struct {
	line, branch int
	value        string
}

// noteBranch says of an attribute that is set otherwise before it that a condition of the script decides which of the two counts.
func (p *objectParser) noteBranch(o *Object, name, value string, line int) {
	if !p.isScript {
		return
	}
	key := o.String() + " " + name
	before, isSet := p.wasSet[key]
	if isSet && p.branch != 0 && before.branch != p.branch && before.value != value {
		p.doubt(line, "%s of %s is set before it as well (line %d), and a condition of the script decides which of the two counts: this one is tried", name, o, before.line)
	}
	if p.wasSet == nil {
		p.wasSet = map[string]setBefore{}
	}
	p.wasSet[key] = setBefore{line, p.branch, value}
}
