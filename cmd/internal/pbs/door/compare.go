package door

import (
	"context"
	"io"
	"slices"
	"strings"
	"unicode"

	"fairshare/cmd/internal/compare"
	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/page"
	"fairshare/cmd/internal/pbs"
	pbscompare "fairshare/cmd/internal/pbs/compare"
	"fairshare/cmd/internal/pbs/joblist"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/pbs/qstat"
	"fairshare/cmd/internal/pbs/replay"
	pbssite "fairshare/cmd/internal/pbs/site"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/site"
)

// Compare implements site.Comparer.
func (s *Site) Compare(ctx context.Context, c site.Change) (*site.Comparison, error) {
	s.at(c.On)
	c.Queues = s.chooseBy(c.Queues)
	before, after, err := s.plans(ctx, c)
	if err != nil {
		return nil, err
	}
	hasCycle := s.hasCycle(c.Policy)
	if hasCycle {
		if err := s.KeepList(); err != nil {
			return nil, err
		}
	}
	list, listed, err := s.lists(c.Format, before, after)
	if err != nil {
		return nil, err
	}
	old, now, err := s.ordersOf(before, after, list, listed)
	if err != nil {
		return nil, err
	}
	d := pbscompare.Between(old, now)
	if hasCycle {
		if err := s.compareStarts(ctx, d, before, after, old.List, c.Policy); err != nil {
			return nil, err
		}
	}
	s.sayIdle(after.Site)
	s.sayDefaults("both orders are", before.Site)
	s.to.Say(d.Remarks()...)
	if err := s.checkChoice(c.Choice, list, before.Site); err != nil {
		return nil, err
	}
	shown := d.Select(func(m *compare.Move) bool { return c.Has(m.User, "", m.Queue) })
	return &site.Comparison{
		Difference: shown, Differs: !d.IsNone() || d.ChangesStarts() || len(d.NewlyFail) > 0, Parties: [4]string{"entity", "queue", "group", "project"}, IsEmpty: list.Len() == 0, Later: pbs.Later(after.Site.Changes),
		JSON: func(notes []string) any {
			return struct {
				*compare.Difference
				Notes []string `json:"notes"`
			}{shown, notes}
		},
		CSV:  func(w io.Writer) error { return report.WriteRows(w, slices.Values(shown.Moves)) },
		Page: func() page.Data { return pbscompare.Page(d, old, now, s.Place.Describe()) },
	}, nil
}

// compareStarts finds what becomes of who starts in a cycle right now. Where one of the cycles cannot be gone through that is said.
func (s *Site) compareStarts(ctx context.Context, d *compare.Difference, before, after *order.Plan, list *joblist.List, p site.Policy) error {
	was, _, err := s.judged(ctx, before.Site, list, p)
	if err == nil {
		var is map[string]forecast.CycleResult
		var remarks []diag.Remark
		is, remarks, err = s.judged(ctx, after.Site, list, p)
		s.to.Say(compare.OfStarts(remarks)...)
		for _, standing := range []map[string]forecast.CycleResult{was, is} {
			for id, of := range standing {
				standing[id] = s.ofList(of)
			}
		}
		if d.FindStarts(was, is); d.Starts != nil {
			d.Starts.FindHeld(d, "a limit", was, is, func(of forecast.CycleResult) bool { return replay.IsOfLimit(of.Reason) })
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		s.to.Say(diag.Warningf("who starts right now is not compared: %v", err))
	}
	return nil
}

// plans returns the plans of the old and the new order.
func (s *Site) plans(ctx context.Context, c site.Change) (old, now *order.Plan, err error) {
	at, err := s.asTold()
	if err != nil {
		return nil, nil, err
	}
	if len(at.Asked)+len(c.Settings)+len(c.Formulas) == 0 && c.SchedPriv == "" {
		isTelling := func(of file.Source) bool { return slices.Contains(at.Sched.Sources, of.Name) }
		if i := slices.IndexFunc(s.Place.Files.Override, isTelling); i >= 0 {
			return nil, nil, diag.Requestf("nothing to compare: the site tells no attributes of its own, so that those of %s count as its own (-f OLD -f NEW compares two formulas)", s.Place.Files.Override[i].Name)
		}
		return nil, nil, diag.Requestf("nothing to compare: the files given over the site's own change nothing of it that an order or a start depends on")
	}
	if pbs.SetsFormula(c.Settings) && (len(c.Formulas) > 0 || c.NoFormula) {
		return nil, nil, pbssite.ErrTwoFormulas
	}
	if c.SchedPriv != "" && at.SchedPriv == nil {
		return nil, nil, diag.Requestf("nothing to compare --sched-priv %s with: the site has no sched_priv of its own (two of --sched-priv are compared with each other)", c.SchedPriv)
	}
	s.apply(c.Policy, at)
	change := pbssite.Change{Formulas: c.Formulas, NoFormula: c.NoFormula, SchedPriv: c.SchedPriv, NonPrime: c.NonPrime, Settings: c.Settings, WhatIf: s.whatIf(c.Policy)}
	before, after, remarks, err := change.Sites(s.Place, at)
	s.to.Say(remarks...)
	if err != nil {
		return nil, nil, err
	}
	if after.Sched.Formula != before.Sched.Formula {
		s.to.Say(order.Traps(after)...)
	}
	if old, err = s.planNow(ctx, before, c.Policy); err != nil {
		return nil, nil, err
	}
	if len(c.Settings)+len(at.Asked) > 0 {
		old.Beside = []*pbs.Site{after}
	}
	now, err = s.planNow(ctx, after, c.Policy)
	return old, now, err
}

// lists returns the list of jobs as two plans take it: one list, but for plans of two kinds of entities.
func (s *Site) lists(format string, before, after *order.Plan) (old, now *joblist.List, err error) {
	options := order.ListOptions(before, after)
	options.Groups = true
	isOther := before.Site.Entity() != after.Site.Entity()
	if isOther {
		if err := s.KeepList(); err != nil {
			return nil, nil, err
		}
	}
	if old, err = s.List(format, options); err != nil || !isOther {
		return old, old, err
	}
	options.Format, options.Entity = qstat.Format(format), after.Site.Entity()
	if now, _, err = s.Place.List(options); err == nil { // of which has been said what there is to say
		s.Place.DateSuspended(now)
	}
	return old, now, err
}

// ordersOf returns the orders of a list under two plans, as each of them takes it. What is to be said of one of them alone says of which.
func (s *Site) ordersOf(before, after *order.Plan, list, listed *joblist.List) (old, now *order.Order, err error) {
	s.sayUnseen(before.Site, list)
	old, ofOld, err := before.Order(list)
	if err != nil {
		s.to.Say(ofOld...)
		return nil, nil, err
	}
	now, ofNew, err := after.Order(listed)
	isThere := func(is func(text string) string, r diag.Remark, others []diag.Remark) bool {
		return slices.ContainsFunc(others, func(o diag.Remark) bool { return is(o.Text) == is(r.Text) })
	}
	for i, remarks := range [][]diag.Remark{ofOld, ofNew} {
		which, others := "in the old order, ", ofNew
		if i == 1 {
			which, others = "in the new order, ", ofOld
		}
		for _, r := range remarks {
			switch {
			case isThere(of, r, others):
				if i == 0 {
					s.to.Say(r)
				}
			case isThere(about, r, others), before.Site.Entity() != after.Site.Entity():
				s.to.Say(r.Of(which))
			default:
				s.to.Say(r)
			}
		}
	}
	return old, now, err
}

// of returns the text of a remark, without words that say of which of two sites something is not modelled.
func of(text string) string { return strings.Replace(text, lacking+" with what is set", lacking, 1) }

// lacking begins what is said of what is not modelled.
const lacking = "not modelled"

// about returns what the text of a remark is about, without the figures that may differ from order to order.
func about(text string) string {
	if strings.HasPrefix(text, lacking) {
		return text
	}
	text, _, _ = strings.Cut(text, ": ")
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return r
	}, text)
}
