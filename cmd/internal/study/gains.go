package study

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"fairshare/cmd/internal/trace"
)

// Gains is who waits shorter and who longer under a policy than under the first one, by
// the jobs that count, each with itself.
type Gains struct {
	Sooner, Later, Same int     // jobs; those that start within Alike of each other are the same
	SoonerBy, LaterBy   float64 // seconds, the mean of those jobs
	Hours               float64 // of waiting, all together; negative where they are saved
}

// Alike is the difference of two starts, in seconds, up to which nobody gains or loses.
const Alike = 60

// Party is the jobs of one name: a user, a queue and so on.
type Party struct {
	Name  string
	Jobs  int
	Waits [][]float64 // the mean wait, by what is measured (the first is observed) and run
	Gains []Gains     // by policy; none of the first one
}

// Parties is the names of a kind.
type Parties struct {
	Kind  string
	Names []Party // those with the most jobs first
}

// Comparison is how the policies of a study compare.
type Comparison struct {
	Gains []Gains // by policy, of all jobs
	Kinds []Parties
}

// Compare compares what a study's policies come to.
func (s *Study) Compare(all []*Measured) *Comparison {
	c := &Comparison{Gains: make([]Gains, len(s.Policies))}
	var everybody []int
	for i, counts := range s.counted {
		if counts {
			everybody = append(everybody, i)
		}
	}
	for p := 1; p < len(s.Policies); p++ {
		c.Gains[p] = s.gainsOf(all, p, everybody)
	}
	for k, kind := range s.kinds {
		c.Kinds = append(c.Kinds, s.parties(all, k, kind))
	}
	return c
}

func (s *Study) parties(all []*Measured, number int, kind trace.Kind) Parties {
	members := map[string][]int{}
	for i, j := range s.Work.Jobs {
		if s.counted[i] {
			name := kind.Of(j.Job)
			members[name] = append(members[name], i)
		}
	}
	parties := Parties{Kind: kind.Name}
	for _, name := range slices.SortedFunc(maps.Keys(members), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(members[b]), len(members[a])), cmp.Compare(a, b))
	}) {
		party := Party{Name: name, Jobs: len(members[name]), Gains: make([]Gains, len(s.Policies))}
		for _, m := range all {
			party.Waits = append(party.Waits, m.means[number][name])
		}
		for p := 1; p < len(s.Policies); p++ {
			party.Gains[p] = s.gainsOf(all, p, members[name])
		}
		parties.Names = append(parties.Names, party)
	}
	return parties
}

// gainsOf returns the gains of some jobs under a policy, numbered from 0.
func (s *Study) gainsOf(all []*Measured, policy int, jobs []int) Gains {
	var g Gains
	for _, i := range jobs {
		by := all[policy+1].Wait(i) - all[1].Wait(i)
		g.Hours += by / 3600
		switch {
		case by < -Alike:
			g.Sooner++
			g.SoonerBy -= by
		case by > Alike:
			g.Later++
			g.LaterBy += by
		default:
			g.Same++
		}
	}
	g.SoonerBy /= math.Max(1, float64(g.Sooner))
	g.LaterBy /= math.Max(1, float64(g.Later))
	return g
}

// Wait returns how long a job has waited, in seconds, as the mean of all runs.
func (m *Measured) Wait(job int) float64 { return m.waits[job] / float64(max(1, m.Runs)) }

// Kinds returns the ways to tell the study's jobs apart, in the order of
// Comparison.Kinds.
func (s *Study) Kinds() []trace.Kind { return s.kinds }
