package order

import (
	"maps"
	"math"
	"slices"

	"fairshare/cmd/internal/report"
)

// Line is a job in a partition, in JSON. Terms are the points that are added up, of which
// nice is subtracted.
type Line struct {
	Rank      *int           `json:"rank"`
	ID        string         `json:"id"`
	Value     report.Number  `json:"value"`
	Computed  *report.Number `json:"computed"`
	User      string         `json:"user"`
	Account   string         `json:"account"`
	Partition string         `json:"partition"`
	Tier      *report.Number `json:"tier"` // null where no configuration tells it
	QOS       string         `json:"qos"`

	Reservation string `json:"reservation"` // that the job asks for, or that attracts it (MAGNETIC)
	Preemptable bool   `json:"preemptable"` // whether jobs of lower priorities go before it by preemption, or a circle of it

	State      string         `json:"state"`
	Considered bool           `json:"considered"`
	Reason     string         `json:"reason"`
	Limit      string         `json:"limit"` // that holds the job, as the tables tell
	Never      string         `json:"never"` // what keeps it from starting whatever else runs
	Difference string         `json:"difference"`
	Terms      map[string]any `json:"terms"`
}

// Line returns a row as JSON has it.
func (r Row) Line() Line {
	l := Line{
		ID: r.Job.ID, Value: report.Number(r.Value), Computed: report.Optional(r.Priority), User: r.Job.User, Account: r.Job.Account, Partition: r.Partition,
		Tier: report.Optional(r.Tier), QOS: r.QOS, Reservation: r.Reservation(), Preemptable: r.IsPreemptable, State: r.Job.State, Considered: r.Rank > 0, Reason: r.Reason, Limit: r.Limit.String(), Never: r.Never.String(), Difference: r.Difference(), Terms: map[string]any{},
	}
	if r.Rank > 0 {
		l.Rank = &r.Rank
	}
	if r.Untold.IsAny() {
		l.Computed = nil
	}
	for i, x := range r.Points() {
		if !math.IsNaN(x) {
			l.Terms[TermNames[i]] = report.Number(x)
		}
	}
	return l
}

// TermNames are the names of a priority's terms, none of which is called as another field of a Line.
var TermNames = [...]string{"age", "assoc", "fairshare", "jobsize", "partition_factor", "qos_factor", "tres", "site", "nice"}

// Points returns the terms of a row in the order of TermNames: those of sprio where none can be computed, and NaN where
// nothing tells them.
func (r *Row) Points() [len(TermNames)]float64 {
	if math.IsNaN(r.Priority) {
		return r.printed()
	}
	tres := 0.
	for _, a := range r.Weighted.TRES {
		tres += a.Count
	}
	w := &r.Weighted
	told := func(points float64, isUntold bool) float64 {
		if isUntold {
			return math.NaN()
		}
		return points
	}
	return [...]float64{w.Age, told(w.Assoc, r.Untold.Assoc), told(w.Fairshare, r.Untold.Fairshare), w.JobSize, w.Partition, told(w.QOS, r.Untold.QOS), tres, r.Job.Site, r.Job.Nice}
}

// printed returns the terms as sprio prints them, NaN where it does not.
func (r *Row) printed() (points [len(TermNames)]float64) {
	for i, name := range [...]string{"age", "assoc", "fairshare", "jobsize", "partition", "qos", "tres", "site", "nice"} {
		points[i] = math.NaN()
		if p := r.Stored; p != nil && name == "tres" && p.TRES != nil && !p.IsTRESCut {
			points[i] = 0
			for _, tres := range slices.Sorted(maps.Keys(p.TRES)) {
				points[i] += p.TRES[tres]
			}
		} else if p != nil {
			if known, ok := p.Terms[name]; ok {
				points[i] = known
			}
		}
	}
	return points
}
