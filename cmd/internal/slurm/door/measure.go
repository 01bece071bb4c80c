package door

import (
	"context"
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
	"fairshare/cmd/internal/slurm/setup"
)

// Measure implements site.Measurer.
func (s *Site) Measure(ctx context.Context, p site.Policy, w io.Writer) error {
	if len(p.Settings) > 0 {
		return diag.Requestf("metrics are of a Slurm site as it is: leave out --set")
	}
	printed, err := s.printed(ctx, dump.ForForecast)
	if err != nil {
		return err
	}
	at, err := order.New(printed)
	s.to.Say(at.Remarks...)
	if err != nil {
		return err
	}
	return metrics.Write(w, at, s.nodes(printed))
}

// nodes returns the nodes of a site, nil where it does not tell them, which is said.
func (s *Site) nodes(printed *dump.Dump) *nodes.Machine {
	now, _, err := order.ReadNow(printed, slurm.OnRoom, time.UTC)
	var m *nodes.Machine
	if err == nil {
		m, _, err = slurmnodes.Read(now, time.UTC, nodes.Question{})
	}
	if err != nil {
		s.to.Say(diag.Notef("what the nodes have is left out: %v", err))
		return nil
	}
	return m
}

// Advice implements site.Adviser.
func (s *Site) Advice(ctx context.Context) (wrong, advice []string, err error) {
	dump, err := s.printed(ctx, dump.ForOrder)
	if err != nil {
		return nil, nil, err
	}
	conf, associations, remarks, err := dump.Advised()
	s.to.Say(remarks...)
	if err != nil {
		return nil, nil, err
	}
	for _, line := range conf.Unread {
		wrong = append(wrong, line.Error())
	}
	return slices.Concat(wrong, conf.Unknown, setup.Unknown(dump.Config, dump.Where), setup.UnknownQOS(conf, dump)), conf.Advice(associations), nil
}

// Tree implements site.Sharer.
func (s *Site) Tree(ctx context.Context, _ accounts.Format, settings []string) (site.Tree, error) {
	shares, err := s.shares(ctx)
	if err == nil && len(settings) > 0 {
		err = diag.Requestf("--set changes the tree of a sched_priv, and no other one")
	}
	if err == nil {
		s.to.Say(accounts.Fit(shares.Swept, shares.Printed)...)
	}
	return site.Tree{Associations: shares.Tree, Format: accounts.Sshare}, err
}

// shares returns the tree, of a folder or an archive without the rest of the site and with what else is told of its shares, and
// says what there is to say of it.
func (s *Site) shares(ctx context.Context) (dump.Shares, error) {
	if s.dump != nil {
		shares, remarks, err := s.dump.WholeTree()
		s.to.Say(remarks...)
		return shares, err
	}
	at, err := s.read(ctx)
	switch {
	case err != nil:
		return dump.Shares{}, err
	case at.Tree == nil:
		return dump.Shares{}, &dump.MissingError{Name: at.Name, What: "a whole tree: sshare -a -l -P prints it"}
	}
	return dump.Shares{Tree: at.Tree}, nil
}

// Collect implements site.Collector.
func (s *Site) Collect(ctx context.Context, c site.Collecting) (site.Snapshot, error) {
	dump, err := s.printed(ctx, dump.ForAll)
	if err == nil {
		err = dump.TakeRecord()
	}
	if err == nil && c.Obfuscate {
		dump, err = obfuscate.Copy(dump, c.Shift)
	}
	if err != nil {
		return nil, err
	}
	s.to.Say(dump.Remarks...)
	return dump, nil
}
