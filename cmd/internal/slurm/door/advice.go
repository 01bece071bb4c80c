package door

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/compare"
	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/outcome"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/slurm"
	slurmcompare "fairshare/cmd/internal/slurm/compare"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/setup"
)

// Advice implements site.Adviser.
func (s *Site) Advice(ctx context.Context, changed string) (site.Advice, error) {
	printed, err := s.printed(ctx, dump.ForNow)
	if err != nil {
		return site.Advice{}, err
	}
	if changed != "" {
		return s.adviceOnChanged(ctx, printed, changed)
	}
	a, remarks, err := adviceOn(printed)
	if s.to.Say(remarks...); err != nil {
		return site.Advice{}, err
	}
	if of := printed.OfConf(); of != nil { // a slurm.conf beside the settings in force, which slurmctld is to read some day
		file, _, err := adviceOn(of)
		if err != nil {
			s.to.Say(diag.Warningf("%s is not checked: %v", of.Name, err))
		}
		for _, f := range file.Findings {
			if slices.ContainsFunc(a.Findings, func(x site.Finding) bool { return x.Message == f.Message }) {
				continue // which is in force
			}
			if f.File == "" {
				f.File, f.Place = of.Name, of.Name+": "+f.Place
			}
			a.Findings = append(a.Findings, f)
		}
	}
	if err := s.findStuck(ctx, printed, &a); err != nil {
		return site.Advice{}, err
	}
	site.SortFindings(a.Findings)
	return a, nil
}

// adviceOnChanged returns what there is to say of a changed slurm.conf, by what a site prints of its QOS and associations.
func (s *Site) adviceOnChanged(ctx context.Context, printed *dump.Dump, name string) (site.Advice, error) {
	file, err := confNamed(s.to.Input, name, "")
	if err != nil {
		return site.Advice{}, err
	}
	a, remarks, err := adviceOn(printed.WithConf(file))
	s.to.Say(remarks...)
	a.Findings = append(a.Findings, findWithout(printed, file)...)
	if err != nil {
		return a, err
	}
	if slices.ContainsFunc(a.Findings, func(f site.Finding) bool { return f.IsRefused }) {
		s.noteUnchecked(&a, "which jobs never start with it is not looked at: slurmctld does not start with it")
	} else if err := s.findStuckBy(ctx, printed, name, &a); err != nil {
		return a, err
	}
	site.SortFindings(a.Findings)
	return a, nil
}

// findStuckBy adds to what there is to say which jobs never start with a changed slurm.conf and can as the site is, as compare has it, by what
// keeps them.
func (s *Site) findStuckBy(ctx context.Context, printed *dump.Dump, name string, a *site.Advice) error {
	if !printed.HasJobs() {
		return nil
	}
	d, with, err := s.quiet().compareStarts(ctx, printed, []string{name})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		s.noteUnchecked(a, "which jobs never start with it is not looked at: "+err.Error())
		return nil
	case d.Starts == nil:
		return nil
	}
	var stuck forecast.Stuck
	for _, id := range d.Starts.Never {
		stuck.Add(id, with[id].Reason)
	}
	for _, text := range stuck.Said("with " + name + ", and can without it") {
		a.Findings = append(a.Findings, site.Finding{Kind: site.AWarning, Message: text})
	}
	return nil
}

// compareStarts finds what becomes of who starts with some settings, and what a cycle right now makes of each job then.
func (s *Site) compareStarts(ctx context.Context, printed *dump.Dump, settings []string) (*compare.Difference, map[string]forecast.CycleResult, error) {
	at, err := s.orderOf(printed)
	if err != nil {
		return nil, nil, err
	}
	if err := s.expand(printed, &settings, s.ofStarts(at, printed, time.UTC)); err != nil {
		return nil, nil, err
	}
	of := s.newStarts(at, printed, time.UTC)
	was, _, err := of.judge(ctx, nil)
	if err != nil {
		return nil, nil, err
	}
	is, _, err := of.judge(ctx, settings)
	if err != nil {
		return nil, nil, err
	}
	rows := at.Rows()
	d := slurmcompare.Between(rows, rows, nil)
	d.FindStarts(was, is)
	return d, is, nil
}

// findWithout warns of partitions that a whole slurm.conf lacks while a site has jobs in them.
func findWithout(printed, file *dump.Dump) (list []site.Finding) {
	to, _, err := file.Advised()
	if err != nil || to.IsPart() {
		return nil // which is said
	}
	jobs := map[string][]string{}
	listed, _, _ := printed.Jobs()
	for _, j := range listed {
		for _, partition := range j.Partitions {
			if slurm.StateNamed(j.State).Fate != slurm.IsOver && to.Partitions[partition] == nil {
				jobs[partition] = append(jobs[partition], j.ID)
			}
		}
	}
	for _, partition := range slices.Sorted(maps.Keys(jobs)) {
		ids := jobs[partition]
		list = append(list, site.Finding{Kind: site.AWarning, Message: fmt.Sprintf("partition %s, which it does not have, has %s that run or wait (%s)", report.Printable(partition), report.Count(len(ids), "job"), report.First(ids))})
	}
	return list
}

// refusedConf returns the error of a changed slurm.conf with which slurmctld does not start, nil for one with which it does. What the
// site has alike is in force, so that slurmctld starts with it; whether modes of preemption go together set.AsSet says once all is set.
func refusedConf(printed, file *dump.Dump) error {
	a, _, err := adviceOn(printed.WithConf(file))
	if err != nil {
		return nil // which whoever tries it says
	}
	isSaid := map[string]bool{setup.PreemptionConflict(file.Config("preempttype"), file.Config("preemptmode")): true}
	for _, of := range []*dump.Dump{printed, printed.OfConf()} {
		if of == nil {
			continue
		}
		inForce, _, err := adviceOn(of)
		if err != nil {
			continue // nothing tells what is in force
		}
		for _, f := range inForce.Findings {
			isSaid[f.Message] = true
		}
	}
	var refused []string
	for _, f := range a.Findings {
		if f.IsRefused && !isSaid[f.Message] {
			refused = append(refused, f.Place+f.Message)
		}
	}
	switch len(refused) {
	case 0:
		return nil
	case 1:
		return diag.Requestf("%s: %s", file.Name, refused[0])
	}
	return diag.Requestf("%s: %s; formula check SITE --set %[1]s names %[3]d more", file.Name, refused[0], len(refused)-1)
}

// findStuck adds to what there is to say which jobs never start as the site is, by what keeps them, or says why that is not looked at.
func (s *Site) findStuck(ctx context.Context, printed *dump.Dump, a *site.Advice) error {
	if !printed.HasJobs() {
		return nil
	}
	own := s.quiet()
	at, err := own.orderOf(printed)
	var standing map[string]forecast.CycleResult
	if err == nil {
		standing, err = own.standing(ctx, own.newStarts(at, printed, time.UTC), nil)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		s.noteUnchecked(a, "which jobs never start is not looked at: "+err.Error())
		return nil
	}
	var stuck forecast.Stuck
	isSeen := map[string]bool{}
	for _, r := range at.Rows() {
		id := r.Job.ID
		if isSeen[id] {
			continue
		}
		isSeen[id] = true
		if is := standing[id]; r.Never != nil {
			stuck.Add(id, r.Never.String())
		} else if strings.HasPrefix(is.Reason, outcome.Never) {
			stuck.Add(id, is.Reason)
		}
	}
	for _, text := range stuck.Said("as things are") {
		a.Findings = append(a.Findings, site.Finding{Kind: site.AWarning, Message: text})
	}
	return nil
}

// noteUnchecked says what is not checked.
func (s *Site) noteUnchecked(a *site.Advice, text string) {
	s.to.Say(diag.Notef("%s", text))
	a.NotChecked = append(a.NotChecked, text)
}

// adviceOn returns what there is to say of the configuration of a site.
func adviceOn(d *dump.Dump) (a site.Advice, remarks []diag.Remark, err error) {
	conf, remarks, err := d.Advised()
	if err != nil {
		return a, remarks, err
	}
	a.NotChecked = conf.NotChecked()
	add := func(kind string, isRefused bool, lists ...[]string) {
		for _, text := range slices.Concat(lists...) {
			at, message := slurm.CutPlace(text)
			a.Findings = append(a.Findings, site.Finding{Kind: kind, IsRefused: isRefused, File: at.File, Line: at.Line, Message: message, Place: strings.TrimSuffix(text, message)})
		}
	}
	noQOS, noNames := setup.UnknownNames(conf.Conf, d)
	wrong, doubtful := setup.CheckTables(d, conf.Conf)
	if !conf.HasSettings {
		a.Looked = d.Looked()
		add(site.AnError, false, conf.Unknown, noQOS, noNames, wrong)
		add(site.AWarning, false, conf.Problems, doubtful)
		return a, remarks, nil
	}
	if unchecked := setup.Unchecked(conf.Conf, d); unchecked != nil {
		a.NotChecked = append(a.NotChecked, unchecked...)
		remarks = append(remarks, diag.Notef("not checked, since nothing tells it here: %s", strings.Join(unchecked, "; ")))
	}
	config := func(name string) string {
		if conf.Refuses(name) { // which is said once
			return ""
		}
		return d.Config(name)
	}
	counting := setup.Counting(conf.Conf, config)
	a.Counts = counting.Counts()
	refused, unknown := setup.Unknown(config, d.Where)
	var unread []string
	for _, line := range conf.Unread {
		unread = append(unread, line.Error())
	}
	add(site.AnError, conf.IsFile, unread, conf.Refused, refused, noQOS, setup.Unaccountable(conf.Conf, config, d.Where), setup.Unbillable(conf.Conf, config, d.Where)) // without a file, slurmctld runs with them
	add(site.AnError, false, conf.Missing, conf.Unknown, unknown, noNames, wrong)
	add(site.AWarning, false, doubtful, conf.Problems, counting.Advice(conf.Users), setup.Idle(d.Config, d.Where), setup.Unenforced(d, conf.Conf), setup.Effectless(d, counting), setup.Unaccounted(conf.Conf, config, d.Where), setup.Traps(conf.Conf, config, d.Where))
	return a, remarks, nil
}
