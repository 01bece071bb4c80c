package qstat

import (
	"testing"
	"time"
)

// Times are those of all builds of PBS, and nothing else is one.
func TestParseTime(t *testing.T) {
	zone := time.FixedZone("", 3600)
	for text, want := range map[string]int64{
		"Mon Jul  7 08:00:10 2025":                  1751871610,
		" Mon Jul  7 08:00:10 2025 ":                1751871610,
		"1649348639 (Thu Apr 07 12:23:59 EDT 2022)": 1649348639,
		"1649348639": 1649348639,
		"":           0, "0": 0, "-1": 0, "yesterday": 0, "1649348639 (Thu": 0, "7. Juli 2025": 0, "16493x (Thu Apr 07)": 0,
	} {
		at, ok := ParseTime(text, zone)
		if ok != (want != 0) || ok && at != want {
			t.Errorf("%q: %d, %v", text, at, ok)
		}
	}
}

// When a list was made stands before what it is a list of.
func TestMadeAt(t *testing.T) {
	for text, want := range map[string]int64{
		`{"timestamp":1751880000,"pbs_version":"x","Jobs":{`:        1751880000,
		"\xef\xbb\xbf {\n  \"timestamp\" : 1751880000,\n":           1751880000,
		`{"pbs_version":"x","pbs_server":"s","timestamp":"5","no":`: 5,
		`{"Jobs":{"1.s":{"timestamp":7}}`:                           0,
		`{"timestamp":0,"Jobs":{}}`:                                 0,
		`{"timestamp":"soon","Jobs":{}}`:                            0,
		`{"timestamp":17`:                                           0,
		`[{"timestamp":1751880000}]`:                                0,
		`Job Id: 1.s`:                                               0,
		``:                                                          0,
		`{`:                                                         0,
	} {
		at, ok := MadeAt([]byte(text))
		if ok != (want != 0) || ok && at.Unix() != want {
			t.Errorf("%q: %v, %v", text, at, ok)
		}
	}
}
