package cli

import (
	"bytes"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/site"
)

type metricsCmd struct {
	Site string `arg:"" optional:"" help:"A snapshot (.tgz or directory), a sched_priv, a job list (- is standard input), or a folder or .tgz of what the commands of Slurm or flux print. Without it: standard input, or if that is a terminal, the site of this host."`
	Out  string `placeholder:"FILE" help:"Write to FILE, which is replaced in one step, for node_exporter's textfile collector. Without it: standard output."`
	queueFlags
	partitionFlag
}

func (c *metricsCmd) Run(s *session) error {
	names := c.of(c.names(c.Site))
	names.Vnodes = true
	at, policy, err := queueOf[site.Measurer](s, &c.queueFlags, names)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := at.Measure(s.ctx, policy, &text); err != nil {
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
