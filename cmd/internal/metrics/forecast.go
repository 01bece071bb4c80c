package metrics

import (
	"io"
	"slices"

	"fairshare/cmd/internal/forecast"
)

// ExpectedStart is when a typical job would start that is submitted now.
type ExpectedStart struct {
	Name, Queue string
	Job         *forecast.Job
}

// forecastSource is what metrics of forecasts are made of.
type forecastSource struct {
	at       int64
	expected []ExpectedStart
	past     *forecast.Backtest // nil for none
}

// ofForecasts are the families of forecasts, in the order in which they are written, without the name of the scheduler before each.
var ofForecasts = []Metric[*forecastSource]{
	{Name: "forecast_wait_seconds", Help: "How long a typical job would wait that is submitted now: the time in the middle (quantile 0.5), and between which it starts in 8 of 10 cases. +Inf is later than what was looked ahead.", Unit: "seconds", Labels: []string{"name", "queue", "quantile"}, Samples: func(s *forecastSource, add func(float64, ...string)) {
		for _, e := range s.expected {
			for _, of := range []struct {
				quantile string
				at       float64
			}{{"0.1", e.Job.Low}, {"0.5", e.Job.Median}, {"0.9", e.Job.High}} {
				add(of.at-float64(s.at), e.Name, e.Queue, of.quantile)
			}
		}
	}},
	{Name: "forecast_checked", Help: "Forecasts that were made again of the last day and compared with what came, for jobs that waited then.", Labels: []string{"queue"}, Samples: ofChecked(func(c forecast.CheckResult, add func(float64, ...string)) { add(float64(c.Forecast.N)) })},
	{Name: "forecast_error_seconds", Help: "By how much they were off: the mean absolute error of the time in the middle (forecast), and of the estimate by requested walltimes (requested).", Unit: "seconds", Labels: []string{"queue", "estimate"}, Samples: ofChecked(func(c forecast.CheckResult, add func(float64, ...string)) {
		const hour = 3600
		add(c.Forecast.MeanError()*hour, "forecast")
		add(c.Requested.MeanError()*hour, "requested")
	})},
	{Name: "forecast_held_ratio", Help: "Part of them whose job started within the interval for 8 of 10 cases, beside them those counted that are proven missed since the job still waited at its end.", Unit: "ratio", Labels: []string{"queue"}, Samples: ofChecked(func(c forecast.CheckResult, add func(float64, ...string)) {
		add(c.Forecast.HeldPart())
	})},
	{Name: "forecast_timestamp_seconds", Help: "The time of the list from which the forecasts are made, in seconds since 1970.", Unit: "seconds", Samples: func(s *forecastSource, add func(float64, ...string)) { add(float64(s.at)) }},
}

// ofChecked returns a family of the queues of which forecasts were checked.
func ofChecked(samples func(c forecast.CheckResult, add func(float64, ...string))) func(*forecastSource, func(float64, ...string)) {
	return func(s *forecastSource, add func(float64, ...string)) {
		if s.past == nil {
			return
		}
		for _, c := range s.past.Queues {
			if c.Forecast.N > 0 {
				samples(c, func(value float64, labels ...string) { add(value, append([]string{c.Name}, labels...)...) })
			}
		}
	}
}

// WriteForecasts writes when typical jobs of a site would start, and how good the forecasts of the last day
// are, which may be nil. Names begin with that of the site's scheduler, and queues are called as it does.
func WriteForecasts(w io.Writer, of *forecast.State, expected []ExpectedStart, past *forecast.Backtest) error {
	from := &forecastSource{of.At, expected, past}
	var list []Metric[*forecastSource]
	for _, m := range ofForecasts {
		m.Name, m.Labels = of.Words.Scheduler+"_"+m.Name, slices.Clone(m.Labels)
		if i := slices.Index(m.Labels, "queue"); i >= 0 {
			m.Labels[i] = of.Words.Queue
		}
		list = append(list, m)
	}
	return Write(w, list, from)
}
