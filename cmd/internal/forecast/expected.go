package forecast

import (
	"cmp"
	"math"
	"slices"
)

// Expected is what the scheduler of a site itself says of when jobs start that wait, where the site lacks what a forecast needs.
type Expected struct {
	*Forecast          // of which nothing is drawn
	Over      []string // the IDs of jobs of the list that do not wait
	People    []string // who has a job in the list
	Planned   []string // the IDs of jobs that the scheduler expects to start, and that a rule of the site keeps from that
}

// NewExpected returns what is expected of some jobs, of which Estimated, Reason and Held are known: those first that start first.
func NewExpected(at int64, words Words, jobs []*Job) *Expected {
	for _, j := range jobs {
		j.Median, j.Low, j.High, j.Requested, j.Usual = math.Inf(1), math.Inf(1), math.Inf(1), math.Inf(1), math.Inf(1)
	}
	slices.SortStableFunc(jobs, func(a, b *Job) int { return cmp.Compare(a.Estimated, b.Estimated) })
	return &Expected{Forecast: &Forecast{Jobs: jobs, At: at, Words: words, IsExpected: true}}
}

// Choose leaves those jobs that are asked about, and makes all else that wait the others.
func (e *Expected) Choose(wants func(id, user string) bool) {
	all := e.Jobs
	e.Jobs = nil
	for _, j := range all {
		if wants(j.ID, j.User) {
			e.Jobs = append(e.Jobs, j)
		} else {
			e.Others = append(e.Others, j)
		}
	}
}

// Untold returns the IDs of those jobs that nothing holds and of which the scheduler says nothing.
func (e *Expected) Untold() (ids []string) {
	for _, j := range e.Jobs {
		if math.IsInf(j.Estimated, 1) && j.Held == "" {
			ids = append(ids, j.ID)
		}
	}
	return ids
}

// Against returns the IDs of those jobs that the scheduler expects to start against a rule of the site.
func (e *Expected) Against() (ids []string) {
	for _, j := range e.Jobs {
		if slices.Contains(e.Planned, j.ID) {
			ids = append(ids, j.ID)
		}
	}
	return ids
}

// Listed returns the IDs of all jobs of the list.
func (e *Expected) Listed() []string {
	ids := slices.Clone(e.Over)
	for _, j := range slices.Concat(e.Jobs, e.Others) {
		ids = append(ids, j.ID)
	}
	return ids
}

// Users returns who has a job in the list.
func (e *Expected) Users() map[string]bool {
	users := map[string]bool{}
	for _, name := range e.People {
		users[name] = true
	}
	return users
}
