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
// What else a shell does is no matter, and neither is what it does where qmgr fails.

var (
	qmgrCall    = pattern.Of(`^(?:[$#]\s+)?(?:(?:if|!|while|until|then|else|do|\{|\(|time|exec|sudo(?:\s+-\w+(?:\s+root)?)*)\s+)*(?:/\S*/|\$\{?\w+\}?/\S*/?)?(?:qmgr|\$\{?QMGR\}?)(?:\s+(.*))?$`)
	feeder      = pattern.Of(`^(?:then\s+|else\s+|do\s+)?(?:echo|printf)\s+(?:-[en]+\s+)?(.*)$`)
	hereText    = pattern.Of(`^cat\s+<<-?\s*\\?['"]?(\w+)['"]?$`)
	hereBegin   = pattern.Of(`^<<-?\\?(\w*)$`)
	redirection = pattern.Of(`^(?:\d|&)?>{1,2}(&\d|&-|.*)$`)
	otherwise   = pattern.Of(`^(?:[{(]\s*)?(?:(?:then|else|do)\s+)?(?:echo|printf|true|false|:|exit\s+\d+|return\b.*|then|else|fi|do|done|\}|\)|sleep|logger|date|cd|die|[A-Z_]+=)(?:\s.*)?$`)
	scripted    = pattern.Of(`(?m)^#!|\bqmgr\s+(?:-[aenz]+\s+)*-[aenz]*c|\bqmgr\b.*<<|\|\s*(?:sudo\s+)?\S*\bqmgr\b`)
	interpreter = pattern.Of(`^#!|^set\s+-[a-z]+(?:\s+\w+)?\s*$|^(?:export\s+)?[A-Z_]+=\S*\s*$`)
)

// callsQmgr reports whether a text may call qmgr.
func callsQmgr(text string) bool {
	return strings.Contains(text, "qmgr") || strings.Contains(text, "QMGR")
}

// isOfShell reports whether a line is one of a shell that gives qmgr nothing itself: it begins or ends what a session of qmgr is
// given, or is about other things.
func (p *objectParser) isOfShell(line string) bool {
	switch {
	case p.session != "" && strings.TrimSpace(line) == p.session:
		p.session = ""
		return true
	case p.session != "" || interpreter().MatchString(line):
		return p.session == ""
	case !p.isScript && !callsQmgr(line):
		return false
	}
	parts := shellParts(line)
	if p.isScript && !slices.ContainsFunc(parts, func(part shellPart) bool { return !otherwise().MatchString(part.text) }) {
		return len(parts) > 0
	}
	session, isOne := sessionOf(parts)
	if isOne {
		p.session, p.hasQuit, p.unsure = session, false, 0
	}
	return isOne
}

// sessionOf returns the word that ends what the next lines give qmgr, "" where nothing does, and whether they do.
func sessionOf(parts []shellPart) (word string, isOne bool) {
	for i, part := range parts {
		call := qmgrCall().FindStringSubmatch(part.text)
		if call == nil {
			continue
		}
		if i > 0 && part.after == "|" {
			from := hereText().FindStringSubmatch(parts[i-1].text)
			if from == nil {
				return "", false
			}
			return from[1], true
		}
		given, ok := readCall(call[1])
		return given.session, ok && given.command == ""
	}
	return "", false
}

// unwrapped returns the commands of a line of a shell, such as sudo qmgr -c 'set server backfill_depth = 5', and says what else of it
// is not understood. Any other line stays as it is.
func (p *objectParser) unwrapped(line string) string {
	if !callsQmgr(line) {
		return line
	}
	var commands, others []string
	parts := shellParts(line)
	for i, part := range parts {
		call := qmgrCall().FindStringSubmatch(part.text)
		isBehind := i > 0 && (part.after == "||" || part.after == "|")
		switch {
		case call == nil && isBehind, otherwise().MatchString(part.text):
			continue // done where qmgr fails, or with what it prints; or what qmgr is given, which the next part says
		case call != nil && part.after == "|" && i > 0:
			if from := feeder().FindStringSubmatch(parts[i-1].text); from != nil {
				if words, err := report.ShellWords(from[1]); err == nil {
					commands = append(commands, strings.ReplaceAll(strings.TrimSuffix(strings.Join(words, " "), `\n`), `\n`, "; "))
					continue
				}
			}
		case call != nil && !isBehind: // what is behind || is done where the one before it fails
			if given, ok := readCall(call[1]); ok && given.command != "" {
				commands = append(commands, given.command)
				continue
			}
		}
		others = append(others, part.text)
	}
	if commands == nil {
		return line
	}
	for _, other := range others {
		p.unknown(other)
	}
	return strings.Join(commands, "; ")
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

// shellPart is a command of a line of a shell, and what stands before it: "" for nothing, or ; && || |.
type shellPart struct{ text, after string }

// shellParts cuts a line of a shell into its commands. A comment at its end is none.
func shellParts(line string) (parts []shellPart) {
	open, from, after := byte(0), 0, ""
	end := func(at int, next string) {
		if text := strings.TrimSpace(line[from:at]); text != "" {
			parts = append(parts, shellPart{text, after})
		}
		from, after = at+len(next), next
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
