package obfuscate

import (
	"strings"

	"fairshare/cmd/internal/pattern"
	"fairshare/cmd/internal/pbs"
	"fairshare/formula"
)

var (
	isAmount   = pattern.Of(`^([-+]?[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?[a-zA-Z]{0,2}|[0-9]+(:[0-9]+){1,3}(\.[0-9]+)?)$`)
	isSwitch   = pattern.Of(`(?i)^(true|false|t|f|yes|no|y|n|1|0)$`)
	isNumber   = pattern.Of(`(?i)^[-+]?(nan|inf|infinity)$`)
	isArranged = pattern.Of(`(?i)^(free|pack|scatter|vscatter|excl|shared|exclhost)$`) // in place
	isCPUs     = pattern.Of(`^[0-9*]+$`)                                               // in exec_host
	longNumber = pattern.Of(`^\+?[0-9]{7,}$`)
)

// resourceName returns what the name of a resource is replaced by, which is one that
// qmgr would take. Those that PBS has by itself are kept.
func (n *names) resourceName(name string) string {
	if _, isOwn := pbs.OwnResource(name); isOwn || name == "" {
		return name
	}
	if n.resources[name] == "" {
		n.resources[name] = n.Make("resource_")
	}
	return n.resources[name]
}

// resource returns the value of a resource: amounts stay, words become others.
func (n *names) resource(name, value string) string {
	isWord, isOwn := pbs.OwnResource(name)
	switch kind := n.types[name]; {
	case name == "host" || name == "vnode":
		return n.vnode(value)
	case name == "select" || name == "schedselect" || name == "nodes":
		return eachOutsideQuotes(value, '+', func(chunk string) string { return n.chunk(chunk, "host") })
	case name == "place":
		return n.chunk(value, "value")
	case name == "exec_vnode":
		return n.places(value)
	case name == "preempt_targets":
		return each(strings.Trim(value, `"'`), ",", n.target)
	case isOwn && !isWord || kind == formula.Long || kind == formula.Float64 || kind == formula.Size:
		if isAmount().MatchString(value) || isNumber().MatchString(value) {
			return value
		}
	case isSwitch().MatchString(value) && (kind == formula.Boolean || kind == "" && !isOwn):
		return value
	case kind == "" && !isOwn && isAmount().MatchString(value) && !longNumber().MatchString(value):
		return value // of a resource of which nothing is known
	}
	// PBS compares words without regard to case, and lists word by word.
	return each(value, ",", func(word string) string {
		word = strings.ToLower(strings.TrimSpace(word))
		if word == "" {
			return ""
		}
		return n.Name("value", word)
	})
}

// target returns one of preempt_targets with another name of the queue, or of the resource and its value, that it is.
func (n *names) target(text string) string {
	name, value, isNamed := strings.Cut(strings.TrimSpace(text), "=")
	of := strings.TrimPrefix(name, "Resource_List.")
	switch {
	case !isNamed:
		return text // NONE
	case strings.EqualFold(name, "queue"):
		return name + "=" + n.queue(value)
	}
	return strings.TrimSuffix(name, of) + n.resourceName(of) + "=" + n.resource(of, value)
}

// vnode returns another vnode's name for one: its host's, with its index.
func (n *names) vnode(name string) string {
	host, index, isOneOf := strings.Cut(name, "[")
	if number := strings.TrimSuffix(index, "]"); isOneOf && isCPUs().MatchString(number) {
		return n.Name("host", host) + "[" + number + "]"
	}
	return n.Name("host", name)
}

// chunk returns a chunk of select, or a place: what is neither a count nor
// NAME=VALUE nor a word of PBS's is a name of a kind.
func (n *names) chunk(text, kind string) string {
	return eachOutsideQuotes(text, ':', func(part string) string {
		name, value, isPair := strings.Cut(part, "=")
		switch {
		case isPair && name == "group":
			return name + "=" + n.resourceName(value)
		case isPair:
			return n.resourceName(name) + "=" + n.quoted(name, value)
		case part == "" || isCPUs().MatchString(part) && len(part) < 10 || isArranged().MatchString(part):
			return part
		}
		return n.Name(kind, strings.Trim(part, `"'`))
	})
}

// quoted returns the value of a resource that may be in quotes.
func (n *names) quoted(resource, value string) string {
	if len(value) > 1 && (value[0] == '"' || value[0] == '\'') && value[len(value)-1] == value[0] {
		return value[:1] + n.resource(resource, value[1:len(value)-1]) + value[:1]
	}
	return n.resource(resource, value)
}

// places returns exec_host, exec_vnode or what is like them on other hosts:
// n07/0*2+n08/1, (n07[0]:ncpus=2+n07[1]:ncpus=1)+(n09:ncpus=2).
func (n *names) places(text string) string {
	return eachOutsideQuotes(text, '+', func(part string) string {
		inside := strings.TrimLeft(part, "(")
		opened := part[:len(part)-len(inside)]
		bare := strings.TrimRight(inside, ")")
		closed := inside[len(bare):]
		isFirst := true
		bare = eachOutsideQuotes(bare, ':', func(piece string) string {
			if !isFirst {
				return n.chunk(piece, "value")
			}
			isFirst = false
			vnode, cpus, isHost := strings.Cut(piece, "/")
			switch {
			case isHost && isCPUs().MatchString(cpus):
				return n.vnode(vnode) + "/" + cpus
			case piece == "":
				return ""
			}
			return n.vnode(piece)
		})
		return opened + bare + closed
	})
}

// eachOutsideQuotes returns a list of which every part is replaced. Separators in quotes separate
// nothing.
func eachOutsideQuotes(text string, separator byte, replace func(part string) string) string {
	var out strings.Builder
	begin, quote := 0, byte(0)
	for i := 0; i <= len(text); i++ {
		switch {
		case i == len(text) || text[i] == separator && quote == 0:
			out.WriteString(replace(text[begin:i]))
			if i < len(text) {
				out.WriteByte(separator)
			}
			begin = i + 1
		case quote != 0 && text[i] == quote:
			quote = 0
		case quote == 0 && (text[i] == '"' || text[i] == '\''):
			quote = text[i]
		}
	}
	return out.String()
}
