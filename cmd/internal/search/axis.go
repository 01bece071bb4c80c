package search

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pattern"
)

// mostCells is the largest number of cells that a search may have.
const mostCells = 100_000

// Axis is a name that takes several values in a search.
type Axis struct {
	Name      string
	Values    []string
	IsSetting bool // such as server.backfill_depth, and not a name in the formula, such as W1
}

// ParseAxis returns the axis that a text is: NAME=VALUE,VALUE,… or NAME=FROM:TO:STEP. setting returns
// the whole name of a setting, and whether a name is that of one. Its errors are *diag.RequestError.
func ParseAxis(text string, setting func(name string) (whole string, isSetting bool)) (Axis, error) {
	name, values, ok := strings.Cut(text, "=")
	name = strings.TrimSpace(name)
	wrong := func(detail string) (Axis, error) {
		return Axis{}, diag.Requestf("--vary %s: %s; expected NAME=VALUE,VALUE or NAME=FROM:TO:STEP", text, detail)
	}
	var a Axis
	a.Name, a.IsSetting = setting(name)
	switch {
	case !ok || name == "" || values == "":
		return wrong("a name or its values are missing")
	case !a.IsSetting && !isName().MatchString(name):
		return wrong(strconv.Quote(name) + " is no name that a formula can have")
	}
	a.Values, ok = span(values)
	if !ok || a.IsSetting && len(a.Values) < 2 && isLength().MatchString(values) {
		a.Values = nil
		for value := range strings.SplitSeq(values, ",") {
			a.Values = append(a.Values, strings.TrimSpace(value))
		}
	}
	if len(a.Values) == 0 || len(a.Values) > mostCells {
		return wrong(fmt.Sprintf("these are no values, or more than %d", mostCells))
	}
	seen := map[string]bool{}
	for _, value := range a.Values {
		x, err := strconv.ParseFloat(value, 64)
		isNumber := err == nil && !math.IsInf(x, 0) && x == x
		if value == "" || !isNumber && !a.IsSetting {
			return wrong(strconv.Quote(value) + " is no number")
		}
		key := value
		if isNumber {
			key = strconv.FormatFloat(x, 'g', -1, 64)
		}
		if seen[key] {
			return wrong(value + " is given twice")
		}
		seen[key] = true
	}
	return a, nil
}

// isName matches the names that a formula can have.
var isName = pattern.Of(`^[A-Za-z_][A-Za-z0-9_]*$`)

// isLength matches a time as 24:00:00, which is a span only where that has several values.
var isLength = pattern.Of(`^[0-9]+:[0-5][0-9]:[0-5][0-9]$`)

// span returns the values of FROM:TO:STEP with as many decimals as the numbers have, and
// whether the text is of that form. TO is one of the values if a step hits it.
func span(text string) (values []string, ok bool) {
	parts := strings.Split(text, ":")
	if len(parts) != 3 {
		return nil, false
	}
	var numbers [3]float64
	decimals := 0
	for i, part := range parts {
		x, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil || math.IsInf(x, 0) || x != x {
			return nil, false
		}
		numbers[i] = x
		if _, behind, isDecimal := strings.Cut(strconv.FormatFloat(x, 'f', -1, 64), "."); isDecimal {
			decimals = max(decimals, len(behind))
		}
	}
	from, to, step := numbers[0], numbers[1], numbers[2]
	const slack = 1e-9 // of a step
	n := math.Floor((to-from)/step + slack)
	if step == 0 || n < 0 || n >= mostCells {
		return nil, true
	}
	for i := range int(n) + 1 {
		value := from + float64(i)*step
		if math.Abs(value) < slack*math.Abs(step) {
			value = 0 // and not -0
		}
		values = append(values, strconv.FormatFloat(value, 'f', decimals, 64))
	}
	return values, true
}
