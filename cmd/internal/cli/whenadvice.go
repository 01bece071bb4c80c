package cli

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/report"
)

// isAdvice reports whether the question is what another request would make of a job.
func (c *whenCmd) isAdvice() bool { return c.Submit != "" || len(c.Try) > 0 }

// needsPlace says what a job that is not there yet needs.
func needsPlace(of forecast.Subject) error {
	st, _ := of.Begin()
	return fail(exitUsage, "--submit needs to know whose job it is and where: --user NAME --%s NAME", st.Words.Queue)
}

// asked returns the job that the question is about.
func (c *whenCmd) asked(of forecast.Subject) (forecast.Offer, error) {
	if c.Submit != "" {
		switch {
		case len(c.Job) > 0:
			return nil, fail(exitUsage, "--submit is of a job that is not there yet, and %s is", c.Job[0])
		case len(c.User) != 1:
			return nil, needsPlace(of)
		}
		a, err := of.New(c.User[0], c.Queue, c.Submit)
		switch {
		case errors.Is(err, forecast.ErrNowhere):
			return nil, needsPlace(of)
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
	By     *report.Number `json:"by,omitempty"` // the part of the runs in which it starts by the time that was given
	Sooner *report.Number `json:"sooner"`       // seconds, on average over the runs; below 0 for later; null if it never starts
	Chance *report.Number `json:"chance"`       // what of it chance may be
	Noise  bool           `json:"noise"`
	Never  bool           `json:"never"`           // whether it fits on no vnodes of the cluster
	Nodes  []whereLine    `json:"nodes,omitempty"` // with --where: the most frequent first
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
		s.say(past.Remark())
	}
	deadline, err := c.deadline(f, zone)
	if err != nil {
		return err
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
		line := adviceLine{
			Change: l.Change, P10: unixOrNull(j.Low), P50: unixOrNull(j.Median), P90: unixOrNull(j.High), Today: j.Within(today),
			Sooner: report.Optional(math.Round(l.Sooner)), Chance: unixOrNull(l.Chance), Noise: l.Change != "" && l.IsNoise(), Nodes: whereLines(j), Reason: j.Reason,
		}
		if deadline > 0 {
			line.By = report.Optional(j.Within(deadline))
		}
		lines = append(lines, line)
	}
	switch c.Output {
	case "json":
		return s.encode(map[string]any{"at": f.At, "runs": f.Runs, "seed": c.Seed, "learned": f.Past > 0, "notes": s.notes(), "job": list[0].Job.ID, "changes": lines})
	case "csv":
		out := report.NewCSV(s.out)
		header := []string{"change", "p10", "p50", "p90", "today", "sooner", "chance", "noise", "reason"}
		if deadline > 0 {
			header = append(header, "by")
		}
		if c.Where {
			header = append(header, "nodes")
		}
		out.Write(header...)
		for i, l := range lines {
			cells := []string{l.Change, report.OrEmpty(l.P10), report.OrEmpty(l.P50), report.OrEmpty(l.P90), report.Plain(l.Today), report.OrEmpty(l.Sooner), report.OrEmpty(l.Chance), strconv.FormatBool(l.Noise), l.Reason}
			if deadline > 0 {
				cells = append(cells, report.OrEmpty(l.By))
			}
			switch {
			case c.Where && list[i].Job != nil:
				cells = append(cells, nodesOf(list[i].Job))
			case c.Where:
				cells = append(cells, "")
			}
			out.Write(cells...)
		}
		return out.Flush()
	}
	clock := c.clock(zone)
	const beforeVerdict, beforeReason = 5, 6
	header := []string{"WITH", "STARTS ABOUT", "8 OF 10 FROM", "TO", "TODAY", "", "WAITS FOR"}
	if c.Where {
		header = slices.Insert(header, beforeReason, strings.ToUpper(f.Words.Node)+"S")
	}
	if deadline > 0 {
		header = slices.Insert(header, beforeVerdict, "BY "+strings.ToUpper(clock(deadline)))
	}
	table := [][]string{header}
	for i, l := range list {
		cells := []string{cmp.Or(l.Change, "as it is"), "", "", "", "", "", lines[i].Reason}
		nodes, by := "", ""
		switch {
		case l.Refused != "":
		case l.Job.IsNever():
			cells[1] = "never"
		default:
			copy(cells[1:], []string{clock(l.Job.Median), clock(l.Job.Low), clock(l.Job.High), likely(l.Job.Within(today))})
			if nodes = likelyNodes(l.Job); l.Change != "" {
				cells[beforeVerdict] = verdictOf(l.Shift)
			}
			by = likely(l.Job.Within(deadline))
		}
		if c.Where {
			cells = slices.Insert(cells, beforeReason, nodes)
		}
		if deadline > 0 {
			cells = slices.Insert(cells, beforeVerdict, by)
		}
		table = append(table, cells)
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
