package conformance

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A table of any of its columns is read, or what lacks is named: without one column, every command answers as with it, or
// says something that it did not say with it.
func TestColumnsThatLack(t *testing.T) {
	t.Parallel()
	site := newSmallSlurm()
	site.edit(slurmPreempts[1:])
	for _, limit := range []string{"GrpTRES=cpu=30", "GrpTRESMins=cpu=9000", "GrpTRESRunMins=cpu=9000", "GrpJobs=6", "GrpSubmit=9", "GrpWall=10:00:00", "MaxTRES=cpu=20", "MaxTRESPerNode=cpu=7", "MaxTRESMins=cpu=2000", "MaxWall=05:00:00"} {
		site.edit("qos.normal." + limit + ";assoc.a/ann." + limit)
	}
	for _, limit := range []string{"MaxTRESPU=cpu=12", "MaxJobsPU=2", "MaxSubmitPU=3", "MaxTRESPA=cpu=20", "MaxJobsPA=3", "MaxSubmitPA=4", "MinTRES=cpu=3", "Flags=NoDecay", "PreemptExemptTime=00:01:00", "UsageFactor=2.0"} {
		site.edit("qos.normal." + limit)
	}
	site.edit("assoc.a/ann.MaxJobs=1|MaxSubmit=2|Partition=|Priority=7")
	dir := site.write(t, "columns")
	before := answersOf(dir)
	for _, q := range askingSlurm { // while it has all columns
		before.to(q)
	}
	for _, file := range []string{"sacctmgr-P-qos.txt", "sacctmgr-P-assoc.txt", "sshare-alP.txt", "sacct.txt"} {
		path := filepath.Join(dir, file)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		header, _, _ := strings.Cut(string(text), "\n")
		for i, column := range strings.Split(header, "|") {
			if err := os.WriteFile(path, []byte(withoutColumn(string(text), i)), 0o600); err != nil {
				t.Fatal(err)
			}
			after := answersOf(dir)
			for name := range changedAnswers(askingSlurm, before, after) {
				q := named(askingSlurm, name)[0]
				said := strings.ReplaceAll(newLines(before.to(q).said, after.to(q).said), dir, "DIR")
				isNamed := strings.Contains(strings.ToLower(said), strings.ToLower(strings.TrimSuffix(column, "Raw")))
				if !isNamed && after.to(q).isGiven() { // an error says what it needs
					t.Errorf("%s without %s: %s answers otherwise, and says: %s", file, column, name, said)
				}
			}
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// withoutColumn returns a table without one of its columns.
func withoutColumn(text string, at int) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "|")
		b.WriteString(strings.Join(slices.Delete(cells, at, at+1), "|") + "\n")
	}
	return b.String()
}

// newLines returns the lines of a text that another one does not have.
func newLines(before, after string) string {
	old := strings.Split(before, "\n")
	return strings.Join(slices.DeleteFunc(strings.Split(after, "\n"), func(line string) bool { return slices.Contains(old, line) }), "\n")
}
