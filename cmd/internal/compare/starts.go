package compare

import (
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/outcome"
)

// Starts is what a change makes of who starts in a cycle right now.
type Starts struct {
	Both     int      `json:"in_both"`   // how many start before the change and with it
	Now      []string `json:"only_new"`  // who start with it alone
	NoLonger []string `json:"only_old"`  // who start before it alone
	Never    []string `json:"never_new"` // who can never start with it, and can before
	Can      []string `json:"never_old"` // who can start with it, and can never before

	Held  []string `json:"held_new,omitempty"` // of whom a limit or the state of a partition keeps back with it, and none before
	Freed []string `json:"held_old,omitempty"` // of whom one keeps back before it, and none with it
	By    string   `json:"-"`                  // what may, in words

	NeverHeld int `json:"-"` // of those that can never start any more, how many one keeps back before
	NeverNew  int `json:"-"` // likewise, how many are in no order before

	Preempting map[string]string `json:"-"` // who goes for a job that starts with the change alone, by its ID
}

// FindStarts finds what becomes of jobs in a cycle right now, by what one makes of them before the change and with it. A job of which
// either does not tell counts nowhere.
func (d *Difference) FindStarts(old, now map[string]forecast.CycleResult) {
	s := &Starts{Now: []string{}, NoLonger: []string{}, Never: []string{}, Can: []string{}}
	isSeen, isTold := map[string]bool{}, len(d.Moves) == 0
	for _, m := range d.Moves { // a job of Slurm has one for each of its partitions
		was, isOfOld := old[m.ID]
		is, isOfNew := now[m.ID]
		if isSeen[m.ID] || !isOfOld || !isOfNew || was.StartsNow() == nil || is.StartsNow() == nil {
			continue
		}
		isSeen[m.ID], isTold = true, true
		switch {
		case was.Starts && is.Starts:
			s.Both++
		case is.Starts:
			s.Now = append(s.Now, m.ID)
			if who := is.Preempting(); who != "" {
				if s.Preempting == nil {
					s.Preempting = map[string]string{}
				}
				s.Preempting[m.ID] = " (" + strings.TrimPrefix(who, ", ") + ")"
			}
		case was.Starts:
			s.NoLonger = append(s.NoLonger, m.ID)
		}
		switch couldNever, canNever := isNever(was), isNever(is); {
		case canNever && !couldNever:
			s.Never = append(s.Never, m.ID)
		case couldNever && !canNever:
			s.Can = append(s.Can, m.ID)
		}
	}
	if isTold {
		d.Starts = s
	}
}

// FindHeld finds of whom a limit keeps back in a cycle right now, before the change and with it. isHeld says by what a cycle makes of a job
// whether one does, and by what such things are called. A job that is not considered, for the threshold of the formula or another reason, is
// not freed by that.
func (s *Starts) FindHeld(d *Difference, by string, old, now map[string]forecast.CycleResult, isHeld func(forecast.CycleResult) bool) {
	s.By = by
	isSeen := map[string]bool{}
	for _, m := range d.Moves {
		if isSeen[m.ID] {
			continue
		}
		isSeen[m.ID] = true
		was, isOfOld := old[m.ID]
		is, isOfNew := now[m.ID]
		if slices.Contains(s.Never, m.ID) {
			if m.OldRank == nil {
				s.NeverNew++
			} else if isHeld(was) {
				s.NeverHeld++
			}
		}
		switch held, holds := isHeld(was), isHeld(is); {
		case !isOfOld || !isOfNew || held == holds || isNever(was) || isNever(is): // of which it is said
		case holds && m.OldRank != nil:
			s.Held = append(s.Held, m.ID)
		case held && m.NewRank != nil:
			s.Freed = append(s.Freed, m.ID)
		}
	}
}

// isNever reports whether a job can never start, whatever becomes of others.
func isNever(of forecast.CycleResult) bool {
	return !of.Starts && strings.HasPrefix(of.Reason, outcome.Never)
}

// IsNone reports whether the change makes no difference to who starts, or can.
func (s *Starts) IsNone() bool {
	return len(s.Now)+len(s.NoLonger)+len(s.Never)+len(s.Can) == 0
}

// ChangesStarts reports whether the change makes a difference to who starts, or can.
func (d *Difference) ChangesStarts() bool { return d.Starts != nil && !d.Starts.IsNone() }

// OfStarts returns what a comparison of orders says where there are remarks on who starts: who says all of them.
func OfStarts(remarks []diag.Remark) []diag.Remark {
	if len(remarks) == 0 {
		return nil
	}
	return []diag.Remark{diag.Notef("formula sort --now says what is not known or assumed of who starts right now")}
}

// groups returns the jobs of which something becomes.
func (s *Starts) groups() []Group {
	if s == nil {
		return nil
	}
	started := slices.Clone(s.Now)
	for i, id := range started {
		started[i] += s.Preempting[id]
	}
	return []Group{{Label: "start right now, and did not", IDs: started}, {Label: "no longer start right now", IDs: s.NoLonger}, {Label: "can never start any more", IDs: s.Never, Of: s.ofNever()}, {Label: "could never start, and now can", IDs: s.Can},
		{Label: "are held by " + s.By + ", and were not", IDs: s.Held}, {Label: "are no longer held by " + s.By, IDs: s.Freed}}
}

// ofNever says how many of those that can never start any more a limit kept back before, and how many are not considered yet: who counts those
// alone that the change holds counts neither.
func (s *Starts) ofNever() string {
	var parts []string
	if s.NeverHeld > 0 {
		parts = append(parts, fmt.Sprintf("%d held before by %s", s.NeverHeld, s.By))
	}
	if s.NeverNew > 0 {
		parts = append(parts, fmt.Sprintf("%d not considered yet", s.NeverNew))
	}
	if parts == nil {
		return ""
	}
	return "; of them " + strings.Join(parts, ", ")
}
