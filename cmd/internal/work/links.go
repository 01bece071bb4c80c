package work

import "fairshare/cmd/internal/trace"

// Links are what the jobs of work wait for, by units: a job, or an array.
type Links struct {
	Unit      []int32   // by job
	Members   [][]int32 // by unit, jobs
	Submitted []float64 // by unit
	Needs     []int32   // by unit, how many conditions have to be met
	IsHeld    []bool    // by unit, whether its jobs come when conditions are met
	Children  [][]Link  // by unit
	Rivals    [][]int32 // by unit, those of which one only is to run
}

// Link is what a unit waits for of another one.
type Link struct {
	Kind  DependKind
	Child int32
}

// Links returns what the jobs wait for of each other, nil where nobody waits for anybody.
func (w *Work) Links() *Links { return w.links }

// link finds what the jobs wait for of each other.
func (w *Work) link() {
	w.links = nil
	if w.bonds == nil {
		return
	}
	l := &Links{Unit: make([]int32, len(w.Jobs))}
	units := map[*trace.Job]int32{}
	var identities []*trace.Job
	for i, j := range w.Jobs {
		unit, ok := units[j.identity]
		if !ok {
			unit = int32(len(l.Members))
			units[j.identity] = unit
			identities = append(identities, j.identity)
			l.Members = append(l.Members, nil)
			submitted := j.Queued
			if submitted == trace.Unknown {
				submitted = j.Arrival
			}
			l.Submitted = append(l.Submitted, float64(submitted))
		}
		l.Unit[i] = unit
		l.Members[unit] = append(l.Members[unit], int32(i))
	}
	n := len(l.Members)
	l.Needs, l.IsHeld, l.Children, l.Rivals = make([]int32, n), make([]bool, n), make([][]Link, n), make([][]int32, n)
	for child, identity := range identities {
		if w.Jobs[l.Members[child][0]].WasRunning {
			continue
		}
		for _, b := range w.bonds.of[identity] {
			parent, ok := units[b.Parent]
			switch {
			case !ok: // it was left out, since it never came
				continue
			case b.Kind == OnlyOne:
				l.Rivals[parent] = append(l.Rivals[parent], int32(child))
				l.Rivals[child] = append(l.Rivals[child], parent)
			default:
				l.Children[parent] = append(l.Children[parent], Link{b.Kind, int32(child)})
				if w.bonds.counts[identity] == 0 {
					l.Needs[child]++
				}
			}
			l.IsHeld[child] = true
		}
		l.Needs[child] = max(l.Needs[child], int32(w.bonds.counts[identity]))
	}
	w.links = l
}
