package work

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/trace"
)

// What jobs wait for, as depend= of their records says.

// DependKind is what has to become of a parent.
type DependKind byte

const (
	OnStart DependKind = iota
	OnOK
	OnNotOK
	OnAny
	OnCount  // not of a parent: of so many that name the job themselves
	OnlyOne  // the parent and the job stand for each other
	isBefore = 0x80
)

// dependKinds are the words of depend=. Those of "before" make the job the parent.
var dependKinds = map[string]DependKind{
	"after": OnStart, "afterok": OnOK, "afternotok": OnNotOK, "afterany": OnAny,
	"before": OnStart | isBefore, "beforeok": OnOK | isBefore, "beforenotok": OnNotOK | isBefore, "beforeany": OnAny | isBefore,
	"on": OnCount, "runone": OnlyOne,
}

// mostParents bounds what one job waits for.
const mostParents = 100_000

// Dependency is a part of depend=.
type Dependency struct {
	Kind   DependKind
	Parent string // its ID
	Count  int    // with OnCount
}

// IsBefore reports whether the job is the one for which the other waits.
func (d Dependency) IsBefore() bool { return d.Kind&isBefore != 0 }

// ParseDepend reads depend=: KIND:ID@SERVER:ID,KIND:ID. What it does not know is left out.
func ParseDepend(text string) []Dependency {
	var list []Dependency
	for part := range strings.SplitSeq(strings.Trim(text, `"'`), ",") {
		word, rest, _ := strings.Cut(part, ":")
		kind, ok := dependKinds[strings.TrimSpace(word)]
		if !ok {
			continue
		}
		for id := range strings.SplitSeq(rest, ":") {
			id, _, _ = strings.Cut(strings.TrimSpace(id), "@")
			if id == "" || len(list) == mostParents {
				continue
			}
			d := Dependency{Kind: kind, Parent: id}
			if kind == OnCount {
				n, err := strconv.Atoi(id)
				if err != nil || n < 1 || n > mostParents {
					continue
				}
				d.Parent, d.Count = "", n
			}
			list = append(list, d)
		}
	}
	return list
}

// Bond is what a job waits for of another one.
type Bond struct {
	Kind   DependKind
	Parent *trace.Job
}

// bonds are what the jobs of a trace wait for.
type bonds struct {
	of     map[*trace.Job][]Bond
	counts map[*trace.Job]int // those of OnCount
}

// holds reports whether what a job waits for says when it comes.
func (b *bonds) holds(j *trace.Job) bool {
	return b != nil && (len(b.of[j]) > 0 || b.counts[j] > 0)
}

// findBonds returns what the jobs of a trace wait for, nil where nobody waits for anybody.
// Jobs are left out whose parents are not all in the trace, as are parents that were over
// before the job was submitted: what the record says stands.
func findBonds(t *trace.Trace) *bonds {
	if !slices.ContainsFunc(t.Jobs, func(j *trace.Job) bool { return j.Depend() != "" }) {
		return nil
	}
	b := &bonds{of: map[*trace.Job][]Bond{}, counts: map[*trace.Job]int{}}
	byID := map[string][]*trace.Job{}
	for _, j := range t.Jobs {
		byID[j.ID] = append(byID[j.ID], j)
	}
	// Numbers begin again one day: the job is the last one that had come by then.
	find := func(id string, by *trace.Job) *trace.Job {
		list := byID[id]
		for k := len(list) - 1; k >= 0; k-- {
			if list[k].Queued <= by.Queued && list[k] != by {
				return list[k]
			}
		}
		return nil
	}
	announced := map[*trace.Job][]Bond{} // by those that come before others
	for _, j := range t.Jobs {
		for _, d := range ParseDepend(j.Depend()) {
			if !d.IsBefore() || j.IsRefused() {
				continue
			}
			if child := find(d.Parent, j); child != nil {
				announced[child] = append(announced[child], Bond{d.Kind &^ isBefore, j})
			}
		}
	}
	lost := map[*trace.Job]bool{} // those that never come, as recorded
	for _, j := range t.Jobs {
		of, count, isKnown := []Bond(nil), 0, !j.IsRefused()
		for _, d := range ParseDepend(j.Depend()) {
			switch {
			case d.IsBefore():
			case d.Kind == OnCount:
				count += d.Count
			default:
				parent := find(d.Parent, j)
				switch {
				case parent == nil:
					isKnown = false
				case lost[parent]:
					isKnown = false
				case parent.End != trace.Unknown && parent.End <= j.Queued: // it was over
				default:
					of = append(of, Bond{d.Kind, parent})
				}
			}
		}
		if before := announced[j]; isKnown && count > 0 && len(before) >= count {
			of, b.counts[j] = append(of, before...), count
		} else if count > 0 {
			isKnown = false
		}
		switch {
		case !isKnown && j.Arrival == trace.Unknown && j.Start == trace.Unknown:
			lost[j] = true
		case isKnown && len(of) > 0:
			b.of[j] = of
		}
		if !isKnown {
			delete(b.counts, j)
		}
	}
	return b
}

// Bonds returns what a job or its array waits for, and how many of them must have done their
// part; 0 means all.
func (w *Work) Bonds(j *Job) (list []Bond, count int) {
	if w.bonds == nil {
		return nil, 0
	}
	return w.bonds.of[j.identity], w.bonds.counts[j.identity]
}

// isVictimOf reports whether a job was deleted since another ended otherwise, which what it
// waits for decides anew.
func (j *Job) isVictimOf(b *bonds) bool { return j.identity.IsVictim() && b.holds(j.identity) }

// settleHeld gives a job an arrival that was never released, where what it waits for may
// release it in a replay: when it was deleted, or the end of the record.
func (w *Work) settleHeld(j *Job, t *trace.Trace) {
	if !w.bonds.holds(j.identity) {
		return
	}
	if j.Arrival == trace.Unknown && j.Start == trace.Unknown && j.Queued != trace.Unknown {
		j.Arrival = t.Last
		if j.State == trace.Deleted {
			j.Arrival = cmp.Or(j.End, t.Last)
		}
	}
}

// IsOK reports whether a job that ends does so well, as it did in the record.
func (j *Job) IsOK() bool {
	return j.Deleted == trace.Unknown && (j.Exit == trace.Unknown || j.Exit == 0)
}
