package search

import (
	"strings"

	"fairshare/cmd/internal/figure"
)

// Goal is a figure that is to be small or large.
type Goal struct {
	figure.Figure
	Max bool // whether more is better
}

func (g Goal) String() string {
	if g.Max {
		return "max " + g.Figure.String()
	}
	return "min " + g.Figure.String()
}

// isBetter reports whether a is a better value of a goal's figure than b. Any number is
// better than NaN.
func (g Goal) isBetter(a, b float64) bool {
	switch {
	case a != a:
		return false
	case b != b:
		return true
	case g.Max:
		return a > b
	}
	return a < b
}

// ParseGoal returns the goal that a text is, such as min p95(wait). Its errors are *figure.ParseError.
func ParseGoal(text string) (Goal, error) {
	word, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	if word != "min" && word != "max" {
		return Goal{}, &figure.ParseError{Text: text, End: len(text), Detail: "expected min FIGURE or max FIGURE, such as min p95(wait)"}
	}
	f, err := figure.Parse(rest)
	return Goal{f, word == "max"}, err
}
