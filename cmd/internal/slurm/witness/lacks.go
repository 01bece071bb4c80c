package witness

import (
	"maps"
	"slices"
	"strings"

	"fairshare/cmd/internal/slurm/record"
	"fairshare/cmd/internal/witness"
)

// findLacks returns what the site and its jobs have that is not modelled, and whose starts it concerns.
func (r *Record) findLacks() (lacks []witness.Lack) {
	byID := map[string]*record.Job{}
	notes := map[string]map[string]bool{} // the jobs, by what is not modelled of them
	for _, x := range r.jobs {
		for _, note := range x.Notes {
			if notes[note] == nil {
				notes[note] = map[string]bool{}
			}
			notes[note][x.ID] = true
		}
	}
	if len(r.setup.Omissions) > 0 {
		for _, x := range r.jobs {
			byID[x.ID] = x
		}
	}
	for _, o := range r.setup.Omissions {
		what := strings.TrimSuffix(o.What, ",")
		lacks = append(lacks, witness.Lack{Setting: what, Says: what, Concerns: func(s *witness.Start, _ witness.Side) bool {
			x := byID[s.Job]
			return x != nil && o.Has(r.setup, x.Job)
		}})
	}
	for _, what := range r.from.Unmodelled { // which is said, though nothing tells which starts it has changed
		lacks = append(lacks, witness.Lack{Setting: what, Says: what, Concerns: func(*witness.Start, witness.Side) bool { return false }})
	}
	for _, note := range slices.Sorted(maps.Keys(notes)) {
		lacks = append(lacks, witness.Lack{Setting: "that they " + note, Concerns: func(s *witness.Start, _ witness.Side) bool { return notes[note][s.Job] }})
	}
	return lacks
}
