package conformance

import (
	"encoding/json"
	"path"
	"strings"
	"testing"

	"fairshare/cmd/internal/outcome"
)

// Who has neither shares nor priorities of a Slurm site is told by when of each job that never starts, or not as the site is now, what
// sort and explain say, and of no others: in place of a forecast, which needs these, it has the starts that Slurm expects.
func TestNeverWithoutShares(t *testing.T) {
	told := 0
	for _, p := range some(t, 2) {
		if !p.isSlurm {
			continue
		}
		files := filesBelow(t, p.dir)
		for name := range files {
			if is := path.Base(name); strings.HasPrefix(is, "sshare") || strings.HasPrefix(is, "sprio") {
				delete(files, name)
			}
		}
		dir := write(t, "treeless/"+p.name, files)
		starts := ask("when", dir, "--tz", "UTC", "-o", "csv")
		if starts.out == "" {
			t.Logf("%s: %s", p.name, starts.said)
			continue
		}
		of := map[string]string{} // what sort says, by job; "" of one that may start in one of its partitions
		for _, row := range asked(t, "sort", dir).rows {
			why, isSaid := "", false
			switch {
			case row["never"] != "":
				why = outcome.Never + row["never"]
			case strings.HasSuffix(row["limit"], "(State)"):
				why = outcome.Held + row["limit"]
			}
			if _, isSaid = of[row["id"]]; !isSaid || why == "" {
				of[row["id"]] = why
			}
		}
		for _, row := range ofCSV(t, starts.out).rows {
			id, reason := row["job"], row["reason"]
			why, isRanked := of[id]
			if array, _, isTask := strings.Cut(id, "_"); isTask && !isRanked {
				why, isRanked = of[array]
			}
			isStuck := strings.HasPrefix(reason, outcome.Never) || strings.HasPrefix(reason, outcome.Held)
			switch {
			case !isRanked || strings.HasPrefix(reason, outcome.Never+"Slurm says"):
			case why == "" && strings.HasPrefix(reason, outcome.Never), why != "" && !isStuck:
				t.Errorf("%s: job %s: %q for sort, %q for when", p.name, id, why, reason)
			case why != "":
				told++
				begin, rule, _ := strings.Cut(why, ": ")
				name, detail, isLimit := strings.Cut(rule, ": ")
				if said, words, _ := strings.Cut(reason, ": "); said != begin || words != detail && !strings.HasPrefix(words, name) && (isLimit || words != rule) {
					t.Errorf("%s: job %s: %q for sort, %q for when", p.name, id, why, reason)
				}
				if row["slurm"] != "" {
					t.Errorf("%s: job %s does not start, and at %s by Slurm", p.name, id, row["slurm"])
				}
				var e struct {
					Never, Limit string
					Means        string `json:"reason_means"`
				}
				if err := json.Unmarshal([]byte(ask("explain", id, dir, "-o", "json").out), &e); err != nil {
					t.Fatal(err)
				}
				if e.Never+e.Limit == "" || strings.Contains(e.Means, "it starts when") {
					t.Errorf("%s: job %s: %q for sort, %+v for explain", p.name, id, why, e)
				}
			}
		}
	}
	if t.Logf("%d jobs", told); told < fewest(20, 1) {
		t.Errorf("only %d jobs that never start are told", told)
	}
}
