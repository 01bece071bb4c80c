package metrics

import (
	"math"
	"strings"
	"testing"

	"fairshare/cmd/internal/forecast"
)

// What is later than the forecast looks ahead is infinite, queues of which nothing was checked have no
// sample, and no sample is NaN.
func TestForecasts(t *testing.T) {
	checked := forecast.CheckResult{Name: "workq", Forecast: forecast.Score{N: 4, Error: 2, Before: 1}, Requested: forecast.Score{N: 4, Error: 6}}
	expected := []ExpectedStart{
		{"small", "workq", &forecast.Job{Low: 1100, Median: 1200, High: 1300}},
		{"large", "workq", &forecast.Job{Low: 1100, Median: math.Inf(1), High: math.Inf(1)}},
	}
	for _, past := range []*forecast.Backtest{nil, {Queues: []forecast.CheckResult{checked, {Name: "debug"}}}} {
		var text strings.Builder
		if err := WriteForecasts(&text, &forecast.State{At: 1000, Words: forecast.Words{Scheduler: "pbs", Queue: "queue"}}, expected, past); err != nil {
			t.Fatal(err)
		}
		lines := map[string]bool{}
		for line := range strings.Lines(text.String()) {
			lines[strings.TrimSuffix(line, "\n")] = true
		}
		for _, want := range []string{
			`pbs_forecast_wait_seconds{name="small",queue="workq",quantile="0.5"} 200.0`,
			`pbs_forecast_wait_seconds{name="large",queue="workq",quantile="0.1"} 100.0`,
			`pbs_forecast_wait_seconds{name="large",queue="workq",quantile="0.9"} +Inf`,
			`pbs_forecast_timestamp_seconds 1000.0`, `# EOF`,
		} {
			if !lines[want] {
				t.Errorf("no line %s in\n%s", want, &text)
			}
		}
		for _, want := range []string{
			`pbs_forecast_checked{queue="workq"} 4.0`,
			`pbs_forecast_error_seconds{queue="workq",estimate="forecast"} 1800.0`,
			`pbs_forecast_error_seconds{queue="workq",estimate="requested"} 5400.0`,
			`pbs_forecast_held_ratio{queue="workq"} 0.75`,
		} {
			if lines[want] != (past != nil) {
				t.Errorf("line %s: %v in\n%s", want, lines[want], &text)
			}
		}
		if strings.Contains(text.String(), "NaN") || strings.Contains(text.String(), "debug") {
			t.Errorf("%s", &text)
		}
	}
}

// At a Slurm site families are called after Slurm, and their queues are partitions.
func TestForecastsOfSlurm(t *testing.T) {
	var text strings.Builder
	of := &forecast.State{At: 1000, Words: forecast.Words{Scheduler: "slurm", Queue: "partition"}}
	if err := WriteForecasts(&text, of, []ExpectedStart{{"small", "main", &forecast.Job{Low: 1100, Median: 1200, High: 1300}}}, nil); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), `slurm_forecast_wait_seconds{name="small",partition="main",quantile="0.5"} 200.0`) || strings.Contains(text.String(), "pbs") {
		t.Errorf("%s", &text)
	}
}
