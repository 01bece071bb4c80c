package pbs

import (
	"slices"
	"strings"

	"fairshare/cmd/internal/pattern"
	"fairshare/cmd/internal/report"
)

// Commands for qmgr also come in scripts of a shell, of which these lines are read:
//
//	sudo qmgr -c 'set server backfill_depth = 5' && qmgr -c "set queue workq Priority = 3" || exit 1
//	if ! qmgr -c 'set server backfill_depth = 5' >/dev/null 2>&1; then exit 1; fi
//	qmgr <<EOF                      cat <<EOF | qmgr
//	echo "set queue workq Priority = 3" | qmgr
//
// What else a shell does is no matter, and neither is what it does where qmgr fails. Nothing decides a condition: commands of all
// branches are tried, which is said of an attribute that depends on it.

var (
	leading     = pattern.Of(`^(?:(if|elif|!|while|until|then|else|do|\{)(?:\s+|$)|(\()\s*)`)
	qmgrCall    = pattern.Of(`^(?:[$#]\s+)?(?:(?:time|exec|[A-Z_]+=\S*|sudo(?:\s+-\w+(?:\s+root)?)*)\s+)*(?:/\S*/|\$\{?\w+\}?/\S*/?)?(?:qmgr|\$\{?QMGR\}?)(?:\s+(.*))?$`)
	feeder      = pattern.Of(`^(?:echo|printf)\s+(?:-[en]+\s+)?(.*)$`)
	hereText    = pattern.Of(`^cat\s+<<-?\s*\\?['"]?(\w+)['"]?$`)
	hereBegin   = pattern.Of(`^<<-?\\?(\w*)$`)
	redirection = pattern.Of(`^(?:\d|&)?>{1,2}(&\d|&-|.*)$`)
	otherwise   = pattern.Of(`^(?:(?:echo|printf|true|false|:|exit\s+\d+|return\b.*|fi|done|\}|\)|sleep|logger|date|cd|die)(?:\s.*)?|[A-Z_]+=\S*)?$`)
	substituted = pattern.Of("(?:\\$\\(|`)[^)`]*\\b(?:qmgr|QMGR)\\b")
	scripted    = pattern.Of(`(?m)^#!|\bqmgr\s+(?:-[aenz]+\s+)*-[aenz]*c|\bqmgr\b.*<<|\|\s*(?:sudo\s+)?\S*\bqmgr\b`)
	interpreter = pattern.Of(`^(?:#!|set\s+-[a-z]+(?:\s+\w+)?\s*$|(?:export\s+)?[A-Z_]+=\S*\s*$)`)
)

// callsQmgr reports whether a text may call qmgr.
func callsQmgr(text string) bool {
	return strings.Contains(text, "qmgr") || strings.Contains(text, "QMGR")
}

// isOfShell reports whether a line is one of a shell that gives qmgr nothing itself: it begins or ends what a session of qmgr is
// given, or is about other things.
func (p *objectParser) isOfShell(line string) bool {
	p.parts = nil
	switch {
	case p.session != "" && strings.TrimSpace(line) == p.session:
		p.session, p.branch, p.isSkipping = "", 0, false
		return true
	case p.session != "":
		return p.isSkipping
	case interpreter().MatchString(line):
		return true
	case !p.isScript && !callsQmgr(line):
		return false
	}
	p.parts = shellParts(line)
	for i := range p.parts {
		part := &p.parts[i]
		p.blocks.place(part)
		part.isElse = part.isElse || part.after == "|" && i > 0 && p.parts[i-1].isElse
	}
	isLed := slices.ContainsFunc(p.parts, func(part shellPart) bool { return part.leads != nil })
	switch {
	case !p.isScript:
	case !slices.ContainsFunc(p.parts, func(part shellPart) bool { return !part.isIdle() }):
		return len(p.parts) > 0
	case isLed && !callsQmgr(line):
		for _, part := range p.parts {
			if !part.isIdle() {
				p.unknown(part.String())
			}
		}
		return true
	}
	if at, word := sessionOf(p.parts); at >= 0 {
		of := &p.parts[at]
		of.isSession = true
		p.session, p.branch, p.isSkipping, p.hasQuit, p.unsure = word, of.branch, of.isElse && word != "", false, 0
	}
	return false
}

// sessionOf returns the place of the call of qmgr that the next lines are given to, below 0 for none, and the word that ends them, ""
// where nothing does.
func sessionOf(parts []shellPart) (at int, word string) {
	for i, part := range parts {
		call := qmgrCall().FindStringSubmatch(part.text)
		if call == nil {
			continue
		}
		if i > 0 && part.after == "|" {
			if from := hereText().FindStringSubmatch(parts[i-1].text); from != nil {
				return i, from[1]
			}
		} else if given, ok := readCall(call[1]); ok && given.command == "" {
			return i, given.session
		}
	}
	return -1, ""
}

// failing says that a command is not tried, since it is done where another one fails.
func (p *objectParser) failing(part shellPart) {
	p.problem(p.number, "%q is what the script does where a command before it fails, and does not count", part.text)
}

// shellCommand is a command that a line of a shell gives qmgr.
type shellCommand struct {
	text   string
	branch int // as that of a shellPart
}

// unwrapped returns the commands of a line of a shell, such as sudo qmgr -c 'set server backfill_depth = 5', and says what else of it
// is not understood. It is false for any other line.
func (p *objectParser) unwrapped(line string) (commands []shellCommand, isOne bool) {
	var others []string
	isCall := false
	for i, part := range p.parts {
		call := qmgrCall().FindStringSubmatch(part.text)
		isFed := i > 0 && part.after == "|"
		isCall = isCall || call != nil
		give := func(text string) bool {
			if strings.Contains(text, "$") { // whatever a variable has
				return false
			}
			commands = append(commands, shellCommand{text, part.branch})
			return true
		}
		switch {
		case call == nil && (isFed || part.isIdle() || i+1 < len(p.parts) && p.parts[i+1].isSession && p.parts[i+1].after == "|"):
			continue // done with what qmgr prints, or what qmgr is given, which the next part says
		case call != nil && part.isElse:
			p.failing(part)
			isOne = true
			continue
		case part.isSession:
			isOne = true
			continue
		case call != nil && isFed:
			if from := feeder().FindStringSubmatch(p.parts[i-1].text); from != nil {
				words, err := report.ShellWords(from[1])
				if err == nil && give(strings.ReplaceAll(strings.TrimSuffix(strings.Join(words, " "), `\n`), `\n`, "; ")) {
					continue
				}
			}
			part.text = p.parts[i-1].text + " | " + part.text
		case call != nil:
			if given, ok := readCall(call[1]); ok && given.command != "" && give(given.command) {
				continue
			}
		}
		others = append(others, part.String())
	}
	switch {
	case isOne || commands != nil:
		for _, other := range others {
			p.unknown(other)
		}
	case isCall:
		p.unknown(line)
	default:
		return nil, false
	}
	return commands, true
}

// qmgrGiven is what a line of a shell gives qmgr: a command, or the next lines, up to a word or "".
type qmgrGiven struct{ command, session string }

// readCall reads the words behind qmgr, of which it understands all or none.
func readCall(text string) (given qmgrGiven, ok bool) {
	words, err := report.ShellWords(text)
	if err != nil {
		return given, false
	}
	servers := 0
	for i := 0; i < len(words); i++ {
		word := words[i]
		isOption := len(word) > 1 && word[0] == '-' && strings.Trim(word[1:], "aenz") == ""
		here, to := hereBegin().FindStringSubmatch(word), redirection().FindStringSubmatch(word)
		switch {
		case isOption:
		case strings.HasPrefix(word, "-") && strings.HasPrefix(strings.TrimLeft(word[1:], "aenz"), "c") && given.command == "":
			if given.command = strings.TrimLeft(word[1:], "aenz")[1:]; given.command == "" && i+1 < len(words) {
				i++
				given.command = words[i]
			}
			if given.command == "" {
				return given, false
			}
		case here != nil:
			if given.session = here[1]; given.session == "" && i+1 < len(words) {
				i++
				given.session = words[i]
			}
		case word == "<<<" && i+1 < len(words):
			i++
			given.command = words[i]
		case to != nil:
			if to[1] == "" {
				i++
			}
		case servers == 0 && !strings.ContainsAny(word, "=<>|$ "):
			servers++
		default:
			return given, false
		}
	}
	return given, true
}
