package forecast

import (
	"cmp"
	"os"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/report"
)

// idleOptions are the letters of options of qsub on which no start depends: those without a value, and those with one.
const idleOptions, idleValues = "VXIzfG", "NjoemMvSkRrcw"

// unread are those on which a start may depend, and which are not read, with what may be asked in their place; whether
// they have a value, unreadOptions says.
var unread = map[byte]string{
	'h': "a held job does not start until somebody releases it", 'a': "a job waits until that time, from which --at asks",
	'J': "ask for one of its subjobs without it", 'u': "--user says whose the job is", 'W': "",
}

// idleAttributes are the attributes of -W on which no start depends, and unreadAttributes says of others what may be asked in their place.
var (
	idleAttributes   = []string{"umask", "sandbox", "stagein", "stageout", "block", "run_count", "pwd"}
	unreadAttributes = map[string]string{
		"depend":     "a job that depends on others waits for them: without it, the start is that of a job which need not wait",
		"group_list": "the job is taken to be of the group of the last job of its user",
	}
)

const unreadOptions = "h"

// directives begin the lines of a script that have options of qsub, where -C names no others.
const directives = "#PBS"

// submission reads what a new job of the site asks for, as parseSubmission does.
func (s *Site) submission(text, named string) (Ask, error) {
	return parseSubmission(text, named, s.Site.Sched.Server["default_qsub_arguments"])
}

// parseSubmission reads what a new job asks for: resources as qsub -l has them, a line of qsub or its options, such as
// "qsub -N run1 -l select=4:ncpus=16 -l walltime=8:00:00 -q workq", or a script of a job that is there. What the directives of a script
// ask for counts where the line does not ask for the same, as for qsub, and what the site gives every job, the default_qsub_arguments
// of the server, where neither does. The queue is that of -q, or the one that is named beside it.
func parseSubmission(text, named, always string) (a Ask, err error) {
	words, err := report.ShellWords(text)
	if err != nil {
		return a, wrong("%v", err)
	}
	isLine := len(words) > 0 && (words[0] == "qsub" || strings.HasSuffix(words[0], "/qsub"))
	var line submission
	switch {
	case isLine:
		line, err = readOptions(words[1:], false)
	case len(words) > 0 && (words[0][0] == '-' || len(words) == 1 && isScript(words[0])):
		line, err = readOptions(words, false)
	default:
		line.resources, err = parseAsked(text)
		isPriority := func(r Resource) bool { return r.Name == "priority" }
		if at := slices.IndexFunc(line.resources, isPriority); at >= 0 {
			line.priority, line.resources = line.resources[at].Value, slices.Delete(line.resources, at, at+1)
		}
	}
	if err != nil {
		return a, err
	}
	if line.script != "" {
		if err := line.readScript(); err != nil {
			return a, err
		}
	}
	if line.refused != nil {
		return a, notRead(strings.Join(line.refused, ", "))
	}
	if err := line.takeAlways(always); err != nil {
		return a, err
	}
	switch {
	case line.resources == nil && line.script != "":
		return a, wrong("neither the line nor the %s lines of %s ask for resources: -l NAME=VALUE", line.prefix, report.Printable(line.script))
	case len(line.resources) == 0:
		return a, wrong("the job asks for no resources: -l NAME=VALUE")
	case strings.HasPrefix(line.queue, "@"):
		return a, wrong("-q %s names a server and no queue: a queue of this site is given, or none for its default_queue", report.Printable(line.queue))
	case strings.Contains(line.queue, "@"):
		queue, _, _ := strings.Cut(line.queue, "@")
		return a, wrong("-q %s names a server: of a queue of this site, the name alone is given, as in -q %s", report.Printable(line.queue), report.Printable(queue))
	case line.queue == "":
		line.queue = named
	case named != "" && named != line.queue && line.isQueueOfOther:
		line.queue = named
	case named != "" && named != line.queue:
		return a, wrong("-q %s is asked for beside --queue %s", line.queue, named)
	}
	a = Ask{Queue: line.queue, Resources: line.resources, project: line.project, account: line.account, script: line.script, directives: line.read, always: line.always, unread: line.refused}
	if line.priority != "" {
		if a.priority, err = parsePriority(line.priority); err != nil {
			return a, err
		}
	}
	return a, nil
}

// parsePriority reads a priority as qsub -p and qalter -p take it.
func parsePriority(text string) (int32, error) {
	const least, most = -1024, 1023
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		return 0, wrong("%s is no priority from %d to %d (-p)", report.Printable(text), least, most)
	}
	return int32(n), nil
}

// notRead says that options are not read.
func notRead(options string) error {
	return wrong("of qsub's options -l, -q, -P and -p are read here, and not %s", options)
}

// isScript reports whether a word names a file, and can be no resources.
func isScript(word string) bool {
	info, err := os.Stat(word)
	return err == nil && info.Mode().IsRegular() && !strings.Contains(word, "=") && word[0] != '-'
}

// submission is what options of qsub ask for.
type submission struct {
	resources []Resource
	queue     string
	project   string
	priority  string
	script    string // "" for none
	prefix    string // of its directives
	account   string
	refused   []string // options that are not read

	isQueueOfOther bool     // whether the line itself names none
	read           []string // the directives that were read
	always         string   // default_qsub_arguments, where they ask for something
}

// readOptions reads words of a line of qsub behind its name, or of a directive of a script, which names no script.
func readOptions(words []string, isDirective bool) (s submission, err error) {
	s.prefix = directives
	for i := 0; i < len(words); i++ {
		word := words[i]
		if len(word) < 2 || word[0] != '-' || word[1] == '-' {
			switch {
			case word[0] == '-' && len(word) > 1 && word != "--":
				return s, notRead(report.Printable(word))
			case word == "--":
				return s, wrong("a program behind -- is not read: give what it asks for with -l")
			case isDirective:
				return s, wrong("qsub refuses %q in a directive", word)
			case s.script != "":
				return s, wrong("%s and %s are both a script: qsub takes one", report.Printable(s.script), report.Printable(word))
			}
			s.script = word
			continue
		}
		letter, value := word[1], word[2:]
		why, isUnread := unread[letter]
		isIdle := strings.IndexByte(idleValues, letter) >= 0
		switch {
		case strings.IndexByte(idleOptions, letter) >= 0 && value == "":
			continue
		case strings.IndexByte(unreadOptions, letter) >= 0 && value == "":
			s.refuse("-"+string(letter), why)
			continue
		case !isIdle && !isUnread && strings.IndexByte("lqPpAC", letter) < 0:
			return s, notRead(report.Printable(word))
		case value == "" && i+1 < len(words):
			i++
			value = words[i]
		}
		if value == "" {
			return s, wrong("-%c has no value", letter)
		}
		once := map[byte]*string{'q': &s.queue, 'P': &s.project, 'p': &s.priority, 'A': &s.account}[letter]
		switch {
		case isIdle:
		case letter == 'W' && slices.Contains(idleAttributes, attributeOf(value)):
		case letter == 'W':
			s.refuse("-W "+report.Printable(value), unreadAttributes[attributeOf(value)])
		case isUnread:
			s.refuse("-"+string(letter)+" "+report.Printable(value), why)
		case letter == 'C':
			s.prefix = value
		case letter == 'l':
			more, err := parseResources(value)
			if err != nil {
				return s, err
			}
			s.resources = append(s.resources, more...)
		case *once != "" && *once != value:
			return s, wrong("-%c is given twice", letter)
		default:
			*once = value
		}
	}
	return s, checkOnce(s.resources)
}

// attributeOf returns the name of the attribute that a value of -W is of, "" for one of several.
func attributeOf(value string) string {
	name, rest, _ := strings.Cut(value, "=")
	if strings.Contains(rest, ",") && name != "stagein" && name != "stageout" { // which are lists
		return ""
	}
	return strings.TrimSpace(name)
}

// refuse notes an option that is not read, and why.
func (s *submission) refuse(option, why string) {
	if why != "" {
		option += " (" + why + ")"
	}
	s.refused = append(s.refused, option)
}

// readScript adds what the directives of the script ask for and the line does not: up to the first line that is neither blank nor a
// comment, as qsub reads it.
func (s *submission) readScript() error {
	const most = 4 << 20
	called := report.Printable(s.script)
	text, err := file.ReadText(s.script, most)
	if err != nil {
		return wrong("what the script %s asks for is not known (%v): give it with -l, in the place of %[1]s", called, file.Cause(err))
	}
	if strings.Contains(text, "\r\n") {
		return wrong("qsub refuses the script %s: its lines end with CR LF, as editors of Windows write them (dos2unix makes them plain)", called)
	}
	number, of := 0, submission{}
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSpace(line)
		asked, isDirective := strings.CutPrefix(line, s.prefix)
		switch {
		case !isDirective && (line == "" || line[0] == '#' || line[0] == ':' && number == 1):
			continue
		case !isDirective:
			return s.take(of)
		}
		words, err := report.ShellWords(asked)
		if err != nil {
			return wrong("line %d of %s: %v", number, called, err)
		}
		more, err := readOptions(words, true)
		if err != nil {
			return wrong("line %d of %s: %w", number, called, err)
		}
		if len(words) > 0 {
			s.read = append(s.read, report.Printable(strings.TrimSpace(asked)))
		}
		for _, r := range more.resources {
			if slices.ContainsFunc(of.resources, func(had Resource) bool { return had.Name == r.Name && had.Value != r.Value }) {
				return wrong("line %d of %s: %s is asked for twice", number, called, r.Name)
			}
		}
		if more.queue != "" && of.queue != "" && more.queue != of.queue {
			return wrong("line %d of %s: -q is given twice", number, called)
		}
		if err := of.take(more); err != nil {
			return err
		}
	}
	return s.take(of)
}

// takeAlways adds what the server's default_qsub_arguments ask for and neither the line nor its script does. What of them is not read
// is noted and not refused, since every job of the site has it.
func (s *submission) takeAlways(always string) error {
	words, err := report.ShellWords(always)
	if err != nil {
		return wrong("default_qsub_arguments of the server: %v", err)
	}
	of, err := readOptions(words, true)
	if of.resources != nil || of.queue+of.project+of.priority+of.account != "" {
		s.always = always
	}
	if err == nil {
		err = s.take(of)
	}
	if err != nil {
		return wrong("default_qsub_arguments of the server, %s: %w", report.Printable(always), err)
	}
	return nil
}

// take takes what others ask for where this does not ask for it.
func (s *submission) take(other submission) error {
	for _, r := range other.resources {
		if !slices.ContainsFunc(s.resources, func(own Resource) bool { return own.Name == r.Name }) {
			s.resources = append(s.resources, r)
		}
	}
	if s.queue == "" {
		s.queue, s.isQueueOfOther = other.queue, other.queue != ""
	}
	if s.project == "" {
		s.project = other.project
	}
	s.priority, s.account = cmp.Or(s.priority, other.priority), cmp.Or(s.account, other.account)
	s.refused = append(s.refused, other.refused...)
	return checkOnce(s.resources)
}
