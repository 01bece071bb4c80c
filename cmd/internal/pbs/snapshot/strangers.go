package snapshot

import (
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pattern"
)

// StrangersError says that prints are of two servers: their jobs, queues and vnodes have nothing to do with each other.
type StrangersError struct {
	First, Second     string // the prints
	OfFirst, OfSecond string // their servers
}

func (e *StrangersError) Error() string {
	return fmt.Sprintf("%s is of the server %s and %s of the server %s: give what one server prints, each server's in a folder of its own", e.First, e.OfFirst, e.Second, e.OfSecond)
}

// What tells of which server a print is. PBS's server gives its own name to itself, to the jobs that it has and in JSON to all that it
// tells; to IDs as well, which jobs keep that another server hands on.
var (
	ofServer = told{[]string{"\nServer: ", "\n    server_host = ", `"pbs_server":`, `"server_host":`},
		pattern.Of(`\A(?:\nServer: (\S+)|\n    server_host = (\S+)|"pbs_server": ?"([^"]+)"|"server_host": ?"([^"]+)")`), nil}
	ofJobs = told{[]string{"\n    server = ", "|server=", `"pbs_server":`, `"server":`},
		pattern.Of(`\A(?:\n    server = (\S+)|\|server=([^|\s]+)|"pbs_server": ?"([^"]+)"|"server": ?"([^"]+)")`), nil}
	idsThere = told{[]string{"Job Id: ", "jobs = ", "{", "[", ","}, pattern.Of(`\A(?:Job Id: |jobs = |[{\[,]\s*")\d+(?:\[\d*\])?\.([A-Za-z][\w.-]*)`), mayBeID}
)

// told is what a text tells in places that begin with one of some words, behind a line break where they begin a line: to look for those
// takes a small part of the time in which a pattern is tried at each character.
type told struct {
	words []string
	what  pattern.Lazy           // of what begins with one of them
	may   func(text string) bool // whether what so begins may be of the pattern, nil where all may
}

// mayBeID reports whether a text that begins as idsThere does may go on so: in JSON there are many commas.
func mayBeID(text string) bool {
	switch text[0] {
	case '{', '[', ',':
		name := strings.TrimLeft(text[1:], "\t\n\f\r ")
		return len(name) > 1 && name[0] == '"' && name[1] >= '0' && name[1] <= '9'
	}
	return true
}

// each gives what tells, and what the pattern has of it in brackets. The text begins with a line break.
func (t told) each(text string, give func(found []string)) {
	next := make([]int, len(t.words)) // where each word is
	for at := 0; ; {
		first := len(text)
		for i, word := range t.words {
			if next[i] < at || at == 0 {
				next[i] = len(text)
				if n := strings.Index(text[at:], word); n >= 0 {
					next[i] = at + n
				}
			}
			first = min(first, next[i])
		}
		if first == len(text) {
			return
		}
		at = first + 1
		if t.may != nil && !t.may(text[first:]) {
			continue
		}
		if found := t.what().FindStringSubmatch(text[first:]); found != nil {
			give(found)
			at = first + len(found[0])
		}
	}
}

// origin is what a print tells of its server, in short names.
type origin struct {
	from    string
	servers []string // as it names the server itself
	ids     []string // as the IDs of its jobs name servers, of which there may be several
	jobs    int      // how many IDs it has
}

// strangers returns a *StrangersError where prints in a folder tell that they are of two servers, by their begins.
func (s *Snapshot) strangers() error {
	var lists, others []origin
	for _, from := range slices.Concat(s.All(Jobs), s.past, s.beside) {
		lists = append(lists, s.originOf(from, ofJobs))
	}
	for _, part := range []Part{Attributes, Nodes, Queues} {
		for _, from := range s.All(part) {
			others = append(others, s.originOf(from, ofServer))
		}
	}
	all := slices.Concat(lists, others)
	for i, a := range all {
		for _, b := range all[i+1:] {
			if areApart(a.servers, b.servers) {
				return &StrangersError{a.from, b.from, a.servers[0], b.servers[0]}
			}
		}
	}
	const least = 3 // jobs of vnodes: fewer may all have come from another server
	for _, a := range lists {
		for _, b := range others {
			if b.jobs >= least && areApart(slices.Concat(a.servers, a.ids), b.ids) {
				return &StrangersError{a.from, b.from, slices.Concat(a.servers, a.ids)[0], b.ids[0]}
			}
		}
	}
	return nil
}

// areApart reports whether both name servers, and none alike.
func areApart(a, b []string) bool {
	return len(a) > 0 && len(b) > 0 && !slices.ContainsFunc(a, func(name string) bool { return slices.Contains(b, name) })
}

// originOf returns what the begin of a print tells, nothing where it cannot be read.
func (s *Snapshot) originOf(from file.Source, own told) origin {
	of := origin{from: from.Name}
	begin, err := s.tree.Head(s.within(from))
	if err != nil {
		return of
	}
	begin = "\n" + begin
	of.servers, _ = namesIn(begin, own)
	of.ids, of.jobs = namesIn(begin, idsThere)
	return of
}

// namesIn returns the names of servers that a text has, and how many different places that are.
func namesIn(text string, in told) (names []string, places int) {
	different := map[string]bool{}
	in.each(text, func(found []string) {
		different[found[0]] = true
		name, _, _ := strings.Cut(strings.ToLower(strings.Join(found[1:], "")), ".") // of which some have the domain
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	})
	return names, len(different)
}
