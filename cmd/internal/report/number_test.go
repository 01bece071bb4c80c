package report_test

import (
	"testing"

	"fairshare/cmd/internal/report"
)

// Large numbers are grouped and without decimals, and what is no number stays.
func TestGrouped(t *testing.T) {
	for text, want := range map[string]string{
		"974399.6 h": "974\u202f400 h", "-174399.4": "-174\u202f399", "+39548": "+39\u202f548", "1000000": "1\u202f000\u202f000", "9999.9": "9999.9", "12345 *": "12\u202f345 *",
		"2026-11-13": "2026-11-13", "12345%": "12345%", "123456:00:00": "123456:00:00", "1e+21": "1e+21", "inf": "inf", "nan": "nan", "-": "-", "": "",
	} {
		if got := report.Grouped(text); got != want {
			t.Errorf("%q is grouped as %q, want %q", text, got, want)
		}
	}
}
