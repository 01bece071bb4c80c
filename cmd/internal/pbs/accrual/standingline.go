package accrual

import (
	"math"

	"fairshare/cmd/internal/report"
)

// StandingLine is a Standing as JSON and CSV have it. Times are in seconds since 1970; what never
// comes is null.
type StandingLine struct {
	Name    string         `json:"name"`
	IsGroup bool           `json:"is_group"`
	Usage   report.Number  `json:"usage"`
	Share   *report.Number `json:"share"`
	Target  report.Number  `json:"target"`
	Rate    report.Number  `json:"usage_per_day"`
	Half    *int64         `json:"half_at"`
	Stopped *int64         `json:"target_at_if_it_stops"`
	GoingOn *int64         `json:"target_at_if_all_go_on"`
	Ahead   report.Number  `json:"usage_ahead_if_it_stops"`
	Shares  int32          `json:"shares"`
	Fitting *report.Number `json:"fitting_shares"`
}

// Line returns what JSON and CSV say of a Standing that is that of a time.
func (s Standing) Line(now int64) StandingLine {
	const secondsOfDay = 86400
	at := func(seconds float64) *int64 {
		if math.IsNaN(seconds) || seconds > math.MaxInt32 {
			return nil
		}
		when := now + int64(math.Ceil(seconds))
		return &when
	}
	return StandingLine{
		s.Name, s.IsGroup, report.Number(s.Usage), report.Optional(s.Part), report.Number(s.Target), report.Number(s.Rate * secondsOfDay),
		at(s.Half), at(s.Stopped), at(s.GoingOn), report.Number(s.Ahead), s.Shares, report.Optional(s.Fitting),
	}
}
