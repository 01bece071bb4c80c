package pbs

import (
	"strings"

	"fairshare/cmd/internal/pattern"
	"fairshare/cmd/internal/report"
)

// Commands for qmgr also come in scripts of a shell, of which these lines are read:
//
//	sudo qmgr -c 'set server backfill_depth = 5' && qmgr -c "set queue workq Priority = 3"
//	qmgr <<EOF
//	echo "set queue workq Priority = 3" | qmgr

var (
	shellLine   = pattern.Of(`^\s*(?:[$#]\s+)?(?:sudo\s+)?(?:(?:/\S*/)?qmgr|\$\{?QMGR\}?)\s+(?:-[aenz]+\s+)*-[aenz]*c`)
	echoLine    = pattern.Of(`^\s*(?:echo|printf)\s+(.*?)\s*\|\s*(?:sudo\s+)?(?:/\S*/)?qmgr\s*(?:#.*)?$`)
	sessionLine = pattern.Of(`^\s*(?:[$#]\s+)?(?:sudo\s+)?(?:/\S*/)?qmgr(?:\s+-[aenz]+)*(?:\s*<<-?\s*['"]?(\w+)['"]?)?\s*$`)
	interpreter = pattern.Of(`^#!|^set\s+-[a-z]+(?:\s+\w+)?\s*$|^(?:export\s+)?[A-Z_]+=\S*\s*$`)
)

// isOfShell reports whether a line of a script only begins or ends what qmgr is given.
func (p *objectParser) isOfShell(line string) bool {
	if at := sessionLine().FindStringSubmatch(line); at != nil {
		p.session, p.hasQuit, p.unsure = at[1], false, 0
		return true
	}
	if p.session != "" && strings.TrimSpace(line) == p.session {
		p.session = ""
		return true
	}
	return interpreter().MatchString(line)
}

// unwrapped returns the commands of a line of a shell, such as sudo qmgr -c 'set server backfill_depth = 5'. Any other line stays as
// it is.
func unwrapped(line string) string {
	if at := echoLine().FindStringSubmatch(line); at != nil {
		if words, err := report.ShellWords(at[1]); err == nil {
			return strings.ReplaceAll(strings.TrimSuffix(strings.Join(words, " "), `\n`), `\n`, "; ")
		}
	}
	var commands []string
	for rest := line; ; {
		at := shellLine().FindStringIndex(rest)
		if at == nil {
			return line
		}
		command, behind := cutShell(rest[at[1]:])
		words, err := report.ShellWords(command)
		if at := strings.Index(command, " #"); err != nil && at > 0 { // an apostrophe of a comment
			words, err = report.ShellWords(command[:at])
		}
		isOne := len(words) == 1 || len(words) > 1 && strings.HasPrefix(words[1], "#") || len(words) == 2 && !strings.ContainsAny(words[1], "=<>|$")
		if err != nil || !isOne {
			return line
		}
		if commands, rest = append(commands, words[0]), behind; strings.TrimSpace(behind) == "" {
			return strings.Join(commands, "; ")
		}
	}
}

// cutShell cuts a line of a shell behind its first command.
func cutShell(line string) (command, rest string) {
	at := outsideQuotes(line, func(i int) bool {
		return line[i] == ';' || strings.HasPrefix(line[i:], "&&") || strings.HasPrefix(line[i:], "||")
	})
	if at < 0 {
		return line, ""
	}
	return line[:at], strings.TrimLeft(line[at:], ";&|")
}
