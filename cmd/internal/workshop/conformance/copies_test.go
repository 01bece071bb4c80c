package conformance

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// A copy of what qstat -f prints has a time of its own: commands say the same of it whenever it was copied, at times within seconds of those
// of the list, which the same in JSON tells.
func TestCopies(t *testing.T) {
	t.Parallel()
	for _, of := range []string{"P5/1772461500", "V6/1772462296", "Q1/1772470203"} {
		t.Run(of, func(t *testing.T) {
			_, seconds, _ := strings.Cut(of, "/")
			files := printsOf(t, of)
			dir := write(t, "copies/"+of, files)
			var unix int64
			fmt.Sscan(seconds, &unix)
			truth := time.Unix(unix, 0)
			var waits string
			for _, m := range regexp.MustCompile(`Job Id: (\d+)\.\S+\n(?:    .*\n)*?    job_state = Q\n`).FindAllStringSubmatch(files["qstat-f.txt"], 1) {
				waits = m[1]
			}
			var before []answer
			for i, copied := range []time.Time{truth.Add(time.Hour), truth.AddDate(0, 9, 0), truth.AddDate(0, 0, -1)} {
				for name := range files {
					if err := os.Chtimes(filepath.Join(dir, name), copied, copied); err != nil {
						t.Fatal(err)
					}
				}
				var all []answer
				for _, question := range []string{"sort DIR", "explain JOB DIR", "nodes DIR", "nodes JOB DIR", "when DIR", "when DIR JOB --try walltime=0:10:00"} {
					question = strings.NewReplacer("DIR", dir, "JOB", waits).Replace(question) + " --tz UTC"
					a := ask(strings.Fields(question)...)
					if a.out == "" || strings.Contains(a.said, "their walltime by the time of the list") {
						t.Errorf("%s, copied %v: %s%s", question, copied, a.out, a.said)
					}
					if m := regexp.MustCompile(`taken (\S+ \S+ UTC) by how long its jobs have run`).FindStringSubmatch(a.said); m == nil {
						t.Errorf("%s, copied %v, is not dated by jobs: %s", question, copied, a.said)
					} else if at, err := time.Parse("2006-01-02 15:04:05 MST", m[1]); err != nil || truth.Sub(at) < 0 || truth.Sub(at) > 2*time.Minute {
						t.Errorf("%s, copied %v, is taken to be of %v: it is of %v", question, copied, at, truth.UTC())
					}
					a.said = regexp.MustCompile(`\S+ \S+ UTC, when it was written`).ReplaceAllString(a.said, "")
					all = append(all, a)
				}
				if i > 0 && !slices.Equal(all, before) {
					t.Errorf("copied %v, answers are %v; they were %v", copied, all, before)
				}
				before = all
			}
		})
	}
}

// printsOf returns what a user prints at a moment of a recorded run: the list of jobs as a text, which tells no time, vnodes, queues and the
// server.
func printsOf(t testing.TB, moment string) map[string]string {
	t.Helper()
	run, _, _ := strings.Cut(moment, "/")
	files := map[string]string{"qstat-f.txt": listText(t, plain(t, filepath.Join(testdata, "moments", moment+".json.gz")))}
	for name, text := range filesBelow(t, filepath.Join(testdata, "replay", run, "snapshot")) {
		if base := filepath.Base(name); strings.HasPrefix(name, "node/") || strings.HasPrefix(base, "qstat_Bf") || strings.HasPrefix(base, "qstat_Qf") {
			files[base] = strings.Replace(text, `"timestamp"`, `"printed"`, 1)
		}
	}
	return files
}

// listText returns a list in JSON as qstat -f prints it as a text.
func listText(t testing.TB, list string) string {
	t.Helper()
	var of struct{ Jobs map[string]map[string]any }
	decoder := json.NewDecoder(strings.NewReader(list))
	decoder.UseNumber()
	if err := decoder.Decode(&of); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, id := range slices.Sorted(maps.Keys(of.Jobs)) {
		fmt.Fprintf(&text, "Job Id: %s\n", id)
		for _, name := range slices.Sorted(maps.Keys(of.Jobs[id])) {
			switch value := of.Jobs[id][name].(type) {
			case map[string]any:
				for _, member := range slices.Sorted(maps.Keys(value)) {
					if name != "Variable_List" { // which has a form of its own
						fmt.Fprintf(&text, "    %s.%s = %v\n", name, member, value[member])
					}
				}
			default:
				fmt.Fprintf(&text, "    %s = %v\n", name, value)
			}
		}
		text.WriteString("\n")
	}
	return text.String()
}

// Where a job has waited for many cycles for which there is room by all that prints tell, something else keeps it: when, explain and nodes
// say so of the same jobs, with the print that may tell. At a moment when the machine is full nobody says so of anybody.
func TestKeptSoLong(t *testing.T) {
	t.Parallel()
	const says = "yet it has waited for "
	for moment, isKept := range map[string]bool{"V6/1772462296": true, "P5/1772461500": false, "Q1/1772470203": false} {
		files := printsOf(t, moment)
		for name, text := range files { // of the end of the run
			files[name] = strings.ReplaceAll(toldInUse.ReplaceAllString(text, ""), "job-busy", "free")
		}
		dir := write(t, "kept/"+moment, files)
		all := answered(t, "when", dir, "--tz", "UTC", "-o", "csv")
		if strings.Contains(all, says) != isKept {
			t.Fatalf("%s: %s", moment, all)
		}
		seen := map[bool]bool{}
		for row := range strings.Lines(all) {
			id, _, _ := strings.Cut(row, ",")
			hasRoom, isSo := strings.Contains(row, "there is room for it"), strings.Contains(row, says)
			if !hasRoom || seen[isSo] {
				continue
			}
			seen[isSo] = true
			for _, args := range [][]string{{"explain", id, dir}, {"nodes", dir, id}} {
				if out := ask(args...).out; strings.Contains(out, says) != isSo || strings.Contains(out, "a reservation to come (pbs_rstat -f)") != isSo {
					t.Errorf("%s: when says %s, and %v: %s", moment, row, args, out)
				}
			}
		}
		if isKept != seen[true] {
			t.Errorf("%s: %v", moment, seen)
		}
		if byTried := answered(t, "when", dir, "--tz", "UTC", "-o", "csv", "-f", "queue_priority + eligible_time/3600"); strings.Contains(byTried, says) != isKept || strings.Contains(byTried, "the next cycle") {
			t.Errorf("%s, by a formula that is tried: %s", moment, byTried) // jobs start at once, which they have not
		}
	}
}
