package cli

import (
	"fmt"
	"math"
	"time"

	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/report"
)

// checkRuns is how often each forecast of the past is drawn unless told.
const checkRuns = 24

// past makes forecasts of the site's own past from a time on, and compares them with what came.
func (c *whenCmd) past(s *session, of forecast.Subject, o forecast.Options, since int64) (*forecast.Backtest, error) {
	history, remarks, err := of.History(c.Usage)
	s.say(remarks...)
	if err != nil {
		return nil, s.failed(err)
	}
	p := forecast.Past{Options: o, Since: since}
	p.Runs = c.runs(checkRuns)
	steps := s.progress.begin("moments of the past")
	p.Done = func(done, all int) { steps(float64(done), float64(all)) }
	b, err := forecast.Check(s.ctx, history, p)
	s.progress.end()
	if err != nil {
		return nil, s.failed(err)
	}
	s.say(b.Remarks()...)
	return b, nil
}

// checkedLine is a line of a backtest in JSON.
type checkedLine struct {
	Of         string    `json:"of"` // "all", "queue" or "history"
	Name       string    `json:"name"`
	Forecasts  int       `json:"forecasts"`
	Forecast   scoreLine `json:"forecast"`
	Calibrated scoreLine `json:"calibrated"`
	Requested  scoreLine `json:"requested"`
	Usual      scoreLine `json:"usual"` // as jobs of the queue have waited; of fewer forecasts
}

// scoreLine is how far estimates were off. Errors are in hours.
type scoreLine struct {
	Forecasts int            `json:"forecasts"`
	Error     *report.Number `json:"mean_absolute_error"`
	Bias      *report.Number `json:"bias"`
	Pinball   *report.Number `json:"pinball"`
	Held      *report.Number `json:"held,omitempty"`   // the part that started within the interval, of those and of Missed
	Missed    int            `json:"missed,omitempty"` // others that are proven missed
}

func newScoreLine(of forecast.Score, hasInterval bool) scoreLine {
	n := float64(of.N)
	line := scoreLine{Forecasts: of.N, Missed: of.Missed}
	if hasInterval && of.N+of.Missed > 0 {
		line.Held = report.Optional(of.HeldPart())
	}
	if of.N == 0 {
		return line
	}
	line.Error, line.Bias, line.Pinball = report.Optional(of.MeanError()), report.Optional(of.Bias/n), report.Optional(of.MeanPinball())
	return line
}

// rounded returns rows as programs read them; people read figures that were not rounded before.
func rounded(rows []checkedLine) []checkedLine {
	const most = 1000
	for i := range rows {
		for _, line := range []*scoreLine{&rows[i].Forecast, &rows[i].Calibrated, &rows[i].Requested, &rows[i].Usual} {
			for _, x := range []*report.Number{line.Error, line.Bias, line.Pinball, line.Held} {
				if x != nil {
					*x = report.Number(math.Round(float64(*x)*most) / most)
				}
			}
		}
	}
	return rows
}

// rows yields what a backtest has figures of.
func rowsOf(b *forecast.Backtest) (rows []checkedLine) {
	add := func(of string, list ...forecast.CheckResult) {
		for _, c := range list {
			rows = append(rows, checkedLine{of, c.Name, c.Forecast.N, newScoreLine(c.Forecast, true), newScoreLine(c.Calibrated, true), newScoreLine(c.Requested, false), newScoreLine(c.Usual, false)})
		}
	}
	add("all", b.All)
	add("queue", b.Queues...)
	add("history", b.Histories...)
	return rows
}

// checkedHeads say what the heads of a backtest are.
const checkedHeads = `OFF BY: hours from the middle of a forecast to the start, on average. IN INTERVAL: starts between the times of 8 of 10 cases%s.
LOSS: the pinball loss, which judges the middle and the interval at once; less is better.
CALIBRATED: had each forecast learned from those before it (--calibrated). REQUESTED: the time that comes of the
%s that jobs ask for, if nobody else came. USUAL: had each job waited as those of its %s have.
`

// printCheck prints how good forecasts of the past would have been.
func (c *whenCmd) printCheck(s *session, b *forecast.Backtest, zone *time.Location) error {
	rows := rowsOf(b)
	sentence := b.Sentence(zone)
	if left := b.Left(); left != "" {
		s.diag.Note("%s", left)
	}
	s.diag.Note("the past is made of the logs: %s, holds and %ss that were down are not known, and settings and shares are those of today", b.Words.Unlogged, b.Words.Node)
	switch c.Output {
	case "json":
		return s.encode(map[string]any{"moments": b.Moments, "untold": b.Untold, "missed": b.All.Forecast.Missed, "figures": rounded(rows), "sentence": sentence, "notes": s.notes()})
	case "csv":
		out := report.NewCSV(s.out)
		out.Write("of", "name", "estimate", "forecasts", "mean_absolute_error", "bias", "pinball", "held", "missed")
		for _, row := range rounded(rows) {
			for _, e := range []struct {
				name string
				scoreLine
			}{{"forecast", row.Forecast}, {"calibrated", row.Calibrated}, {"requested", row.Requested}, {"usual", row.Usual}} {
				out.Write(row.Of, row.Name, e.name, report.Plain(float64(e.Forecasts)), report.OrEmpty(e.Error), report.OrEmpty(e.Bias), report.OrEmpty(e.Pinball), report.OrEmpty(e.Held), report.Plain(float64(e.Missed)))
			}
		}
		return out.Flush()
	}
	decimals := func(x *report.Number, digits int, unit string, factor float64) string {
		if x == nil {
			return "-"
		}
		return report.Decimals(factor*float64(*x), digits) + unit
	}
	table := [][]string{{"", "FORECASTS", "OFF BY", "IN INTERVAL", "LOSS", "CALIBRATED OFF BY", "CALIBRATED IN INTERVAL", "CALIBRATED LOSS", "REQUESTED OFF BY", "REQUESTED LOSS", "USUAL OFF BY"}}
	titles := map[string]string{"all": "", "queue": b.Words.Queue + " ", "history": "logs of "}
	for _, row := range rows {
		cells := []string{titles[row.Of] + row.Name, report.Plain(float64(row.Forecasts))}
		for _, of := range []scoreLine{row.Forecast, row.Calibrated} {
			cells = append(cells, decimals(of.Error, 1, " h", 1), decimals(of.Held, 0, " %", 100), decimals(of.Pinball, 2, " h", 1))
		}
		table = append(table, append(cells, decimals(row.Requested.Error, 1, " h", 1), decimals(row.Requested.Pinball, 2, " h", 1), decimals(row.Usual.Error, 1, " h", 1)))
	}
	if err := s.print(report.Table{Rows: table, Right: func(column int) bool { return column > 0 }}); err != nil {
		return err
	}
	counts := ""
	if b.All.Forecast.Missed > 0 {
		counts = ", of these forecasts and those proven missed"
	}
	_, err := fmt.Fprintf(s.out, "\n%s\n%s\n\n%s", sentence, b.Reach(), fmt.Sprintf(checkedHeads, counts, b.Words.Limits, b.Words.Queue))
	return err
}
