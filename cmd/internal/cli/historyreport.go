package cli

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/history"
	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/pbs/accrual"
	"fairshare/cmd/internal/pbs/cluster"
	pbssite "fairshare/cmd/internal/pbs/site"
	"fairshare/cmd/internal/pbs/snapshot"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/trace"
)

// reportFlags ask for a report by period and by name.
type reportFlags struct {
	By       []string `placeholder:"PERIOD" help:"Print a report with a row for each day, week or month, for each user, group, project, account, QOS (qos), queue or partition, name or size of jobs, or for both, such as month,user."`
	Resource []string `placeholder:"NAME" help:"With --by: tell the hours of this resource too, such as ngpus or mem, or gres/gpu; several may be given."`
	Budget   string   `placeholder:"FILE" help:"Print what is spent of the budgets of FILE, in CSV with the columns name, kind (user, group, project, account, qos, queue or partition), resource, hours, from and to."`
	HTML     *string  `name:"html" placeholder:"FILE" help:"Also write the report of --by or --budget to FILE, as a page to print and to file. Without these: a report by user."`
	Title    string   `placeholder:"TEXT" help:"With --html: the title of the page."`
	Cluster  string   `placeholder:"SPEC" help:"With --by: what the site has: CPUS, or NODESxCPUS[:RESOURCE=AMOUNT], several joined with +. Without it: the vnodes of the snapshot, less what was down or offline where its server logs tell, and less what was reserved; or the nodes of a Slurm site, less what was down or drained as its events tell."`
}

// isGiven reports whether a report is asked for.
func (f *reportFlags) isGiven() bool { return len(f.By) > 0 }

// question returns what the flags ask for.
func (c *historyCmd) question(zone *time.Location) (q history.Question, err error) {
	q = history.Question{Choice: c.choice(), Resources: c.Resource, From: trace.Unknown, To: trace.Unknown, Zone: zone}
	for i, name := range q.Resources {
		q.Resources[i] = history.ResourceNamed(name)
	}
	if q.Step, q.Kind, err = history.ParseBy(c.By); err != nil {
		return q, fail(exitUsage, "--by: %v", err)
	}
	if q.Charges, err = history.ParseCharges(c.Charge); err != nil {
		return q, fail(exitUsage, "--charge: %v", err)
	}
	for _, bound := range []struct {
		given *moment.Moment
		of    *int64
	}{{c.From.moment(), &q.From}, {c.To.moment(), &q.To}} {
		if bound.given != nil {
			at, err := bound.given.In(zone)
			if err != nil {
				return q, err
			}
			*bound.of = at.Unix()
		}
	}
	return q, nil
}

// report prints a report by period or name.
func (c *historyCmd) report(s *session, logs *pbssite.Logs, recorder site.Recorder, zone *time.Location) error {
	q, err := c.question(zone)
	if err != nil {
		return err
	}
	q.Choice = c.nested(recorder)
	ledger := history.NewLedger(q)
	t, err := s.readLogs(logs, ledger.Keep())
	if err != nil {
		return err
	}
	if err := checkRecord(logs, t); err != nil {
		return err
	}
	supplier, _ := recorder.(site.Supplier)
	capacity, err := c.capacity(s, logs, supplier, t, zone)
	if err != nil {
		return err
	}
	sheet, remarks, err := ledger.Sheet(t, capacity, logs.Continuity())
	s.say(remarks...)
	if err != nil {
		return s.failed(err)
	}
	if len(sheet.Lines) == 0 {
		s.sayNoJob(t, c.From.moment(), c.To.moment(), zone)
	}
	if err := c.aim(s, logs, sheet); err != nil {
		return err
	}
	switch c.Output {
	case "csv":
		err = printSheetCSV(s, sheet)
	case "json":
		err = report.WriteArray(s.out, sheetLines(sheet))
	default:
		err = c.printSheet(s, sheet)
	}
	if err != nil || c.HTML == nil {
		return err
	}
	return c.writePage(s, sheet, t)
}

// capacity returns what the site has, nil where nothing tells.
func (c *historyCmd) capacity(s *session, logs *pbssite.Logs, supplier site.Supplier, t *trace.Trace, zone *time.Location) (*history.Capacity, error) {
	if c.Cluster != "" {
		given, err := cluster.ParseSpec(c.Cluster, cluster.Checks{})
		if err != nil {
			return nil, err
		}
		return pbssite.CapacityOf(given), nil
	}
	vnodes := logs.Vnodes()
	switch {
	case supplier != nil && len(t.Clusters) > 1:
		s.diag.Note("what part of the CPUs was in use is not known: the site has the nodes of one cluster, and the rows are of %d (--cluster says how many CPUs these have)", len(t.Clusters))
		return nil, nil
	case supplier != nil && t.Begin() != trace.Unknown:
		capacity, err := supplier.Capacity(t, zone)
		if err != nil {
			return nil, s.failed(err)
		}
		if capacity != nil {
			return capacity, nil
		}
	}
	if vnodes == nil {
		s.diag.Note("how many CPUs the site has is not known, nor what part of them was in use: a snapshot has it, the nodes of a Slurm site tell it, or --cluster says it")
		return nil, nil
	}
	w, remarks, err := logs.World(t, file.Source{})
	s.say(remarks...)
	if err != nil {
		return nil, err
	}
	if t.Types["Y"]+t.Types["B"] > 0 {
		reservations, remarks, err := logs.Reservations(t, 0)
		s.say(remarks...)
		if err != nil {
			return nil, s.failed(err)
		}
		w.Reservations = reservations
	}
	return pbssite.NewCapacity(vnodes.Vnodes(), w), nil
}

// checkReport returns what is wrong with flags that go with --by alone.
func (c *historyCmd) checkReport() error {
	switch {
	case !c.isGiven() && (len(c.Resource) > 0 || c.Cluster != ""):
		return errors.New("--resource and --cluster are of a report, which --by asks for")
	case c.Title != "" && c.HTML == nil:
		return errors.New("--title is of the page that --html writes")
	case c.Budget != "" && (c.isGiven() || c.choice().IsOfSome() || c.From != nil):
		return errors.New("--budget has names and times of its own: give it without --by, --from, --user and its like (--to counts up to a time)")
	case len(c.Job) > 0 && c.isGiven():
		return errors.New("--job is of single jobs, and --by and --html of a report")
	case (c.isGiven() || c.Budget != "") && c.Output == "swf":
		return errors.New("--by, --budget and --html are of a report, and -o swf of jobs")
	}
	return nil
}

// lacksColumn is what the column is called that says what the logs lack.
const lacksColumn = "lacks"

// atLeastColumn is behind the name of a figure where a column says that it may be more.
const atLeastColumn = "_is_at_least"

func printSheetCSV(s *session, sheet *history.Sheet) error {
	w := report.NewCSV(s.out)
	header := []string{"begin", "end"}
	if sheet.Kind != "" {
		header = append(header, sheet.Kind)
	}
	var changes []string
	for _, c := range sheet.Columns {
		header = append(header, c.Name)
		if sheet.IsAtLeast(c) {
			header = append(header, c.Name+atLeastColumn)
		}
		if c.Changes {
			changes = append(changes, c.Name+"_change")
		}
	}
	w.Write(append(append(header, "exit_statuses", lacksColumn), changes...)...)
	text := func(x float64) string { return report.OrEmpty(report.Optional(x)) }
	for _, r := range sheet.Lines {
		row := []string{strconv.FormatInt(r.Begin, 10), strconv.FormatInt(r.End, 10)}
		if sheet.Kind != "" {
			row = append(row, r.Name)
		}
		changes = nil
		for _, c := range sheet.Columns {
			row = append(row, text(c.Of(r)))
			if sheet.IsAtLeast(c) {
				row = append(row, strconv.FormatBool(c.IsAtLeast(r)))
			}
			if c.Changes {
				changes = append(changes, text(c.Change(r)))
			}
		}
		w.Write(append(append(row, sheet.Exits(r), sheet.LacksOf(r)), changes...)...)
	}
	return w.Flush()
}

// sheetLines returns the rows of a report for JSON, with the columns of CSV.
func sheetLines(sheet *history.Sheet) iter.Seq[map[string]any] {
	return func(yield func(map[string]any) bool) {
		for _, r := range sheet.Lines {
			row := map[string]any{"begin": r.Begin, "end": r.End, "exit_statuses": sheet.Exits(r), lacksColumn: sheet.LacksOf(r)}
			if sheet.Kind != "" {
				row[sheet.Kind] = r.Name
			}
			for _, c := range sheet.Columns {
				row[c.Name] = report.Optional(c.Of(r))
				if sheet.IsAtLeast(c) {
					row[c.Name+atLeastColumn] = c.IsAtLeast(r)
				}
				if c.Changes {
					row[c.Name+"_change"] = report.Optional(c.Change(r))
				}
			}
			if !yield(row) {
				return
			}
		}
	}
}

// printSheet prints a report as a table for each kind of figures.
func (c *historyCmd) printSheet(s *session, sheet *history.Sheet) error {
	if len(sheet.Lines) == 0 {
		return nil
	}
	if first := sheet.Lines[0]; sheet.Step == history.Whole {
		fmt.Fprintf(s.out, "From %s to %s\n\n", moment.Clock(first.Begin, sheet.Zone), moment.Clock(first.End-1, sheet.Zone))
	}
	c.printLacks(s, sheet)
	for i, part := range sheet.Parts() {
		if i > 0 {
			fmt.Fprintln(s.out)
		}
		fmt.Fprintln(s.out, part.Title()+": "+sheet.About(part))
		if err := s.print(c.table(sheet, part)); err != nil {
			return err
		}
	}
	return nil
}

// printLacks prints first what the logs do not have of some periods, which have a mark.
func (c *historyCmd) printLacks(s *session, sheet *history.Sheet) {
	missing := sheet.Missing()
	for _, said := range missing {
		fmt.Fprintln(s.out, "* "+said)
	}
	if about := sheet.AboutMissing(); about != "" {
		fmt.Fprintln(s.out, about)
	}
	if len(missing) > 0 {
		fmt.Fprintln(s.out)
	}
}

// table returns the figures of a kind, with the change of those of which it is told.
func (c *historyCmd) table(sheet *history.Sheet, part history.Part) report.Table {
	names := sheet.NameColumns()
	var header []string
	if sheet.Step != history.Whole || sheet.Kind == "" {
		header = append(header, "FROM")
	}
	if sheet.Kind != "" {
		header = append(header, strings.ToUpper(sheet.KindWord))
	}
	for _, column := range sheet.Of(part) {
		header = append(header, column.Label)
		if column.Changes && sheet.Step != history.Whole {
			header = append(header, "")
		}
	}
	rows := [][]string{header}
	all := map[int64]int{} // of each period
	for _, r := range sheet.Lines {
		all[r.Begin]++
	}
	var totals []*history.Line // of the periods, where rows are of names
	if sheet.Kind != "" && part != history.OfFairness {
		totals = sheet.Totals()
	}
	shown, hidden := 0, 0
	for i, r := range sheet.Lines {
		shown++
		if sheet.Kind != "" && shown > report.Shown(all[r.Begin], c.Top) {
			hidden++
		} else {
			rows = append(rows, c.row(sheet, part, r))
		}
		if i < len(sheet.Lines)-1 && sheet.Lines[i+1].Begin == r.Begin { // the period goes on
			continue
		}
		if len(all) == 1 && hidden > 0 {
			rows = append(rows, report.MoreRow("", hidden, len(header)))
		}
		if len(totals) > 0 {
			if all[r.Begin] > 1 {
				rows = append(rows, c.row(sheet, part, totals[0]))
			}
			totals = totals[1:]
		}
		shown = 0
	}
	if len(all) > 1 && hidden > 0 {
		rows = append(rows, report.MoreRow("", hidden, len(header)))
	}
	return report.Table{Rows: rows, Right: func(column int) bool { return column >= names }, IsDetail: func(column int) bool { return column > names }}
}

// row returns the cells of a line.
func (c *historyCmd) row(sheet *history.Sheet, part history.Part, r *history.Line) []string {
	var cells []string
	if sheet.Step != history.Whole || sheet.Kind == "" {
		cells = append(cells, sheet.Title(r))
		if r.Lacks != "" {
			cells[0] += " *"
		}
	}
	if sheet.Kind != "" {
		cells = append(cells, report.DashIfEmpty(r.Name))
	}
	for _, column := range sheet.Of(part) {
		cells = append(cells, column.Text(r))
		if column.Changes && sheet.Step != history.Whole {
			cells = append(cells, change(column, r))
		}
	}
	return cells
}

// change returns the change of a figure against the period before: in points where it is a part,
// as a time where it is one, otherwise in per cent, or as a multiple where that is large.
func change(column history.Column, r *history.Line) string {
	by, was := column.Change(r), math.NaN()
	if r.Before != nil {
		was = column.Of(r.Before)
	}
	const large = 10 // times
	signed := func(x float64) string {
		text := report.Fixed(x, 0)
		if x > 0 && text != "0" {
			text = "+" + text
		}
		return text
	}
	switch {
	case math.IsNaN(by):
		return ""
	case column.Unit == history.Seconds:
		return report.Shift(by)
	case column.Unit == history.Ratio:
		return signed(100*by) + " pt"
	case !(was > 0):
		return ""
	case by > large*was:
		return report.Fixed((was+by)/was, 0) + " times"
	}
	return signed(100*by/was) + "%"
}

// aim adds the targets of the site's shares to a report with rows of its fairshare entities.
func (c *historyCmd) aim(s *session, logs *pbssite.Logs, sheet *history.Sheet) error {
	hasTree := slices.ContainsFunc(logs.Snapshots(), func(snap *snapshot.Snapshot) bool { return snap.Files().SchedPriv.Name != "" })
	if sheet.Kind == "" || sheet.Choice.IsOfSome() || !hasTree {
		return nil
	}
	priv, remarks, err := pbssite.PrivOf("", "", logs)
	s.say(remarks...)
	if err != nil {
		return s.failed(err)
	}
	switch party := accrual.Party(priv.Config.Entity); {
	case priv.NoTree != nil:
	case party == sheet.Kind:
		sheet.Aim(accrual.Targets(priv.Tree, sheet.Names()))
	case slices.ContainsFunc(sheet.Names(), func(name string) bool { _, isNode := priv.Tree.Lookup(name); return isNode && name != "" }):
		by := ""
		if party != "" {
			by = fmt.Sprintf(" (--by %s)", party)
		}
		s.diag.Note("no table of fairness by %[1]s: shares are of fairshare_entity %[2]s%[3]s, and a node called like a %[1]s need not have its jobs", sheet.KindWord, priv.Config.Entity, by)
	}
	return nil
}
