package pbs

import (
	"cmp"
	"slices"
	"strings"

	"fairshare/cmd/internal/report"
)

// Commands for qmgr, as its print writes them and as people do: words may be shortened to their begins, a command may have
// several names and several attributes, and a line may have several commands.
//
//	set queue workq enabled = False          s q day,night enabled=f,started=f; unset queue day max_run
//	create queue night queue_type=e,Priority=10
//	qmgr -c 'set server job_sort_formula = "ncpus*2"'

// verbs begin commands.
var verbs = []string{"set", "create", "unset", "delete", "active", "list", "print", "import", "export", "help", "exit", "quit"}

// begun returns the word of a list that begins as a person has written it, "" for none.
func begun(words []string, written string) string {
	if at := slices.IndexFunc(words, func(word string) bool { return strings.HasPrefix(word, written) }); at >= 0 && written != "" {
		return words[at]
	}
	return ""
}

// commands does what the commands of a line do.
func (p *objectParser) commands(line string) {
	const continuedOn = `\`
	for strings.HasSuffix(strings.TrimRight(line, " \t"), continuedOn) && p.number < len(p.lines) {
		p.number++
		line = strings.TrimSuffix(strings.TrimRight(line, " \t"), continuedOn) + " " + strings.TrimSpace(p.lines[p.number-1])
	}
	for isMore := true; isMore; {
		var command string
		command, line, isMore = cutCommand(line)
		switch command = strings.TrimSpace(command); {
		case command == "" || command[0] == '#':
		case p.hasQuit:
			p.behind = cmp.Or(p.behind, p.number)
		default:
			p.sayUnsure()
			p.command(command)
		}
		if isMore {
			p.end()
		}
	}
}

// behindQuit says what becomes of commands that follow quit or exit.
const behindQuit = "commands behind quit do not count, as qmgr reads none of them"

// sayUnsure says of a command such as "e" that it may be exit, where another one follows.
func (p *objectParser) sayUnsure() {
	if p.unsure > 0 {
		p.problem(p.unsure, "this may be short for exit, behind which no command counts: it is taken for export, and the commands behind it count; write it in full")
	}
	p.unsure = 0
}

// command does what a command does, which has a word at least.
func (p *objectParser) command(line string) {
	words := strings.Fields(line)
	verb, kind := begun(verbs, words[0]), ""
	if len(words) > 1 {
		kind = begun(kinds, words[1])
	}
	switch verb {
	case "":
		p.unknown(line)
		return
	case "import":
		p.done = append(p.done, passed{kind: "hook", text: line, line: p.number})
		p.skipContent()
		return
	case "export":
		if len(words) == 1 { // it names no hook
			p.unsure = p.number
		}
		return
	case "list", "print", "help":
		p.isPrinting = p.isSession
		return // they change nothing
	case "exit", "quit":
		p.hasQuit = true
		return
	}
	if kind == "" {
		p.unknown(line)
		return
	}
	p.about = append(p.about, kind)
	p.done = append(p.done, passed{kind: kind, text: line, line: p.number})
	rest := strings.TrimSpace(line[strings.Index(line, words[0])+len(words[0]):])
	rest = strings.TrimSpace(strings.TrimPrefix(rest, words[1]))
	switch verb {
	case "set", "create":
		p.set(kind, rest, verb == "create", line)
	case "unset":
		p.unset(kind, rest, line)
	default:
		p.deleteOrActivate(kind, rest, verb == "delete", line)
	}
}

// set sets attributes of objects, which it creates where they are not there.
func (p *objectParser) set(kind, rest string, creates bool, line string) {
	names, attributes := cutNames(rest)
	name, operator, value, isAttribute := cutOperator(attributes)
	if creates && (names == "" || strings.HasPrefix(names, "@")) || !isAttribute && (attributes != "" || !creates) {
		p.unknown(line)
		return
	}
	if at := withoutComma().FindStringIndex(value); at != nil && name != formulaName && !isQuoted(value) && !strings.Contains(value[:at[0]], ",") {
		p.problem(p.number, "%s: qmgr wants a comma between two attributes, and quotes around a value with blanks, so that this does not count", report.Quote(strings.TrimSpace(line)))
		return
	}
	names, isHere := p.here(kind, names)
	if !isHere {
		return
	}
	all, isKnown := p.names(kind, names)
	if !isKnown {
		p.problem(p.number, "%s is each %s, and nothing tells here which there are, so that this does not count", report.Quote(names), kind)
		return
	}
	var of []*Object
	for _, one := range all {
		isThere := p.isThere(kind, one)
		switch {
		case creates && isPermanent(kind, one):
			p.refusal(p.number, "PBS has the resource %s by itself, and qmgr refuses to create it", one)
			continue
		case p.knows[kind] && !creates && !isThere:
			p.problem(p.number, "there is no %s, so that set does nothing", &Object{Kind: kind, Name: one})
			continue
		case kind == "queue" && !creates && !isThere && p.creates && p.isPrint():
			p.problem(p.number, "there is no %s before it in this print, so that set does nothing", &Object{Kind: kind, Name: one})
			continue
		case p.knows[kind] && creates && isThere:
			p.refusal(p.number, "%s is there already, so that qmgr refuses to create it, and create does nothing", &Object{Kind: kind, Name: one})
			p.current = p.find(kind, one)
			continue
		}
		p.creates = p.creates || creates && kind == "queue"
		if kind == "hook" && !creates && !isThere && !isOfPBS(one) {
			p.doubt(p.number, "nothing creates hook %s before it: qmgr refuses what is set of it unless the server has it already; create hook %[1]s makes one", one)
		}
		o := p.named(kind, one)
		if creates {
			p.note(o, "create")
		}
		if of = append(of, o); creates && kind == "queue" && !isThere { // which PBS opens for nobody by itself
			o.change("enabled", "=", "False", p.number)
			o.change("started", "=", "False", p.number)
		}
	}
	if len(of) == 0 {
		p.done[len(p.done)-1].isVain = true
		return
	}
	if creates {
		p.current = of[len(of)-1]
	}
	if isAttribute {
		p.begin(of, name, operator, value, true)
		p.takeQuoted(strings.TrimSpace(value))
	}
}

// unset takes attributes away. Of a queue, what is unset of enabled and started is false.
func (p *objectParser) unset(kind, rest, line string) {
	names, attributes := cutNames(rest)
	if attributes == "" && !strings.HasPrefix(names, "@") {
		names, attributes = "", names
	}
	names, isHere := p.here(kind, names)
	if !isHere {
		return
	}
	all, isKnown := p.names(kind, names)
	if !isKnown || attributes == "" || namesFirst().FindString(attributes) != attributes || strings.Contains(attributes, "=") {
		p.unknown(line)
		return
	}
	p.done[len(p.done)-1].isVain = p.knows[kind] && !slices.ContainsFunc(all, func(one string) bool { return p.isThere(kind, one) })
	for _, one := range all {
		o, unset := p.find(kind, one), &Object{Kind: kind, Name: one}
		done := &p.done[len(p.done)-1]
		done.unset = append(done.unset, unset)
		for _, name := range split(attributes) {
			name = spelled(kind, name)
			unset.Attributes = append(unset.Attributes, Attribute{Name: name})
			if !p.knows[kind] || p.isThere(kind, one) {
				p.note(unset, name)
			}
			if kind == "queue" && (name == "enabled" || name == "started") && (o != nil || !p.knows[kind]) {
				p.named(kind, one).change(name, "=", "False", p.number)
				continue
			}
			before := 0
			p.noteBranch(unset, name, "", p.number)
			if o != nil {
				before = len(o.Attributes)
				o.Attributes = slices.DeleteFunc(o.Attributes, func(a Attribute) bool { return a.Name == name || strings.HasPrefix(a.Name, name+".") })
			}
			switch {
			case p.knows[kind] && !p.isThere(kind, one):
				p.problem(p.number, "there is no %s, so that unset does nothing", &Object{Kind: kind, Name: one})
			case kind == "node": // of which nothing tells here what is set
			case !strings.HasPrefix(names, "@") && (o == nil || len(o.Attributes) == before):
				p.doubt(p.number, "%s of %s is not set before it, so that unset does nothing", name, &Object{Kind: kind, Name: one})
			}
		}
	}
}

// deleteOrActivate deletes objects, or has the next commands be about some.
func (p *objectParser) deleteOrActivate(kind, rest string, deletes bool, line string) {
	names, more := cutNames(rest)
	names, isHere := p.here(kind, names)
	if !isHere {
		if !deletes {
			p.active[kind] = []string{} // what names none is of none of this site
		}
		return
	}
	all, isKnown := p.names(kind, names)
	if names == "" || more != "" || !isKnown {
		p.unknown(line)
		return
	}
	if !deletes {
		p.active[kind] = all
	}
	p.done[len(p.done)-1].isVain = deletes && p.knows[kind] && !slices.ContainsFunc(all, func(one string) bool { return p.isThere(kind, one) && !isPermanent(kind, one) })
	for _, one := range all {
		isThere := p.isThere(kind, one)
		if deletes && isPermanent(kind, one) {
			p.refusal(p.number, "PBS has the resource %s by itself, and qmgr refuses to delete it", one)
			continue
		}
		if deletes && (isThere || kind != "node" || !p.knows[kind]) {
			p.note(&Object{Kind: kind, Name: one}, "delete")
		}
		switch o := p.find(kind, one); {
		case !deletes && p.knows[kind] && !isThere:
			p.problem(p.number, "there is no %s, so that none is active", &Object{Kind: kind, Name: one})
		case !deletes:
			p.current = p.named(kind, one)
		case kind == "node" && !p.knows[kind]: // which vnodes there are is known where it is tried
		case !isThere:
			before := " before it"
			if p.knows[kind] {
				before = ""
			}
			p.problem(p.number, "there is no %s%s, so that delete does nothing", &Object{Kind: kind, Name: one}, before)
		case o == nil:
			p.forget(kind, one)
		default:
			p.forget(kind, one)
			p.objects = slices.DeleteFunc(p.objects, func(other *Object) bool { return other == o })
			delete(p.byName, kind+" "+one)
			if p.current == o {
				p.current = nil
			}
		}
	}
}

// here returns those names of a list that are of this site, and says of the others that they are of another server. It is false
// where all are.
func (p *objectParser) here(kind, list string) (names string, isAny bool) {
	if list == "" || p.server == "" {
		return list, true
	}
	host := func(name string) string {
		name, _, _ = strings.Cut(name, ".")
		name, _, _ = strings.Cut(name, ":")
		return strings.ToLower(name)
	}
	var left []string
	for word := range strings.SplitSeq(list, ",") {
		word = strings.TrimSpace(word)
		name, server, _ := strings.Cut(word, "@")
		if kind == "server" && server == "" {
			server = name
		}
		if !slices.Contains([]string{"", "default", "active", host(p.server)}, host(server)) {
			p.problem(p.number, "server %s is not this site, which is %s, so that the command does nothing with %s", server, p.server, word)
			continue
		}
		left = append(left, word)
	}
	return strings.Join(left, ","), left != nil
}

// names returns the names of the objects that a command is about: those of its list, all that there are for @default and what else
// is behind an @, and where it names none those that are active. It is false for all of a kind of which nothing tells.
func (p *objectParser) names(kind, list string) (names []string, isKnown bool) {
	switch {
	case list == "" && p.active[kind] != nil:
		return p.active[kind], true
	case !strings.HasPrefix(list, "@"):
		return split(list), true
	case kind == "server":
		return []string{""}, true
	}
	for _, o := range p.objects {
		if o.Kind == kind {
			names = append(names, o.Name)
		}
	}
	for name := range p.there.of[kind] {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if p.there.of[kind] != nil {
		slices.Sort(names)
	}
	return names, names != nil
}

// takeQuoted takes the lines of a value whose quote is not closed on its first
// line, up to the one that closes it. Where none does, the value is that line.
func (p *objectParser) takeQuoted(value string) {
	const most = 200 // lines of a value
	if !isQuoted(value) || closing(value) > 0 {
		return
	}
	rest := p.lines[p.number:min(len(p.lines), p.number+most)]
	last := slices.IndexFunc(rest, func(line string) bool {
		return closing(value[:1]+strings.TrimRight(line, "\r\n")) > 0 && strings.Count(line, value[:1])%2 == 1
	})
	for _, line := range rest[:last+1] {
		line = strings.TrimRight(line, "\r\n")
		if folded, isFolded := strings.CutPrefix(line, "\t"); isFolded {
			p.value.WriteString(folded)
		} else {
			p.value.WriteString("\n" + line)
		}
	}
	p.number += last + 1
}

// skipContent passes over the lines of a hook, which are one word each.
func (p *objectParser) skipContent() {
	for p.number < len(p.lines)-1 && len(strings.Fields(p.lines[p.number])) == 1 && p.lines[p.number][0] != '#' {
		p.number++
	}
}
