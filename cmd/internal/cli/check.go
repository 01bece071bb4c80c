package cli

import (
	"cmp"
	"errors"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pbs"
	pbsdoor "fairshare/cmd/internal/pbs/door"
	"fairshare/cmd/internal/pbs/joblist"
	"fairshare/cmd/internal/pbs/order"
	pbssite "fairshare/cmd/internal/pbs/site"
	"fairshare/cmd/internal/site"
	"fairshare/formula"
)

type checkCmd struct {
	Site string `arg:"" optional:"" help:"A PBS or Slurm site, or one file of it: a snapshot, a sched_priv or a job list, with whose settings, resources and jobs the formula is checked too, the one in force without -f and -F; a sched_config, resource_group, holidays or dedicated_time, or commands for qmgr; a slurm.conf, what scontrol show config or partition or sacctmgr show qos or assoc printed, or a folder or .tgz of such prints. - is standard input, of any of them."`
	formulaFlags
	placeFlags
	privFlag
	Set    string `for:"slurm" pbs:"formula check tries no change of a site: sort, compare, explain, when, nodes and replay do, with --set" placeholder:"FILE" help:"Check a changed slurm.conf in place of that of the site, by the QOS and accounts that the site has."`
	JSONL  bool   `for:"pbs" slurm:"Slurm has no job_sort_formula" name:"jsonl" help:"Read a JSON object {\"formula\"} from each line of standard input."`
	Output string `short:"o" enum:"text,json" default:"text" placeholder:"FORM" help:"What to print (${enum})."`
}

// rules implements ruled.
func (c *checkCmd) rules() []rule {
	return []rule{
		{of: "jsonl", not: "formula file", says: "--jsonl reads formulas from standard input: leave out -f and -F"},
		{of: "jsonl", not: "output", says: "--jsonl prints JSON: leave out -o"},
	}
}

func (c *checkCmd) Run(s *session) error {
	names := c.names(c.Site)
	names.SchedPriv, names.WantsConf, names.Vnodes = c.SchedPriv, true, true
	var said []diag.Remark
	to := s.console()
	if !c.JSONL { // beside whose verdicts no findings are printed
		to.Say = func(remarks ...diag.Remark) { said = append(said, remarks...) }
	}
	found, err := s.openThrough(names, to)
	if a, ok := adviserOf(found, err); ok {
		s.say(said...)
		to.Say = s.say
		return c.printAdvice(s, a)
	}
	var at *pbsdoor.Site
	var site *pbs.Site
	if err == nil {
		at, err = able[*pbsdoor.Site](s, found)
	}
	if err == nil {
		site, err = at.AsItIs()
	}
	if err != nil {
		s.say(said...)
		return err
	}
	to.Say = s.say
	checked, others := at.Place.Check(site, said)
	s.say(others...)
	return c.checkFormula(s, at, site, checked)
}

// adviserOf returns a site that checks its configuration by itself.
func adviserOf(found *site.Site, err error) (a site.Adviser, ok bool) {
	if err != nil {
		return nil, false
	}
	a, ok = found.Able.(site.Adviser)
	return a, ok
}

// checkFormula prints what was found in the files of a site of PBS, and what is wrong with the formula there.
func (c *checkCmd) checkFormula(s *session, at *pbsdoor.Site, site *pbs.Site, checked pbssite.Checked) error {
	isPrinted := false
	defer func() {
		if !isPrinted {
			s.say(checked.Said...)
		}
	}()
	p := at.Place
	src, err := c.read(s)
	if err != nil {
		return err
	}
	if given := p.PartFormula(); given != "" && src != "" {
		return fail(exitUsage, "%s has a formula, and so has -f or -F: give one of them", c.Site)
	} else if given != "" {
		src = given
	}
	around := order.Surroundings(site)
	var list *joblist.List
	if len(p.Jobs) > 0 {
		if err := at.KeepList(); err != nil { // it is read more than once
			return err
		}
		list, err = at.List(c.From, order.CheckOptions(cmp.Or(src, site.Sched.Formula), site))
		if err != nil {
			return err
		}
		order.AddJobs(&around, list)
		unlisted := order.NewUnlisted(site, list)
		s.say(unlisted.Remark()...)
		if usesTree := site.Policy().FairShare || strings.Contains(cmp.Or(src, site.Sched.Formula), "fairshare_"); usesTree && !c.JSONL {
			checked.Find(unlisted.Most(site)...)
		}
		s.say(order.NotModelled(site, list)...)
		if passed := order.PassedOver(site, list); c.JSONL {
			s.say(passed...)
		} else {
			checked.Said = append(checked.Said, passed...)
			checked.Find(passed...)
		}
	} else {
		for _, l := range site.Lacks() {
			s.say(l.Unweighed())
		}
	}
	find := func(remarks ...diag.Remark) {
		for _, r := range remarks {
			if r.Kind == diag.Warning && !c.JSONL {
				checked.Find(r)
			} else {
				s.say(r)
			}
		}
	}
	find(order.Limited(site, list)...)
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
	if src == "" && c.SchedPriv == "" && p.Name == "" && len(c.Sched) == 0 && !checked.IsPart {
		return fail(exitUsage, "what is to be checked? For PBS: formula check -f FORMULA, or a snapshot, a sched_priv or one of its files; for Slurm: formula check slurm.conf, or a site")
	}
	checked.Find(order.Stopped(site, list)...)
	if list != nil {
		if err := at.FindStuck(s.ctx, &checked); err != nil {
			return err
		}
	}
	if !checked.LacksFormula || src != "" {
		err := at.SetFormula(site, src)
		if errors.Is(err, pbssite.ErrUnknownFormula) && checked.Looked != nil {
			checked.LacksFormula = true
		} else if err != nil {
			return err
		} else if list != nil {
			find(at.UnderThreshold(site, src != "", c.From)...)
		}
	}
	isPrinted = true
	return c.printChecked(s, checked, site, src == "", symbols, around)
}

// notListed says why a name that is not known may be a resource all the same.
const notListed = "the site's own resources are not all known (give them with --resources)"

// sayUnlisted says which names of a formula may be resources of a site that nothing tells of.
func sayUnlisted(s *session, src string, symbols *formula.Symbols) {
	if names := order.Undefined(src, symbols); len(names) > 0 {
		s.diag.Note("%s: qmgr accepts %s if it is one of them", notListed, strings.Join(names, " or "))
	}
}
