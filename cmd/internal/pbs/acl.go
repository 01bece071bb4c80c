package pbs

import (
	"fmt"
	"slices"
	"strings"
)

// Whom a queue and the server let in, by lists that count where they are enabled. They decide when a job is submitted or
// moved, and never about one that is there.

// accessLists are the lists, and of whom they are.
var accessLists = []struct{ name, enable, of string }{
	{"acl_users", "acl_user_enable", "user"}, {"acl_groups", "acl_group_enable", "group"}, {"acl_hosts", "acl_host_enable", "host"},
}

// KeepsOut says which access list does not let a job of a user and a group in, "" of those that are not known, and "" for none
// that is known not to. The unknown are those that may: nothing tells from which host it comes, and perhaps not who submits it.
// The attributes are those of the queue, or of the server, as which messages know them.
func (a Attributes) KeepsOut(is, user, group string) (why string, unknown []string) {
	names := map[string]string{"user": user, "group": group}
	for _, list := range accessLists {
		if !strings.EqualFold(a[list.enable], "true") {
			continue
		}
		isSloppy := list.of == "group" && strings.EqualFold(a[sloppyName], "true") // by any of the user's groups, of which one is known
		switch letsIn, isKnown := admits(a[list.name], names[list.of]); {
		case !isKnown, !letsIn && isSloppy:
			unknown = append(unknown, list.name+" of "+is)
		case !letsIn && names[list.of] == "":
			return fmt.Sprintf("%s takes no jobs of any %s (%s)", is, list.of, list.name), nil
		case !letsIn:
			return fmt.Sprintf("%s takes no jobs of %s %s (%s)", is, list.of, names[list.of], list.name), nil
		}
	}
	if a[queuableName] != "" {
		unknown = append(unknown, queuableName+" of "+is)
	}
	return "", unknown
}

// Attributes of queues that may let jobs in or keep them out beside access lists.
const sloppyName, queuableName = "acl_group_sloppy", "max_queuable"

// AsksGroups reports whether a queue lets in some groups alone.
func (s *Site) AsksGroups() bool {
	return slices.ContainsFunc(s.Queues, func(q Queue) bool { return strings.EqualFold(q.Attributes["acl_group_enable"], "true") })
}

// MayMove reports whether a job of a user and a group that is in one queue may be in another one and run there, whatever it asks
// for: where bounds, limits on what is queued, or access lists may keep it out, it may not.
func (s *Site) MayMove(from, to Queue, user, group string) bool {
	isBound := func(a Attributes) bool { return len(a.Of("resources_max"))+len(a.Of("resources_min")) > 0 }
	isLimited := slices.ContainsFunc(s.QueuedLimits(), func(l Limit) bool { return l.Queue == to.Name })
	why, unknown := to.Attributes.KeepsOut("queue "+to.Name, user, group)
	return to.WhyClosed() == "" && !to.Stopped && s.Scheduler.Places(to.Partition) && why == "" && unknown == nil &&
		!isBound(to.Attributes) && !isLimited &&
		!(isBound(from.Attributes) && isBound(s.Sched.Server)) // the bounds of its own queue count in place of the server's
}

// admits reports whether an access list lets somebody in, as PBS's acl_check: the first entry with the name decides, such as
// bob, +bob@host or -bob; + and - by themselves say what holds for those who have none, which else is that they are kept out.
// It is not known of one without a name, but where all entries are + or - by themselves, nor where an entry counts for some
// hosts alone.
func admits(list, name string) (letsIn, isKnown bool) {
	isKnown = true
	for entry := range strings.SplitSeq(list, ",") {
		entry = strings.TrimSpace(entry)
		if entry == "+" || entry == "-" {
			letsIn = entry == "+"
			continue
		}
		user, host, _ := strings.Cut(strings.TrimLeft(entry, "+-"), "@")
		switch {
		case name == "":
			isKnown = false
		case user != name:
		case host != "" && host != "*":
			return false, false
		default:
			return !strings.HasPrefix(entry, "-"), true
		}
	}
	return letsIn, isKnown
}
