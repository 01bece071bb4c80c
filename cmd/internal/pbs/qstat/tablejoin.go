package qstat

import (
	"cmp"
	"fairshare/cmd/internal/trace"
	"fmt"
	"slices"
	"strings"
)

// join adds the rows of one more table to those of the others. Rows of one job are one, which has of each column what a table tells that
// has it; names that qstat has cut give way to whole ones. Where two tell another thing of a job they are of different moments: of two
// states that counts which comes later in the life of a job, with all that its table tells, and of all else what was told first.
func (t *Table) join(rows []TableRow) {
	had := map[string][]int{}
	for i := range t.Rows {
		number := Number(t.Rows[i].ID)
		had[number] = append(had[number], i)
	}
	for _, r := range rows {
		number := Number(r.ID)
		at := slices.IndexFunc(had[number], func(i int) bool { return isCutOf(t.Rows[i].ID, r.ID) || isCutOf(r.ID, t.Rows[i].ID) })
		if at < 0 {
			t.Rows = append(t.Rows, r)
			continue
		}
		is := &t.Rows[had[number][at]]
		had[number] = slices.Delete(had[number], at, at+1) // a second row of it in one table stays one
		if differ := is.join(r); differ != nil {
			t.Differ = append(t.Differ, number+" has "+strings.Join(differ, ", "))
		}
	}
}

// Number returns the ID of a job without its server, whose name tables cut.
func Number(id string) string { return trace.WithoutServer(strings.TrimSuffix(id, "*")) }

// isCutOf reports whether a name is another one, or that as qstat has cut it.
func isCutOf(cut, whole string) bool {
	begin, isCut := strings.CutSuffix(cut, "*")
	return cut == whole || isCut && strings.HasPrefix(strings.TrimSuffix(whole, "*"), begin)
}

// IsSameName reports whether two names can be one that qstat has cut, or one is not told.
func IsSameName(a, b string) bool { return a == "" || b == "" || isCutOf(a, b) || isCutOf(b, a) }

// Server returns the name of the server of a job, which qstat may have cut; "" where the table has none of it.
func (r *TableRow) Server() string {
	return strings.TrimPrefix(strings.TrimPrefix(r.ID, Number(r.ID)), ".")
}

// Servers returns the names of the servers whose jobs tables have, nil where that is one.
func (t *Table) Servers() (names []string) {
	for i := range t.Rows {
		name := t.Rows[i].Server()
		at := slices.IndexFunc(names, func(of string) bool { return IsSameName(of, name) })
		switch {
		case name == "" || name == "*":
		case at < 0:
			names = append(names, name)
		case len(name) > len(names[at]):
			names[at] = name
		}
	}
	if len(names) < 2 {
		return nil
	}
	return names
}

// stages are the states of jobs in the order in which they come to them.
const stages = "THWQBUSRMEFXC"

// join takes from another row of a job what this one lacks, and returns what the two tell differently, in words.
func (r *TableRow) join(other TableRow) (differ []string) {
	isSame := r.State == other.State
	if !isSame {
		differ = append(differ, fmt.Sprintf("state %c in one and %c in another", r.State, other.State))
		if strings.IndexByte(stages, other.State) > strings.IndexByte(stages, r.State) {
			*r, other = other, *r
		}
		other.Comment, other.Starts, other.Elapsed, other.CPUTime = "", "", "", "" // which are of its state
	}
	for _, of := range []struct {
		name      string
		is, other *string
	}{
		{"ID", &r.ID, &other.ID}, {"name", &r.Name, &other.Name}, {"user", &r.User, &other.User}, {"queue", &r.Queue, &other.Queue},
		{"NDS", &r.Chunks, &other.Chunks}, {"TSK", &r.Tasks, &other.Tasks}, {"memory", &r.Memory, &other.Memory}, {"walltime", &r.Walltime, &other.Walltime},
		{"start", &r.Starts, &other.Starts}, {"comment", &r.Comment, &other.Comment},
	} {
		switch is, told := *of.is, *of.other; {
		case is == "" || isCutOf(is, told):
			*of.is = told
		case told != "" && !isCutOf(told, is):
			differ = append(differ, fmt.Sprintf("%s %s in one and %s in another", of.name, is, told))
		}
	}
	r.CPUTime, r.Elapsed = longest(r.CPUTime, other.CPUTime), longest(r.Elapsed, other.Elapsed) // which grow from one print to the next
	return differ
}

// longest returns the longer of two times, as HH:MM:SS and HH:MM.
func longest(a, b string) string {
	if cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) < 0 {
		return b
	}
	return a
}

// noteCut notes which names of a job qstat has cut.
func (r *TableRow) noteCut() {
	for _, name := range []string{r.Name, r.User, r.Queue} {
		if strings.HasSuffix(name, "*") {
			r.Cut = append(r.Cut, name)
		}
	}
}
