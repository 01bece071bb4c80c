package replay

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/trace"
)

// What jobs wait for, as depend= of their records says.

// dependKind is what has to become of a parent.
type dependKind byte

const (
	onStart dependKind = iota
	onOK
	onNotOK
	onAny
	onCount  // not of a parent: of so many that name the job themselves
	onlyOne  // the parent and the job stand for each other
	isBefore = 0x80
)

// dependKinds are the words of depend=. Those of "before" make the job the parent.
var dependKinds = map[string]dependKind{
	"after": onStart, "afterok": onOK, "afternotok": onNotOK, "afterany": onAny,
	"before": onStart | isBefore, "beforeok": onOK | isBefore, "beforenotok": onNotOK | isBefore, "beforeany": onAny | isBefore,
	"on": onCount, "runone": onlyOne,
}

// mostParents bounds what one job waits for.
const mostParents = 100_000

// depend is a part of depend=.
type depend struct {
	kind   dependKind
	parent string // its ID
	count  int    // with onCount
}

// parseDepend reads depend=: KIND:ID@SERVER:ID,KIND:ID. What it does not know is left out.
func parseDepend(text string) []depend {
	var list []depend
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
			d := depend{kind: kind, parent: id}
			if kind == onCount {
				n, err := strconv.Atoi(id)
				if err != nil || n < 1 || n > mostParents {
					continue
				}
				d.parent, d.count = "", n
			}
			list = append(list, d)
		}
	}
	return list
}

// bond is what a job waits for of another one.
type bond struct {
	kind   dependKind
	parent *trace.Job
}

// bonds are what the jobs of a trace wait for.
type bonds struct {
	of     map[*trace.Job][]bond
	counts map[*trace.Job]int // those of onCount
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
	b := &bonds{of: map[*trace.Job][]bond{}, counts: map[*trace.Job]int{}}
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
	announced := map[*trace.Job][]bond{} // by those that come before others
	for _, j := range t.Jobs {
		for _, d := range parseDepend(j.Depend()) {
			if d.kind&isBefore == 0 || j.IsRefused() {
				continue
			}
			if child := find(d.parent, j); child != nil {
				announced[child] = append(announced[child], bond{d.kind &^ isBefore, j})
			}
		}
	}
	lost := map[*trace.Job]bool{} // those that never come, as recorded
	for _, j := range t.Jobs {
		of, count, isKnown := []bond(nil), 0, !j.IsRefused()
		for _, d := range parseDepend(j.Depend()) {
			switch {
			case d.kind&isBefore != 0:
			case d.kind == onCount:
				count += d.count
			default:
				parent := find(d.parent, j)
				switch {
				case parent == nil:
					isKnown = false
				case lost[parent]:
					isKnown = false
				case parent.End != trace.Unknown && parent.End <= j.Queued: // it was over
				default:
					of = append(of, bond{d.kind, parent})
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

// links are what the jobs of work wait for, by units: a job, or an array.
type links struct {
	unit      []int32   // by job
	members   [][]int32 // by unit, jobs
	submitted []float64 // by unit
	needs     []int32   // by unit, how many conditions have to be met
	isHeld    []bool    // by unit, whether its jobs come when conditions are met
	children  [][]link  // by unit
	rivals    [][]int32 // by unit, those of which one only is to run
}

// link is what a unit waits for of another one.
type link struct {
	kind  dependKind
	child int32
}

// link finds what the jobs wait for of each other.
func (w *Work) link() {
	w.links = nil
	if w.bonds == nil {
		return
	}
	l := &links{unit: make([]int32, len(w.Jobs))}
	units := map[*trace.Job]int32{}
	var identities []*trace.Job
	for i, j := range w.Jobs {
		unit, ok := units[j.identity]
		if !ok {
			unit = int32(len(l.members))
			units[j.identity] = unit
			identities = append(identities, j.identity)
			l.members = append(l.members, nil)
			submitted := j.Queued
			if submitted == trace.Unknown {
				submitted = j.Arrival
			}
			l.submitted = append(l.submitted, float64(submitted))
		}
		l.unit[i] = unit
		l.members[unit] = append(l.members[unit], int32(i))
	}
	n := len(l.members)
	l.needs, l.isHeld, l.children, l.rivals = make([]int32, n), make([]bool, n), make([][]link, n), make([][]int32, n)
	for child, identity := range identities {
		if w.Jobs[l.members[child][0]].WasRunning {
			continue
		}
		for _, b := range w.bonds.of[identity] {
			parent, ok := units[b.parent]
			switch {
			case !ok: // it was left out, since it never came
				continue
			case b.kind == onlyOne:
				l.rivals[parent] = append(l.rivals[parent], int32(child))
				l.rivals[child] = append(l.rivals[child], parent)
			default:
				l.children[parent] = append(l.children[parent], link{b.kind, int32(child)})
				if w.bonds.counts[identity] == 0 {
					l.needs[child]++
				}
			}
			l.isHeld[child] = true
		}
		l.needs[child] = max(l.needs[child], int32(w.bonds.counts[identity]))
	}
	w.links = l
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
