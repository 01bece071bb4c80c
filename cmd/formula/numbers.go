package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"fairshare/cmd/internal/report"
	"fairshare/formula"
)

// This file has all ways in which outputs write numbers.

// plain is a number without an exponent.
func plain(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// digits is a fraction as people read it: six significant digits.
func digits(x report.Number) string {
	if f := float64(x); math.IsInf(f, 0) || math.IsNaN(f) {
		return number(f, 64)
	}
	return strconv.FormatFloat(float64(x), 'g', 6, 64)
}

// short is a value in at most six digits.
func short(x *report.Number) string {
	if x == nil {
		return "-"
	}
	return digits(*x)
}

// known is a number, "" when there is none.
func known(x *report.Number) string {
	if x == nil {
		return ""
	}
	return number(float64(*x), 64)
}

// whole is a number as sprio prints it, without decimals.
func whole(x float64) string { return strconv.FormatFloat(x, 'f', 0, 64) }

// rankText is a rank or a change of it, "" for none.
func rankText(n *int) string {
	if n == nil {
		return ""
	}
	return strconv.Itoa(*n)
}

// usageText is usage as a table has it: whole, or short where it is huge.
func usageText(x float64) string {
	if x >= 1e16 {
		return strconv.FormatFloat(x, 'g', 6, 64)
	}
	return strconv.FormatFloat(x, 'f', 0, 64)
}

// sixDecimals is a number as Slurm prints it.
func sixDecimals(x *report.Number) string {
	switch {
	case x == nil:
		return ""
	case math.IsInf(float64(*x), 1):
		return "inf"
	}
	return strconv.FormatFloat(float64(*x)+0, 'f', 6, 64) // no -0
}

func dash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// float is a C float with no more digits than it has.
func float(f float32) report.Number {
	x, err := strconv.ParseFloat(strconv.FormatFloat(float64(f), 'g', -1, 32), 64)
	if err != nil {
		return report.Number(f)
	}
	return report.Number(x)
}

// number prints a float as shortly as it reads back.
func number(f float64, bits int) string {
	s := strings.ToLower(strconv.FormatFloat(f, 'g', -1, bits))
	return strings.TrimPrefix(s, "+")
}

// brief is a value in at most 20 characters.
func brief(value string) string {
	const most = 20
	if utf8.RuneCountInString(value) <= most {
		return value
	}
	if f, err := strconv.ParseFloat(value, 64); err == nil {
		return strconv.FormatFloat(f, 'g', 12, 64)
	}
	return string([]rune(value)[:most-1]) + "…"
}

// shortened is a value without the digits that nobody reads.
func shortened(v formula.Value) string {
	const most = 40
	text := v.String()
	if len(text) > most {
		return fmt.Sprintf("%s… (%d characters)", text[:most], len(text))
	}
	return text
}
