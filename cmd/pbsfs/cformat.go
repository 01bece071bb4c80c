package main

import (
	"math"
	"strconv"
	"strings"

	"fairshare/fstree"
)

// Numbers and names as C's printf writes them.

// whole returns a number as %.0f prints it: half to even, and "inf" and "-nan" (the sign that x86 gives
// every NaN it computes) where there is no number.
func whole(f float64) string { return fixed(f, 0) }

// sixDecimals returns a number as %f prints it.
func sixDecimals(f float64) string { return fixed(f, 6) }

func fixed(f float64, decimals int) string {
	switch {
	case math.IsNaN(f):
		return "-nan"
	case math.IsInf(f, 0):
		return strings.TrimPrefix(strings.ToLower(strconv.FormatFloat(f, 'f', -1, 64)), "+")
	}
	return strconv.FormatFloat(f, 'f', decimals, 64)
}

// percent returns the tree percentage from 0 to 100, multiplied as a C float as
// in PBS.
func percent(e fstree.Entity) float32 { return float32(e.TreePercentage * 100) }

// column returns a name as %-10s prints it, which counts bytes.
func column(name string) string {
	const width = 10
	if len(name) >= width {
		return name
	}
	return name + strings.Repeat(" ", width-len(name))
}
