package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pbs"
	pbsdoor "fairshare/cmd/internal/pbs/door"
	"fairshare/cmd/internal/pbs/joblist"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/site"
	"fairshare/formula"
)

type checkCmd struct {
	Site string `arg:"" optional:"" help:"A snapshot, a sched_priv or a job list: the formula is also checked against its settings, resources and jobs, and without -f and -F the formula in force is checked. Or a slurm.conf, or a folder or .tgz of what the commands of Slurm print: its settings of priorities are checked."`
	formulaFlags
	placeFlags
	privFlag
	JSONL bool `for:"pbs" slurm:"Slurm has no job_sort_formula" name:"jsonl" help:"Read a JSON object {\"formula\"} from each line of standard input."`
}

// rules implements ruled.
func (c *checkCmd) rules() []rule {
	return []rule{{of: "jsonl", not: "formula file", says: "--jsonl reads formulas from standard input: leave out -f and -F"}}
}

func (c *checkCmd) Run(s *session) error {
	names := c.names(c.Site)
	names.SchedPriv, names.WantsConf = c.SchedPriv, true
	found, err := s.open(names)
	switch {
	case err != nil && kindOfFile(c.Site) == file.SchedConfig: // which is no site
		return c.config(s)
	case err != nil:
		return err
	}
	if a, ok := found.Able.(site.Adviser); ok {
		return c.printAdvice(s, a)
	}
	at, err := able[*pbsdoor.Site](s, found)
	if err != nil {
		return err
	}
	p := at.Place
	site, err := at.AsItIs()
	if err != nil {
		return err
	}
	s.say(p.CheckHours(site)...)
	src, err := c.read(s)
	if err != nil {
		return err
	}
	around := order.Surroundings(site)
	var list *joblist.List
	if len(p.Jobs) > 0 {
		list, err = at.List(c.From, order.CheckOptions(cmp.Or(src, site.Sched.Formula), site))
		if err != nil {
			return err
		}
		order.AddJobs(&around, list)
		s.say(order.NewUnlisted(site, list).Remark()...)
		s.say(order.NotModelled(site, list)...)
	} else {
		for _, l := range site.Lacks() {
			s.say(l.Unweighed())
		}
	}
	symbols := order.Symbols(site.Resources)
	if site.Resources == nil {
		symbols = symbols.With(order.SeenResources(list, p.SeenVnodes()))
	}
	if c.JSONL {
		if site.Resources == nil {
			s.diag.Note("%s: qmgr accepts names of others as well", notListed)
		}
		return s.in.EachLine(linesOfJSON, func(line []byte) error {
			v, ok := order.CheckLine(line, symbols, around)
			s.partly = s.partly || !ok
			return s.encode(v)
		})
	}
	if src == "" && c.SchedPriv == "" && p.Name == "" && len(c.Sched) == 0 {
		return errNoFormula
	}
	if err := at.SetFormula(site, src); err != nil {
		return err
	}
	if site.Sched.Formula == "" {
		fmt.Fprintln(s.out, "there is no formula in force to check: other keys order the jobs")
		return nil
	}
	if err = c.print(s, site.Sched.Formula, src == "", symbols, around); site.Resources == nil {
		sayUnlisted(s, site.Sched.Formula, symbols)
	}
	return err
}

// notListed says why a name that is not known may be a resource all the same.
const notListed = "the site's own resources are not all known (give them with --resources)"

// sayUnlisted says which names of a formula may be resources of a site that nothing tells of.
func sayUnlisted(s *session, src string, symbols *formula.Symbols) {
	if names := order.Undefined(src, symbols); len(names) > 0 {
		s.diag.Note("%s: qmgr accepts %s if it is one of them", notListed, strings.Join(names, " or "))
	}
}

// config prints what is wrong with a sched_config by itself, and what it alone does not tell.
func (c *checkCmd) config(s *session) error {
	if c.Formula != "" || c.File != "" {
		return fail(exitUsage, "%s is a sched_config, and a formula is checked against a sched_priv: name its folder", c.Site)
	}
	for _, f := range s.flags {
		if f.Name != "notes" {
			return fail(exitUsage, "--%s changes nothing of what %s says by itself: name the folder that it stands in, or a snapshot, to check a site with it", f.Name, c.Site)
		}
	}
	text, err := file.At(c.Site).Text(pbs.MaxConfig)
	if err != nil {
		return failure{exitUnreadable, err}
	}
	wrong := pbs.CheckConfig(text)
	for _, text := range wrong {
		fmt.Fprintf(s.out, "warning: %s\n", text)
	}
	if len(wrong) == 0 {
		fmt.Fprintln(s.out, "nothing to warn of in the settings of sched_config by themselves")
	}
	s.diag.Note("not checked, since %s alone does not tell: whether the resources that it names are there, the formula in force, the fairshare tree, and prime and dedicated time (give the folder that it stands in, or a snapshot)", c.Site)
	return nil
}

// printAdvice prints what of a configuration decides, what is wrong, and what cannot have the effect that it seems to have.
func (c *checkCmd) printAdvice(s *session, at site.Adviser) error {
	advice, err := at.Advice(s.ctx)
	if err != nil {
		return err
	}
	s.answerFirst() // the verdict
	wrong := slices.Concat(advice.Refused, advice.Wrong)
	s.partly = s.partly || len(wrong) > 0
	const looked = "the settings of priorities, scheduling and preemption; of others the names alone are looked at"
	errors := report.Count(len(wrong), "error")
	switch refused := len(advice.Refused); {
	case refused == 0:
	case refused == len(wrong):
		errors += ", with which slurmctld does not start,"
	default:
		errors += fmt.Sprintf(", with %d of which slurmctld does not start,", refused)
	}
	switch idle := len(advice.Warnings); {
	case len(wrong) > 0 && idle == 0:
		fmt.Fprintf(s.out, "%s in %s\n", errors, looked)
	case len(wrong) > 0:
		fmt.Fprintf(s.out, "%s and %s in %s\n", errors, report.Count(idle, "warning"), looked)
	case idle > 0:
		fmt.Fprintf(s.out, "nothing wrong and %s in %s\n", report.Count(idle, "warning"), looked)
	default:
		fmt.Fprintf(s.out, "nothing to warn of in %s\n", looked)
	}
	for _, text := range wrong {
		fmt.Fprintf(s.out, "wrong: %s\n", text)
	}
	for _, text := range advice.Warnings {
		fmt.Fprintf(s.out, "warning: %s\n", text)
	}
	if len(advice.Counts) > 0 {
		fmt.Fprintln(s.out, "\nWhat decides about the order:")
	}
	for _, text := range advice.Counts {
		fmt.Fprintln(s.out, text)
	}
	return nil
}

// print prints the verdict and the warnings on standard output, and what is
// wrong with the formula on standard error.
func (c *checkCmd) print(s *session, src string, isInForce bool, symbols *formula.Symbols, around formula.Surroundings) error {
	s.answerFirst() // the verdict
	v := formula.Check(src, symbols)
	which := "the formula"
	if isInForce {
		which = "the formula in force, " + report.Printable(src)
	}
	switch {
	case v.Message == "":
		fmt.Fprintf(s.out, "qmgr would accept %s\n", which)
	case v.Code == 0:
		fmt.Fprintf(s.out, "qmgr would refuse %s: %s\n", which, v.Message)
	default:
		fmt.Fprintf(s.out, "qmgr would refuse %s: %s (%d)\n", which, v.Message, v.Code)
	}
	for _, w := range formula.Warnings(src, symbols, around) {
		fmt.Fprintf(s.out, "warning: %s: %s\n", w.Rule, w.Message)
		if w.Instead != "" {
			fmt.Fprintf(s.out, "  instead: %s\n", w.Instead)
		}
	}
	if v.Err != nil {
		return &order.FormulaError{Source: src, Err: v.Err, Hint: v.Hint}
	}
	if !isInForce {
		fmt.Fprintf(s.out, "to set it: %s\n", pbs.CommandToSet(src))
	}
	return nil
}
