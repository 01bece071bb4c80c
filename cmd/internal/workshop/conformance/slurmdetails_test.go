package conformance

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/slurm/forecast"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/workshop"
)

// detailQuestions are what a site is asked whose jobs are listed with details (scontrol -d show job), beside those about what is free.
var detailQuestions = []question{
	{"sort", "sort DIR --all -o csv"}, {"shares", "shares DIR"}, {"history", "history DIR --tz UTC"}, {"replay", "replay DIR --tz UTC"}, {"usage", "usage DIR --tz UTC"}, {"check", "check DIR"},
}

// freeQuestions are those about what is free.
var freeQuestions = []question{{"metrics", "metrics DIR"}, {"when", "when DIR --runs 2 --tz UTC"}, {"nodes", "nodes DIR --tz UTC"}, {"nodes in JSON", "nodes DIR --tz UTC -o json"}}

// What a job has of each node changes no other answer, and none at all where it is what is found without it: over all recorded sites,
// whose jobs get the lines that scontrol -d prints.
func TestDetails(t *testing.T) {
	t.Parallel()
	tried, several, moved := 0, 0, 0
	ofSlurm := slices.DeleteFunc(slices.Clone(sites(t)), func(p place) bool { return !p.isSlurm })
	for i, p := range ofSlurm {
		if !workshop.Among(i, 4) {
			continue
		}
		now, ok := nowOf(t, p.dir)
		if !ok {
			continue
		}
		files := filesBelow(t, p.dir)
		s, _ := forecast.ReadNodes(now, time.UTC)
		same, n := detailed(s, files, 0)
		other, _ := detailed(s, files, 1)
		if n == 0 {
			continue
		}
		tried++
		before := answersOf(p.dir)
		one := answersOf(write(t, filepath.Join("details", fmt.Sprint(tried), "same"), same))
		free := slices.Clone(freeQuestions)
		if rows := asked(t, "sort", p.dir, "--all").rows; len(rows) > 0 { // it says what is free for a job that waits for its turn
			free = append(free, question{"explain", "explain " + rows[0]["id"] + " DIR"})
		}
		for of := range changedAnswers(slices.Concat(detailQuestions, free), before, one) {
			t.Errorf("%s: with details, %s is not as it was", p.name, of)
		}
		if fmt.Sprint(other) == fmt.Sprint(same) {
			continue
		}
		several++
		two := answersOf(write(t, filepath.Join("details", fmt.Sprint(tried), "other"), other))
		for of := range changedAnswers(detailQuestions, before, two) {
			t.Errorf("%s: with details of another split, %s is not as it was", p.name, of)
		}
		if isChanged(freeQuestions, before, two) {
			moved++
		}
	}
	if tried < fewest(15, 1) || workshop.TestsAll() && (several < 5 || moved < 3) {
		t.Errorf("%d sites, %d with jobs of which the split can be another, which changed what is free of %d", tried, several, moved)
	}
}

// A site of which scontrol -d show job is recorded, as scontrol show job is at the same moment, gives the same answers with either, and a
// copy without names keeps what each job has of its nodes.
func TestRecordedDetails(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("testdata", "scontrol-d-show-job.txt"))
	if err != nil {
		t.Fatal(err)
	}
	files := printed(t, "t1_morning")
	plain := write(t, "details/plain", files)
	files["scontrol-show-job.txt"] = string(text)
	dir := write(t, "details/recorded", files)
	id := asked(t, "sort", dir).rows[0]["id"]
	all := slices.Concat(detailQuestions, freeQuestions, []question{{"explain", "explain " + id + " DIR"}})
	before, after := answersOf(plain), answersOf(dir)
	for of := range changedAnswers(all, before, after) {
		t.Errorf("with details, %s is not as it was", of)
	}
	for _, q := range all {
		if was, is := strings.ReplaceAll(before.to(q).said, plain, dir), after.to(q).said; was != is {
			t.Errorf("with details, %s says\n%sand without them\n%s", q.name, is, was)
		}
	}
	hidden := filepath.Join(unpackedIn, "details", "hidden")
	if a := ask("collect", hidden, "--slurm", "--snapshot", dir, "--obfuscate"); !a.isGiven() {
		t.Fatal(a.said)
	}
	for name, text := range filesBelow(t, hidden) {
		if strings.HasPrefix(text, "JobId=") {
			if n := strings.Count(text, " CPU_IDs="); n != 11 || strings.Contains(text, "Nodes=c0") {
				t.Errorf("%s has what %d jobs have of their nodes, or their names", name, n)
			}
			return
		}
	}
	t.Error("the copy has no list of jobs")
}

var (
	jobNumbers  = regexp.MustCompile(`^JobId=(\d+)(?: ArrayJobId=(\d+) ArrayTaskId=(\d+))?\b`)
	beforeLines = regexp.MustCompile(`(?m)^   MinCPUsNode=`)
	runTime     = regexp.MustCompile(`(?m)^   RunTime=`)
)

// detailed returns the files of a site in which the list of jobs has the lines that scontrol -d prints, of n jobs that run: with what
// is found that each has of its nodes, or of those of several nodes with so many CPUs of the first on the second.
func detailed(s *forecast.Site, files map[string]string, moved int32) (changed map[string]string, n int) {
	lines := map[string]string{}
	for _, j := range s.Running() {
		m := sched.NewMachine(s.Setup.Cluster)
		m.Hold(j.Job)
		detail := ""
		for at, x := range j.Shares {
			node := &s.Setup.Nodes[x.Node]
			_, memory, gres := m.Free(int(x.Node))
			cpus := x.CPUs
			if len(j.Shares) > 1 && at < 2 && j.Shares[0].CPUs > moved {
				cpus += moved * int32(2*at-1)
			}
			var has []string
			for k, kind := range s.Setup.GRES {
				hasTypes := slices.ContainsFunc(s.Setup.GRES, func(other string) bool { return strings.HasPrefix(other, kind+":") })
				if used := node.GRES[k] - gres[k]; used > 0 && !hasTypes {
					has = append(has, fmt.Sprintf("%s:%d(IDX:0-%d)", kind, used, used-1))
				}
			}
			detail += fmt.Sprintf("     Nodes=%s CPU_IDs=0-%d Mem=%d GRES=%s\n", node.Name, cpus-1, node.Memory-memory, strings.Join(has, ","))
		}
		lines[j.ID] = "   JOB_GRES=(null)\n" + detail
	}
	changed = map[string]string{}
	for name, text := range files {
		changed[name] = text
		if !strings.HasPrefix(text, "JobId=") || !strings.Contains(text, "\n   JobState=") {
			continue
		}
		records := strings.Split(text, "\n\n")
		for i, record := range records {
			records[i] = runTime.ReplaceAllString(record, "   DerivedExitCode=0:0\n   RunTime=")
			number := jobNumbers.FindStringSubmatch(record)
			if number == nil || !strings.Contains(record, "JobState=RUNNING ") {
				continue
			}
			id := number[1]
			if number[2] != "" {
				id = number[2] + "_" + number[3]
			}
			if lines[id] != "" {
				n++
				records[i] = beforeLines.ReplaceAllString(records[i], lines[id]+"   MinCPUsNode=")
			}
		}
		changed[name] = strings.Join(records, "\n\n")
	}
	return changed, n
}
