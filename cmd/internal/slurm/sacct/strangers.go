package sacct

import (
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/report"
)

// StrangersError says that tables are not of one cluster: each gives its jobs numbers of its own.
type StrangersError struct {
	First, Second string   // the tables
	Jobs          []string // that are others in the second one
}

func (e *StrangersError) Error() string {
	const most = 3 // jobs that are named
	return fmt.Sprintf("%s and %s are not of one cluster, or its numbers began anew between them, as %s that both have tell (%s): give the tables of one cluster, or those that have the column Cluster (sacct -aPD --format=ALL)", e.First, e.Second, report.Count(len(e.Jobs), "job number"), report.Some(e.Jobs, most))
}

// identity is what a table tells of whose job a row is, and which: people may change a name or a partition, never the user.
type identity struct{ cluster, user, name, partition string }

// isOther reports whether two rows with the number of a job are of two jobs: their users differ or, where these are not told, both name and
// partition do.
func (a identity) isOther(b identity) bool {
	if a.cluster != "" && b.cluster != "" {
		return false // jobs of two are kept apart
	}
	if a.user != "" && b.user != "" {
		return isOtherName(a.user, b.user)
	}
	return isOtherName(a.name, b.name) && isOtherName(a.partition, b.partition)
}

// isOtherName reports whether both of two names are told and differ, as far as the width of a column has left them.
func isOtherName(a, b string) bool {
	a, b = strings.TrimSuffix(a, "+"), strings.TrimSuffix(b, "+")
	return a != "" && b != "" && !strings.HasPrefix(a, b) && !strings.HasPrefix(b, a)
}

// findStrangers returns a *StrangersError where half of the jobs that two tables have in common, or more, are others: some number may have come
// again, and of tables that tell no times a single one tells it, since its rows would count as one run. Rows that name their clusters are kept apart by these.
func (r *Reader) findStrangers(files []file.Source) error {
	const (
		deep  = 5_000 // rows of each table that are looked at
		fewer = 3     // jobs tell nothing where times tell their runs apart
	)
	type table struct {
		name     string
		jobs     map[string]identity
		hasTimes bool
	}
	var tables []table
	for _, from := range files {
		of := table{name: from.Name, jobs: map[string]identity{}}
		rows := 0
		reader := Reader{Zone: r.Zone, Columns: []Column{JobID, User, JobName, Partition, Cluster, Submit, Start}, MostTasks: r.MostTasks, IsTimed: true, clock: r.clock, lists: r.lists,
			Header:  func(string, int, *Header) error { return nil },
			Damaged: func(string, int, string) {},
			Row: func(row *Row) error {
				if rows++; rows > deep {
					return errFound
				}
				of.hasTimes = of.hasTimes || row.Submit != Unknown || row.Start != Unknown
				if id := string(row.ID); of.jobs[id] == (identity{}) {
					of.jobs[id] = identity{string(row.text[Cluster]), string(row.text[User]), string(row.text[JobName]), string(row.text[Partition])}
				}
				return nil
			}}
		_ = reader.read(from) // what is wrong with it is said when it is read
		for _, before := range tables {
			both, others := 0, []string(nil)
			for id, is := range of.jobs {
				if was, isThere := before.jobs[id]; isThere {
					if both++; was.isOther(is) {
						others = append(others, id)
					}
				}
			}
			if hasTimes := before.hasTimes && of.hasTimes; len(others) > 0 && 2*len(others) >= both && (!hasTimes || len(others) >= fewer) {
				slices.Sort(others)
				return &StrangersError{before.name, of.name, others}
			}
		}
		tables = append(tables, of)
	}
	return nil
}
