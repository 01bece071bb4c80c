package study

import (
	"cmp"
	"math"
	"slices"

	"fairshare/cmd/internal/trace"
)

// Gains is how many jobs wait shorter and how many longer under a policy than under the
// first one. Each job that counts is compared with itself.
type Gains struct {
	Sooner, Later, Same int     // jobs; a start that differs by no more than Alike is the same
	SoonerBy, LaterBy   float64 // by how many seconds those jobs start sooner or later on average
	Hours               float64 // by how many hours all jobs together wait longer; negative if shorter
}

// Alike is by how many seconds two starts may differ and still count as the same.
const Alike = 60

// Party is the jobs of one name: a user, a queue and so on.
type Party struct {
	Name  string
	Jobs  int
	Waits [][]float64 // the mean wait in each run, of what was observed and then of each policy
	Gains []Gains     // by policy; that of the first one is empty
}

// Parties is all names of a kind, such as the users.
type Parties struct {
	Kind  string
	Names []Party // those with the most jobs first
}

// Comparison is who gains and who loses under the policies of a study.
type Comparison struct {
	Gains []Gains // by policy, of all jobs; that of the first one is empty
	Kinds []Parties
}

// Compare returns who gains and who loses by what a study's policies come to.
func (s *Study) Compare(all []*Measured) *Comparison {
	c := &Comparison{Gains: make([]Gains, len(s.Policies))}
	if s.NoFigures {
		return c
	}
	for p := 1; p < len(s.Policies); p++ {
		for i, counts := range s.counted {
			if counts {
				c.Gains[p].count(all[p+1].Wait(i) - all[1].Wait(i))
			}
		}
		c.Gains[p].average()
	}
	for k, kind := range s.kinds {
		c.Kinds = append(c.Kinds, s.parties(all, k, kind))
	}
	return c
}

// parties returns all names of a kind, which has a number among the study's kinds.
func (s *Study) parties(all []*Measured, number int, kind trace.Kind) Parties {
	parties := Parties{Kind: kind.Name}
	places := map[string]int{} // in parties.Names
	for i, j := range s.Work.Jobs {
		if !s.counted[i] {
			continue
		}
		name := kind.Of(j.Job)
		at, isKnown := places[name]
		if !isKnown {
			at = len(parties.Names)
			places[name] = at
			parties.Names = append(parties.Names, Party{Name: name, Gains: make([]Gains, len(s.Policies))})
		}
		party := &parties.Names[at]
		party.Jobs++
		for p := 1; p < len(s.Policies); p++ {
			party.Gains[p].count(all[p+1].Wait(i) - all[1].Wait(i))
		}
	}
	for i := range parties.Names {
		party := &parties.Names[i]
		for _, m := range all {
			party.Waits = append(party.Waits, m.means[number][party.Name])
		}
		for p := range party.Gains {
			party.Gains[p].average()
		}
	}
	slices.SortFunc(parties.Names, func(a, b Party) int { return cmp.Or(cmp.Compare(b.Jobs, a.Jobs), cmp.Compare(a.Name, b.Name)) })
	return parties
}

// count counts a job that waits some seconds longer.
func (g *Gains) count(by float64) {
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

// average makes means of sums, once all jobs are counted.
func (g *Gains) average() {
	g.SoonerBy /= math.Max(1, float64(g.Sooner))
	g.LaterBy /= math.Max(1, float64(g.Later))
}

// ListKinds returns the kinds that Words.Kinds names.
func (s *Study) ListKinds() []trace.Kind {
	var kinds []trace.Kind
	all := s.Work.Trace.Kinds()
	for _, name := range s.Words.Kinds {
		at := slices.IndexFunc(all, func(k trace.Kind) bool { return k.Name == name })
		kinds = append(kinds, all[at])
	}
	return kinds
}

// Kinds returns the kinds by which the study's jobs are compared, in the order of
// Comparison.Kinds.
func (s *Study) Kinds() []trace.Kind { return s.kinds }
