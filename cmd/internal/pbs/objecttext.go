package pbs

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/report"
)

// parseText reads the forms with a line an attribute, and commands for qmgr. A line that begins with a tab continues the value
// before, and so do the lines up to the quote that ends a value of a command. What the last line says does not count where
// it does not end. The parser that it returns has the objects, and the lines that are neither understood nor comments.
func parseText(text string) *objectParser {
	p := newParser(text)
	p.all()
	return p
}

func newParser(text string) *objectParser {
	return &objectParser{
		isSession: prompts().MatchString(text), isScript: callsQmgr(text) && scripted().MatchString(text), isPrint: sync.OnceValue(func() bool { return !isCommands(text) }),
		byName: map[string]*Object{}, active: map[string][]string{}, knows: map[string]bool{}, lines: strings.SplitAfter(text, "\n"),
	}
}

// all reads all lines.
func (p *objectParser) all() {
	last := len(p.lines) - 1 // what is behind the last end of a line
	isCut := p.lines[last] != ""
	for p.number < last {
		p.number++
		p.line(strings.TrimRight(p.lines[p.number-1], "\r\n"))
	}
	if isCut && (p.number > last || strings.HasPrefix(p.lines[last], "\t")) || !isCut && last > 0 && mayGoOn(p.lines[last-1]) {
		p.of = nil // the value goes on there, or may
	}
	p.end()
}

type objectParser struct {
	lines      []string
	number     int // of the line, from 1
	objects    []*Object
	byName     map[string]*Object // by kind and name
	problems   []*file.Problem
	refused    []*file.Problem     // of commands that qmgr refuses and that change nothing by that
	doubtful   []*file.Problem     // of commands that do nothing, as qmgr would say, or of which a condition of a script decides
	current    *Object             // that the next lines are about, nil for none
	active     map[string][]string // by kind, the names of those that commands without a name are about
	about      []string            // the kinds of objects that commands change, or would
	done       []passed            // the commands that change anything, or would
	isSession  bool                // whether the text is a session of qmgr, with what it has printed between its prompts
	isScript   bool                // whether the text is a script of a shell that calls qmgr
	isPrint    func() bool         // reports whether the text is what qmgr or qstat prints, and no commands that somebody wrote
	isPrinting bool                // whether a session has what print or list of it has printed, up to the next prompt
	session    string              // the word that ends the commands for qmgr within a script of a shell, "" for none
	hasQuit    bool                // whether the last session of qmgr has ended
	unsure     int                 // the line of a command that may be exit, and behind which none was read yet; 0 for none
	behind     int                 // the line of the first command behind its end, 0 for none

	// Where a script of a shell stands.
	parts      []shellPart // of its line
	blocks     shellBlocks
	branch     int                  // of the commands that are read, as that of a shellPart
	isSkipping bool                 // whether what a session is given is not read, since it is done where another command fails
	wasSet     map[string]setBefore // by object and attribute

	creates bool // whether the text has created a queue

	there  there           // what there is of which names alone are known
	server string          // the server of the site that commands change, "" where it is not known
	knows  map[string]bool // the kinds of which the text changes objects that are known, so that one which is not there cannot be set

	// The attribute whose value is being read.
	of        []*Object // nil for none
	name      string
	operator  string // =, +=, -= or further
	begun     int    // its line
	value     strings.Builder
	isCommand bool // whether the value may be in quotes, and be followed by further attributes
}

// passed is a command that has been read.
type passed struct {
	kind, text string
	line       int
	unset      []*Object // with the attributes that it takes away
	done       []doing   // what it sets, creates or deletes
	isVain     bool      // whether all that it is about is not there, or is there already
}

// note notes what the command that is being read does with an object.
func (p *objectParser) note(o *Object, what string) {
	if at := len(p.done) - 1; at >= 0 {
		p.done[at].done = append(p.done[at].done, doing{o.String(), what})
	}
}

func (p *objectParser) problem(line int, format string, args ...any) {
	p.problems = append(p.problems, &file.Problem{Line: line, Message: fmt.Sprintf(format, args...)})
}

// refusal says of a command that qmgr refuses it, which leaves all as it is.
func (p *objectParser) refusal(line int, format string, args ...any) {
	p.refused = append(p.refused, &file.Problem{Line: line, Message: fmt.Sprintf(format, args...)})
}

// doubt says of a command that it does nothing, or that it may not be done.
func (p *objectParser) doubt(line int, format string, args ...any) {
	p.doubtful = append(p.doubtful, &file.Problem{Line: line, Message: fmt.Sprintf(format, args...)})
}

// remarks says what is wrong with a text of a name, and which commands of it are doubtful.
func (p *objectParser) remarks(name string) (all []diag.Remark) {
	for _, problem := range p.problems {
		all = append(all, diag.Damagef("%s: %v", name, problem).At(name, problem.Line))
	}
	for _, problem := range p.refused {
		remark := diag.Warningf("%s: %v", name, problem).At(name, problem.Line)
		remark.IsWrong = true
		all = append(all, remark)
	}
	for _, problem := range p.doubtful {
		all = append(all, diag.Warningf("%s: %v", name, problem).At(name, problem.Line))
	}
	return all
}

const (
	prompt  = "Qmgr: "
	opening = "Max open servers: " // with which qmgr begins
)

func (p *objectParser) line(line string) {
	isEnd := p.session != "" && strings.TrimSpace(line) == p.session
	if rest, continues := strings.CutPrefix(line, "\t"); continues && !isEnd && p.value.Len() > 0 && !(p.isCommand && isCommand(rest)) {
		p.value.WriteString(rest)
		return
	}
	p.end()
	if p.isOfShell(line) {
		return
	}
	if p.isPrinting = p.isPrinting && !strings.HasPrefix(line, prompt) && !strings.HasPrefix(line, opening); p.isPrinting {
		return
	}
	if commands, isOne := p.unwrapped(line); isOne {
		of := p.branch
		for _, c := range commands { // each of a qmgr of its own
			p.hasQuit, p.branch = false, c.branch
			p.commands(c.text)
			p.end()
		}
		p.hasQuit, p.branch = false, of
		return
	}
	if line = strings.TrimPrefix(line, prompt); isCommand(line) {
		line = strings.TrimSpace(line)
	}
	words := strings.Fields(line)
	if strings.HasPrefix(line, opening) { // with which qmgr begins
		p.hasQuit, p.unsure = false, 0
		return
	}
	switch {
	case len(words) == 0 || words[0][0] == '#':
	case p.hasQuit:
		p.behind = cmp.Or(p.behind, p.number)
	case isIndented(line):
		name, value, isAttribute := strings.Cut(line, " = ") // further limits of an attribute have lines of their own
		if before, isEmpty := strings.CutSuffix(line, " ="); !isAttribute && isEmpty {
			name, isAttribute = before, true // an attribute without a value
		}
		if added, more, isMore := strings.Cut(line, " += "); isMore && len(added) < len(name) {
			name, value, isAttribute = added, more, true
		}
		if name = strings.TrimSpace(name); !isAttribute || !isName(name) || p.current == nil {
			p.unknown(line)
			return
		}
		p.begin([]*Object{p.current}, name, further, value, false)
	case words[0] == strings.ToLower(words[0]):
		p.commands(line)
	case len(words) == 2 && slices.Contains(kinds, strings.ToLower(strings.TrimSuffix(words[0], ":"))):
		p.current = p.named(strings.ToLower(strings.TrimSuffix(words[0], ":")), words[1])
	default:
		p.unknown(line)
	}
}

// isCommand reports whether a line begins as a command does: with a verb and a kind of object.
func isCommand(line string) bool {
	words := strings.Fields(line)
	if len(words) == 1 {
		return slices.Contains([]string{"quit", "exit", "q"}, words[0])
	}
	return len(words) > 1 && begun(verbs, words[0]) != "" && begun(kinds, strings.TrimSuffix(words[1], ";")) != ""
}

func isIndented(line string) bool { return line != "" && (line[0] == ' ' || line[0] == '\t') }

// unknown says that a line is not understood.
func (p *objectParser) unknown(line string) {
	const most = 60 // bytes
	if line = strings.TrimSpace(line); len(line) > most {
		line = line[:most] + "…"
	}
	p.problem(p.number, "%s is not understood, and does not count", strconv.Quote(strings.ToValidUTF8(line, "")))
}

// find returns the object of a kind and a name, nil if there is none. One without a name is the object of its kind that was
// created last.
func (p *objectParser) find(kind, name string) *Object {
	if name == "" && p.current != nil && p.current.Kind == kind {
		return p.current
	}
	return p.byName[kind+" "+nameOf(kind, name)]
}

// nameOf returns the name of an object: a scheduler without one is the default one.
func nameOf(kind, name string) string {
	if kind == "sched" && name == "" {
		return defaultScheduler
	}
	return name
}

// named returns the object of a kind and a name, a new one if there is none.
func (p *objectParser) named(kind, name string) *Object {
	o := p.find(kind, name)
	if name = nameOf(kind, name); o == nil {
		o = &Object{Kind: kind, Name: name}
		p.objects, p.byName[kind+" "+name] = append(p.objects, o), o
	}
	return o
}

// begin begins an attribute.
func (p *objectParser) begin(of []*Object, name, operator, value string, isCommand bool) {
	p.of, p.name, p.operator, p.begun, p.isCommand = of, spelled(of[0].Kind, name), operator, p.number, isCommand
	p.value.WriteString(value)
}

// end ends the attribute begun last.
func (p *objectParser) end() {
	value := strings.TrimSpace(p.value.String())
	p.value.Reset()
	if p.of == nil {
		return
	}
	more := "" // attributes of the command
	if p.isCommand {
		value, more = cutValue(value)
		if is := SettingOf(OfAttributes, p.name); is != nil && is.isSwitch {
			value = cmp.Or(switchWords[strings.ToLower(value)], value)
		}
	}
	for _, o := range p.of {
		change := o.change
		if o.Kind == "node" {
			change = func(name, operator, value string, line int) string {
				return p.changeVnode(o, name, operator, value, line)
			}
		}
		if why := change(p.name, p.operator, value, p.begun); why != "" {
			p.problem(p.begun, "%s", why)
		}
		if p.isCommand {
			p.note(o, p.name)
			p.noteBranch(o, p.name, p.operator+value, p.begun)
		}
	}
	if name, operator, rest, ok := cutOperator(more); ok {
		p.name, p.operator = spelled(p.of[0].Kind, name), operator
		p.value.WriteString(rest)
		p.end()
		return
	}
	p.of = nil
}

// further is the operator of a listing, in which an attribute of several values has a line for each.
const further = ""

// change does what a command says with an attribute, and says what is wrong with it, "" for nothing.
func (o *Object) change(name, operator, value string, line int) (wrong string) {
	isIt := func(a Attribute) bool { return a.Name == name }
	switch at := slices.IndexFunc(o.Attributes, isIt); {
	case operator == "=":
		o.Attributes = append(slices.DeleteFunc(o.Attributes, isIt), Attribute{name, value, line})
	case operator == further:
		o.Attributes = append(o.Attributes, Attribute{name, value, line})
	case at < 0 && operator == "-=":
		return fmt.Sprintf("%s of %s is not set before it, so that -= takes nothing away", name, o)
	case at >= 0 && isAmount(name, o.Attributes[at].Value, value):
		sum, ok := changed(o.Attributes[at].Value, operator, value)
		if !ok {
			return fmt.Sprintf("%s %s %s of %s is not read, since it is %s before it, so that it does not count", name, operator, report.Quote(value), o, report.Quote(o.Attributes[at].Value))
		}
		o.Attributes[at].Value, o.Attributes[at].Line = sum, line
	case operator == "+=":
		o.replaceLimits(name, value)
		o.Attributes = append(o.Attributes, Attribute{name, value, line})
	default:
		return o.takeAway(name, value)
	}
	return ""
}

// String returns what messages call an object.
func (o *Object) String() string { return strings.TrimSpace(o.Kind + " " + o.Name) }

// takeAway takes entries of a list away from all values of an attribute.
func (o *Object) takeAway(name, list string) (wrong string) {
	for entry := range strings.SplitSeq(list, ",") {
		entry := strings.TrimSpace(entry)
		if !o.dropEntries(name, func(one string) bool { return one == entry }) {
			wrong = fmt.Sprintf("%s of %s has no %s before it, so that -= takes nothing away", name, o, report.Quote(entry))
		}
	}
	return wrong
}

// dropEntries takes some entries of a list away from all values of an attribute, and reports whether there were some.
func (o *Object) dropEntries(name string, isOne func(entry string) bool) (isThere bool) {
	for i := range o.Attributes {
		if a := &o.Attributes[i]; a.Name == name {
			all := strings.Split(a.Value, ",")
			left := slices.DeleteFunc(slices.Clone(all), func(entry string) bool { return isOne(strings.TrimSpace(entry)) })
			isThere = isThere || len(left) < len(all)
			a.Value = strings.Join(left, ",")
		}
	}
	o.Attributes = slices.DeleteFunc(o.Attributes, func(a Attribute) bool { return a.Name == name && a.Value == "" })
	return isThere
}

// replaceLimits takes away the limits, such as [u:bob=3], in whose place others of a list come (PBS's set_entlim).
func (o *Object) replaceLimits(name, list string) {
	for entry := range strings.SplitSeq(list, ",") {
		of, _, isLimit := strings.Cut(strings.TrimSpace(entry), "=")
		if isLimit && strings.HasPrefix(of, "[") {
			o.dropEntries(name, func(one string) bool { return strings.HasPrefix(one, of+"=") })
		}
	}
}
