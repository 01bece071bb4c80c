package slurmdoor

import (
	"context"
	"io"

	"fairshare/cmd/internal/accounts"
	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/slurmmetrics"
)

// Measure implements site.Measurer.
func (s *Site) Measure(ctx context.Context, p site.Policy, w io.Writer) error {
	if len(p.Settings) > 0 {
		return diag.Requestf("metrics are of a Slurm site as it is: leave out --set")
	}
	at, err := s.read(ctx)
	if err != nil {
		return err
	}
	return slurmmetrics.Write(w, at)
}

// Advice implements site.Adviser.
func (s *Site) Advice(context.Context) ([]string, error) {
	conf, associations, remarks, err := s.origin.Conf()
	s.to.Say(remarks...)
	if err != nil {
		return nil, err
	}
	return conf.Advice(associations), nil
}

// Tree implements site.Sharer.
func (s *Site) Tree(ctx context.Context, _ accounts.Format, settings []string) (site.Tree, error) {
	tree, remarks, err := s.origin.Tree(ctx)
	s.to.Say(remarks...)
	if err == nil && len(settings) > 0 {
		err = diag.Requestf("--set changes the tree of a sched_priv, and no other one")
	}
	return site.Tree{Associations: tree, Format: accounts.Sshare}, err
}

// Collect implements site.Collector.
func (s *Site) Collect(ctx context.Context, c site.Collecting) (site.Snapshot, error) {
	dump, err := s.origin.Dump(ctx)
	if err == nil && c.Obfuscate {
		dump, err = dump.Obfuscated()
	}
	if err != nil {
		return nil, err
	}
	s.to.Say(dump.Remarks...)
	return dump, nil
}
