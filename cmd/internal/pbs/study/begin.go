package study

import (
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/accrual"
	"fairshare/cmd/internal/pbs/order"
	"fairshare/cmd/internal/pbs/replay"
	"fairshare/cmd/internal/report"
	"fairshare/usagefile"
)

// begin returns the usage with which a policy begins, nil for that of its site's tree, and a
// remark on where it is from unless it was given. What a policy tries has not changed what was: all begin alike.
func (s *Study) begin(p *Policy) (*usagefile.Database, []diag.Remark, error) {
	in, priv := s.Inputs, p.Site.SchedPriv
	past := in.inForce(p.Site)
	hadFairShare := past.Policy().FairShare
	note := func(text string) []diag.Remark { return []diag.Remark{diag.Notef("%s (--usage FILE)", text)} }
	switch {
	case priv == nil:
		return nil, nil, nil
	case in.Usage != nil:
		if in.isDoubted && (hadFairShare || p.Site.Policy().FairShare || p.Plan.UsesTree()) {
			s.Unsure = "usage at the begin that is not of then, or of another site"
		}
		return in.Usage, nil, nil
	case !p.Site.Policy().FairShare && !p.Plan.UsesTree():
		return nil, nil, nil
	case priv.Usage == nil:
		return nil, note("nobody's usage is known: everybody begins with 1"), nil
	case !hadFairShare || !accrual.IsInLogs(past.Entity()):
		return nil, note("the usage at the begin is taken as it is in the end"), nil
	}
	rebuilt, err := s.rebuilt(past)
	switch {
	case err != nil:
		return nil, nil, err
	case rebuilt == nil:
		s.Unsure = "usage at the begin that is taken as it is in the end"
		return nil, []diag.Remark{diag.Warningf("the usage at the begin is taken as it is in the end, which tells no more of it: whose turn it was may be wrong (%s)", wantsUsage)}, nil
	}
	remarks := []diag.Remark{diag.Generalf("the usage at the begin is rebuilt from that of the end (--usage FILE)")}
	if rebuilt.Weight > 1 {
		s.Unsure = "usage at the begin that is rebuilt"
		remarks = []diag.Remark{diag.Warningf("the usage at the begin is rebuilt from that of the end, and what that is off counts %.3g times in it: whose turn it was may be wrong (%s)", rebuilt.Weight, wantsUsage).
			Briefly("the usage at the begin is a guess from that of the end: whose turn it was may be wrong (%s)", wantsUsage)}
	}
	if !in.Taken.IsZero() && s.Work.Trace.EndsBefore(in.Taken.Unix()) {
		days := report.Decimals(float64(in.Taken.Unix()-s.Work.Trace.Last)/(24*3600), 1)
		remarks = append(remarks, diag.Warningf("the usage of the end is of %s days after the end of the logs: what ran between counts as used before them (--usage FILE)", days))
	}
	return rebuilt.Usage, remarks, nil
}

// measure returns by what usage over time is measured under all policies: what is in force, or the first of them that has a tree where
// that has none; nil if nobody has one.
func (s *Study) measure(policies []*Policy) (*replay.Measure, error) {
	by := &Policy{Site: s.Inputs.Site, Plan: &order.Plan{Site: s.Inputs.Site}}
	if !by.Site.HasTree() {
		at := slices.IndexFunc(policies, func(p *Policy) bool { return p.Site.HasTree() })
		if at < 0 {
			return nil, nil
		}
		by = policies[at]
	}
	begin, _, err := s.begin(by)
	return &replay.Measure{Site: by.Site, Begin: begin, LastDecay: s.Inputs.lastDecay(by.Site)}, err
}

// wantsUsage says where the usage at the begin of the logs may be had from.
const wantsUsage = "--usage FILE: that of a snapshot of then"

// inForce returns a site with the settings under which the logs were made and the usage of one on which a policy is tried: what is in force
// of the same scheduler, where that is known.
func (in *Inputs) inForce(tried *pbs.Site) *pbs.Site {
	if in.Site == nil || tried.SchedPriv == nil {
		return tried
	}
	for _, of := range append([]*pbs.Site{in.Site}, in.Site.Others...) {
		if of.SchedPriv == nil || of.Scheduler.Name != tried.Scheduler.Name {
			continue
		}
		past, priv := *of, *of.SchedPriv
		priv.Usage, past.SchedPriv = tried.SchedPriv.Usage, &priv
		return &past
	}
	return tried
}

// rebuilt returns the usage at the begin of the logs as that of the end tells it, nil if that
// does not. It is computed once for all sites with the same settings.
func (s *Study) rebuilt(site *pbs.Site) (*accrual.Beginning, error) {
	in, end := s.Inputs, site.SchedPriv.Usage
	o := s.Accrual(site)
	key := fmt.Sprintf("%p %+v %d %d", end, o.Config, o.LastDecay, o.Interval)
	if known, isKnown := in.begins[key]; isKnown {
		return known, nil
	}
	begin, err := accrual.Begin(s.Work.Trace, o, end)
	if err != nil {
		return nil, err
	}
	if in.begins == nil {
		in.begins = map[string]*accrual.Beginning{}
	}
	in.begins[key] = begin
	return begin, nil
}

// lastDecay returns when usage last decayed before a site's replay begins, 0 if it is not
// known.
func (in *Inputs) lastDecay(site *pbs.Site) int64 {
	priv := site.SchedPriv
	switch {
	case priv == nil:
		return 0
	case in.Usage != nil && in.Usage.LastDecay > 0:
		return in.Usage.LastDecay
	case priv.Usage != nil:
		return priv.Usage.LastDecay
	}
	return 0
}

// isUsage reports whether a change is of the usage of an entity.
func isUsage(c pbs.Change) bool { return c.Entity != "" && strings.HasSuffix(c.Name, ".usage") }

// withChanges returns usage with what changed settings, such as alice.usage=5, make of it.
func withChanges(db *usagefile.Database, changes []pbs.Change) *usagefile.Database {
	if db == nil || !slices.ContainsFunc(changes, isUsage) {
		return db
	}
	changed := *db
	changed.Records = nil
	for name, usage := range db.All() {
		changed.Records = append(changed.Records, usagefile.Record{Name: name, Usage: usage})
	}
	for _, c := range changes {
		if !isUsage(c) {
			continue
		}
		amount, _ := c.Number()
		isThere := false
		for i := range changed.Records { // which may have a name twice
			if r := &changed.Records[i]; r.Name == c.Entity {
				r.Usage, isThere = amount, true
			}
		}
		if !isThere {
			changed.Records = append(changed.Records, usagefile.Record{Name: c.Entity, Usage: amount})
		}
	}
	return &changed
}
