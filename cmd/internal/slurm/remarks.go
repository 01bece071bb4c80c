package slurm

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/report"
)

// ReadJobs returns the jobs of a list, as scontrol show job prints them, without those that
// cannot be read, which are told.
func ReadJobs(from file.Source, zone *time.Location) ([]Job, []diag.Remark, error) {
	const largest = 2 << 30
	text, err := from.Text(largest)
	if err != nil {
		return nil, nil, err
	}
	jobs, problems, err := ParseJobs(text, zone)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", from.Name, err)
	}
	var remarks []diag.Remark
	const most = 10 // problems that are told one by one
	for i, problem := range problems {
		if i == most {
			remarks = append(remarks, diag.Warningf("%s: %d more problems like these", from.Name, len(problems)-i))
			break
		}
		remarks = append(remarks, diag.Warningf("%s: left out: %v", from.Name, problem))
	}
	if len(problems) > 0 {
		remarks[0].IsDamage = true // for all of them
	}
	if len(jobs) == 0 {
		remarks = append(remarks, diag.Warningf("%s has no job", from.Name))
	}
	return jobs, remarks, nil
}

// Of returns the rows of some users' jobs, nil for everybody's, and at most so many (0: all).
func (r Ranking) Of(users []string, most int) []Factors {
	rows := r.Rows
	if users != nil {
		rows = slices.DeleteFunc(rows, func(f Factors) bool { return !slices.Contains(users, f.Job.User) })
	}
	if most > 0 {
		rows = rows[:min(most, len(rows))]
	}
	return rows
}

// Remarks returns which jobs a ranking leaves out.
func (r Ranking) Remarks() []diag.Remark {
	var remarks []diag.Remark
	for _, why := range slices.Sorted(maps.Keys(r.LeftOut)) {
		remarks = append(remarks, diag.Notef("sprio leaves out %s: %s", report.Count(r.LeftOut[why], "job"), why))
	}
	return remarks
}

// Remarks returns what the priorities of a ranking do not know.
func (c *Cluster) Remarks(r Ranking) []diag.Remark {
	var remarks []diag.Remark
	if c.Weights.Assoc > 0 {
		remarks = append(remarks, diag.Notef("the associations' own priorities are in none of the files: that factor is 0 here"))
	}
	isFirst := true
	for _, what := range slices.Sorted(maps.Keys(r.Unknown)) {
		if c.Fairshare == nil && strings.HasPrefix(what, "the association") {
			continue // that nothing is known of fairshare is said already
		}
		remark := diag.Warningf("%s is unknown, its factor is 0 (%s)", what, report.Count(r.Unknown[what], "row"))
		remark.IsDamage, isFirst = isFirst, false // for all of them
		remarks = append(remarks, remark)
	}
	return remarks
}

// UnexplainedRemarks tells the jobs whose priority in Slurm is not the one computed, where all
// factors are known.
func (c *Cluster) UnexplainedRemarks(r Ranking) []diag.Remark {
	var remarks []diag.Remark
	for _, f := range c.unexplained(r.Rows) {
		remarks = append(remarks, diag.Notef("job %s has priority %s in Slurm, but %s is computed here: an administrator may have set it, or it contains a site factor",
			f.Job.ID, report.Fixed(f.Job.Priority, 0), report.Fixed(f.Priority, 0)))
	}
	return remarks
}

// FieldRemarks says which fields of so many records of a kind, such as jobs, are missing, or not known here, each with the
// number of records. of is the list that has them.
func (s Attributes) FieldRemarks(of, kind string, records int, missing, unknown map[string]int) (remarks []diag.Remark) {
	counted := func(fields map[string]int, more func(name string) string) string {
		var list []string
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			list = append(list, fmt.Sprintf("%s (%d of %d%s)", name, fields[name], records, more(name)))
		}
		return report.First(list)
	}
	if len(missing) > 0 {
		what := counted(missing, func(string) string { return "" })
		remarks = append(remarks, diag.Warningf("%s lacks fields that Slurm prints of all %s, and they are taken to say nothing: %s", of, kind, what))
	}
	if len(unknown) > 0 {
		var known []string
		for i := range s {
			if s[i].Idle == "" {
				known = append(known, s[i].Name)
			}
		}
		what := counted(unknown, func(name string) string {
			if near := report.Nearest(name, known); near != "" {
				return ", perhaps " + near
			}
			return ""
		})
		remarks = append(remarks, diag.Warningf("%s has fields of %s that are not known here and not read, so that what Slurm does by them is not modelled: %s", of, kind, what))
	}
	return remarks
}
