package search_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/study/studytest"
	"fairshare/cmd/internal/search"
	"fairshare/cmd/internal/workshop"
	"fairshare/usagefile"
)

func TestParseAxis(t *testing.T) {
	for text, want := range map[string][]string{
		"W1=100,1000": {"100", "1000"}, "W2=1:4:1": {"1", "2", "3", "4"}, "W=0:1:0.25": {"0.00", "0.25", "0.50", "0.75", "1.00"}, "W=3:1:-1": {"3", "2", "1"},
		"W=0:1:0.3": {"0.0", "0.3", "0.6", "0.9"}, "W=0:0.3:0.1": {"0.0", "0.1", "0.2", "0.3"}, "W=0.3:0:-0.1": {"0.3", "0.2", "0.1", "0.0"}, "W=-1,1e3": {"-1", "1e3"}, "server.backfill_depth=0,5": {"0", "5"}, "sched.strict_ordering=true,false": {"true", "false"},
		"a.shares=10:30:10": {"10", "20", "30"}, "W=0:0.2:1e-1": {"0.0", "0.1", "0.2"},
		"fairshare_decay_time=24:00:00": {"24:00:00"}, "fairshare_decay_time=1:00:00,0:30:10": {"1:00:00", "0:30:10"}, "sched.max_starve=1:10:30": {"1:10:30"}, "server.backfill_depth=1:30:10": {"1", "11", "21"}, "by_queue=true,false": {"true", "false"}, "server.backfill_depth=5:5:1": {"5"},
	} {
		a, err := search.ParseAxis(text, pbs.WholeName)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if diff := cmp.Diff(want, a.Values); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
	for _, text := range []string{"", "W", "W=", "=1", "W=a,b", "W=1:2", "W=1:0:1", "W=1:2:0", "W=1,1", "W=1,,2", "W=0:1e9:1", "W=nan:1:1", "W=nan,inf", "W=1,1.0", "W 1=2", "1W=2", "W=1:2:1e-300"} {
		if a, err := search.ParseAxis(text, pbs.WholeName); err == nil {
			t.Errorf("%q is accepted: %v", text, a)
		}
	}
}

// The own name of a setting stands for its whole name, and one of several places is no name of a formula either.
func TestAxisOfSetting(t *testing.T) {
	for name, want := range map[string]string{"fairshare_usage_res": "sched.fairshare_usage_res", "by_queue": "sched.by_queue", "sched.by_queue": "sched.by_queue", "max_run": "max_run", "W1": ""} {
		a, err := search.ParseAxis(name+"=1,2", pbs.WholeName)
		if err != nil || a.IsSetting != (want != "") || want != "" && a.Name != want {
			t.Errorf("%s: %+v (%v), want the setting %q", name, a, err, want)
		}
	}
}

func TestSubstitute(t *testing.T) {
	for _, row := range []struct {
		formula string
		values  map[string]string
		want    string // "" for an error
	}{
		{"W1*ncpus + W2", map[string]string{"W1": "10", "W2": "0.5"}, "10*ncpus + 0.5"},
		{"W**2 - -W", map[string]string{"W": "-3"}, "(-3)**2 - -(-3)"},
		{"pow(W, W1)+W11", map[string]string{"W": "2", "W1": "3"}, "pow(2, 3)+W11"},
		{"ncpus", map[string]string{"W": "2"}, ""},
		{"W +", map[string]string{"W": "2"}, ""},
	} {
		got, err := search.Substitute(row.formula, row.values)
		if got != row.want || (err == nil) != (row.want != "") {
			t.Errorf("%s: %q (%v), want %q", row.formula, got, err, row.want)
		}
	}
}

// makeSearch makes all parts of a search and returns the lines of each.
func makeSearch(t *testing.T, grid *search.Grid, parts int) [][]string {
	t.Helper()
	all := make([][]string, parts)
	for part := 1; part <= parts; part++ {
		s := studytest.OfTrace(t, studytest.SmallTrace, "4", "ncpus")
		s.Figures = nil
		for _, g := range grid.Goals {
			s.Ask(g.Figure)
		}
		maker := search.NewMaker(grid, &s.Study, s, true, part, parts)
		for {
			if _, err := maker.Prepare(2); err != nil {
				t.Fatal(err)
			}
			if len(s.Policies) == 0 {
				break
			}
			for _, cell := range maker.Cells(studytest.Run(t, s)) {
				line, err := json.Marshal(cell)
				if err != nil {
					t.Fatal(err)
				}
				all[part-1] = append(all[part-1], string(line))
			}
		}
	}
	return all
}

func sampleSearch(t *testing.T) *search.Grid {
	t.Helper()
	grid := &search.Grid{Formulas: []string{"A*ncpus + B"}}
	for _, text := range []string{"A=1,-1", "B=10:30:10"} {
		a, err := search.ParseAxis(text, pbs.WholeName)
		if err != nil {
			t.Fatal(err)
		}
		grid.Axes = append(grid.Axes, a)
	}
	for _, text := range []string{"min mean(wait)", "min max(wait)"} {
		g, err := search.ParseGoal(text)
		if err != nil {
			t.Fatal(err)
		}
		grid.Goals = append(grid.Goals, g)
	}
	return grid
}

// A search comes to the same in one piece and in any number of parts, also with a part
// that was killed and made again.
func TestSearchInParts(t *testing.T) {
	grid := sampleSearch(t)
	whole := makeSearch(t, grid, 1)[0]
	if len(whole) != 7 { // and the policy in force
		t.Fatalf("%d cells: %s", len(whole), whole)
	}
	one, _, err := search.Collect([]file.Source{studytest.Source(strings.Join(whole, "\n"))})
	if err != nil || len(one.Missing) > 0 {
		t.Fatal(err, one.Missing)
	}
	var formulas []string
	for _, c := range one.Cells {
		formulas = append(formulas, fmt.Sprintf("%d %s %v", c.Cell, c.Formula, c.Values))
	}
	want := []string{"0 ncpus []", "1 1*ncpus + 10 [1 10]", "2 1*ncpus + 20 [1 20]", "3 1*ncpus + 30 [1 30]", "4 (-1)*ncpus + 10 [-1 10]", "5 (-1)*ncpus + 20 [-1 20]", "6 (-1)*ncpus + 30 [-1 30]"}
	if diff := cmp.Diff(want, formulas); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, parts := range []int{2, 3, 7, 9} {
		var files []file.Source
		lines := makeSearch(t, grid, parts)
		add := func(name, text string) {
			from := studytest.Source(text)
			from.Name = name
			files = append(files, from)
		}
		for i, part := range lines {
			text := strings.Join(part, "\n")
			if i == 1 { // killed in the middle of a line, and made again
				add("killed", text[:len(text)*2/3])
			}
			add(fmt.Sprint(i), text)
		}
		got, _, err := search.Collect(files)
		if err != nil || len(got.Missing) > 0 {
			t.Errorf("%d parts: %v, %v", parts, err, got.Missing)
			continue
		}
		for i := range got.Cells { // these differ
			got.Cells[i].Part, got.Cells[i].Parts = one.Cells[i].Part, one.Cells[i].Parts
		}
		if diff := cmp.Diff(one.Cells, got.Cells); diff != "" {
			t.Errorf("%d parts:\n%s", parts, diff)
		}
		missing, _, err := search.Collect(append(slices.Clone(files[:1]), files[3:]...))
		if err == nil && (len(missing.Missing) != 1 || missing.Missing[0].Part != 2) {
			t.Errorf("%d parts without the second: %v", parts, missing.Missing)
		}
	}
}

func TestCollectRefuses(t *testing.T) {
	line := makeSearch(t, sampleSearch(t), 1)[0][1]
	for text, want := range map[string]string{
		"":               "there is no line of a search",
		"no line":        "there is no line of a search",
		`{"search":"x"}`: "there is no line of a search",
		line + "\n" + strings.Replace(line, `"search":"`, `"search":"z`, 1): "this is of another search",
	} {
		if _, _, err := search.Collect([]file.Source{studytest.Source(text)}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	for _, broken := range []string{strings.Replace(line, `"cell":1`, `"cell":99`, 1), strings.Replace(line, `"values":["1","10"]`, `"values":["1"]`, 1), strings.Replace(line, `"cells":6`, `"cells":1000000000`, 1)} {
		if _, remarks, err := search.Collect([]file.Source{studytest.Source(broken)}); err == nil || len(remarks) != 1 {
			t.Errorf("%s: %v %v", broken, remarks, err)
		}
	}
}

func TestUndominated(t *testing.T) {
	number := func(x float64) *float64 { return &x }
	cell := func(wait, use float64) search.Cell {
		return search.Cell{Figures: []string{"mean(wait)", "utilisation"}, Runs: [][]*float64{{number(wait)}, {number(use)}}}
	}
	cells := []search.Cell{cell(10, .5), cell(20, .9), cell(20, .8), cell(10, .5), cell(15, .7), {Failed: 1, Figures: []string{"mean(wait)", "utilisation"}, Runs: [][]*float64{{number(1)}, {number(1)}}}, {Figures: []string{"mean(wait)", "utilisation"}, Runs: [][]*float64{{nil}, {number(.95)}}}}
	cells = append(cells, search.Cell{Never: 1, Figures: cells[0].Figures, Runs: [][]*float64{{number(1)}, {number(1)}}})
	var goals []search.Goal
	for _, text := range []string{"min mean(wait)", "max utilisation"} {
		g, _ := search.ParseGoal(text)
		goals = append(goals, g)
	}
	// 2 is worse than 1 in one goal; 0 and 3 are alike; the formula of 5 failed; 6 cannot be
	// told in one goal and is the best in the other; the last leaves out a job.
	if got, want := search.Undominated(cells, goals), []bool{true, true, false, true, true, false, true, false}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// The script of a job array is run by a shell, with a command that shows its arguments.
func TestJobArray(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		workshop.Skip(t, "there is no shell")
	}
	dir := t.TempDir()
	fake := filepath.Join(dir, "fake formula")
	if err := os.WriteFile(fake, []byte("#!/bin/sh\nfor a; do printf '<%s>\\n' \"$a\"; done\nexit ${CODE:-0}\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	args := []string{"replay", "a b", "it's $HOME `x` \"q\"", "-f", "W1*ncpus + 2", "", "new\nline"}
	script := search.Qsub.JobArray(args, 3, "id")
	run := func(part, code string) (string, error) {
		c := exec.Command(sh, "-c", script)
		c.Dir = dir
		c.Env = []string{"PBS_O_WORKDIR=" + dir, "PBS_ARRAY_INDEX=" + part, "FORMULA=" + fake, "CODE=" + code, "PATH=" + os.Getenv("PATH")}
		err := c.Run()
		text, _ := os.ReadFile(filepath.Join(dir, "replay-id."+part+".jsonl"))
		return string(text), err
	}
	want := ""
	for _, arg := range slices.Insert(slices.Clone(args), 1, "--part", "2/3") {
		want += "<" + arg + ">\n"
	}
	if got, err := run("2", "0"); err != nil || got != want {
		t.Errorf("%v: %s", err, cmp.Diff(want, got))
	}
	if got, err := run("2", "4"); err != nil || got != want { // it is there, and not made again
		t.Errorf("again: %v: %s", err, got)
	}
	if got, err := run("3", "4"); err == nil || got != "" {
		t.Errorf("a part that fails: %v, %q", err, got)
	}
	if got, err := run("1", "1"); err != nil || got == "" { // some line of the logs was not readable
		t.Errorf("a part with status 1: %v, %q", err, got)
	}
	left, _ := filepath.Glob(filepath.Join(dir, "replay-id.*"))
	if len(left) != 2 {
		t.Errorf("files: %v", left)
	}
	if one := search.Qsub.JobArray(args, 1, "id"); strings.Contains(one, "-J") || !strings.Contains(one, "part=1\n") {
		t.Errorf("an array of one subjob:\n%s", one)
	}
}

// The script for Slurm asks for an array of tasks, as that for PBS for one of subjobs.
func TestJobArrayOfSlurm(t *testing.T) {
	script := search.Sbatch.JobArray([]string{"replay", "SITE", "sacct.txt", "--vary", "bf_interval=30,60"}, 2, "id")
	for _, want := range []string{"\n#SBATCH --array=1-2\n", "\n#SBATCH --job-name=replay-id\n", "part=$SLURM_ARRAY_TASK_ID\n", "cd \"$SLURM_SUBMIT_DIR\"", ` --part "$part/2"`} {
		if !strings.Contains(script, want) {
			t.Errorf("no %q in\n%s", want, script)
		}
	}
	if strings.Contains(script, "PBS") {
		t.Errorf("it speaks of PBS:\n%s", script)
	}
}

// With several runs a difference that is noise is none.
func TestUndominatedRuns(t *testing.T) {
	cell := func(runs ...float64) search.Cell {
		c := search.Cell{Figures: []string{"mean(wait)"}, Runs: [][]*float64{{}}}
		for _, x := range runs {
			c.Runs[0] = append(c.Runs[0], &x)
		}
		return c
	}
	goal, _ := search.ParseGoal("min mean(wait)")
	cells := []search.Cell{cell(10, 12, 11, 13), cell(11, 11, 12, 13), cell(20, 22, 21, 23)}
	if got, want := search.Undominated(cells, []search.Goal{goal}), []bool{true, true, false}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// A mean wait is better only by more than the replay of the policy in force is off, and what is not better than that policy in any goal
// is none of the best.
func TestUndominatedWithin(t *testing.T) {
	cell := func(at int, wait, use float64) search.Cell {
		return search.Cell{Cell: at, Figures: []string{"mean(wait)", "utilisation"}, Runs: [][]*float64{{&wait}, {&use}}}
	}
	wait, _ := search.ParseGoal("min mean(wait)")
	use, _ := search.ParseGoal("max utilisation")
	cells := []search.Cell{cell(0, 100, .5), cell(1, 96, .5), cell(2, 104, .5), cell(3, 103, .6)}
	for _, test := range []struct {
		off   float64
		goals []search.Goal
		want  []bool
	}{
		{0, []search.Goal{wait}, []bool{false, true, false, false}},
		{.05, []search.Goal{wait}, []bool{true, false, false, false}},
		{.03, []search.Goal{wait}, []bool{false, true, false, false}},
		{.05, []search.Goal{wait, use}, []bool{false, true, false, true}},
		{.05, []search.Goal{use}, []bool{false, false, false, true}},
	} {
		cells[0].Off = test.off
		if got := search.Undominated(cells, test.goals); !slices.Equal(got, test.want) {
			t.Errorf("off by %v, %v: %v, want %v", test.off, test.goals, got, test.want)
		}
	}
}

// Cells of another tree, usage or setting are of another search.
func TestIdentify(t *testing.T) {
	grid := sampleSearch(t)
	s := studytest.OfRun(t, "P2")
	id := grid.Identify(&s.Study, s)
	if again := grid.Identify(&s.Study, s); again != id {
		t.Errorf("%s, then %s", id, again)
	}
	for _, setting := range []string{"physics.shares=51", "sched.strict_ordering=false", "sched.fairshare_decay_factor=0.6", "queue.workq.priority=7", "server.backfill_depth=4"} {
		site, err := s.Inputs.Site.WithReplayed([]string{setting})
		if err != nil {
			t.Fatal(err)
		}
		other := *s
		in := *s.Inputs
		in.Site = site
		other.Inputs = &in
		if grid.Identify(&other.Study, &other) == id {
			t.Errorf("%s does not make another search", setting)
		}
	}
	s.Inputs.Usage = &usagefile.Database{Records: []usagefile.Record{{Name: "alice", Usage: 7}}}
	if grid.Identify(&s.Study, s) == id {
		t.Error("another usage at the begin does not make another search")
	}
}
