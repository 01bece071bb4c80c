package obfuscate

import (
	"path"
	"strconv"
	"strings"
	"time"

	"fairshare/cmd/internal/obfuscate"
	"fairshare/cmd/internal/pattern"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/qstat"
	"fairshare/cmd/internal/trace"
	"fairshare/formula"
)

// names replaces the names of a PBS site.
type names struct {
	*obfuscate.Names
	shift obfuscate.Shift

	types     map[string]formula.Type // of the site's resources
	resources map[string]string       // their names; those that formulas use are kept
	prefixes  []string                // of the names of queues to which sched_config gives a meaning
	isPair    bool                    // whether entities are GROUP:USER
}

// plainNames are those to which PBS gives a meaning.
var plainNames = []string{"TREEROOT", "_pbs_project_default", "pbs-default", "PBS_GENERIC", "PBS_ALL"}

func newNames(shift obfuscate.Shift) *names {
	return &names{Names: obfuscate.NewNames(plainNames...), shift: shift, types: map[string]formula.Type{}, resources: map[string]string{}}
}

// named returns what replaces the names of a kind.
func named(kind string) func(*names, string) string {
	return func(n *names, value string) string { return n.Name(kind, value) }
}

// entity returns what an entity's name is replaced by.
func (n *names) entity(name string) string {
	group, user, ok := strings.Cut(name, ":")
	if ok && (n.isPair || n.By[group] != "" && n.By[user] != "") {
		return n.Name("group", group) + ":" + n.Name("user", user)
	}
	return n.Name("entity", name)
}

// queue returns what a queue's name is replaced by, which begins with the prefix
// that makes it a queue of primetime or of dedicated time.
func (n *names) queue(name string) string {
	if other, ok := n.By[name]; ok {
		return other
	}
	if trace.IsReservation(name) {
		n.By[name] = n.id(name)
		return n.By[name]
	}
	prefix := n.prefixOf(name)
	for _, word := range []string{"queue-", "line-", "class-", "waiting-"} {
		if n.prefixOf(prefix+word) == prefix {
			prefix += word
			break
		}
	}
	n.By[name] = n.Make(prefix)
	return n.By[name]
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
			return n.queue(queue) + "@" + n.Name("host", server)
		}
		return n.queue(queue)
	})
}

var (
	jobID = pattern.Of(`^([RSM]?)([0-9]{1,15})(\[[0-9]*\])?(\.[^@]*)?(@.*)?$`)
)

// id returns the ID of a job or a reservation with another server, and another number
// where they are shifted.
func (n *names) id(id string) string {
	part := jobID().FindStringSubmatch(id)
	if part == nil {
		return n.Name("id", id)
	}
	number, _ := strconv.ParseInt(part[2], 10, 64) // so many digits are one
	out := part[1] + strconv.FormatInt(number+n.shift.Numbers, 10) + part[3]
	for i, mark := range []string{".", "@"} {
		if server := part[4+i]; server != "" {
			out += mark + n.Name("host", server[1:])
		}
	}
	return out
}

// ids returns the IDs of a list such as "1.srv/0, 2.srv/0".
func (n *names) ids(text string) string {
	var ids []string
	for part := range strings.SplitSeq(text, ",") {
		id, number, hasNumber := strings.Cut(strings.TrimSpace(part), "/")
		if id = n.id(id); hasNumber {
			id += "/" + n.plain(number)
		}
		ids = append(ids, id)
	}
	return strings.Join(ids, ", ")
}

// address returns what USER@HOST is replaced by.
func (n *names) address(text string) string {
	user, host, ok := strings.Cut(text, "@")
	user = n.Name("user", user)
	if !ok {
		return user
	}
	return user + "@" + n.Name("host", host)
}

// path returns what a path is replaced by, which may have a host before it.
func (n *names) path(text string) string {
	host, path, ok := strings.Cut(text, ":")
	if !ok {
		return n.Name("/path", text)
	}
	return n.Name("host", host) + ":" + n.Name("/path", path)
}

// conditions are what jobs may depend on.
var conditions = pattern.Of(`^(on|(after|before)(ok|notok|any|start)?|runone|syncwith|synccount)$`)

// depend returns what a job depends on: jobs with other numbers and servers.
func (n *names) depend(text string) string {
	return each(text, ",", func(part string) string {
		condition, jobs, isComplete := strings.Cut(part, ":")
		if !isComplete || !conditions().MatchString(condition) {
			return n.Name("value", part)
		}
		if condition == "on" || condition == "synccount" {
			count, rest, _ := strings.Cut(jobs, ":")
			if !isAmount().MatchString(count) || rest != "" {
				return condition + ":" + n.Name("value", jobs)
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
		kept = append(kept, "["+string(l.Kind)+":"+n.Name(kinds[l.Kind], l.Name)+"="+l.Amount+"]")
	}
	return strings.Join(kept, ",")
}

// moment returns a time, in seconds, milliseconds, microseconds or nanoseconds since 1970 or as qstat writes it.
func (n *names) moment(text string) string {
	if t, err := time.Parse(time.ANSIC, text); err == nil {
		return n.shift.Move(t).Format(time.ANSIC)
	}
	if _, _, isBoth := strings.Cut(text, " ("); isBoth {
		if at, ok := qstat.ParseTime(text, time.UTC); ok {
			text = strconv.FormatInt(at, 10) // whose zone would tell where the site is
		}
	}
	const precision = 15 // digits, as PBS writes a long queue_rank in JSON
	number, err := strconv.ParseFloat(text, 64)
	if err != nil || number-number != 0 {
		return ""
	}
	delta := float64(n.shift.Seconds()) * obfuscate.UnitOf(number)
	switch whole, err := strconv.ParseInt(text, 10, 64); {
	case delta == 0:
		return text
	case err == nil:
		return strconv.FormatInt(whole+int64(delta), 10)
	}
	return strconv.FormatFloat(number+delta, 'g', precision, 64)
}

// scheduler returns the name of a scheduler; that of the default one stays.
func (n *names) scheduler(name string) string {
	if pbs.IsDefaultScheduler(name) {
		return "default"
	}
	return n.Name("sched", name)
}

// partitions returns the partitions of a scheduler, a queue or a vnode; that of the default scheduler stays.
func (n *names) partitions(text string) string {
	return each(text, ",", func(name string) string {
		if name = strings.TrimSpace(name); name == pbs.DefaultPartition {
			return name
		}
		return n.Name("partition", name)
	})
}

// schedPriv returns what the directory of a scheduler is called.
func (n *names) schedPriv(text string) string {
	base := path.Base(text)
	name, isFurther := strings.CutPrefix(base, pbs.PrivName+"_")
	if !isFurther {
		return pbs.PrivName
	}
	return pbs.PrivName + "_" + n.Name("sched", name)
}

// plain returns a value that PBS itself makes: numbers, times and words of its own. It
// returns "" for anything else.
func (n *names) plain(text string) string {
	if len(text) <= 120 && isPlain().MatchString(text) && !isTelling().MatchString(text) {
		return text
	}
	return ""
}

var (
	isPlain   = pattern.Of(`^[-+A-Za-z0-9_ .,:%()]*$`)
	isTelling = pattern.Of(`[0-9]+\.[0-9]+\.[0-9]+|\+[0-9]{6}|[A-Za-z]\.[A-Za-z]`) // addresses of hosts, telephone numbers
)

// each returns a list of which every part is replaced.
func each(text, separator string, replace func(part string) string) string {
	parts := strings.Split(text, separator)
	for i, part := range parts {
		parts[i] = replace(part)
	}
	return strings.Join(parts, separator)
}
