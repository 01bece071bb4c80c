package door

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"fairshare/cmd/internal/accounts"
	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/nodes"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/metrics"
	slurmnodes "fairshare/cmd/internal/slurm/nodes"
	"fairshare/cmd/internal/slurm/obfuscate"
	"fairshare/cmd/internal/slurm/order"
	"fairshare/cmd/internal/slurm/set"
)

// Measure implements site.Measurer.
func (s *Site) Measure(ctx context.Context, p site.Policy, w io.Writer) error {
	if len(p.Settings) > 0 {
		return diag.Requestf("metrics are of a Slurm site as it is: leave out --set")
	}
	printed, err := s.printed(ctx, dump.ForNow)
	if err != nil {
		return err
	}
	at, err := s.order(printed)
	if err != nil {
		return err
	}
	return metrics.Write(w, at, s.nodes(ctx, printed))
}

// nodes returns the nodes of a site, nil where it does not tell them, which is said.
func (s *Site) nodes(ctx context.Context, printed *dump.Dump) *nodes.Machine {
	now, _, err := s.now(printed, slurm.OnRoom, time.UTC)
	var m *nodes.Machine
	if err == nil {
		m, _, err = slurmnodes.Read(ctx, now, time.UTC, nodes.Question{})
	}
	if err != nil {
		s.to.Say(diag.Notef("what the nodes have is left out: %v", err))
		return nil
	}
	return m
}

// Tree implements site.Sharer.
func (s *Site) Tree(ctx context.Context, _ accounts.Format, settings []string) (site.Tree, error) {
	if len(settings) > 0 {
		return s.treeUnder(ctx, settings)
	}
	if s.dump == nil { // there is a configuration, which says how the factors are computed
		at, err := s.read(ctx)
		switch {
		case err != nil:
			return site.Tree{}, err
		case at.Tree == nil && at.Cut() != nil:
			return site.Tree{}, at.Cut()
		case at.Tree == nil:
			return site.Tree{}, noTree(at.Name)
		}
		s.to.Say(at.Newer()...)
		return sharesOf(at), nil
	}
	shares, remarks, err := s.dump.WholeTree()
	s.to.Say(remarks...)
	if err != nil {
		return site.Tree{}, err
	}
	own, remarks := accounts.Fit(shares.Swept, shares.Printed)
	s.to.Say(slices.Concat(remarks, shares.SayNewer())...)
	return site.Tree{Associations: shares.Swept, Format: accounts.Sshare, Own: own}, nil
}

// sharesOf returns the tree of a site, of which the configuration says how its factors are computed.
func sharesOf(at *order.Site) site.Tree {
	tree := site.Tree{Associations: at.Tree, Format: accounts.Sshare}
	if at.LacksConf() == "" {
		tree.Own = accounts.Own{Algorithm: at.Conf.Algorithm().Name, Damping: at.Conf.DampFactor}
	}
	return tree
}

// noTree says that a site has no whole shares tree.
func noTree(name string) error {
	return &dump.MissingError{Name: name, What: dump.WholeTree}
}

// treeUnder returns the tree as settings make it.
func (s *Site) treeUnder(ctx context.Context, settings []string) (site.Tree, error) {
	own, err := s.read(ctx)
	if err != nil {
		return site.Tree{}, fmt.Errorf("--set needs a whole site: %w", err)
	}
	if s.dump != nil { // the usage of which the tree without settings is
		shares, swept := s.dump.Shares(), *own
		own, swept.Tree = &swept, shares.Swept
		s.to.Say(shares.SayNewer()...)
	}
	changed, changes, err := set.With(own, settings)
	switch {
	case err != nil:
		return site.Tree{}, err
	case own.Tree == nil:
		return site.Tree{}, noTree(own.Name)
	}
	for _, c := range changes {
		if alone, _, err := set.With(own, []string{c.Name + "=" + c.Value}); err == nil && alone.Tree == own.Tree && !c.IsSame {
			return site.Tree{}, diag.Requestf("--set %s=%s changes no shares and no usage: ACCOUNT.shares, USER.shares, ACCOUNT/USER.shares and ACCOUNT/USER.usage do", c.Name, c.Value)
		}
		s.to.Say(c.Remark())
	}
	return sharesOf(changed), nil
}

// Collect implements site.Collector.
func (s *Site) Collect(ctx context.Context, c site.Collecting) (site.Snapshot, error) {
	d := s.dump
	var err error
	switch {
	case d == nil:
		d, err = dump.Ask(ctx, s.run, time.Now, dump.ForAll, c.Days)
	case c.Days > 0:
		err = diag.Requestf("--logs asks sacct on a host of the cluster: of %s, all tables of sacct that it has are taken", d.Name)
	}
	if err == nil {
		err = d.TakeRecord()
	}
	if err == nil && c.Obfuscate {
		d, err = obfuscate.Copy(d, c.Shift)
	}
	if err != nil {
		return nil, err
	}
	s.to.Say(d.Remarks...)
	return d, nil
}
