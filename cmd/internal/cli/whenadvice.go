package cli

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/report"
)

// isAdvice reports whether the question is what another request would make of a job.
func (c *whenCmd) isAdvice() bool { return c.Submit != "" || len(c.Try) > 0 }

const needsPlace = "--submit needs to know whose job it is and where: --user NAME --queue NAME"

// asked returns the job that the question is about.
func (c *whenCmd) asked(of forecast.Subject) (forecast.Offer, error) {
	if c.Submit != "" {
		switch {
		case len(c.Job) > 0:
			return nil, fail(exitUsage, "--submit is of a job that is not there yet, and %s is", c.Job[0])
		case len(c.User) != 1:
			return nil, fail(exitUsage, "%s", needsPlace)
		}
		a, err := of.New(c.User[0], c.Queue, c.Submit)
		switch {
		case errors.Is(err, forecast.ErrNowhere):
			return nil, fail(exitUsage, "%s", needsPlace)
		case err != nil:
			return nil, fail(exitUsage, "--submit: %v", err)
		}
		return a, nil
	}
	if len(c.Job) != 1 {
		return nil, fail(exitUsage, "--try needs a job that waits, or --submit RESOURCES")
	}
	ids := of.Waiting()
	if id, ok := forecast.Find(ids, c.Job[0]); ok {
		return of.Offer(id), nil
	}
	return nil, fail(exitUsage, "%s", report.NoSuch("waiting job", c.Job[0], ids))
}

// adviceLine is a change in JSON. Times are in seconds since 1970, null if after the horizon.
type adviceLine struct {
	Change string         `json:"change"` // "" for nothing
	P10    *report.Number `json:"p10"`
	P50    *report.Number `json:"p50"`
	P90    *report.Number `json:"p90"`
	Today  float64        `json:"today"`
	Sooner *report.Number `json:"sooner"` // seconds, on average over the runs; below 0 for later; null if it never starts
	Chance *report.Number `json:"chance"` // what of it chance may be
	Noise  bool           `json:"noise"`
	Never  bool           `json:"never"` // whether it fits on no vnodes of the cluster
	Reason string         `json:"reason"`
}

// advise prints when a job would start that is not there yet, or that asks for something else.
func (c *whenCmd) advise(s *session, of forecast.Subject, o forecast.Options, past *forecast.Backtest, zone *time.Location) error {
	a, err := c.asked(of)
	if err != nil {
		return err
	}
	changes := c.Try
	if len(changes) == 0 {
		changes = a.Sensible()
	}
	f, list, err := forecast.Advise(s.ctx, o, a, changes)
	var none *forecast.NoQueueError
	switch {
	case errors.As(err, &none) || errors.Is(err, forecast.ErrAsk) || errors.Is(err, forecast.ErrRefused):
		return fail(exitUsage, "%v", err)
	case err != nil:
		return s.failed(err)
	}
	s.say(f.Remarks()...)
	s.say(a.Assumed()...)
	s.diag.Note("%s", of.Judges())
	if past != nil {
		for _, advice := range list {
			if advice.Job != nil {
				past.Calibration.Apply(advice.Job, f.At)
			}
		}
		s.say(past.Calibration.Remark())
	}
	today := endOfDay(f.At, zone)
	lines := []adviceLine{}
	for _, l := range list {
		j := l.Job
		if l.Refused != "" {
			lines = append(lines, adviceLine{Change: l.Change, Reason: "refused: " + l.Refused})
			continue
		}
		if j.IsNever() {
			lines = append(lines, adviceLine{Change: l.Change, Never: true, Reason: j.Reason})
			continue
		}
		lines = append(lines, adviceLine{l.Change, unixOrNull(j.Low), unixOrNull(j.Median), unixOrNull(j.High), j.Within(today), report.Optional(math.Round(l.Sooner)), unixOrNull(l.Chance), l.Change != "" && l.IsNoise(), false, j.Reason})
	}
	switch c.Output {
	case "json":
		return s.encode(map[string]any{"at": f.At, "runs": f.Runs, "seed": c.Seed, "learned": f.Past > 0, "notes": s.notes(), "job": list[0].Job.ID, "changes": lines})
	case "csv":
		out := report.NewCSV(s.out)
		out.Write("change", "p10", "p50", "p90", "today", "sooner", "chance", "noise", "reason")
		for _, l := range lines {
			out.Write(l.Change, report.OrEmpty(l.P10), report.OrEmpty(l.P50), report.OrEmpty(l.P90), report.Plain(l.Today), report.OrEmpty(l.Sooner), report.OrEmpty(l.Chance), strconv.FormatBool(l.Noise), l.Reason)
		}
		return out.Flush()
	}
	clock := c.clock(zone)
	table := [][]string{{"WITH", "STARTS ABOUT", "8 OF 10 FROM", "TO", "TODAY", "", "WAITS FOR"}}
	for i, l := range list {
		if l.Refused != "" {
			table = append(table, []string{l.Change, "", "", "", "", "", lines[i].Reason})
			continue
		}
		name, verdict := cmp.Or(l.Change, "as it is"), ""
		if l.Job.IsNever() {
			table = append(table, []string{name, "never", "", "", "", "", l.Job.Reason})
			continue
		}
		if l.Change != "" {
			verdict = verdictOf(l.Shift)
		}
		table = append(table, []string{name, clock(l.Job.Median), clock(l.Job.Low), clock(l.Job.High), fmt.Sprintf("%.0f %%", 100*l.Job.Within(today)), verdict, l.Job.Reason})
	}
	return s.print(report.Table{Rows: table, Right: func(column int) bool { return column == 4 }})
}

// verdictOf says what a change makes of a job.
func verdictOf(shift forecast.Shift) string {
	switch {
	case shift.IsNoise():
		return "no difference that is more than chance"
	case shift.Sooner > 0:
		return fmt.Sprintf("%s sooner (± %s)", report.Duration(shift.Sooner), report.Duration(shift.Chance))
	}
	return fmt.Sprintf("%s later (± %s)", report.Duration(-shift.Sooner), report.Duration(shift.Chance))
}
