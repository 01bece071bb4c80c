package cli

import (
	"fmt"
	"io"
	"strings"

	"fairshare/cmd/internal/cycle"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/order"
	"fairshare/cmd/internal/qstat"
	"fairshare/cmd/internal/replay"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/site"
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
		return nil, err
	}
	if err := keepAlone(p); err != nil {
		return nil, s.failed(err)
	}
	if err := c.clusterFlags.apply(s, p, zone); err != nil {
		return nil, err
	}
	cycle := *at
	cycle.NonPrime, cycle.Closed = c.NonPrime, nil // the cycle knows the hours itself
	judges, _, err := order.NewPlan(&cycle, order.Options{Static: c.Static, Workers: c.Workers})
	if err != nil {
		return nil, err
	}
	of, remarks, err := forecast.Read(p, &cycle, judges, nil, zone)
	s.say(remarks...)
	if err != nil {
		return nil, s.failed(err)
	}
	standing, err := forecast.Now(s.ctx, of)
	if err != nil {
		return nil, s.failed(err)
	}
	c.standing = byRow(standing)
	list, err := c.readList(s, p, false, plan)
	if err != nil {
		return nil, err
	}
	return makeOrder(s, plan, list)
}

// keepAlone keeps a list of jobs that is no part of a snapshot, since it may be readable once.
func keepAlone(p *site.Place) error {
	if len(p.Jobs) != 1 || p.Jobs[0].Member != "" {
		return nil
	}
	const most = 1 << 30
	text, err := p.Jobs[0].Text(most)
	p.Jobs[0].Open = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
	return err
}

// byRow returns what becomes of jobs by their IDs, of arrays in one.
func byRow(list []forecast.Standing) map[string]forecast.Standing {
	all := map[string]forecast.Standing{}
	starts, waits := map[string]int{}, map[string]string{}
	for _, of := range list {
		all[of.ID] = of
		array, _, isSubjob := qstat.Subjob(of.ID)
		switch {
		case !isSubjob:
			continue
		case of.Starts:
			starts[array]++
		case waits[array] == "":
			waits[array] = of.Reason
		}
		sum := forecast.Standing{ID: array, Starts: starts[array] > 0, Reason: waits[array]}
		if n := starts[array]; n > 0 && waits[array] != "" {
			sum.Reason = fmt.Sprintf("%s would start, the next one waits for %s", report.Count(n, "subjob"), waits[array])
		}
		all[array] = sum
	}
	return all
}

// rightNow says what a cycle right now makes of a job.
func rightNow(of forecast.Standing) string {
	switch {
	case of.ID == "":
		return "-"
	case of.Starts && (of.Reason == replay.StartsNow || of.Reason == ""):
		return "starts"
	case of.Starts, strings.HasPrefix(of.Reason, "held"), strings.HasPrefix(of.Reason, "never"):
		return of.Reason
	}
	return "waits for " + of.Reason
}
