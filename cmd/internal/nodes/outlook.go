package nodes

import (
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/report"
)

// MostTold is of how many nodes that are named it is told who waits for them.
const MostTold = 3

// IsTold reports whether it is asked what becomes of each of some nodes that are named.
func (q Question) IsTold(named []string) bool {
	return q.Names != nil && len(named) <= MostTold && !q.OfJob()
}

// Waiting is a job that waits, with what it finds on the nodes that are named.
type Waiting struct {
	ID, User string
	IsHeld   bool            // whether it starts nowhere as it is, whatever is free
	On       map[string]Node // by the node, how often it has room for a part of the job, or what keeps it from that
}

// outlook is what is told of a node beside its row: who waits for it, in their order.
type outlook struct {
	Node    string    `json:"node"`
	Waiting int       `json:"waiting"`                   // how many jobs wait, without those that are held
	Held    int       `json:"held"`                      // and how many are
	Others  int       `json:"not_for_it"`                // of those that wait how many no queue, partition or limit lets run there, whatever is free
	RoomFor []string  `json:"room_for"`                  // of those that wait the jobs for a part of which it has room
	First   *expected `json:"first,omitempty"`           // the first one that may run there, where there is no room for it
	Next    *expected `json:"first_with_room,omitempty"` // the first one for which there is
}

// expected is a job that waits, with what keeps it from a node, or from starting.
type expected struct {
	ID     string `json:"id"`
	User   string `json:"user"`
	WhyNot []Bar  `json:"why_not,omitempty"`
	Now    string `json:"now,omitempty"` // what a cycle right now makes of it, "" where that is not known
}

// Rank puts the jobs that wait into the order of some IDs, others behind them, with what a cycle right now makes of each.
func (a *Answer) Rank(ids []string, now func(id string) string) {
	places := map[string]int{}
	for i, id := range ids {
		if _, isThere := places[id]; !isThere {
			places[id] = i
		}
	}
	place := func(w Waiting) int {
		if at, isThere := places[w.ID]; isThere {
			return at
		}
		return len(ids)
	}
	slices.SortStableFunc(a.machine.Waiting, func(x, y Waiting) int { return place(x) - place(y) })
	a.now = now
}

// isOfQueue reports whether it is the queue, the partition or a limit that keeps a job from a node, whatever is free there.
func (b Bar) isOfQueue() bool { return b.What == "queue" || b.What == "partition" || b.What == "limit" }

// outlooks returns what is told of each node that is listed.
func (a *Answer) outlooks() (list []outlook) {
	if a.machine.Waiting == nil {
		return nil
	}
	for _, n := range a.nodes {
		o := outlook{Node: n.Name, RoomFor: []string{}}
		for _, w := range a.machine.Waiting {
			if w.IsHeld {
				o.Held++
				continue
			}
			o.Waiting++
			of := w.On[n.Name]
			if slices.ContainsFunc(of.Bars, Bar.isOfQueue) {
				o.Others++
				continue
			}
			switch is := (&expected{ID: w.ID, User: w.User, WhyNot: of.Bars}); {
			case of.Fits > 0 && len(o.RoomFor) == 0:
				if a.now != nil {
					is.Now = a.now(w.ID)
				}
				o.Next = is
			case of.Fits == 0 && o.First == nil && o.Next == nil:
				o.First = is
			}
			if of.Fits > 0 {
				o.RoomFor = append(o.RoomFor, w.ID)
			}
		}
		list = append(list, o)
	}
	return list
}

// Outlook says of the nodes that are named who runs there until when, which reservations have them, and who waits for them.
func (a *Answer) Outlook() (lines []string) {
	const most = 6 // that are named
	outlooks := a.outlooks()
	if outlooks == nil {
		return nil
	}
	m := a.machine
	for _, n := range a.nodes {
		var runs []string
		for _, j := range n.Jobs {
			var parts []string
			if j.User != "" {
				parts = append(parts, j.User)
			}
			if j.CPUs > 0 {
				parts = append(parts, report.Count(int(j.CPUs), "cpu"))
			}
			if j.End > 0 {
				parts = append(parts, "until "+clock(j.End, m.Zone))
			}
			text := j.ID
			if parts != nil {
				text += " (" + strings.Join(parts, ", ") + ")"
			}
			runs = append(runs, text)
		}
		if len(runs) > 0 {
			lines = append(lines, fmt.Sprintf("%s runs %s", n.Name, report.Some(runs, most)))
		}
	}
	lines = append(lines, a.Reserved()...)
	part := strings.TrimSuffix(m.Parts, "s")
	for _, o := range outlooks {
		if o.Waiting == 0 {
			text := "no job waits"
			if o.Held > 0 {
				text += fmt.Sprintf(" (%d held)", o.Held)
			}
			lines = append(lines, text)
			break // which is so of all nodes
		}
		var but []string
		if o.Held > 0 {
			but = append(but, fmt.Sprintf("%d more held", o.Held))
		}
		if o.Others > 0 {
			but = append(but, fmt.Sprintf("%d of them not for %s, by %s or limit", o.Others, o.Node, m.Queue))
		}
		text := fmt.Sprintf("of %s that wait", report.Count(o.Waiting, "job"))
		if but != nil {
			text += " (" + strings.Join(but, "; ") + ")"
		}
		if len(o.RoomFor) == 0 {
			lines = append(lines, fmt.Sprintf("%s, %s has room for a %s of none now", text, o.Node, part))
		} else {
			lines = append(lines, fmt.Sprintf("%s, %s has room for a %s of %d now: %s", text, o.Node, part, len(o.RoomFor), report.Some(o.RoomFor, most)))
		}
		if first := o.First; first != nil {
			lines = append(lines, fmt.Sprintf("the first that may run there, %s of %s, is kept from %s by: %s", first.ID, first.User, o.Node, inWords(first.WhyNot)))
		}
		if next := o.Next; next != nil {
			text := fmt.Sprintf("the first for which %s has room is %s of %s", o.Node, next.ID, next.User)
			if next.Now != "" && next.Now != "-" {
				text += ": right now it " + next.Now
			}
			lines = append(lines, text)
		}
	}
	return lines
}
