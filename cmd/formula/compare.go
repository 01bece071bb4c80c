package main

import (
	"cmp"
	"errors"

	"github.com/alecthomas/kong"

	"fairshare/cmd/internal/schedpriv"
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
	Formula   texts    `short:"f" placeholder:"FORMULA" help:"The formula; twice for the old one and the new one."`
	File      []string `short:"F" sep:"none" placeholder:"FILE" help:"Read a formula from FILE; likewise."`
	SchedPriv []string `sep:"none" placeholder:"DIR" help:"The scheduler's sched_priv; twice for the old one and the new one."`
	siteFlags
	listFlags
	Output string  `short:"o" enum:"table,json,csv" default:"table" placeholder:"FORM" help:"What to print (${enum})."`
	HTML   *string `name:"html" placeholder:"FILE" help:"Also write a page that shows the change to FILE."`
	Top    int     `default:"10" placeholder:"N" help:"Show the N jobs that move most in the table (0: all)."`
}

func (c *compareCmd) Run(s *session) error {
	old, now, err := c.plans(s)
	if err != nil {
		return err
	}
	list, err := s.readJobs(s.stdin(c.listFlags), false, old, now)
	if err != nil {
		return err
	}
	before, err := old.rank(list)
	if err != nil {
		return err
	}
	after, err := now.rank(list)
	if err != nil {
		return err
	}
	d := newDifference(before, after)
	d.Old, d.New = old.describe(), now.describe()
	if d.Jobs == 0 && list.len() > 0 {
		s.diag.Warning("no job is considered in both orders, %s is not for: %s", list.row(0).id, cmp.Or(before.reasons[0], after.reasons[0]))
	}
	if c.HTML != nil {
		if err := writePage(*c.HTML, comparePage(d, before, after)); err != nil {
			return err
		}
	}
	switch c.Output {
	case "json":
		err = s.encode(d)
	case "csv":
		err = s.printDifferenceCSV(d)
	default:
		s.printDifference(d, c.Top)
	}
	if err == nil && (s.partly || !d.isSame() || len(d.NewlyFail) > 0) {
		err = failure{code: exitDiffers}
	}
	return err
}

// errNoPage is for an empty --html.
var errNoPage = fail(exitUsage, "--html names no file")

// exitDiffers is compare's when the order is not the same, as diff's.
const exitDiffers = 1

// plans are the old and the new one. What is given once holds for both.
func (c *compareCmd) plans(s *session) (old, now *plan, err error) {
	if c.Top < 0 {
		return nil, nil, fail(exitUsage, "--top needs a number that is not negative")
	}
	if c.HTML != nil && *c.HTML == "" {
		return nil, nil, errNoPage
	}
	formulas, err := c.formulas()
	if err != nil {
		return nil, nil, err
	}
	if len(formulas) > 2 || len(c.SchedPriv) > 2 {
		return nil, nil, fail(exitUsage, "more than an old and a new one: -f or -F, and --sched-priv, can be given twice")
	}
	if len(formulas) < 2 && len(c.SchedPriv) < 2 {
		return nil, nil, fail(exitUsage, "nothing to compare: give two formulas (-f OLD -f NEW) or two of --sched-priv")
	}
	st, err := s.site(&c.siteFlags)
	if err != nil {
		return nil, nil, err
	}
	if st.flags.NoFormula && len(formulas) > 0 {
		return nil, nil, fail(exitUsage, "--no-formula and a formula")
	}
	var privs [2]*schedpriv.Data
	for i, dir := range c.SchedPriv {
		if privs[i], err = s.loadPriv(dir); err != nil {
			return nil, nil, err
		}
	}
	if len(c.SchedPriv) == 1 {
		privs[1] = privs[0]
	}
	if privs[0] != nil && privs[0].Config.Entity != privs[1].Config.Entity {
		return nil, nil, fail(exitUsage, "fairshare_entity is %s in %s and %s in %s: the jobs' entities cannot be compared",
			privs[0].Config.Entity, privs[0].Dir, privs[1].Config.Entity, privs[1].Dir)
	}
	given := [2]string{}
	copy(given[:], formulas)
	if len(formulas) == 1 {
		given[1] = given[0]
	}
	if old, err = s.newPlan(st, privs[0], given[0]); err != nil {
		return nil, nil, err
	}
	now, err = s.newPlan(st, privs[1], given[1])
	return old, now, err
}

// formulas are those of the command line, in their order.
func (c *compareCmd) formulas() ([]string, error) {
	var all []string
	if len(c.Formula) > 0 && len(c.File) > 0 {
		return nil, fail(exitUsage, "which is the old one? give both formulas with -f, or both with -F")
	}
	for _, text := range c.Formula {
		if text == "" {
			return nil, fail(exitUsage, "-f is given an empty formula")
		}
		all = append(all, text)
	}
	for _, name := range c.File {
		flags := formulaFlags{File: name}
		text, err := flags.read()
		if err != nil {
			return nil, err
		}
		if text == "" {
			return nil, fail(exitUsage, "%s is empty", name)
		}
		all = append(all, text)
	}
	return all, nil
}

// describe says what an order was made with.
func (p *plan) describe() string {
	text := "no formula"
	if p.formula != nil {
		text = p.formula.Source
	}
	if p.priv != nil {
		text += " (" + p.priv.Dir + ")"
	}
	return text
}
