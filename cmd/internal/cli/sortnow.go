package cli

import (
	"cmp"
	"io"
	"strings"

	"fairshare/cmd/internal/cycle"
	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/order"
	"fairshare/cmd/internal/pbsforecast"
	"fairshare/cmd/internal/pbssite"
)

// nowLine is a job with what a cycle right now would make of it.
type nowLine struct {
	order.Line
	DecidedBy *cycle.Key `json:"decided_by,omitempty"` // with --why
	Starts    bool       `json:"starts_now"`
	WaitsFor  string     `json:"waits_for"`
}

// now returns the order of the jobs that the flags and the argument name, and keeps what one cycle
// right now makes of each.
func (c *sortCmd) now(s *session) (*order.Order, error) {
	zone, err := moment.Zone(c.TZ)
	if err != nil {
		return nil, err
	}
	p, at, plan, err := c.open(s, c.clusterFlags.names(c.queueFlags.names(c.Site)), true)
	if err != nil {
		return nil, onlyPBS(err, cmp.Or(c.Site, c.Snapshot), "--now is for PBS; without it, formula sort shows what Slurm's jobs wait for")
	}
	if err := keepAlone(p); err != nil {
		return nil, s.failed(err)
	}
	if err := c.clusterFlags.apply(s, p, zone); err != nil {
		return nil, err
	}
	cycle := *at
	cycle.NonPrime, cycle.Closed = c.NonPrime, nil // the cycle knows the hours itself
	logs, _ := s.logsOf(p, c.TZ)                   // in which reservations are looked for, and nothing else
	standing, remarks, err := pbsforecast.Judge(s.ctx, p, &cycle, logs, order.Options{Static: c.Static, Workers: c.Workers}, zone)
	s.say(remarks...)
	if err != nil {
		return nil, s.failed(err)
	}
	c.standing = standing
	list, err := c.readList(s, p, false, plan)
	if err != nil {
		return nil, err
	}
	return makeOrder(s, plan, list)
}

// keepAlone keeps a list of jobs that is no part of a snapshot, since it may be readable once.
func keepAlone(p *pbssite.Place) error {
	if len(p.Jobs) != 1 || p.Jobs[0].Member != "" {
		return nil
	}
	const most = 1 << 30
	text, err := p.Jobs[0].Text(most)
	p.Jobs[0].Open = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
	return err
}
