package cli

import (
	"bytes"
	"errors"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/metrics"
)

// typical reads the jobs of --typical, as a site takes them.
func (c *whenCmd) typical(of forecast.Subject) ([]forecast.Typical, error) {
	const most = 1 << 20
	text, err := file.At(c.Typical).Text(most)
	if err != nil {
		return nil, fail(exitUnreadable, "--typical: %w", err)
	}
	list, err := forecast.ParseTypical(text, of)
	if err != nil {
		return nil, fail(exitUsage, "--typical %s: %w", c.Typical, err)
	}
	return list, nil
}

// writeMetrics writes when the typical jobs of a site would start, and how good its forecasts of the last
// day are. What cannot be told is left out and said, so that one job does not hide the others.
func (c *whenCmd) writeMetrics(s *session, of forecast.Subject, o forecast.Options) error {
	const day = 24 * 3600
	list, err := c.typical(of)
	if err != nil {
		return err
	}
	var expected []metrics.ExpectedStart
	taken := 0 // jobs that the site takes
	steps := s.progress.begin("jobs")
	for i, typical := range list {
		steps(float64(i), float64(len(list)))
		f, advice, err := forecast.Advise(s.ctx, o, typical.Offer, nil)
		var none *forecast.NoQueueError
		switch {
		case errors.As(err, &none) || errors.Is(err, forecast.ErrAsk) || errors.Is(err, forecast.ErrRefused):
			s.diag.Warning("%s is left out: %v", typical.Name, err)
			continue
		case err != nil:
			return s.failed(err)
		}
		if taken == 0 {
			s.say(f.Remarks()...)
		}
		s.say(typical.Offer.Assumed()...)
		taken++
		if unmodelled := advice[0].Job.Unmodelled; f.Unordered != "" || unmodelled != nil { // as no interval is told of such a job elsewhere
			if unmodelled != nil {
				s.diag.Warning("%s is left out: %s is not modelled, for which it may start later", typical.Name, strings.Join(unmodelled, ", "))
			}
			continue
		}
		expected = append(expected, metrics.ExpectedStart{Name: typical.Name, Queue: typical.Queue, Job: advice[0].Job})
	}
	if taken == 0 {
		s.say(diag.Damagef("%s has no job that the site takes: nothing is told of how long jobs would wait", c.Typical))
	}
	steps(float64(len(list)), float64(len(list)))
	st, _ := of.Begin()
	past, err := c.past(s, of, o, st.At-day)
	switch {
	case err != nil && (errors.Is(err, forecast.ErrNoPast) || errors.Is(err, forecast.ErrShortPast)):
		s.diag.Note("how good the forecasts of the last day are is left out: %v", err)
	case err != nil:
		return err
	}
	if s.ctx.Err() != nil { // metrics of the last time are better than those of a part
		return s.ctx.Err()
	}
	var text bytes.Buffer
	if err := metrics.WriteForecasts(&text, st, expected, past); err != nil {
		return err
	}
	if err := file.Replace(c.Metrics, text.Bytes()); err != nil {
		return fail(exitUnreadable, "cannot write the metrics: %w", err)
	}
	return nil
}
