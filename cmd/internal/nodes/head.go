package nodes

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"fairshare/cmd/internal/report"
)

// Head returns what is said before the nodes are listed: what all nodes of the site or of the queue come to, whichever of
// them are listed.
func (a *Answer) Head() []string {
	all := a.machine.Chosen(Question{})
	t := totalOf(all)
	var states []string
	for _, s := range t.States {
		states = append(states, fmt.Sprintf("%d %s", s.Nodes, report.DashIfEmpty(s.Name)))
	}
	head := report.Count(t.Nodes, a.machine.Called)
	if a.machine.At > 0 {
		head += " at " + clock(a.machine.At, a.machine.Zone)
	}
	if len(states) > 0 {
		head += ": " + strings.Join(states, ", ")
	}
	if full := t.Up - t.Free; full > 0 && slices.ContainsFunc(t.States, func(s State) bool { return s.Name == "free" }) { // PBS calls a full vnode so as well
		head += fmt.Sprintf("; %d of them with a cpu free, %d without", t.Free, full)
	}
	switch n := len(t.Bare); {
	case n == 1:
		head += "; beside them " + t.Bare[0] + ", which has no cpus"
	case n > 1:
		head += fmt.Sprintf("; beside them %d that have no cpus", n)
	}
	sums := fmt.Sprintf("%s of %s cpus free", report.Plain(t.CPUs.Free), report.Plain(t.CPUs.All))
	if t.CPUs.Idle > 0 {
		sums += fmt.Sprintf(" (%s more are idle on %ss that take no job just now)", report.Plain(t.CPUs.Idle), a.machine.Called)
	}
	if reserved := a.machine.reserved(all); reserved != "" {
		sums += ", " + reserved
	}
	if t.Memory.All > 0 {
		sums += ", memory " + sizes(t.Memory)
	}
	if t.GPUs.All > 0 {
		sums += fmt.Sprintf(", %s of %s GPUs", report.Plain(t.GPUs.Free), report.Plain(t.GPUs.All))
	}
	take := "take"
	if t.Up == 1 {
		take = "takes"
	}
	jobs := report.Count(t.Jobs, "job") + " there"
	if a.machine.IsUntold {
		jobs = "which jobs run there is not told"
	}
	lines := []string{head, fmt.Sprintf("%s, on %s that %s jobs; %s", sums, report.Count(t.Up, a.machine.Called), take, jobs)}
	if n := len(a.nodes); n > 0 && n < t.Nodes {
		lines = append(lines, fmt.Sprintf("listed: %d of them%s", n, a.question.which()))
	}
	if a.question.Names != nil && len(a.nodes) > 0 {
		lines = append(lines, a.emptied())
	}
	if x := a.machine.Asked; x != nil {
		if of := x.Default; of != nil {
			lines = append(lines, fmt.Sprintf("%s %s, to which a job goes that names none (as in formula when --submit): %s", a.machine.Queue, of.Queue, of.sentence(a.machine.Queue)))
		}
		lines = append(lines, x.sentence(a.machine.Queue))
		if short := a.short(); short != "" && !x.Fits && !x.Never && x.Refused == "" {
			lines = append(lines, short)
		}
	}
	return lines
}

// short says on how many of the nodes that are listed and have anything what is short for a part of the job that is asked for, or keeps it away; "" where
// that is nowhere so, or where there is one node, whose row says it.
func (a *Answer) short() string {
	const most = 6 // that are named
	on := map[string]int{}
	without := 0
	for _, n := range a.nodes {
		if n.Fits > 0 || n.isBare() {
			continue
		}
		bars := n.Bars
		for _, k := range n.Kinds {
			bars = append(slices.Clip(bars), k.Bars...)
		}
		seen := map[string]bool{}
		for _, b := range bars {
			if !seen[b.What] {
				seen[b.What] = true
				on[b.What]++
			}
		}
		if len(seen) > 0 {
			without++
		}
	}
	if without == 0 || len(a.nodes) < 2 {
		return ""
	}
	names := slices.SortedFunc(maps.Keys(on), func(a, b string) int { return cmp.Or(cmp.Compare(on[b], on[a]), strings.Compare(a, b)) })
	var list []string
	for _, name := range names {
		list = append(list, fmt.Sprintf("%s on %d", name, on[name]))
	}
	return fmt.Sprintf("what keeps %s from %s: %s", a.machine.Parts, report.Count(without, a.machine.Called), report.Some(list, most))
}

// Room says whether there is room now for the job that is asked about, as far as is known what it asks for, and what keeps parts of it from
// the nodes; "" where more than room keeps it from starting.
func (a *Answer) Room() string {
	switch x := a.machine.Asked; {
	case x.Refused != "" || x.IsBarred || x.Never || x.Later != "":
		return ""
	case x.Fits:
		if x.Says != "" {
			return "that is free on " + x.places() + ", and its comment tells what keeps it from starting"
		}
		return report.Clauses("there is room for it now, on "+x.places(), x.Unknown)
	default:
		return report.Clauses("there is no room for it now", x.Lacks, a.short(), x.Unknown)
	}
}

// which says which nodes a question lists.
func (q Question) which() string {
	text := ""
	if q.Names != nil {
		text = " (" + strings.Join(q.Names, " ") + ")"
	}
	if q.States != nil {
		text += " in state " + strings.Join(q.States, " or ")
	}
	if q.IsFree {
		text += " that have a cpu free"
	}
	if len(q.Users) > 0 {
		text += " on which jobs of " + strings.Join(q.Users, " or ") + " run"
	}
	return text
}

// emptied says when the nodes that are listed have no job any more.
func (a *Answer) emptied() string {
	ids := map[string]bool{}
	for _, n := range a.nodes {
		for _, j := range n.Jobs {
			ids[j.ID] = true
		}
	}
	if a.machine.IsUntold {
		return "until when jobs run there is not told"
	}
	if len(ids) == 0 {
		return "no job runs there"
	}
	last := func(end func(Job) int64) (text string) {
		var at int64
		var by string
		endless := map[string]bool{}
		for _, n := range a.nodes {
			for _, j := range n.Jobs {
				switch ends := end(j); {
				case ends == 0:
					endless[j.ID] = true
				case ends > at:
					at, by = ends, j.ID+" on "+n.Name
				}
			}
		}
		if n := len(endless); n > 0 {
			return fmt.Sprintf("nothing tells when %d of them end (%s)", n, report.First(slices.Sorted(maps.Keys(endless))))
		}
		return fmt.Sprintf("the last one ends %s (%s)", clock(at, a.machine.Zone), by)
	}
	text := report.Count(len(ids), "job") + " there: by what they asked for, " + last(Job.requested)
	if a.machine.IsForecast {
		text += "; by forecast, " + last(Job.forecast)
	}
	return text + ", if no other starts there"
}

// sentence says what becomes of what is asked for, where a queue is called as it is.
func (x *Asked) sentence(queue string) string {
	text := report.Clauses(x.becomes(queue), x.Unknown)
	if x.IsListed {
		text = strings.ReplaceAll(text, "formula when --submit", "formula when SITE JOB")
	}
	return text
}

// becomes is sentence of a job that is not there yet.
func (x *Asked) becomes(queue string) string {
	what := x.Text + " in " + cmp.Or(x.Queue, "any "+queue)
	switch {
	case x.Refused != "":
		return what + ": it would be refused: " + x.Refused
	case len(x.Preempts) > 0:
		why := "there is no room now"
		if x.Reached != "" {
			why = x.Reached + " is reached"
		}
		where := ", on "
		if strings.HasPrefix(x.Now, "waits") { // until the jobs have gone
			where = "; then it starts on "
		}
		return what + ": " + why + "; if it goes first, it " + x.Now + where + x.places()
	case x.Later != "" && !x.Never:
		now := "there is room for it in what is free now"
		if !x.Fits {
			now = "there is no room for it in what is free now"
		}
		return what + ": it begins later: it " + x.Later + "; " + now + ", which tells nothing of then (formula when --submit says when it would start)"
	case x.Says != "" && x.Fits:
		return what + ": what is known that it asks for is free on " + x.places() + "; its comment tells what keeps it from starting: " + x.Says
	case x.Now != "" && x.Now != "starts" && x.Fits:
		return what + ": it would not start though it went first: it " + x.Now + "; there is room for it now"
	case x.IsBarred:
		return what + ": it would not start though it went first: it " + x.Now + "; nor is there room for it now"
	case x.Fits:
		if x.Kept != "" {
			return fmt.Sprintf("%s: on %s %s", what, x.places(), x.Kept)
		}
		text := fmt.Sprintf("%s: there is room now, on %s, for who goes first and is held by no limit", what, x.places())
		if x.IsUntimed {
			return text
		}
		return text + " (formula when --submit says when it would start)"
	case x.Never && x.Lacks != "":
		return what + ": there would be no room even if nothing ran: " + x.Lacks
	case x.Never:
		return what + ": there would be no room even if nothing ran"
	}
	text := what + ": there is no room now"
	if x.Lacks != "" {
		text += ": " + x.Lacks
	} else if x.IsListed && strings.HasPrefix(x.Now, "waits for free ") {
		text += ": it " + x.Now
	}
	return text
}

// places returns where there is room for what is asked for.
func (x *Asked) places() string {
	const most = 8 // that are named
	return report.Some(x.Places, most)
}
