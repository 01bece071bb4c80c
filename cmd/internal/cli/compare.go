package cli

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"fairshare/cmd/internal/compare"
	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/page"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/site"
)

// texts are what a flag was given, each time anything, also what begins with a
// hyphen.
type texts []string

// Decode implements kong.MapperValue.
func (t *texts) Decode(ctx *kong.DecodeContext) error {
	if ctx.Scan.Len() == 0 {
		return errors.New("missing value")
	}
	*t = append(*t, ctx.Scan.Pop().String())
	return nil
}

type compareCmd struct {
	Site      string   `arg:"" optional:"" help:"A snapshot (.tgz or directory), a sched_priv, a Slurm site (with --set), or a job list (- is standard input). Without it: standard input, or if that is a terminal, the site of this host."`
	Formula   texts    `for:"pbs" slurm:"Slurm has no job_sort_formula" short:"f" placeholder:"FORMULA" help:"The new formula, which is compared with the one in force. Given twice: the old and the new formula."`
	File      []string `for:"pbs" slurm:"Slurm has no job_sort_formula" short:"F" sep:"none" placeholder:"FILE" help:"Read a formula from FILE. May be given twice, like -f."`
	SchedPriv []string `for:"pbs" slurm:"a Slurm site is one folder or archive" sep:"none" placeholder:"DIR" help:"The scheduler's sched_priv, or any copy of it. Given twice: the old and the new one; where nothing else differs, one is compared with the site's own."`
	placeFlags
	policyFlags
	clusterFlags
	selection
	pageFlag
	Output string `short:"o" enum:"table,json,csv" default:"table" placeholder:"FORM" help:"What to print (${enum})."`
	Top    int    `default:"10" of:"table" placeholder:"N" help:"Show the N jobs that move most in the table (0: all)."`
}

// exitDiffers is compare's exit code if the order is not the same, or who can start, as diff's.
const exitDiffers = 1

// rules implements ruled.
func (c *compareCmd) rules() []rule {
	return []rule{
		{of: "formula", not: "file", says: "-f together with -F does not say which formula is the old one: give both with -f, or both with -F"},
		{of: "no-formula", not: "formula file", says: "--no-formula cannot be combined with -f or -F"},
	}
}

func (c *compareCmd) Run(s *session) error {
	if err := c.policyFlags.check(); err != nil {
		return err
	}
	if len(c.Formula)+len(c.File) > 2 || len(c.SchedPriv) > 2 {
		return fail(exitUsage, "-f or -F, and --sched-priv, can each be given twice at most: for the old and the new order")
	}
	isSame := c.changesNothing() && len(c.SchedPriv) < 2 && !c.isSecondPriv()
	if isSame && c.Site == "" && c.siteFlags.isEmpty() && c.Jobs == "" {
		return fail(exitUsage, "%s", noChange(""))
	}
	names := c.placeFlags.names(c.Site)
	if len(c.SchedPriv) > 0 && !c.isSecondPriv() {
		names.SchedPriv = c.SchedPriv[0]
	}
	names = c.clusterFlags.names(names)
	names.WantsJobs = true
	found, err := s.open(names)
	if err != nil {
		return err
	}
	at, err := able[site.Comparer](s, found)
	switch {
	case err != nil:
		return err
	case isSame:
		return fail(exitUsage, "%s", noChange(found.Key))
	}
	change, err := c.change(s)
	if err != nil {
		return err
	}
	if change.On, err = c.moment(at); err != nil {
		return err
	}
	d, err := at.Compare(s.ctx, change)
	if err != nil {
		return err
	}
	if c.Output != "table" || c.HTML != nil {
		s.say(compare.Later(d.Later)...)
	}
	switch c.Output {
	case "json":
		err = s.encode(d.JSON(s.notes()))
	case "csv":
		err = d.CSV(s.out)
	default:
		err = c.print(s, d)
	}
	if err == nil {
		err = c.pageFlag.write(s, d.IsEmpty, func() page.Data {
			p := d.Page()
			for _, r := range s.diag.Said() {
				if r.Kind == diag.Warning {
					p.Compare.Warnings = append(p.Compare.Warnings, r.Text)
				} else {
					p.Compare.Remarks = append(p.Compare.Remarks, r.Text)
				}
			}
			return p
		})
	}
	if err == nil && d.Differs {
		err = failure{code: exitDiffers}
	}
	return err
}

// change returns what the flags say.
func (c *compareCmd) change(s *session) (site.Change, error) {
	formulas, err := c.formulas(s)
	if err != nil {
		return site.Change{}, err
	}
	change := site.Change{Choice: c.choice(), Formulas: formulas}
	if len(c.SchedPriv) == 2 || c.isSecondPriv() {
		change.SchedPriv = c.SchedPriv[len(c.SchedPriv)-1]
	}
	change.Policy, err = c.policy("")
	change.Format = c.From
	return change, err
}

// changesNothing reports whether no flag but --sched-priv can make another order.
func (c *compareCmd) changesNothing() bool {
	return len(c.Formula)+len(c.File)+len(c.Sched)+len(c.settings(c.Set)) == 0 && c.Queues == ""
}

// isSecondPriv reports whether the one --sched-priv is compared with the site's own, as where nothing else differs.
func (c *compareCmd) isSecondPriv() bool {
	return len(c.SchedPriv) == 1 && (c.Site != "" || !c.siteFlags.isEmpty()) && c.changesNothing()
}

// changes says by the keys of schedulers what makes another order at a site of theirs, besides --set NAME=VALUE.
var changes = map[string]string{
	"pbs":   "a new formula (-f NEW, or -f OLD -f NEW), a file of commands for qmgr (--sched FILE) or another --sched-priv",
	"slurm": "a changed slurm.conf (--set FILE) or the rules of another version (--rules VERSION)",
}

// noChange says that there is nothing to compare, and what can be given at a site of a scheduler, or for "" of each.
func noChange(key string) string {
	text := "nothing to compare: give a change, --set NAME=VALUE"
	for _, of := range schedulers() {
		switch what := changes[of.Key]; {
		case what == "":
		case key == "":
			text += fmt.Sprintf("; at a %s site also %s", of.Name, what)
		case key == of.Key:
			text += ", " + what
		}
	}
	return text
}

// formulas returns those of the command line, in their order.
func (c *compareCmd) formulas(s *session) ([]string, error) {
	all := slices.Clone(c.Formula)
	for _, name := range c.File {
		flags := formulaFlags{File: name}
		text, err := flags.read(s)
		if err != nil {
			return nil, err
		}
		all = append(all, text)
	}
	return all, nil
}

// pageFlag names the file of a page.
type pageFlag struct {
	HTML *string `name:"html" placeholder:"FILE" help:"Also write a page that shows the result to FILE."`
}

// write writes the page, if one is asked for and there is something to show. The
// result has been printed before, so that it is not lost where this fails.
func (f *pageFlag) write(s *session, isEmpty bool, data func() page.Data) error {
	if f.HTML == nil {
		return nil
	}
	if isEmpty {
		s.diag.Warning("there is nothing to show, so %s was not written", *f.HTML)
		s.partly = true
		return nil
	}
	text, err := page.Render(data())
	return s.writePage(*f.HTML, text, err)
}

// writePage writes a page, unless an error says that there is none, and says so.
func (s *session) writePage(name string, text []byte, err error) error {
	if err == nil {
		err = file.Replace(name, text)
	}
	if err != nil {
		return fail(exitUnreadable, "cannot write the page: %w", err)
	}
	s.diag.Note("the page is in %s", name)
	return nil
}

// print prints the summary, the mean shift of each entity and queue as bars,
// and the jobs that move most.
func (c *compareCmd) print(s *session, of *site.Comparison) error {
	d, names := of.Difference, of.Parties
	fmt.Fprintf(s.out, "old: %s\nnew: %s\n\n", report.Printable(d.Old), report.Printable(d.New))
	if d.IsNone() {
		fmt.Fprintf(s.out, "The order of %s stays", report.Count(d.Jobs, "job"))
		if d.Values > 0 {
			fmt.Fprintf(s.out, ", %s", changing(d.Values, "value"))
		}
		if d.Largest != nil {
			fmt.Fprintf(s.out, ", by up to %s", report.Significant(float64(*d.Largest), 6))
		}
		if d.ChangesStarts() {
			fmt.Fprint(s.out, "; who can start changes")
		}
		fmt.Fprintln(s.out, ".")
	} else {
		fmt.Fprintf(s.out, "%d of %s move", d.Moved, report.Count(d.Jobs, "job"))
		if d.Tau != nil {
			fmt.Fprintf(s.out, "; %s (Kendall's tau %s)", compare.InOrder(d.Tau), compare.TauText(d.Tau))
		}
		fmt.Fprintln(s.out)
		for _, o := range d.Overlap {
			if o.First < d.Jobs { // else these are all jobs
				fmt.Fprintf(s.out, "%d of the first %d stay among them\n", o.Shared, o.First)
			}
		}
	}
	for _, later := range compare.Later(of.Later) {
		if c.HTML == nil { // else it is said
			fmt.Fprintln(s.out, later.Text+".")
		}
	}
	for _, group := range d.Happenings() {
		if len(group.IDs) > 0 {
			fmt.Fprintf(s.out, "%s: %s, %s%s\n", group.Label, report.Count(len(group.IDs), "job"), report.First(group.IDs), group.Of)
		}
	}
	if d.Starts != nil && d.Starts.IsNone() {
		fmt.Fprintf(s.out, "Right now %s with the change and without it.\n", sameStart(d.Starts.Both))
	}
	if d.Entered > 0 {
		fmt.Fprintf(s.out, "%s newly considered\n", report.Count(d.Entered, "job"))
	}
	if err := printPercentages(s, d); err != nil || d.IsNone() {
		return err
	}
	for i, shifts := range [][]compare.Shift{d.Entities, d.Queues, d.Groups, d.Projects} {
		if len(shifts) < 2 && i > 0 {
			continue // which says nothing
		}
		if err := printBars(s, strings.ToUpper(names[i]), shifts); err != nil {
			return err
		}
	}
	return c.printMoves(s, d, names)
}

// sameStart says how many jobs start in either of two cycles.
func sameStart(n int) string {
	switch n {
	case 0:
		return "no job starts,"
	case 1:
		return "the same job starts"
	}
	return "the same " + report.Count(n, "job") + " start"
}

// changing returns a count with a verb.
func changing(n int, noun string) string {
	if n == 1 {
		return "1 " + noun + " changes"
	}
	return report.Count(n, noun) + " change"
}

// printPercentages prints the entities' old and new part of all shares, where
// that changes.
func printPercentages(s *session, d *compare.Difference) error {
	if len(d.Percentages) == 0 {
		return nil
	}
	rows := [][]string{{"ENTITY", "OLD PERCENTAGE", "NEW PERCENTAGE"}}
	for _, p := range d.Percentages {
		rows = append(rows, []string{p.Entity, report.Percent(float64(p.Old), 3), report.Percent(float64(p.New), 3)})
	}
	const most = 30 // lines
	fmt.Fprintln(s.out)
	return s.print(report.Table{Rows: report.WithoutMiddle(rows, most, "entities"), Right: func(column int) bool { return column > 0 }})
}

// printBars draws mean shifts: to the right for earlier, to the left for later.
func printBars(s *session, title string, shifts []compare.Shift) error {
	const width = 20 // columns of the longest bar, to either side
	longest := 0.0
	for _, shift := range shifts {
		longest = max(longest, math.Abs(float64(shift.Mean)))
	}
	if longest == 0 {
		return nil
	}
	rows := [][]string{{title, "JOBS", "MEAN CHANGE", strings.Repeat(" ", width-len("later")) + "later|earlier"}}
	for _, shift := range shifts {
		n := int(math.Round(math.Abs(float64(shift.Mean)) / longest * width))
		left, right := strings.Repeat(" ", width), strings.Repeat("█", n)
		if shift.Mean < 0 {
			left, right = strings.Repeat(" ", width-n)+right, ""
		}
		rows = append(rows, []string{shift.Name, strconv.Itoa(shift.Jobs), fmt.Sprintf("%+.1f", float64(shift.Mean)), left + "|" + right})
	}
	const most = 30 // lines
	fmt.Fprintln(s.out)
	return s.print(report.Table{Rows: report.WithoutMiddle(rows, most, "lines"), Right: func(column int) bool { return column == 1 || column == 2 }})
}

// printMoves prints the jobs that move most.
func (c *compareCmd) printMoves(s *session, d *compare.Difference, names [4]string) error {
	table := [][]string{{"OLD", "NEW", "CHANGE", "JOB", "USER", strings.ToUpper(names[0]), strings.ToUpper(names[1]), "OLD VALUE", "NEW VALUE", ""}}
	for _, m := range d.Farthest(c.Top) {
		places := ""
		if m.Change != nil {
			places = fmt.Sprintf("%+d", *m.Change)
		}
		old, now := compare.ValuesApart(&m)
		reason := cmp.Or(m.NewError, m.NewReason)
		if reason != "" {
			table[0][len(table[0])-1] = "REASON"
		}
		table = append(table, []string{report.DashIfEmpty(report.Rank(m.OldRank)), report.DashIfEmpty(report.Rank(m.NewRank)), places,
			m.ID, m.User, m.Entity, m.Queue, old, now, reason})
	}
	fmt.Fprintln(s.out)
	if err := s.print(report.Table{Rows: table, Right: func(column int) bool { return column < 3 || column == 7 || column == 8 }}); err != nil {
		return err
	}
	if all := len(d.Farthest(0)); all >= len(table) {
		what := "move"
		if d.Entered+d.Left > 0 {
			what = "move, come in or are left out"
		}
		fmt.Fprintf(s.out, "(%d of the %s that %s, the farthest first; all with --top 0)\n", len(table)-1, report.Count(all, "job"), what)
	}
	return nil
}
