package cli

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/figure"
	pbssite "fairshare/cmd/internal/pbs/site"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/search"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/study"
)

// searchFlags ask for a grid of replays.
type searchFlags struct {
	Vary         []string `sep:"none" placeholder:"NAME=VALUES" help:"Search: try these values for a name that is free in the formula, or for a setting: W1=100,1000 or W2=1:10:1 or server.backfill_depth=0,1,5; of a Slurm site bf_interval=30,60. Several make a grid."`
	Goal         []string `sep:"none" placeholder:"GOAL" help:"The figure that shall be small or large in a search: 'min p95(wait)', 'max utilisation'. May be given more than once."`
	Part         string   `placeholder:"I/N" help:"Make part I of N of a search, and print each of its rows as a line."`
	Collect      bool     `help:"Join the lines of a search's parts, which are the arguments."`
	EmitJobArray bool     `help:"Print a script for qsub, or at a Slurm site for sbatch, that makes the search as a job array."`
	Parts        int      `placeholder:"N" help:"How many subjobs the job array has (one for each row of the search, but at most ${parts})."`
}

// mostSubjobs is how many subjobs a job array has unless told.
const mostSubjobs = 100

// What is said of flags in more than one place.
const (
	partsOfArray = "--parts is the number of subjobs of --emit-job-array"
	notInSearch  = "a search has no --at, --explain, --fail-if, --calibrate, --policy and no second --sched-priv"
)

// searchRules are the rules of searches.
func searchRules() []rule {
	return []rule{
		{of: "collect", not: "vary part emit-job-array goal html calibrate at explain formula file policy set fail-if", says: "--collect joins what was made, and takes --output alone"},
		{of: "goal part parts emit-job-array", needs: "vary collect", says: "--goal, --part, --parts and --emit-job-array are of a search: give --vary NAME=VALUES"},
		{of: "vary", not: "html", says: "a search makes no page: give --html with the values that it finds, by --set NAME=VALUE or -f FORMULA, which compares them with the policy in force"},
		{of: "vary", not: "at explain fail-if calibrate policy", says: notInSearch},
		{of: "vary collect", not: "output=starts output=swf", says: "a search is printed as a table, CSV or JSON"},
		{of: "part", not: "emit-job-array", says: "--part and --emit-job-array are two things to do, give one of them"},
		{of: "parts", needs: "emit-job-array", says: partsOfArray},
	}
}

// search returns the search that is asked for, nil for none. setting returns the whole name of a setting, and whether a name is
// that of one.
func (c *replayCmd) search(s *session, setting func(name string) (whole string, isSetting bool)) (*search.Grid, error) {
	if len(c.Vary) == 0 {
		return nil, nil
	}
	formulas, err := c.formulas(s)
	if err != nil {
		return nil, err
	}
	grid := &search.Grid{Formulas: formulas, Settings: c.settings(c.Set)}
	for _, text := range c.Vary {
		axis, err := search.ParseAxis(text, setting)
		if err != nil {
			return nil, err
		}
		grid.Axes = append(grid.Axes, axis)
	}
	for _, text := range c.Goal {
		goal, err := search.ParseGoal(text)
		if err != nil {
			return nil, fmt.Errorf("--goal: %w", err)
		}
		grid.Goals = append(grid.Goals, goal)
	}
	if _, err := grid.Size(); err != nil {
		return nil, err
	}
	return grid, grid.Check()
}

// emitJobArray prints the script that makes a search on the site's own cluster.
func (c *replayCmd) emitJobArray(s *session, grid *search.Grid, by search.Submitter) error {
	cells, err := grid.Size()
	if err != nil {
		return err
	}
	if slices.Contains(s.args, "-") {
		return fail(exitUsage, "a subjob has no standard input: give files instead of -")
	}
	_, err = fmt.Fprint(s.out, by.JobArrayOf(s.args, min(cmp.Or(c.Parts, min(cells, mostSubjobs)), cells)))
	return err
}

// runSearch makes the cells of a search, or of a part of it, which prints each as a line.
func (c *replayCmd) runSearch(s *session, grid *search.Grid, on *site.Study) error {
	part, parts, err := search.ParsePart(c.Part)
	if err != nil {
		return err
	}
	on.Figures, on.NeedsAll = nil, true
	for _, goal := range grid.Goals {
		remarks, err := on.CheckNames([]figure.Figure{goal.Figure})
		if s.say(remarks...); err != nil {
			return err
		}
		on.Ask(goal.Figure)
	}
	for _, f := range on.Standard {
		on.Ask(f)
	}
	maker := search.NewMaker(grid, on.Study, on.Site, on.IsKnown, part, parts)
	var cells []search.Cell
	made, isCut := 0, false
	var steps func(part, all float64)
	for !isCut && s.ctx.Err() == nil {
		remarks, err := maker.Prepare(runtime.GOMAXPROCS(0))
		s.say(remarks...)
		if err != nil {
			return err
		}
		if len(on.Policies) == 0 {
			break
		}
		if steps == nil { // in the first round, of which the policy in force is the first
			if on.Policies[0].IsInForce && on.Record != nil {
				rows := float64(maker.Count() * max(1, on.Runs))
				s.progress.plan(1/(rows+1), rows/(rows+1))
				if err := judgeRules(s, on); err != nil {
					return err
				}
			}
			steps = s.progress.begin("rows")
		}
		all, err := c.run(s, on.Study, func(part, all float64) {
			steps(float64(made)+part/all*float64(len(on.Policies)), float64(maker.Count()))
		})
		if err != nil {
			return err
		}
		isCut = slices.ContainsFunc(all, func(m *study.Measured) bool { return m.IsCut })
		whole := maker.Cells(all)
		made += len(whole)
		for _, cell := range whole {
			if cell.Failed > 0 {
				s.partly = true
				s.diag.Warning("row %d: the formula failed %s, and its value was 0: %s", cell.Cell, report.Count(cell.Failed, "time"), cell.Formula)
			}
			if c.Part == "" {
				cells = append(cells, cell)
			} else if err := s.encode(cell); err != nil {
				return err
			}
		}
	}
	if isCut || s.ctx.Err() != nil {
		if len(cells) > 0 {
			if err := c.printCells(s, cells, grid.Goals); err != nil {
				return err
			}
		}
		return fail(exitUnreadable, "interrupted: the %d of %s that were whole are printed", made, report.Count(maker.Count(), "row"))
	}
	if c.Part != "" {
		return nil
	}
	return c.printCells(s, cells, grid.Goals)
}

// collect joins what the parts of a search have printed.
func (c *replayCmd) collect(s *session) error {
	logs, remarks, err := pbssite.FindLogs(c.Logs, c.TZ, s.in)
	s.say(remarks...)
	if err != nil {
		return err
	}
	collection, remarks, err := search.Collect(logs.Sources)
	s.say(remarks...)
	if err != nil {
		return failure{exitUnreadable, err}
	}
	goals, err := collection.Goals()
	if err != nil {
		return failure{exitUnreadable, err}
	}
	const most = 10 // parts that are told one by one
	for i, part := range collection.Missing {
		s.partly = true
		if i == most {
			s.diag.Warning("and %d more parts are missing", len(collection.Missing)-most)
			break
		}
		s.diag.Warning("part %s is missing: %s of it, from row %d on; make it again with --part %s", part, report.Count(len(part.Cells), "row"), part.Cells[0], part)
	}
	return c.printCells(s, collection.Cells, goals)
}

// warnOfNever says which rows of a search leave jobs waiting for ever, by how many.
func warnOfNever(s *session, cells []search.Cell) {
	type left struct {
		jobs int
		kept string
	}
	rows := map[left][]string{}
	for _, cell := range cells {
		if cell.Never > 0 {
			of := left{cell.Never, cell.Kept}
			rows[of] = append(rows[of], rowName(cell))
		}
	}
	if len(rows) == 0 {
		return
	}
	most := func(a, b left) int { return cmp.Or(cmp.Compare(b.jobs, a.jobs), strings.Compare(a.kept, b.kept)) }
	var parts []string
	for _, of := range slices.SortedFunc(maps.Keys(rows), most) {
		kept := ""
		if of.kept != "" {
			kept = " (" + of.kept + ")"
		}
		parts = append(parts, fmt.Sprintf("%s in row %s%s", report.Count(of.jobs, "job"), strings.Join(rows[of], ", "), kept))
	}
	s.say(diag.Warningf("never started, and counted as waiting to the end of the record: %s", report.Clauses(parts...)).OfAsked())
}

// warnOfCancelled says in which rows of a search jobs are cancelled for others.
func warnOfCancelled(s *session, cells []search.Cell) {
	var parts []string
	for _, cell := range cells {
		if cell.Cancelled > 0 {
			parts = append(parts, fmt.Sprintf("%d in row %s", cell.Cancelled, rowName(cell)))
		}
	}
	if parts != nil {
		s.say(diag.Warningf("jobs are cancelled for others and do not run again, so that their waits end early: %s", report.Some(parts, mostRows)).OfAsked())
	}
}

// warnOfSaturated says in which rows of a search ever more jobs wait.
func warnOfSaturated(s *session, cells []search.Cell) {
	var rows []string
	for _, cell := range cells {
		if cell.IsSaturated {
			rows = append(rows, rowName(cell))
		}
	}
	if len(rows) > 0 {
		s.diag.Warning("saturated is row %s: more jobs wait at the last time of the logs than in the middle, so that waits grow with the time that is looked at", report.First(rows))
	}
}

// rowNames are what cells are called in the table.
func rowNames(cells []search.Cell) (names []string) {
	for _, c := range cells {
		names = append(names, rowName(c))
	}
	return names
}

// mostRows is how many rows of a search are named in a remark.
const mostRows = 5

// noteOwnShares says in which rows of a search distances are from other shares than in the others.
func noteOwnShares(s *session, cells []search.Cell) {
	if others := search.OtherShares(cells); len(others) > 0 {
		s.say(diag.Notef("share_distance in row %s is from the shares that the row tries: equal starts have another distance there", report.Some(rowNames(others), mostRows)).OfAsked())
	}
}

// rowName is what a cell is called in the table.
func rowName(c search.Cell) string {
	if c.Cell == 0 {
		return "in force"
	}
	return strconv.Itoa(c.Cell)
}

// printCells prints the cells of a search, those marked that no other is better than.
func (c *replayCmd) printCells(s *session, cells []search.Cell, goals []search.Goal) error {
	if len(cells) == 0 {
		return errors.New("there is no row")
	}
	warnOfNever(s, cells)
	warnOfCancelled(s, cells)
	warnOfSaturated(s, cells)
	noteOwnShares(s, cells)
	isBest, hasBest := make([]bool, len(cells)), len(goals) > 0
	if hasBest {
		isBest = search.Undominated(cells, goals)
	}
	switch c.Output {
	case "json":
		return s.encode(searchLines(cells, isBest))
	case "csv":
		for _, sentence := range cells[0].Nearness {
			s.diag.Note("%s", sentence)
		}
		return printCellsCSV(s, cells, isBest)
	}
	last := cells[len(cells)-1]
	header := []string{"ROW"}
	if hasBest {
		header = append(header, "BEST")
	}
	header = append(header, last.Axes...)
	var figures []figure.Figure
	for _, name := range last.Figures {
		f, err := figure.Parse(name)
		if err != nil {
			return failure{exitUnreadable, err}
		}
		figures = append(figures, f)
	}
	figures = search.Shown(figures, len(goals))
	for _, f := range figures {
		header = append(header, strings.ToUpper(f.String()))
	}
	table := [][]string{header}
	if o := cells[0].Observed; o != nil {
		row := append([]string{"observed"}, make([]string, len(header)-len(figures)-1)...)
		for _, f := range figures {
			seen := o.AsCell(&cells[0])
			row = append(row, seen.Text(f))
		}
		table = append(table, row)
	}
	for i, cell := range cells {
		row := []string{rowName(cell)}
		if hasBest {
			switch {
			case isBest[i] && search.AlikeTo(cells, i) != nil:
				row = append(row, "=")
			case isBest[i]:
				row = append(row, "*")
			default:
				row = append(row, "")
			}
		}
		for k := range last.Axes {
			row = append(row, report.DashIfEmpty(cell.Value(k)))
		}
		for _, f := range figures {
			row = append(row, cell.Text(f))
		}
		table = append(table, row)
	}
	for _, sentence := range cells[0].Nearness {
		fmt.Fprintln(s.out, sentence)
	}
	if cells[0].Nearness != nil {
		fmt.Fprintln(s.out)
	}
	if err := s.print(report.Table{Rows: table, Right: func(column int) bool { return !hasBest || column != 1 }}); err != nil {
		return err
	}
	if hasBest {
		printBest(s, cells, goals)
		if hasRepeated := slices.ContainsFunc(table, func(row []string) bool { return row[1] == "=" }); hasRepeated {
			fmt.Fprintln(s.out, "= alike, to the last digit, to the row with * above it")
		}
	}
	if same := search.Unmoved(cells); len(same) > 0 {
		fmt.Fprintf(s.out, "every job starts when it does under the policy in force in row %s: %s\n", report.Some(rowNames(same), mostRows), study.MovesNone("is changed there"))
	}
	for _, axis := range search.IdleAxes(cells) {
		fmt.Fprintf(s.out, "the values of %s are alike here: rows that differ in it alone are so to the last digit\n", axis)
	}
	if last.Single() {
		fmt.Fprintln(s.out, study.OneRun)
	}
	return nil
}

// printBest says what the mark of the best rows means.
func printBest(s *session, cells []search.Cell, goals []search.Goal) {
	noise := ""
	if !cells[0].Single() {
		noise = "; differences that are noise do not count"
	} else if off := search.Off(cells, goals); off > 0 {
		noise = fmt.Sprintf("; within the %s that the replay is off, no mean wait is better", study.Percent(off, math.Ceil))
	}
	if slices.ContainsFunc(cells, func(c search.Cell) bool { return c.Unfinished() != cells[0].Unfinished() }) {
		noise += "; no row is so under which more jobs never start, or are cancelled, than under another"
	}
	var words []string
	for _, g := range goals {
		words = append(words, g.String())
	}
	fmt.Fprintf(s.out, "\n* no other row is at least as good in all and better in one of: %s%s\n", strings.Join(words, "; "), noise)
}

func printCellsCSV(s *session, cells []search.Cell, isBest []bool) error {
	out := report.NewCSV(s.out)
	last := cells[len(cells)-1]
	header := append([]string{"cell", "best"}, last.Axes...)
	header = append(header, "formula")
	for _, f := range last.Figures {
		header = append(header, f, f+" low", f+" high")
	}
	header = append(header, "longer", "alike_to")
	out.Write(header...)
	for i, cell := range cells {
		alike, alikeTo := search.AlikeTo(cells, i), ""
		if alike != nil {
			alikeTo = strconv.Itoa(alike.Cell)
		}
		row := []string{strconv.Itoa(cell.Cell), strconv.FormatBool(isBest[i] && alike == nil)}
		for k := range last.Axes {
			row = append(row, cell.Value(k))
		}
		row = append(row, cell.Formula)
		for _, name := range last.Figures {
			f := cell.Figure(name)
			for _, x := range []float64{f.Mean, f.Low, f.High} {
				row = append(row, report.OrEmpty(report.Optional(x)))
			}
		}
		out.Write(append(row, strings.Join(cell.Longer, "; "), alikeTo)...)
	}
	return out.Flush()
}

// searchLine is a cell of a search in JSON.
type searchLine struct {
	Cell      int                     `json:"cell"`               // 0 is the policy in force
	Best      bool                    `json:"best"`               // whether no other cell dominates it, and none before it is alike
	AlikeTo   *int                    `json:"alike_to,omitempty"` // the first cell before it that comes to the same to the last digit
	Values    map[string]string       `json:"values"`
	Formula   string                  `json:"formula"`
	Never     int                     `json:"never,omitempty"`     // jobs that are never started
	Cancelled int                     `json:"cancelled,omitempty"` // jobs that are cancelled for others
	Figures   map[string]intervalLine `json:"figures"`

	IsSaturated bool                    `json:"saturated,omitempty"` // whether ever more jobs wait
	Observed    map[string]intervalLine `json:"observed,omitempty"`  // of the first cell
	Nearness    []string                `json:"nearness,omitempty"`  // of the policy in force: how near its replay comes to what has happened
}

func searchLines(cells []search.Cell, isBest []bool) []searchLine {
	var lines []searchLine
	for i, cell := range cells {
		line := searchLine{Cell: cell.Cell, Best: isBest[i], Values: map[string]string{}, Formula: cell.Formula, Never: cell.Never, Cancelled: cell.Cancelled, Figures: figureLines(&cell), IsSaturated: cell.IsSaturated, Nearness: cell.Nearness}
		if cell.Observed != nil {
			observed := cell.Observed.AsCell(&cell)
			line.Observed = figureLines(&observed)
		}
		if of := search.AlikeTo(cells, i); of != nil {
			line.Best, line.AlikeTo = false, &of.Cell
		}
		for k, name := range cell.Axes {
			if value := cell.Value(k); value != "" {
				line.Values[name] = value
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// figureLines returns what the figures of a cell come to as JSON has it.
func figureLines(cell *search.Cell) map[string]intervalLine {
	lines := map[string]intervalLine{}
	for _, name := range cell.Figures {
		of := newIntervalLine(cell.Figure(name))
		of.IsLonger = cell.IsLonger(name)
		lines[name] = of
	}
	return lines
}
