package conformance

import (
	"fairshare/cmd/internal/workshop"
	"maps"
	"math/rand/v2"
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
	asking := slices.Clone(askingSlurm)
	for i := range asking {
		asking[i].args += " --notes" // each of them
	}
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
	for _, q := range asking { // while it has all columns
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
			if !workshop.Among(i, 7) {
				continue
			}
			if err := os.WriteFile(path, []byte(withoutColumn(string(text), i)), 0o600); err != nil {
				t.Fatal(err)
			}
			after := answersOf(dir)
			for name := range changedAnswers(asking, before, after) {
				q := named(asking, name)[0]
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

// Tables of random columns: the same answer as with all of them but for cells that are empty, or something that lacks is named,
// or the site is refused.
func TestRandomColumns(t *testing.T) {
	t.Parallel()
	files := printed(t, "t2_busy")
	for _, name := range []string{"scontrol-show-job.txt", "squeue.json", "squeue.txt", "sprio-l.txt", "sprio-n.txt", "sprio-w.txt", "sshare-al.txt", "sacctmgr-dump.cfg", "sdiag.txt", "scontrol-show-assoc_mgr.txt"} {
		delete(files, name)
	}
	files["squeue-pipe.txt"] = withoutColumn(files["squeue-pipe.txt"], 1)                                                                                                           // which is another JOBID
	files["sacct-aXP.txt"] = strings.Join(slices.DeleteFunc(strings.SplitAfter(files["sacct-aXP.txt"], "\n"), func(line string) bool { return strings.Count(line, "|") > 28 }), "") // a pipe in a name
	dir := write(t, "random-columns", files)
	questions := map[string][]string{
		"squeue-pipe.txt": words("sort SITE --all -o csv"), "sprio-pipe.txt": words("sort SITE --all -o csv"), "sshare-alP.txt": words("sort SITE --all -o csv"),
		"sacctmgr-P-qos.txt": words("sort SITE --all -o csv"), "sacctmgr-P-assoc.txt": words("sort SITE --all -o csv"), "sacct-aXP.txt": words("history SITE --tz UTC -o csv"),
	}
	random := rand.New(rand.NewPCG(44, 1))
	most := 24
	if workshop.TestsAll() {
		most = 150
	}
	told, refused, alike := 0, 0, 0
	for n := range most {
		name := slices.Sorted(maps.Keys(questions))[n%len(questions)]
		path, text := filepath.Join(dir, name), files[name]
		header, _, _ := strings.Cut(text, "\n")
		before := askOf(questions[name], dir)
		var lacks []string
		keeps := 0.5 + random.Float64()/2
		for i, column := range slices.Backward(strings.Split(header, "|")) {
			if random.Float64() > keeps {
				lacks = append(lacks, column)
				text = withoutColumn(text, i)
			}
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		after := askOf(questions[name], dir)
		said := strings.ToLower(strings.ReplaceAll(newLines(before.said, after.said), dir, "DIR"))
		isNamed := slices.ContainsFunc(lacks, func(column string) bool {
			if column == "NCPUS" { // which is another name
				column = "AllocCPUS"
			}
			return strings.Contains(said, strings.ToLower(strings.TrimSuffix(column, "Raw")))
		}) || strings.Contains(said, "no record tells the alloctres of") // of jobs that never ran, which NodeList tells from others
		switch {
		case !after.isGiven():
			refused++
		case isOrLacks(after.out, before.out):
			alike++
		case isNamed:
			told++
		default:
			t.Errorf("%s without %s answers otherwise, and says: %s", name, strings.Join(lacks, ", "), said)
		}
		if err := os.WriteFile(path, []byte(files[name]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d answers are the same, %d name what lacks, %d are refusals", alike, told, refused)
	if alike < most/2 || told < most/10 {
		t.Errorf("only %d answers are the same, and %d name what lacks", alike, told)
	}
}

// isOrLacks reports whether a CSV has the cells of another one, or none in their place.
func isOrLacks(one, other string) bool {
	rows, of := strings.Split(one, "\n"), strings.Split(other, "\n")
	return slices.EqualFunc(rows, of, func(a, b string) bool {
		return slices.EqualFunc(strings.Split(a, ","), strings.Split(b, ","), func(a, b string) bool { return a == b || a == "" })
	})
}
