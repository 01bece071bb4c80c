package study

import (
	"fmt"
	"io"
	"slices"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/study"
)

// Formula returns the formula in force.
func (s *Study) Formula() string { return s.Inputs.Site.Sched.Formula }

// Try makes policies those of the study: changed ones, and the one in force for nil.
func (s *Study) Try(policies []*study.Changes) (first, all []diag.Remark, err error) {
	var made []*Policy
	var idle []diag.Remark
	isFirst := true
	for _, c := range policies {
		if c == nil {
			made = append(made, s.InForce)
			continue
		}
		p, remarks, err := NewPolicy(*c, s.Inputs.Site)
		if err != nil {
			return first, nil, err
		}
		if isFirst {
			first, isFirst = append(remarks, s.Inputs.traps(p)...), false
		}
		for _, text := range p.Site.IdleChanges() {
			idle = append(idle, diag.Warningf("%s", text))
		}
		made = append(made, p)
	}
	all, err = s.Use(made)
	return first, append(all, idle...), err
}

// WasBefore returns the value that a setting has before it is another one, "" where it is not set or has no single value.
func (s *Study) WasBefore(name, other string) string {
	changed, err := s.Inputs.Site.WithReplayed([]string{name + "=" + other})
	if err != nil || len(changed.Changes) == 0 {
		return ""
	}
	return changed.Changes[len(changed.Changes)-1].Was
}

// Identify writes all that a replay depends on besides the jobs and what policies change.
func (s *Study) Identify(w io.Writer) {
	o, site := s.Options, s.Inputs.Site
	fmt.Fprintln(w, s.Cluster.Vnodes, o.Lag, o.IsSampled, o.Latency, o.Own)
	if begin := s.Inputs.Usage; begin != nil {
		for name, usage := range begin.All() {
			fmt.Fprintf(w, "%q %v\n", name, usage)
		}
	}
	fmt.Fprintln(w, site.Queues, site.Sched, site.NonPrime, site.Resources, site.Flags)
	if priv := site.SchedPriv; priv != nil {
		fmt.Fprintf(w, "%+v\n", priv.Config)
		for id, depth := range priv.Tree.Preorder() {
			e := priv.Tree.Entity(id)
			fmt.Fprintf(w, "%d %q %d %v\n", depth, e.Name, e.Shares, e.Usage)
		}
	}
}

// UsageRes is a setting on which depends what has to be kept of the logs.
const UsageRes = "sched.fairshare_usage_res"

// SearchedSites returns a site with the settings that all cells of a search have, and one with
// each value of UsageRes that it tries.
func SearchedSites(site *pbs.Site, common, usages []string) ([]*pbs.Site, error) {
	settings := [][]string{common}
	for _, value := range usages {
		settings = append(settings, append(slices.Clip(common), UsageRes+"="+value))
	}
	var sites []*pbs.Site
	for _, of := range settings {
		changed, err := site.WithReplayed(of)
		if err != nil {
			return nil, err
		}
		sites = append(sites, changed)
	}
	return sites, nil
}
