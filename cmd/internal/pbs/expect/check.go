package expect

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/cycle"
	"fairshare/cmd/internal/pbs/explain"
	"fairshare/cmd/internal/pbs/joblist"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/pbs/qstat"
	"fairshare/cmd/internal/report"
	"fairshare/formula"
)

// Report is what became of a file's expectations.
type Report struct {
	Met     int
	Missed  []MissedExpectation
	Remarks []diag.Remark
}

// MissedExpectation is an expectation that was not met.
type MissedExpectation struct {
	Line int
	Text string
}

// A FormulaError is a formula that is not accepted, with the line it stands in.
type FormulaError struct {
	Line int
	*order.FormulaError
}

// Start is what is known before the first line of a file.
type Start struct {
	Files pbs.Files
	Jobs  file.Source // the zero Source for none
}

// Check holds a formula to the lines of a file. Names of files are relative to
// dir. It ends at the first line that cannot be followed, with a *FormulaError
// or a *file.Problem.
func Check(list []Line, dir string, start Start) (*Report, error) {
	c := &checker{dir: dir, report: &Report{}, files: start.Files, listFile: start.Jobs}
	for i, line := range list {
		missed, err := c.follow(line, list[i+1:])
		var refused *order.FormulaError
		var problem *file.Problem // of a job line further on
		switch {
		case errors.As(err, &problem):
			return c.report, problem
		case errors.As(err, &refused):
			return c.report, &FormulaError{c.formulaLine, refused}
		case err != nil:
			return c.report, &file.Problem{Line: line.Number, Message: err.Error()}
		case missed != "":
			if c.title != "" {
				missed = c.title + ": " + missed
			}
			c.report.Missed = append(c.report.Missed, MissedExpectation{line.Number, missed})
		case line.expects():
			c.report.Met++
		}
	}
	return c.report, nil
}

// checker follows a file.
type checker struct {
	dir    string
	report *Report
	title  string

	files       pbs.Files
	formula     string
	formulaLine int
	threshold   *float64
	static      bool
	nonPrime    bool
	listFile    file.Source

	site    *pbs.Site        // that the settings describe; nil when one has changed since
	symbols *formula.Symbols // of the site
	order   *order.Order     // of the jobs; nil likewise
	rows    map[string]int   // of the order's list
	jobs    map[string]bool  // IDs of the test's jobs that were read
	lines   [][]byte         // the test's jobs as lines of JSON, once the first is needed
	plain   *formula.Formula // the formula for variables; nil until it is needed
}

// follow does what a line says. It returns how an expectation is missed, "" if
// it is not. rest are the lines after it.
func (c *checker) follow(line Line, rest []Line) (missed string, err error) {
	if !line.expects() {
		return "", c.set(line, rest)
	}
	switch line.word {
	case "value", "error":
		of, err := parseSubject(line.rest)
		if err != nil {
			return "", err
		}
		result, err := c.result(of)
		if err != nil {
			return "", err
		}
		if line.word == "error" {
			return wrongError(result.Err, of.want), nil
		}
		return wrongValue(result, of.want)
	}
	return c.ordered(line.word, strings.Fields(line.rest))
}

// errNoFormula is for an expectation that stands before the formula.
var errNoFormula = errors.New("there is no formula: put a line 'formula FORMULA' first")

// result returns what the formula comes to.
func (c *checker) result(of subject) (formula.Result, error) {
	if of.job == "" {
		return c.withVariables(of.vars)
	}
	row, err := c.row(of.job)
	if err != nil {
		return formula.Result{}, err
	}
	if c.order.Values == nil {
		return formula.Result{}, errNoFormula
	}
	return c.order.Values.Result(row), nil
}

// withVariables evaluates the formula for variables.
func (c *checker) withVariables(texts map[string]string) (formula.Result, error) {
	if err := c.readSite(); err != nil {
		return formula.Result{}, err
	}
	if c.site.Sched.Formula == "" {
		return formula.Result{}, errNoFormula
	}
	if c.plain == nil {
		var err error
		if c.plain, err = order.Parse(c.site.Sched.Formula, c.symbols); err != nil {
			return formula.Result{}, err
		}
		for _, name := range c.plain.Names() {
			if c.symbols.Resolve(name) == formula.UndefinedName {
				c.report.Remarks = append(c.report.Remarks, diag.Warningf("%s is neither a keyword nor a resource that PBS knows: a site's own are named with resources FILE", name))
			}
		}
	}
	values, err := order.ParseVariables(texts, c.symbols)
	if err != nil {
		return formula.Result{}, err
	}
	return c.plain.Eval(values), nil
}

// row returns a job's row in the order, which is made when it is needed.
func (c *checker) row(id string) (int, error) {
	if c.order == nil {
		if err := c.makeOrder(); err != nil {
			return 0, err
		}
	}
	if row, ok := c.rows[id]; ok {
		return row, nil
	}
	return c.order.List.Find(id)
}

// makeOrder orders the test's jobs, or else those of the file.
func (c *checker) makeOrder() error {
	var in io.Reader
	name, format := "the test's jobs", qstat.JSONL
	switch {
	case c.lines != nil:
		in = bytes.NewReader(bytes.Join(c.lines, nil))
	case c.listFile.IsGiven():
		f, err := c.listFile.Open()
		if err != nil {
			return err
		}
		defer f.Close()
		in, name, format = f, c.listFile.Name, qstat.Auto
	default:
		return errors.New("there are no jobs: add job lines or a line 'jobs FILE'")
	}
	if err := c.readSite(); err != nil {
		return err
	}
	plan, remarks, err := order.NewPlan(c.site, order.Options{Static: c.static})
	if err != nil {
		return err
	}
	c.report.Remarks = append(c.report.Remarks, remarks...)
	options := order.ListOptions(plan)
	options.Format = format
	list, err := joblist.Read(in, options)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	c.report.Remarks = append(c.report.Remarks, list.Remarks(name)...)
	if c.order, remarks, err = plan.Order(list); err != nil {
		return err
	}
	c.report.Remarks = append(c.report.Remarks, remarks...)
	c.rows = list.Index()
	return nil
}

// ordered checks what is expected of several jobs.
func (c *checker) ordered(word string, ids []string) (missed string, err error) {
	if word != "left-out" && len(ids) < 2 {
		return "", fmt.Errorf("%s needs two jobs or more", word)
	}
	seen := map[string]bool{}
	before := -1 // the row of the job before
	for i, id := range ids {
		if seen[id] {
			return "", fmt.Errorf("%s is named twice", id)
		}
		seen[id] = true
		row, err := c.row(id)
		if err != nil {
			return "", err
		}
		switch {
		case word == "left-out":
			if c.order.Reason(row) == "" {
				return id + " is considered", nil
			}
		case i == 0:
		case word == "tie":
			missed, err = c.noTie(before, row, ids[i-1], id)
		default:
			missed = c.notBefore(before, row, ids[i-1], id)
		}
		if missed != "" || err != nil {
			return missed, err
		}
		before = row
	}
	return "", nil
}

// noTie says why two jobs do not tie, "" if they do.
func (c *checker) noTie(a, b int, first, second string) (string, error) {
	if c.order.Values == nil {
		return "", errors.New("there is no formula that could tie")
	}
	if c.order.Value(a) == c.order.Value(b) {
		return "", nil
	}
	va, vb := explain.ValuesApart(c.order, a, b)
	return fmt.Sprintf("%s and %s do not tie: %s and %s", first, second, va, vb), nil
}

// notBefore says why one job does not go before another, "" if it does.
func (c *checker) notBefore(a, b int, first, second string) string {
	switch {
	case c.order.Place(a) == 0:
		return fmt.Sprintf("%s is left out: %s", first, c.order.Reason(a))
	case c.order.Place(b) == 0:
		return fmt.Sprintf("%s is left out: %s", second, c.order.Reason(b))
	}
	before, _, key, reason := explain.Decide(c.order, a, b)
	switch {
	case before != a:
		return reason
	case key == cycle.ByPlace:
		return fmt.Sprintf("nothing decides between %s and %s but the order of the list", first, second)
	}
	return ""
}

func wrongValue(r formula.Result, want string) (string, error) {
	if r.Err != nil {
		return fmt.Sprintf("the formula raises %s, expected the value %s", r.Err, want), nil
	}
	same, err := isAsWritten(r.Value, want)
	if same || err != nil {
		return "", err
	}
	return fmt.Sprintf("the value is %s, expected %s", report.Shortest(r.Value), want), nil
}

// isAsWritten reports whether a value is what somebody wrote: to the decimals
// written, or exactly where there are none.
func isAsWritten(value float64, text string) (bool, error) {
	want, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return false, fmt.Errorf("%q is not a number", text)
	}
	if math.IsNaN(want) || math.IsInf(want, 0) {
		return math.IsNaN(want) && math.IsNaN(value) || want == value, nil
	}
	_, decimals, point := strings.Cut(text, ".")
	if !point || strings.ContainsAny(decimals, "eE") {
		return value == want, nil
	}
	half := 0.5 * math.Pow(10, -float64(len(decimals)))
	return math.Abs(value-want) <= half*(1+1e-9), nil
}

func wrongError(raised error, want string) string {
	switch {
	case raised == nil:
		return "the formula raises no error, expected " + want
	case raised.Error() == want || strings.HasPrefix(raised.Error(), want+":"):
		return ""
	}
	return fmt.Sprintf("the formula raises %s, expected %s", raised, want)
}
