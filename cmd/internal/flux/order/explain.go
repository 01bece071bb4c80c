package order

import (
	"fmt"
	"slices"

	"fairshare/cmd/internal/compare"
	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/flux"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/terms"
)

// Explanation is all that is said of the place of a job.
type Explanation struct {
	Line
	Of    int            `json:"of"`    // how many jobs are considered
	Ahead map[string]int `json:"ahead"` // how many of them go first, by what puts them there
	Parts []terms.Term   `json:"parts"` // of the computed priority, none of a job that is held or expedited, or has no priority yet
	Says  []string       `json:"says"`  // what is to be known of the factors and of the order
}

// Keys are what puts a job ahead of another, in the order in which flux looks at them.
var Keys = []string{"priority", "number"}

// ahead returns which of Keys puts a row ahead of another.
func ahead(first, second Row) string {
	if first.Value != second.Value {
		return Keys[0]
	}
	return Keys[1]
}

// Explain says why a row has its place among the rows of a site.
func (s *Site) Explain(rows []Row, row Row) Explanation {
	e := Explanation{Line: row.Line(), Ahead: map[string]int{}, Parts: []terms.Term{}, Says: []string{}}
	for _, r := range rows {
		if r.Rank == 0 {
			continue
		}
		e.Of++
		if r.Rank < row.Rank {
			e.Ahead[ahead(r, row)]++
		}
	}
	say := func(format string, args ...any) { e.Says = append(e.Says, fmt.Sprintf(format, args...)) }
	j := row.Job
	switch {
	case row.Rank == 0:
		return e
	case j.Urgency == flux.Held:
		say("urgency 0 holds it: flux job urgency %s 16 lets it go", j.ID)
		return e
	case j.Urgency == flux.Expedited:
		say("urgency 31 gives it the priority %d, whatever its factors; an ordinary job's may be above it", int64(flux.ExpeditedPriority))
		return e
	}
	w, f := s.Weights, row.Factors
	for i, t := range []struct {
		name           string
		weight, factor float64
	}{{"fairshare", w.Fairshare, f.Fairshare}, {"queue " + row.FactorQueue, w.Queue, f.Queue}, {"bank " + j.Bank, w.Bank, f.Bank}, {"urgency - 16", w.Urgency, float64(j.Urgency - flux.Usual)}} {
		e.Parts = append(e.Parts, terms.Term{Name: t.name, Weight: report.Number(t.weight), Factor: report.Number(t.factor), Points: report.Number(row.Points()[i])})
	}
	if row.Reason == "priority-hold" {
		say("priority 0 is a hold: a job whose sum is not above 0 never starts, on an empty machine too, until a higher urgency, fairshare or queue lifts it")
	}
	if row.FactorQueue != j.Queue {
		say("its queue factor is the priority of queue %s, not of its own: flux takes that of the queue of the last submission of %s in bank %s for all jobs there", row.FactorQueue, j.User, j.Bank)
	}
	if row.Why != "" {
		say("inferred: %s", row.Why)
	}
	if s.IsFluxion {
		say("under Fluxion each queue is a list of its own: it is number %d of queue %s", row.QueueRank, j.Queue)
	}
	return e
}

// Versus is why one of two jobs goes first.
type Versus struct {
	Job   Explanation  `json:"job"`
	Other Explanation  `json:"other"`
	First string       `json:"first"` // which of them, "" where flux does not consider both
	By    string       `json:"by"`    // one of Keys
	Pairs []terms.Pair `json:"pairs"`
	Says  []string     `json:"says"` // what would reverse them, and where their order does not count

	Places []compare.Places `json:"places,omitempty"` // of the jobs of both users, where they are asked about
}

// Compare says which of two rows goes first among the rows of a site, and why.
func (s *Site) Compare(rows []Row, row, other Row) Versus {
	v := Versus{Job: s.Explain(rows, row), Other: s.Explain(rows, other), Pairs: []terms.Pair{}, Says: []string{}}
	if row.Rank > 0 && other.Rank > 0 {
		first, second := row, other
		if second.Rank < first.Rank {
			first, second = second, first
		}
		v.First, v.By = first.Job.ID, ahead(first, second)
		if urgency := s.overtaking(first, second); urgency > 0 {
			v.Says = append(v.Says, fmt.Sprintf("with urgency %d or more, %s would go first (flux job urgency %s %d); above 16 only the owner of the instance may set it", urgency, second.Job.ID, second.Job.ID, urgency))
		}
		if s.IsFluxion && first.Job.Queue != second.Job.Queue {
			v.Says = append(v.Says, "under Fluxion each queue is a list of its own: jobs of different queues do not wait for each other's turn")
		}
	}
	names := []string{"fairshare", "queue", "bank", "urgency - 16"}
	for i := range min(len(v.Job.Parts), len(v.Other.Parts)) {
		t, o := v.Job.Parts[i], v.Other.Parts[i]
		t.Name = names[i]
		v.Pairs = append(v.Pairs, terms.Pair{Term: t, Other: o.Points, Difference: t.Points - o.Points})
	}
	return v
}

// overtaking returns the least urgency with which the second of two jobs would go first, 0 for none.
func (s *Site) overtaking(first, second Row) int {
	for urgency := second.Job.Urgency + 1; urgency < flux.Expedited; urgency++ {
		x := s.Weights.Priority(second.Factors, urgency)
		if x > first.Value || x == first.Value && second.Job.Number < first.Job.Number {
			return urgency
		}
	}
	return 0
}

// Find returns the row of a job, by any form of its ID.
func Find(rows []Row, name string) (Row, error) {
	number, isID := flux.ParseID(name)
	if i := slices.IndexFunc(rows, func(r Row) bool { return r.Job.ID == name || isID && r.Job.Number == number }); i >= 0 {
		return rows[i], nil
	}
	return Row{}, &diag.NoJobError{Name: name, OfWaiting: true}
}

// FirstOf returns the row of a user's first job. A *diag.RequestError is for one who has none.
func (s *Site) FirstOf(rows []Row, user string) (Row, error) {
	if i := slices.IndexFunc(rows, func(r Row) bool { return r.Job.User == user }); i >= 0 {
		return rows[i], nil
	}
	return Row{}, diag.NoJobOfUser(user, s.userNames(), "no job of "+user+" waits")
}

// Other returns the row that one is compared with: that of a job, or of a user's first one, or for "ahead" and "first"
// the one just before it and the first one. A *diag.RequestError is for a row that has none, or would be compared with itself.
func (s *Site) Other(rows []Row, row Row, name string) (other Row, err error) {
	rank, err := compare.Neighbour(name, row.Job.ID, row.Rank, diag.Requestf("flux does not consider job %s (%s), so that it has no place in the order", row.Job.ID, row.Reason))
	switch {
	case err != nil:
		return other, err
	case rank > 0:
		return rows[rank-1], nil // those that are considered come first
	}
	find := func(id string) (Row, error) { return Find(rows, id) }
	first := func(user string) (Row, error) { return s.FirstOf(rows, user) }
	if other, err = compare.Named(name, find, first, flux.LooksLikeJob); err == nil && other.Job.Number == row.Job.Number {
		err = compare.Itself(row.Job.ID)
	}
	return other, err
}

// StateOf returns the state of a job by any form of its ID, "" for none.
func (s *Site) StateOf(name string) string {
	number, ok := flux.ParseID(name)
	if i := slices.IndexFunc(s.Jobs, func(j flux.Job) bool { return ok && j.Number == number }); i >= 0 {
		return s.Jobs[i].State
	}
	return ""
}
