package conformance

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"fairshare/cmd/internal/lab"
	"fairshare/cmd/internal/study"
	"fairshare/cmd/internal/witness"
)

// judgedSites are sites with their pasts, and what is wrong with the rules of some.
var judgedSites = []struct {
	name, archive string
	edits         []edit
	set           string // that changes its rules
	doubts        int    // how many parties have starts that disagree
	verdict       witness.Standing
}{
	{"PBS, whose rules hold", "moments/snapshot_20260302_14_45_00.tgz", nil, "server.backfill_depth=1", 0, witness.Holds},
	{"PBS, with another formula", "moments/snapshot_20260302_14_45_00.tgz", []edit{
		{"sched_priv/sched_formula", `(?s)^.+$`, "ncpus - eligible_time\n"},
		{"server/qstat_Bf.out", `job_sort_formula = [^\n]*\n\t[^\n]*`, "job_sort_formula = ncpus - eligible_time"},
		{"server/qmgr_ps.out", `job_sort_formula = "[^"]*"`, `job_sort_formula = "ncpus - eligible_time"`},
		{"sched_priv/sched_config", `fair_share: true`, "fair_share: false"},
	}, "server.backfill_depth=1", 1, witness.Disagrees},
	{"Slurm", "slurm-site/t2_busy.tgz", nil, "PriorityWeightFairshare=0", 4, witness.Disagrees},
	{"Slurm, without a past", "slurm-now/24.11-busy.tgz", nil, "", 0, witness.Untold},
}

// edit replaces a part of a file.
type edit struct{ file, old, by string }

// How far the rules hold is one line, and the marks are of the same names, in whatever answer of a site they stand: that of
// witness, a table, JSON or a page of a replay and of a forecast, one cycle right now, and the page of the lab.
func TestJudgedAlike(t *testing.T) {
	for i, x := range judgedSites {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			files := members(t, testdata+"/"+x.archive)
			for _, e := range x.edits {
				name := fileNamed(t, files, e.file)
				after := regexp.MustCompile(e.old).ReplaceAllLiteralString(files[name], e.by)
				if after == files[name] {
					t.Fatalf("nothing to edit in %s", e.file)
				}
				files[name] = after
			}
			dir := write(t, "judged/"+strconv.Itoa(i), files)
			want := judgedBy(t, dir)
			if len(want.Doubts) != x.doubts {
				t.Errorf("%d doubts: %s", len(want.Doubts), want.Says)
			}
			if want.Starts > 0 && want.Verdict != x.verdict.String() {
				t.Errorf("%s: %s", want.Verdict, want.Says)
			}
			j := judgedSite{dir: dir, want: want}
			if want.Starts > 0 {
				j.replays(t)
				j.fails(t)
			}
			j.forecasts(t)
			j.says(t, "sort --now", ask("sort", dir, "--now", "--notes").said)
			if j.want.Starts > 0 {
				j.want.Says = strings.Replace(want.Says, "the present rules", "the present rules, without what is set,", 1)
				j.says(t, "when --set", ask("when", dir, "--runs", "2", "--notes", "--set", x.set).said)
			}
		})
	}
}

// fileNamed returns the name of the file that ends with another one.
func fileNamed(t *testing.T, files map[string]string, end string) string {
	for name := range files {
		if strings.HasSuffix(name, end) {
			return name
		}
	}
	t.Fatalf("no %s", end)
	return ""
}

// judgedSite is a site, and what witness says of it.
type judgedSite struct {
	dir  string
	want witness.SummaryLine
}

// judgedBy returns what witness says of a site in one line, that nothing has judged it where it has no record.
func judgedBy(t *testing.T, dir string) witness.SummaryLine {
	var line struct{ Summary witness.SummaryLine }
	a := ask("witness", dir, "-o", "json")
	if a.code != 0 {
		return witness.SummaryLine{Says: witness.NothingJudged}
	}
	if err := json.Unmarshal([]byte(a.out), &line); err != nil {
		t.Fatal(err)
	}
	return line.Summary
}

// says holds a text to the line.
func (j judgedSite) says(t *testing.T, answer, text string) {
	t.Helper()
	if n := strings.Count(text, j.want.Says); n != 1 {
		t.Errorf("%s: %q stands there %d times", answer, j.want.Says, n)
	}
}

// marks holds the names that a text has with a mark to those that are doubtful, of those that it has at all. pattern has the name of
// each, and whether it has a mark.
func (j judgedSite) marks(t *testing.T, answer, text, pattern string) {
	t.Helper()
	marked, all := map[string]bool{}, map[string]bool{}
	for _, found := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		all[found[1]] = true
		if found[2] != "" {
			marked[found[1]] = true
		}
	}
	for _, d := range j.want.Doubts {
		if all[d.Name] && !marked[d.Name] {
			t.Errorf("%s: %s %s has no mark", answer, d.Kind, d.Name)
		}
	}
	for name := range marked {
		if !slices.ContainsFunc(j.want.Doubts, func(d witness.DoubtLine) bool { return d.Name == name }) {
			t.Errorf("%s: %s has a mark", answer, name)
		}
	}
	if len(all) == 0 {
		t.Errorf("%s has no names:\n%.500s", answer, text)
	}
}

// replays asks a replay, and the lab for one.
func (j judgedSite) replays(t *testing.T) {
	const inTable, inPage = `(?m)^(\S+)( \*)? +\d`, `<tr><td>([^<\x{a0}]+)(\x{a0}\*)?</td><td class="number">\d+</td>`
	page := filepath.Join(t.TempDir(), "page.html")
	a := ask("replay", j.dir, "--html", page)
	j.says(t, "replay", a.out)
	j.marks(t, "replay", a.out, inTable)
	html, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	j.says(t, "the page of replay", string(html))
	j.marks(t, "the page of replay", string(html), inPage)

	var line struct {
		Witness   witness.SummaryLine
		Departure string
	}
	if err := json.Unmarshal([]byte(answered(t, "replay", j.dir, "-o", "json")), &line); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(line.Witness.Says, line.Witness.Doubts); got != fmt.Sprint(j.want.Says, j.want.Doubts) {
		t.Errorf("JSON of replay: %s", got)
	}

	// Where the record disagrees with the rules, it says first that the replay does not follow it, and nothing of how near it is.
	const departs, yardstick = "The replay does not follow the record, and these figures may be wrong: ", "of the mean wait;"
	if differs := j.want.Verdict == witness.Disagrees.String(); differs != strings.HasPrefix(line.Departure, departs) || !differs && line.Departure != "" {
		t.Errorf("JSON of replay: %q, by %s", line.Departure, j.want.Says)
	}
	for answer, text := range map[string]string{"replay": a.out, "the page": string(html)} {
		if at := strings.Index(text, departs); (line.Departure != "") != (at >= 0) || at > strings.Index(text, j.want.Says) {
			t.Errorf("%s: that the replay does not follow the record stands at %d", answer, at)
		}
		if line.Departure != "" && strings.Contains(text, yardstick) {
			t.Errorf("%s tells how near it is", answer)
		}
	}

	address, _ := openLab(t, "", j.dir)
	replayed := address.replay(t, lab.State{})
	if replayed.problem != "" {
		t.Fatal(replayed.problem)
	}
	j.says(t, "the page of the lab", replayed.page)
	j.marks(t, "the page of the lab", replayed.page, inPage)
}

// fails asks a replay whether enough starts are what the rules give.
func (j judgedSite) fails(t *testing.T) {
	percent := 100 * float64(*j.want.Share)
	for _, test := range []struct {
		least float64
		code  int
	}{{percent - .1, 0}, {percent + .1, 1}} {
		condition := "witness < " + strconv.FormatFloat(test.least, 'f', 3, 64) + "%"
		if a := ask("replay", j.dir, "--fail-if", condition); a.code != test.code {
			t.Errorf("replay --fail-if %q: exit %d: %s", condition, a.code, a.said)
		}
	}
}

// forecasts asks a forecast.
func (j judgedSite) forecasts(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.html")
	a := ask("when", j.dir, "--runs", "2", "--notes")
	j.says(t, "when", a.said)
	if isWarned := strings.Contains(a.said, "warning: "+j.want.Says); isWarned != (j.want.Verdict == witness.Disagrees.String() || len(j.want.Doubts) > 0) {
		t.Errorf("when: a warning: %t", isWarned)
	} else if _, first, _ := strings.Cut(a.said, "warning: "); isWarned && !strings.HasPrefix(first, j.want.Says) {
		t.Errorf("when: another warning stands first: %s", first)
	}
	j.marks(t, "when", a.out, `(?m)^ *\d+ +\S+ +(\S+?)( \*)?  `)
	j.marks(t, "when", a.out, `(?m)^ *\d+ +\S+ +\S+(?: \*)? +(\S+?)( \*)?  `)
	answered(t, "when", j.dir, "--runs", "2", "--html", page)
	html, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	j.says(t, "the page of when", string(html))
	foremost := regexp.MustCompile(`<p class="fails">([^<]*?)[ .:;…]*(; and \d+ more, see below)?\.?</p>`).FindStringSubmatch(string(html))
	if isWarned := strings.Contains(a.said, "warning: "+j.want.Says); isWarned && (foremost == nil || !strings.HasPrefix(j.want.Says, foremost[1]) && !strings.Contains(foremost[1], regexp.MustCompile(`[\d.]+% of \d+`).FindString(j.want.Says))) {
		t.Errorf("the page of when: another warning stands first: %q", foremost)
	}
	j.marks(t, "the page of when", string(html), `<td[^>]*>([^< ]+)( \*)?</td>`)

	var line struct {
		Notes []string
		Jobs  []struct {
			Job, Queue, Partition, User string
			Witness                     *float64
			Doubtful                    string
		}
	}
	text := answered(t, "when", j.dir, "--runs", "2", "-o", "json")
	if err := json.Unmarshal([]byte(text), &line); err != nil {
		t.Fatal(err)
	}
	j.says(t, "JSON of when", strings.Join(line.Notes, "\n"))
	seen := map[string]bool{}
	for _, x := range line.Jobs {
		isDoubtful := slices.ContainsFunc(j.want.Doubts, func(d witness.DoubtLine) bool {
			return d.Kind == "queue" && (d.Name == x.Queue || d.Name == x.Partition) || d.Kind == "user" && d.Name == x.User
		})
		if isDoubtful && x.Witness == nil || (x.Witness != nil) != (x.Doubtful != "") {
			t.Errorf("JSON of when: job %s of %s%s, %s: is doubtful %t, has a witness %t, of %q", x.Job, x.Queue, x.Partition, x.User, isDoubtful, x.Witness != nil, x.Doubtful)
		}
		for _, of := range strings.Split(x.Doubtful, ", ") {
			seen[of] = of != ""
		}
	}
	for _, d := range j.want.Doubts {
		of := d.Kind + " " + d.Name
		if isMarked := strings.Contains(a.out, d.Name+study.DoubtMark); isMarked != seen[of] {
			t.Errorf("when: %s is marked %t, in JSON %t", of, isMarked, seen[of])
		}
		delete(seen, of)
	}
	for of, isSeen := range seen {
		if isSeen {
			t.Errorf("JSON of when: %s is doubtful, and witness does not say so", of)
		}
	}
}
