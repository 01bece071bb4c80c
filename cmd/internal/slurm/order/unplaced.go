package order

import (
	"math"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
)

// UnplacedError says that a site has jobs of which nothing tells the order, as squeue --start does not.
type UnplacedError struct{ *dump.MissingError }

// Unwrap returns what the site lacks.
func (e *UnplacedError) Unwrap() error { return e.MissingError }

// Unplaced says what is known of a job of a site that New returned with an UnplacedError: all but its place. A user's job is the first
// of the list, which a remark says.
func (s *Site) Unplaced(d *dump.Dump, id, user string, why *UnplacedError) (e Explanation, remarks []diag.Remark, err error) {
	rows := make([]Row, len(s.Jobs))
	for i := range s.Jobs {
		j := &s.Jobs[i]
		reason := j.Reason
		if j.State != "PENDING" {
			reason = j.State
		}
		rows[i] = Row{Factors: slurm.Factors{Job: j, Partition: strings.Join(j.Partitions, ","), QOS: j.QOS, Priority: math.NaN()}, Tier: math.NaN(), Value: math.NaN(), Reason: reason}
	}
	row, err := Find(rows, id)
	if user != "" {
		if row, err = s.FirstOf(rows, user); err == nil {
			remarks = append(s.OthersOf(rows, row), diag.Warningf("which job of %s goes first is not known: it is taken to be the first of the list", user))
		}
	}
	if err != nil {
		return e, nil, err
	}
	e = s.Explain(nil, row)
	e.TakeListed(d, row.Job, id)
	if row.Job.State == "PENDING" {
		e.Unplaced = why.Error()
	}
	return e, remarks, nil
}
