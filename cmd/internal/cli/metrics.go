package cli

import (
	"bytes"
	"cmp"
	"errors"
	"io"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/order"
	"fairshare/cmd/internal/pbsmetrics"
	"fairshare/cmd/internal/slurmmetrics"
)

type metricsCmd struct {
	Site string `arg:"" optional:"" help:"A snapshot (.tgz or directory), a sched_priv, a job list (- is standard input), or a folder or .tgz of what the commands of Slurm print. Without it: standard input, or if that is a terminal, the PBS complex of this host."`
	Out  string `placeholder:"FILE" help:"Write to FILE, which is replaced in one step, for node_exporter's textfile collector. Without it: standard output."`
	queueFlags
}

func (c *metricsCmd) Run(s *session) error {
	if err := c.check(); err != nil {
		return err
	}
	p, err := s.find(c.names(c.Site), true)
	if err != nil {
		at, err := s.slurmInstead(cmp.Or(c.Site, c.Snapshot), c.siteFlags, err)
		if err != nil {
			return err
		}
		if c.Formula != "" || c.File != "" || len(c.Set) > 0 {
			return fail(exitUsage, "Slurm has no job_sort_formula: leave out -f, -F and --set")
		}
		return c.write(func(w io.Writer) error { return slurmmetrics.Write(w, at) }, s)
	}
	site, err := c.siteOf(s, p)
	if err != nil {
		return err
	}
	plan, err := c.plan(s, site)
	if errors.Is(err, order.ErrNoTree) {
		s.diag.Warning("the formula in force has fairshare terms, and there is no fairshare tree: ranks and the tree are left out (%s)", collectHint)
		plan, _, err = order.NewPlan(site, order.Options{Static: c.Static, Workers: c.Workers, Unordered: true})
	}
	if err != nil {
		return err
	}
	options := order.ListOptions(plan)
	options.Columns = append(options.Columns, pbsmetrics.Column)
	list, err := c.readListWith(s, p, options)
	if err != nil {
		return err
	}
	o, err := makeOrder(s, plan, list)
	if err != nil {
		return err
	}
	tree := o.Tree
	if !site.HasTree() {
		tree = nil
	}
	return c.write(func(w io.Writer) error { return pbsmetrics.Write(w, tree, o, p.Taken) }, s)
}

// write writes metrics to where they are asked for.
func (c *metricsCmd) write(all func(io.Writer) error, s *session) error {
	var text bytes.Buffer
	if err := all(&text); err != nil {
		return err
	}
	if c.Out == "" {
		_, err := s.out.Write(text.Bytes())
		return err
	}
	if err := file.Replace(c.Out, text.Bytes()); err != nil {
		return fail(exitUnreadable, "cannot write the metrics: %w", err)
	}
	return nil
}
