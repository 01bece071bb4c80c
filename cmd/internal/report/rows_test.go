package report

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// CSV has the fields that JSON has, and nothing for what is not known.
func TestWriteRows(t *testing.T) {
	type name string
	type whose struct {
		User name `json:"user"`
	}
	type line struct {
		whose
		hidden int
		Notes  []string `json:"-"`
		Rank   *int     `json:"rank,omitempty"`
		At     *int64   `json:"at"`
		Is     bool     `json:"is"`
		Factor float64  `json:"factor"`
		Low    Number   `json:"low"`
		Value  *Number  `json:"value"`
	}
	one, nan := 1, Number(math.NaN())
	lines := []line{
		{whose: whose{"=ann"}, hidden: 1, Rank: &one, Is: true, Factor: 1e-6, Low: 2.5, Value: &nan},
		{Low: nan},
	}
	const want = "user,rank,at,is,factor,low,value\n'=ann,1,,true,1e-06,2.5,nan\n,,,false,0,,\n"
	var out strings.Builder
	if err := WriteRows(&out, slices.Values(lines)); err != nil || out.String() != want {
		t.Errorf("%v\n%s, want\n%s", err, out.String(), want)
	}
	out.Reset()
	if err := WriteRows(&out, slices.Values(lines[:0])); err != nil || out.String() != "user,rank,at,is,factor,low,value\n" {
		t.Errorf("without a line: %v\n%s", err, out.String())
	}
}
