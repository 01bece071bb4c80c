package order

import (
	"math"
	"strings"

	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/terms"
)

// Untold are the terms of a priority that have a weight and of which nothing tells the factor: each counts as 0 in the
// priority that is computed.
type Untold struct{ Fairshare, QOS, Assoc bool }

// IsAny reports whether there is one.
func (u Untold) IsAny() bool { return u != Untold{} }

// and returns the terms of both.
func (u Untold) and(v Untold) Untold {
	return Untold{u.Fairshare || v.Fairshare, u.QOS || v.QOS, u.Assoc || v.Assoc}
}

// untold returns those of a priority that is computed of a job which sprio does not list.
func (s *Site) untold(c *slurm.Cluster, f *slurm.Factors) (u Untold) {
	if math.IsNaN(f.Priority) || s.Conf.HasNoAccounts {
		return u
	}
	_, hasFactor := s.factors[f.QOS]
	u.Fairshare = s.Conf.Weights.Fairshare != 0 && s.Tree == nil && (c.Fairshare == nil || f.NoAssociation)
	u.QOS = s.Conf.Weights.QOS != 0 && s.QOS == nil && !hasFactor
	u.Assoc = u.IsAny() && s.Conf.Weights.Assoc != 0 && c.Assoc == nil // else it is taken to be 0, as it nearly always is
	return u
}

// rest returns in place of the terms that are not told what is left of the priority that Slurm has, NaN where that is of another
// partition or of the start of the job.
func (r *Row) rest(told []terms.Term) terms.Term {
	points := r.Value
	if r.HasNoOwn || r.Job.State != "PENDING" || r.isHeld() {
		points = math.NaN()
	}
	for _, t := range told {
		points -= float64(t.Points)
	}
	var names []string
	for i, is := range []bool{r.Untold.Fairshare, r.Untold.QOS, r.Untold.Assoc} {
		if is {
			names = append(names, []string{"fairshare", "QOS", "association"}[i])
		}
	}
	name := strings.Join(names, ", ")
	if n := len(names) - 1; n > 0 {
		name = strings.Join(names[:n], ", ") + " and " + names[n] + " together"
	}
	unknown := report.Number(math.NaN())
	return terms.Term{Name: name + " (the rest of Slurm's Priority)", Weight: unknown, Factor: unknown, Points: report.Number(points)}
}
