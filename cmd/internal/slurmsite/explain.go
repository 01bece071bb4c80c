package slurmsite

import (
	"fmt"
	"slices"
)

// Term is one of those that make up a priority.
type Term struct {
	Name           string
	Weight, Factor float64
	Points         float64 // the weight times the factor
}

// Terms returns what makes up the priority of a row, in the order of sprio.
func (s *Site) Terms(r Row) []Term {
	w, p, n := s.Conf.Weights, r.Weighted, r.Norm
	list := []Term{
		{"age", w.Age, n.Age, p.Age}, {"fairshare", w.Fairshare, n.Fairshare, p.Fairshare}, {"job size", w.JobSize, n.JobSize, p.JobSize},
		{"partition", w.Partition, n.Partition, p.Partition}, {"QOS", w.QOS, n.QOS, p.QOS},
	}
	for i, a := range p.TRES {
		for _, weight := range w.TRES {
			if weight.Name == a.Name {
				list = append(list, Term{"TRES " + a.Name, weight.Count, n.TRES[i].Count, a.Count})
			}
		}
	}
	return append(list, Term{"nice", -1, r.Job.Nice, -r.Job.Nice})
}

// Find returns the row of a job, the first one of those that it has in several partitions.
func Find(rows []Row, id string) (Row, error) {
	if i := slices.IndexFunc(rows, func(r Row) bool { return r.Job.ID == id }); i >= 0 {
		return rows[i], nil
	}
	return Row{}, fmt.Errorf("there is no job %s", id)
}

// Ahead says what puts a row ahead of another: the first of a reservation, the tier, the priority
// and the number that is not the same.
func Ahead(first, second Row) string {
	switch {
	case first.Job.Reservation != "" && second.Job.Reservation == "":
		return "reservation"
	case first.Tier != second.Tier:
		return "tier"
	case first.Value != second.Value:
		return "priority"
	}
	return "number"
}
