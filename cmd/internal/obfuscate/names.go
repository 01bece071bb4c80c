package obfuscate

import (
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"time"

	"fairshare/cmd/internal/pbs"
	"fairshare/formula"
)

// Shift is by how much an obfuscated snapshot is moved, so that times and numbers of
// jobs cannot be looked up elsewhere. Weeks keep the days of the week.
type Shift struct {
	Weeks   int
	Numbers int64 // that the numbers of jobs grow by
}

// RandomShift returns a shift into the past that nobody can guess.
func RandomShift() Shift {
	const (
		mostWeeks   = 8 * 52
		mostNumbers = 1_000_000
	)
	return Shift{Weeks: -1 - rand.IntN(mostWeeks), Numbers: 1 + rand.Int64N(mostNumbers)}
}

func (s Shift) seconds() int64 {
	const week = 7 * 24 * 60 * 60
	return int64(s.Weeks) * week
}

// names replaces names by others: each always by the same one, whatever it is the
// name of, since a tree's entity may be a user, a group or a project; and no two by
// one.
type names struct {
	shift  Shift
	by     map[string]string
	taken  map[string]bool // names that others have become, or that have been kept
	counts map[string]int  // of the names made of a kind

	types     map[string]formula.Type // of the site's resources
	resources map[string]string       // their names; those that formulas use are kept
	prefixes  []string                // of the names of queues to which sched_config gives a meaning
	isPair    bool                    // whether entities are GROUP:USER
}

// plainNames say nothing of anybody, or PBS gives them a meaning.
var plainNames = []string{"", "root", "TREEROOT", "unknown", "default", "_pbs_project_default", "pbs-default", "PBS_GENERIC", "PBS_ALL", "*"}

func newNames(shift Shift) *names {
	n := &names{shift: shift, by: map[string]string{}, taken: map[string]bool{}, counts: map[string]int{}, types: map[string]formula.Type{}, resources: map[string]string{}}
	for _, name := range plainNames {
		n.by[name], n.taken[name] = name, true
	}
	return n
}

// name returns what a name is replaced by. kind is what a new one is called.
func (n *names) name(kind, name string) string {
	if other, ok := n.by[name]; ok {
		return other
	}
	n.by[name] = n.make(kind + "-")
	return n.by[name]
}

// make returns a new name.
func (n *names) make(prefix string) string {
	for {
		n.counts[prefix]++
		name := prefix + strconv.Itoa(n.counts[prefix])
		if !n.taken[name] {
			n.taken[name] = true
			return name
		}
	}
}

// named returns what replaces the names of a kind.
func named(kind string) func(*names, string) string {
	return func(n *names, value string) string { return n.name(kind, value) }
}

// entity returns what an entity's name is replaced by.
func (n *names) entity(name string) string {
	group, user, ok := strings.Cut(name, ":")
	if ok && (n.isPair || n.by[group] != "" && n.by[user] != "") {
		return n.name("group", group) + ":" + n.name("user", user)
	}
	return n.name("entity", name)
}

// queue returns what a queue's name is replaced by, which begins with the prefix
// that makes it a queue of primetime or of dedicated time.
func (n *names) queue(name string) string {
	if other, ok := n.by[name]; ok {
		return other
	}
	if reservation.MatchString(name) {
		n.by[name] = n.id(name)
		return n.by[name]
	}
	prefix := n.prefixOf(name)
	for _, word := range []string{"queue-", "line-", "class-", "waiting-"} {
		if n.prefixOf(prefix+word) == prefix {
			prefix += word
			break
		}
	}
	n.by[name] = n.make(prefix)
	return n.by[name]
}

// prefixOf returns the longest prefix with a meaning that a queue's name begins with,
// "" if there is none.
func (n *names) prefixOf(name string) string {
	longest := ""
	for _, prefix := range n.prefixes {
		if strings.HasPrefix(name, prefix) && len(prefix) > len(longest) {
			longest = prefix
		}
	}
	return longest
}

// queues returns a list of queues, which may be on other servers.
func (n *names) queues(text string) string {
	return each(text, ",", func(part string) string {
		queue, server, isElsewhere := strings.Cut(strings.TrimSpace(part), "@")
		if isElsewhere {
			return n.queue(queue) + "@" + n.name("host", server)
		}
		return n.queue(queue)
	})
}

var (
	reservation = regexp.MustCompile(`^[RSM][0-9]+$`)
	jobID       = regexp.MustCompile(`^([RSM]?)([0-9]{1,15})(\[[0-9]*\])?(\.[^@]*)?(@.*)?$`)
)

// id returns the ID of a job or a reservation with another server, and another number
// where they are shifted.
func (n *names) id(id string) string {
	part := jobID.FindStringSubmatch(id)
	if part == nil {
		return n.name("id", id)
	}
	number, _ := strconv.ParseInt(part[2], 10, 64) // so many digits are one
	out := part[1] + strconv.FormatInt(number+n.shift.Numbers, 10) + part[3]
	for i, mark := range []string{".", "@"} {
		if server := part[4+i]; server != "" {
			out += mark + n.name("host", server[1:])
		}
	}
	return out
}

// address returns what USER@HOST is replaced by.
func (n *names) address(text string) string {
	user, host, ok := strings.Cut(text, "@")
	user = n.name("user", user)
	if !ok {
		return user
	}
	return user + "@" + n.name("host", host)
}

// path returns what a path is replaced by, which may have a host before it.
func (n *names) path(text string) string {
	host, path, ok := strings.Cut(text, ":")
	if !ok {
		return n.name("/path", text)
	}
	return n.name("host", host) + ":" + n.name("/path", path)
}

// conditions are what jobs may depend on.
var conditions = regexp.MustCompile(`^(on|(after|before)(ok|notok|any|start)?|runone|syncwith|synccount)$`)

// depend returns what a job depends on: jobs with other numbers and servers.
func (n *names) depend(text string) string {
	return each(text, ",", func(part string) string {
		condition, jobs, isComplete := strings.Cut(part, ":")
		if !isComplete || !conditions.MatchString(condition) {
			return n.name("value", part)
		}
		if condition == "on" || condition == "synccount" {
			count, rest, _ := strings.Cut(jobs, ":")
			if !isAmount.MatchString(count) || rest != "" {
				return condition + ":" + n.name("value", jobs)
			}
			return part
		}
		return condition + ":" + each(jobs, ":", n.id)
	})
}

// limits returns limits with other users, groups and projects: [u:bob=3],[o:PBS_ALL=9].
// What is no limit is left out, and those of old are numbers.
func (n *names) limits(text string) string {
	if !strings.Contains(text, "[") {
		return n.plain(text)
	}
	kinds := map[byte]string{'u': "user", 'g': "group", 'p': "project", 'o': "name"}
	var kept []string
	limits, _ := pbs.ParseLimits(text)
	for _, l := range limits {
		kept = append(kept, "["+string(l.Kind)+":"+n.name(kinds[l.Kind], l.Name)+"="+l.Amount+"]")
	}
	return strings.Join(kept, ",")
}

// moment returns a time, in seconds or microseconds since 1970 or as qstat writes it.
func (n *names) moment(text string) string {
	const (
		longAgo      = 100_000_000 // 1973: less is no time
		microseconds = 1_000_000
	)
	if t, err := time.Parse(time.ANSIC, text); err == nil {
		return t.Add(time.Duration(n.shift.seconds()) * time.Second).Format(time.ANSIC)
	}
	const precision = 15 // digits, as PBS writes a long queue_rank in JSON
	number, err := strconv.ParseFloat(text, 64)
	delta := 0.0
	switch {
	case err != nil || number-number != 0:
		return ""
	case number > longAgo*microseconds:
		delta = float64(n.shift.seconds()) * microseconds
	case number > longAgo:
		delta = float64(n.shift.seconds())
	}
	switch whole, err := strconv.ParseInt(text, 10, 64); {
	case delta == 0:
		return text
	case err == nil:
		return strconv.FormatInt(whole+int64(delta), 10)
	}
	return strconv.FormatFloat(number+delta, 'g', precision, 64)
}

// plain returns a value that PBS itself makes: numbers, times and words of its own. It
// returns "" for anything else.
func (n *names) plain(text string) string {
	if len(text) <= 120 && isPlain.MatchString(text) && !isTelling.MatchString(text) {
		return text
	}
	return ""
}

var (
	isPlain   = regexp.MustCompile(`^[-+A-Za-z0-9_ .,:%()]*$`)
	isTelling = regexp.MustCompile(`[0-9]+\.[0-9]+\.[0-9]+|\+[0-9]{6}|[A-Za-z]\.[A-Za-z]`) // addresses of hosts, telephone numbers
)

// each returns a list of which every part is replaced.
func each(text, separator string, replace func(part string) string) string {
	parts := strings.Split(text, separator)
	for i, part := range parts {
		parts[i] = replace(part)
	}
	return strings.Join(parts, separator)
}
