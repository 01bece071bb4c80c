package slurmsite

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"fairshare/cmd/internal/report"
)

// Explanation is all that is said of the place of a job.
type Explanation struct {
	Line
	Of    int            `json:"of"`    // how many jobs are considered
	Ahead map[string]int `json:"ahead"` // how many of them go first, by what puts them there
	Parts []Term         `json:"parts"` // of the computed priority, none where it is not known
}

// Term is one of those that make up a priority.
type Term struct {
	Name   string        `json:"name"`
	Weight report.Number `json:"weight"`
	Factor report.Number `json:"factor"`
	Points report.Number `json:"points"` // the weight times the factor
}

// Explain says why a row has its place among the rows of a site.
func (s *Site) Explain(rows []Row, row Row) Explanation {
	e := Explanation{Line: row.Line(), Ahead: map[string]int{}, Parts: []Term{}}
	for _, r := range rows {
		if r.Rank == 0 {
			continue
		}
		e.Of++
		if r.Rank < row.Rank {
			e.Ahead[ahead(r, row)]++
		}
	}
	if !math.IsNaN(row.Priority) {
		e.Parts = s.parts(row)
	}
	return e
}

// parts returns what makes up the priority of a row, in the order of sprio.
func (s *Site) parts(r Row) []Term {
	w, p, n := s.Conf.Weights, r.Weighted, r.Norm
	var list []Term
	add := func(name string, weight, factor, points float64) {
		list = append(list, Term{name, report.Number(weight), report.Number(factor), report.Number(points)})
	}
	add("age", w.Age, n.Age, p.Age)
	add("fairshare", w.Fairshare, n.Fairshare, p.Fairshare)
	add("job size", w.JobSize, n.JobSize, p.JobSize)
	add("partition", w.Partition, n.Partition, p.Partition)
	add("QOS", w.QOS, n.QOS, p.QOS)
	for i, a := range p.TRES {
		for _, weight := range w.TRES {
			if weight.Name == a.Name {
				add("TRES "+a.Name, weight.Count, n.TRES[i].Count, a.Count)
			}
		}
	}
	add("nice", -1, r.Job.Nice, 0-r.Job.Nice)
	return list
}

// Keys are what puts a job ahead of another, in the order in which Slurm looks at them.
var Keys = []string{"reservation", "tier", "priority", "number"}

// ahead returns which of Keys puts a row ahead of another: the first that is not the same.
func ahead(first, second Row) string {
	switch {
	case first.Job.Reservation != "" && second.Job.Reservation == "":
		return Keys[0]
	case first.Tier != second.Tier:
		return Keys[1]
	case first.Value != second.Value:
		return Keys[2]
	}
	return Keys[3]
}

// Versus is why one of two jobs goes first.
type Versus struct {
	Job   Explanation `json:"job"`
	Other Explanation `json:"other"`
	First string      `json:"first"` // which of them, "" where Slurm does not consider both
	By    string      `json:"by"`    // one of Keys
	Pairs []Pair      `json:"pairs"` // none where a priority is not known
}

// Pair is a term of one job beside that of another.
type Pair struct {
	Term
	Other      report.Number `json:"other"` // the points of the other job
	Difference report.Number `json:"difference"`
}

// Compare says which of two rows goes first among the rows of a site, and why.
func (s *Site) Compare(rows []Row, row, other Row) Versus {
	v := Versus{Job: s.Explain(rows, row), Other: s.Explain(rows, other), Pairs: []Pair{}}
	if row.Rank > 0 && other.Rank > 0 {
		first, second := row, other
		if second.Rank < first.Rank {
			first, second = second, first
		}
		v.First, v.By = first.Job.ID, ahead(first, second)
	}
	if math.IsNaN(row.Priority) || math.IsNaN(other.Priority) {
		return v
	}
	points := map[string]report.Number{}
	terms := slices.Clone(v.Job.Parts)
	for _, t := range v.Other.Parts {
		points[t.Name] = t.Points
		if !slices.ContainsFunc(terms, func(own Term) bool { return own.Name == t.Name }) {
			terms = append(terms, Term{Name: t.Name, Weight: t.Weight})
		}
	}
	for _, t := range terms {
		v.Pairs = append(v.Pairs, Pair{t, points[t.Name], t.Points - points[t.Name]})
	}
	return v
}

// Find returns the row of a job: the first one of those that it has in several partitions, or with
// JOB@PARTITION that in a partition.
func Find(rows []Row, name string) (Row, error) {
	id, partition, isOne := strings.Cut(name, "@")
	if i := slices.IndexFunc(rows, func(r Row) bool { return r.Job.ID == id && (!isOne || r.Partition == partition) }); i >= 0 {
		return rows[i], nil
	}
	return Row{}, fmt.Errorf("there is no job %s", name)
}
