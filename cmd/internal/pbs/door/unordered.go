package door

import (
	"context"
	"errors"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/explain"
	pbsforecast "fairshare/cmd/internal/pbs/forecast"
	"fairshare/cmd/internal/pbs/joblist"
	"fairshare/cmd/internal/pbs/order"
	pbssite "fairshare/cmd/internal/pbs/site"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/site"
)

// errGuess is for a site of which nothing tells by what jobs go: places would be as if sched_config set nothing.
var errGuess = errors.New("no job_sort_formula is set, and sched_config is not there, which tells whether by_queue, fair_share, job_sort_key, starving jobs or preemption decide")

// errNoConfig is for a site that tells its formula alone, which decides within a queue and between jobs of different values.
var errNoConfig = errors.New("sched_config is not there, which may put other queues first (by_queue, round_robin, preempt_queue_prio), and other jobs of one value (fair_share, job_sort_key)")

// guesses returns errGuess for a site whose places would be a guess.
func (s *Site) guesses(p site.Policy) error {
	if s.Place.Files.SchedPriv.Name != "" || tries(p) {
		return nil
	}
	if at, _, err := s.Place.Site(); err != nil || !isGuess(at) { // what is wrong is said where the order is asked for
		return nil
	}
	return errGuess
}

// isGuess reports whether places of a site as it is would be a guess.
func isGuess(at *pbs.Site) bool {
	return at.Sched.TellsFormula() && at.Sched.Formula == "" && !at.AsksFormula() && at.Unordered() != ""
}

// tries reports whether a policy is other than that of the site as it is.
func tries(p site.Policy) bool { return p.Formula != "" || p.NoFormula || len(p.Settings) > 0 }

// unordered returns why the order of the jobs is not known to an ordinary user, who has not the formula, or not the tree or the queues
// that it needs: nil for an error of another kind, where settings are tried, and where there is a sched_priv. What is asked of one job
// can then be answered without its place, whether the site tells the formula or the user knows it.
func (s *Site) unordered(p site.Policy, err error) error {
	isOf := errors.Is(err, pbssite.ErrUnknownFormula) || order.IsUntold(err)
	if !isOf || errors.Is(err, pbsforecast.ErrNoNodes) || p.NoFormula || len(p.Settings) > 0 {
		return nil
	}
	if at, _, wrong := s.Place.Site(); wrong != nil || at.SchedPriv != nil && !errors.Is(err, order.ErrNoQueues) {
		return nil
	}
	return err
}

// sayDefaults says that what is told of a site is by settings which nothing tells.
func (s *Site) sayDefaults(told string, at *pbs.Site) { s.to.Say(byDefaults(told, at)...) }

func byDefaults(told string, at *pbs.Site) []diag.Remark {
	by := at.ByDefaults()
	if by == "" {
		return nil
	}
	said := diag.Warningf("%s %s; where the site has others, other jobs go first", told, by).OfAsked()
	if by != pbs.Defaults {
		return []diag.Remark{said}
	}
	return []diag.Remark{said.
		Briefly("%s by PBS's defaults, no by_queue, round_robin, fair_share, strict_ordering or help_starving_jobs: sched_config is not there; where the site has others, other jobs go first", told)}
}

// lacksConfig reports whether places in an order of the site as it is are not known but by the formula, within a queue.
func (s *Site) lacksConfig(p site.Policy, o *order.Order) bool {
	return !tries(p) && o.Plan.Site.LacksConfig()
}

// dropsFormula reports whether places are those without a formula, which a policy takes away, at a site that tells no sched_config.
func dropsFormula(p site.Policy, at *pbs.Site) bool {
	return p.NoFormula && len(p.Settings) == 0 && at.SchedPriv == nil && len(at.Sched.Sources) > 0
}

// assumed says by which settings that nothing tells places under a policy are, "" for none.
func assumed(p site.Policy, at *pbs.Site) string {
	if dropsFormula(p, at) {
		return pbs.Defaults
	}
	return at.ByDefaults()
}

// unplaced returns the row of a job whose place is not known in the order without a formula, what is known of its formula, and whether it is
// the one of a user that surely goes first of theirs.
func (s *Site) unplaced(ctx context.Context, q *site.Question, why error) (o *order.Order, row int, isFirst bool, terms *explain.Terms, err error) {
	q.NoFormula = true
	if o, row, err = s.orderOfJob(ctx, *q); err != nil {
		return nil, 0, false, nil, s.withRecord(err, q.Job)
	}
	if terms, err = s.terms(ctx, q.Policy, why); err != nil {
		return nil, 0, false, nil, err
	}
	if first, ok := terms.FirstOf(o, q.User); ok {
		row, isFirst = first, true
	}
	return o, row, isFirst, terms, nil
}

// describe answers what can be said of a job whose place is not known, and why it is not.
func (s *Site) describe(ctx context.Context, q site.Question, why error) (*site.Answer, error) {
	o, row, isFirst, terms, err := s.unplaced(ctx, &q, why)
	if err != nil {
		return nil, err
	}
	e := explain.Describe(o, row, s.lacking(why))
	if errors.Is(why, errGuess) {
		e.Line = o.Line(row) // as sort has it
	}
	e.IsOfSome = s.isOfSome.Load()
	e.Course = s.courseOf(o, row)
	if terms != nil && e.Unplaced != "" {
		e.Terms, e.Formula, e.Surely = terms.Of(e.ID), terms.Formula.Source(), terms.Around(o, row)
		e.Surely.Between(&e.Line, e.Waiting)
	}
	if e.Unplaced != "" && !isFirst {
		s.sayFirst(q.User, "would without a formula")
	}
	if e.Now, err = s.standing(ctx, o, e, q.Policy); err != nil {
		return nil, err
	}
	s.sayTimes(&e, o, row)
	return &site.Answer{JSON: e, IsPartly: e.Unplaced != "", Print: s.printer(e)}, nil
}

// compareUnordered answers what is known of two jobs whose order is not known, and why it is not.
func (s *Site) compareUnordered(ctx context.Context, q site.Question, why error) (*site.Answer, error) {
	o, row, isFirst, terms, err := s.unplaced(ctx, &q, why)
	if err != nil {
		return nil, err
	}
	other, err := s.other(o, row, q.Vs)
	if err != nil {
		return nil, err
	}
	firstOther, isFirstOther := terms.FirstOf(o, q.Vs)
	if isFirstOther {
		other = firstOther
	}
	v := explain.Compare(o, row, other)
	isUndecided := o.Place(row) > 0 && o.Place(other) > 0
	if isUndecided {
		v = explain.Undecided(o, row, other, terms, s.lacking(why))
		if errors.Is(why, errGuess) && !s.alike(&v, o, row, other) {
			v.Notes = append(v.Notes, explain.Installed(o, row, other)...)
		}
		isUndecided = v.Unplaced != ""
		if !isFirst {
			s.sayFirst(q.User, "would without a formula")
		}
		if !isFirstOther && q.Vs == o.List.Users.List[o.List.Job(other).User] {
			s.sayFirst(q.Vs, "would without a formula")
		}
	}
	return &site.Answer{JSON: v, IsPartly: isUndecided, Print: func(to *report.Printer) error { return printVerdict(to, v) }}, nil
}

// alike decides two jobs as far as they have alike what settings that are not known look at, and returns whether that decides them.
func (s *Site) alike(v *explain.Verdict, o *order.Order, row, other int) bool {
	if len(s.Place.Jobs) == 0 {
		return false
	}
	of, ok := joblist.Decisive(s.Place.Jobs[0], [2]string{o.List.Job(row).ID, o.List.Job(other).ID})
	return ok && v.Alike(o, row, other, of)
}

// sayFirst says which job of a user is taken for the first one, where one of a user is asked for.
func (s *Site) sayFirst(user, by string) {
	if user != "" {
		s.to.Say(diag.Warningf("which job of %s goes first is not known: it is taken to be the one that %s", user, by))
	}
}

// terms returns what is known of the formula of a site that lacks its tree, or its queues, nil where the formula is not known.
func (s *Site) terms(ctx context.Context, p site.Policy, why error) (*explain.Terms, error) {
	if !order.IsUntold(why) {
		return nil, nil
	}
	p.NoFormula = false
	at, err := s.quiet().under(p)
	if err != nil {
		return nil, err
	}
	of, err := order.TermsOf(at)
	if err != nil {
		return nil, err
	}
	t := &explain.Terms{Formula: of.Formula, Unknown: of.Untold}
	if len(of.Others) == 0 {
		return t, nil
	}
	p.Formula = strings.Join(of.Others, " + ") // of which the values alone are asked
	t.Known, err = s.quiet().ordered(ctx, p)
	return t, err
}

// lacking says why the place of a job is not known, and what tells it.
func (s *Site) lacking(why error) string {
	switch {
	case errors.Is(why, order.ErrNoQueues):
		return why.Error()
	case errors.Is(why, order.ErrNoTree):
		return why.Error() + "; root can read it (" + site.CollectBriefly + ")"
	case errors.Is(why, errGuess), errors.Is(why, errNoConfig):
		return why.Error() + "; root can read it (" + site.CollectBriefly + ")"
	}
	return "the formula in force is not known: qstat -Bf tells it"
}

// sayUnordered says why a forecast is made without the order, among all notes: it says for itself that it does not know that.
func (s *Site) sayUnordered(why error) {
	r := diag.Lackf("the place of jobs is not known: %s", s.lacking(why))
	r.IsGeneral = true
	s.to.Say(r)
}
