package forecast

import (
	"fmt"
	"strings"

	"fairshare/cmd/internal/pbs"
)

// Whom a queue and the server let in, by lists that count where they are enabled. They decide when a job is submitted, and
// never about one that is there.

// accessList is one of the lists.
type accessList struct{ name, enable, of string }

var accessLists = []accessList{{"acl_users", "acl_user_enable", "user"}, {"acl_groups", "acl_group_enable", "group"}, {"acl_hosts", "acl_host_enable", "host"}}

// door is who has access lists.
type door struct {
	is string // "queue night", or "the server"
	pbs.Attributes
}

// doors returns those that a job passes which is submitted to a queue.
func (s *Site) doors(queue string) []door {
	return []door{{"queue " + queue, s.Site.Queue(queue).Attributes}, {"the server", s.Site.Sched.Server}}
}

// keptOut says which access list does not let a job in, "" for none that is known not to. The unknown are those that may:
// nothing tells from which host it comes, and perhaps of which group its user is.
func (s *Site) keptOut(a Ask) (why string, unknown []string) {
	if a.is != nil && s.Past.Names.List[a.is.Queue] == a.Queue {
		return "", nil // it is there already
	}
	names := map[string]string{"user": a.User}
	if like := s.lastOf(a.User); like != nil {
		names["group"] = s.Past.Names.List[like.Group]
	}
	if a.User == nobody {
		names["user"] = ""
	}
	for _, d := range s.doors(a.Queue) {
		for _, list := range accessLists {
			if !strings.EqualFold(d.Attributes[list.enable], "true") {
				continue
			}
			switch letsIn, isKnown := admits(d.Attributes[list.name], names[list.of]); {
			case !isKnown:
				unknown = append(unknown, list.name+" of "+d.is)
			case !letsIn && names[list.of] == "":
				return fmt.Sprintf("%s takes no jobs of any %s (%s)", d.is, list.of, list.name), nil
			case !letsIn:
				return fmt.Sprintf("%s takes no jobs of %s %s (%s)", d.is, list.of, names[list.of], list.name), nil
			}
		}
	}
	return "", unknown
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
