package cli

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurmsite"
	"fairshare/cmd/internal/snapshot"
)

// slurmInstead returns the Slurm site at a place that is no PBS site, or that of this host where no
// PBS is on it, as an error says. It returns the error as it is where it is another one, or there is
// no Slurm site either.
func (s *session) slurmInstead(name string, flags siteFlags, err error) (*slurmsite.Site, error) {
	var at *slurmsite.Site
	var wrong error
	var none *snapshot.Error
	switch run, isHere := slurmsite.Here(flags.Timeout); {
	case errors.Is(err, snapshot.ErrNoPBS) && isHere && flags.Server == "":
		dump, err := slurmsite.AskOrder(s.ctx, run, time.Now)
		if err != nil {
			return nil, s.failed(err)
		}
		at, wrong = dump.Site()
	case !errors.As(err, &none) || name == "" || name == "-":
		return nil, err
	default:
		if at, wrong = slurmsite.Open(name); slurmsite.IsMissing(wrong) {
			return nil, err
		}
	}
	s.say(at.Remarks...)
	if wrong != nil {
		return nil, s.failed(wrong)
	}
	return at, nil
}

// onlyPBS returns the error of a command that knows PBS alone: where the place that it names is a
// Slurm site, one that says so, and what can be asked there instead.
func onlyPBS(err error, name, instead string) error {
	if !isOfSlurm(err, name) {
		return err
	}
	return fail(exitUsage, "%s is a Slurm site: %s", name, strings.ReplaceAll(instead, "SITE", name))
}

// isOfSlurm reports whether an error is of a place that is no PBS site but a Slurm site.
func isOfSlurm(err error, name string) bool {
	var none *snapshot.Error
	return errors.As(err, &none) && name != "" && name != "-" && slurmsite.IsSite(name)
}

// slurmTerms are the columns of a priority's terms, none of which is called as another column.
var slurmTerms = []string{"age", "assoc", "fairshare", "jobsize", "partition_factor", "qos_factor", "tres", "nice"}

// slurmLine is a job in a partition, in JSON. Terms are the points that are added up, of which
// nice is subtracted.
type slurmLine struct {
	Rank       *int           `json:"rank"`
	ID         string         `json:"id"`
	Value      report.Number  `json:"value"`
	Computed   *report.Number `json:"computed"`
	User       string         `json:"user"`
	Account    string         `json:"account"`
	Partition  string         `json:"partition"`
	Tier       report.Number  `json:"tier"`
	QOS        string         `json:"qos"`
	State      string         `json:"state"`
	Considered bool           `json:"considered"`
	Reason     string         `json:"reason"`
	Limit      string         `json:"limit"` // that holds the job, as the tables tell
	Difference string         `json:"difference"`
	Terms      map[string]any `json:"terms"`
}

func newSlurmLine(r slurmsite.Row) slurmLine {
	l := slurmLine{
		ID: r.Job.ID, Value: report.Number(r.Value), Computed: report.Optional(r.Priority), User: r.Job.User, Account: r.Job.Account, Partition: r.Partition,
		Tier: report.Number(r.Tier), QOS: r.Job.QOS, State: r.Job.State, Considered: r.Rank > 0, Reason: r.Reason, Limit: r.Limit.String(), Difference: r.Difference(), Terms: map[string]any{},
	}
	if r.Rank > 0 {
		l.Rank = &r.Rank
	}
	for i, x := range slurmPoints(r) {
		if !math.IsNaN(x) {
			l.Terms[slurmTerms[i]] = report.Number(x)
		}
	}
	return l
}

// slurmPoints are the terms of a row in the order of slurmTerms, NaN where nothing is known of it.
func slurmPoints(r slurmsite.Row) []float64 {
	tres := 0.
	for _, a := range r.Weighted.TRES {
		tres += a.Count
	}
	w := r.Weighted
	points := []float64{w.Age, w.Assoc, w.Fairshare, w.JobSize, w.Partition, w.QOS, tres, r.Job.Nice}
	if math.IsNaN(r.Priority) {
		for i := range points {
			points[i] = math.NaN()
		}
	}
	return points
}

// sortSlurm prints the jobs of a Slurm site in the order in which Slurm considers them.
func (c *sortCmd) sortSlurm(s *session, at *slurmsite.Site) error {
	if err := c.refuseOfPBS(); err != nil {
		return err
	}
	var rows []slurmsite.Row
	for _, r := range at.Rows() {
		if (r.Rank > 0 || c.All) && c.has(r.Job.User, r.Partition) && (c.Top == 0 || len(rows) < c.Top) {
			rows = append(rows, r)
		}
	}
	s.say(at.Differences()...)
	switch c.Output {
	case "ids":
		for _, r := range rows {
			s.out.WriteString(report.Printable(r.Job.ID) + "\n")
		}
		return nil
	case "json":
		var lines []slurmLine
		for _, r := range rows {
			lines = append(lines, newSlurmLine(r))
		}
		return report.WriteArray(s.out, sliceOf(lines))
	case "csv":
		return printSlurmCSV(s, rows)
	}
	return printSlurmTable(s, rows, c.All)
}

// refuseOfPBS returns an error if a flag asks for what only PBS has.
func (c *sortCmd) refuseOfPBS() error {
	switch {
	case c.Formula != "" || c.File != "" || c.NoFormula || c.Threshold != nil:
		return fail(exitUsage, "Slurm has no job_sort_formula: leave out -f, -F, --no-formula and --threshold")
	case len(c.Set) > 0:
		return fail(exitUsage, "formula compare shows what --set changes at a Slurm site")
	case c.Output == "jobs":
		return fail(exitUsage, "-o jobs is for a list of PBS: the records of a Slurm site stand in several files")
	case c.Why:
		return fail(exitUsage, "--why is for PBS: formula explain JOB --vs ahead says what puts a job behind another")
	}
	return nil
}

// sliceOf yields the elements of a list.
func sliceOf[T any](list []T) func(func(T) bool) {
	return func(yield func(T) bool) {
		for _, x := range list {
			if !yield(x) {
				return
			}
		}
	}
}

func printSlurmCSV(s *session, rows []slurmsite.Row) error {
	w := report.NewCSV(s.out)
	header := []string{"rank", "id", "value", "computed", "user", "account", "partition", "tier", "qos", "state", "considered", "reason", "limit", "difference"}
	w.Write(append(header, slurmTerms...)...)
	for _, r := range rows {
		l := newSlurmLine(r)
		cells := []string{report.Rank(l.Rank), l.ID, report.Fixed(r.Value, 0), report.OrEmpty(l.Computed), l.User, l.Account, l.Partition, report.Plain(r.Tier), l.QOS, l.State,
			strconv.FormatBool(l.Considered), l.Reason, l.Limit, l.Difference}
		for _, x := range slurmPoints(r) {
			cells = append(cells, report.OrEmpty(report.Optional(x)))
		}
		w.Write(cells...)
	}
	return w.Flush()
}

func printSlurmTable(s *session, rows []slurmsite.Row, withReasons bool) error {
	header := []string{"RANK", "JOB", "PRIORITY", "", "USER", "ACCOUNT", "PARTITION", "TIER"}
	for _, name := range slurmTerms {
		header = append(header, strings.ToUpper(strings.ReplaceAll(name, "_", " ")))
	}
	header = append(header, "REASON")
	isHeld := slices.ContainsFunc(rows, func(r slurmsite.Row) bool { return r.Limit != nil })
	if isHeld {
		header = append(header, "LIMIT")
	}
	table := [][]string{header}
	for _, r := range rows {
		mark := ""
		if r.Difference() != "" {
			mark = "*"
		}
		rank := "-"
		if r.Rank > 0 {
			rank = strconv.Itoa(r.Rank)
		}
		cells := []string{rank, r.Job.ID, report.Fixed(r.Value, 0), mark, r.Job.User, r.Job.Account, r.Partition, report.Plain(r.Tier)}
		for _, x := range slurmPoints(r) {
			cells = append(cells, report.Fixed(x, 0))
		}
		cells = append(cells, r.Reason)
		if isHeld {
			cells = append(cells, strings.TrimPrefix(r.Limit.String(), r.Reason+": "))
		}
		table = append(table, cells)
	}
	last := slices.Index(header, "REASON")
	return s.print(report.Table{Rows: table, Right: func(column int) bool { return column == 0 || column == 2 || column > 6 && column < last }})
}
