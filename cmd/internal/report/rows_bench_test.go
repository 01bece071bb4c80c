package report_test

import (
	"io"
	"slices"
	"testing"

	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/workshop"
)

// BenchmarkRows says how the cost of a table grows with its rows.
func BenchmarkRows(b *testing.B) {
	type inner struct {
		Rank  *int          `json:"rank"`
		Share report.Number `json:"share"`
		Level report.Number `json:"level"`
	}
	type line struct {
		Name string        `json:"name"`
		Raw  any           `json:"raw"`
		Used report.Number `json:"used"`
		inner
	}
	workshop.Growth(b, []int{2_500, 5_000, 10_000}, func(b *testing.B, rows int) func() any {
		list := make([]line, rows)
		for i := range list {
			list[i] = line{"user", report.Number(i), report.Number(i) / 7, inner{&i, 0.25, report.Number(i) / 3}}
		}
		return func() any {
			if err := report.WriteRows(io.Discard, slices.Values(list)); err != nil {
				b.Fatal(err)
			}
			return nil
		}
	})
}
