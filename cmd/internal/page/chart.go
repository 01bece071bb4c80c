package page

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"fairshare/cmd/internal/report"
)

// Chart is a picture of a table: a bar for each period or name.
type Chart struct {
	Label    string
	Parts    []string // what the parts of each bar are of, which stand upon each other; nil for bars of one part
	Bars     []Bar
	IsAcross bool                 // whether the bars lie, each behind its name
	Whole    float64              // what a bar of the full length is at least, as 1 of parts; 0 for the largest number. What is beyond it has another colour
	Marked   string               // what the marks of bars are, "" for none
	Text     func(float64) string // what a number on the axis is called
	Steps    []float64            // between lines of the axis; nil for 1, 2 and 5 times powers of ten
}

// Bar is a number, NaN for none, and what it is of.
type Bar struct {
	Name  string
	Value float64
	Parts []float64 // by Chart.Parts
	Mark  float64   // a number that is marked beside it, 0 for none
	Lacks bool      // whether some of it is not known, which is hatched
}

// A chart is drawn for wide screens and paper, and for narrow ones, where its text has the same size.
const (
	wideChart, narrowChart = 720., 350.
	plotHeight             = 145.
	plotTop                = 10.
	barHeight              = 22. // of one that lies
	letter                 = 7.  // the width of most letters at most, and of a digit
	wideLetter             = 11. // that of the others
	gap                    = 4.  // between a text and its line
)

// widthOf returns how wide a text is at most.
func widthOf(text string) (width float64) {
	for _, r := range text {
		if strings.ContainsRune("mwMW@%", r) || unicode.IsUpper(r) || r > unicode.MaxLatin1 {
			width += wideLetter
		} else {
			width += letter
		}
	}
	return width
}

// cut returns a text that is no wider than so much.
func cut(text string, most float64) string {
	for n := utf8.RuneCountInString(text); n > 1 && widthOf(text) > most; n-- {
		text = report.Cut(text, n-1)
	}
	return text
}

// drawing is a chart as shapes, for one width.
type drawing struct {
	Label         string
	Class         string
	Width, Height float64
	Lines, Marks  []line
	Texts         []text
	Bars          []rect
	Legend        []legend
}

type line struct{ X1, Y1, X2, Y2 float64 }

type text struct {
	X, Y   float64
	Anchor string
	Text   string
}

type rect struct {
	X, Y, Width, Height float64
	Text                string
	Class               string
}

// lacking is what hatched bars mean.
const lacking = "the logs have a part of it"

type legend struct{ Class, Name string }

// draw returns a chart's shapes for each width, nil where it has no number.
func (c *Chart) draw() []*drawing {
	if c == nil {
		return nil
	}
	most := 0.
	for _, bar := range c.Bars {
		if bar.Value > most {
			most = bar.Value
		}
	}
	if most == 0 || math.IsInf(most, 0) {
		return nil
	}
	most = max(most, c.Whole)
	draw := c.upright
	if c.IsAcross {
		draw = c.across
	}
	wide, narrow := draw(wideChart, most), draw(narrowChart, most)
	wide.Class, narrow.Class = "wide", "narrow"
	for i, name := range c.Parts {
		wide.Legend = append(wide.Legend, legend{partClass(i), name})
	}
	if c.isOver() {
		wide.Legend = append(wide.Legend, legend{"over", "beyond it"})
	}
	if c.Marked != "" {
		wide.Legend = append(wide.Legend, legend{"mark", c.Marked})
	}
	if slices.ContainsFunc(c.Bars, func(b Bar) bool { return b.Lacks && b.Value > 0 }) {
		wide.Legend = append(wide.Legend, legend{"hatch", "hatched: " + lacking})
	}
	return []*drawing{wide, narrow}
}

// isOver reports whether a bar is longer than the whole.
func (c *Chart) isOver() bool {
	return c.Whole > 0 && slices.ContainsFunc(c.Bars, func(b Bar) bool { return b.Value > c.Whole })
}

// text returns what a number is called.
func (c *Chart) text(x float64) string { return report.Grouped(c.Text(x)) }

// partClass is the class of the colour of a part.
func partClass(i int) string { return fmt.Sprintf("part%d", i) }

// upright draws bars side by side over an axis.
func (c *Chart) upright(width, most float64) *drawing {
	const lines, label, bottom, left = 5., 75., plotTop + plotHeight, 70. // lines at most, and from one label to the next at least
	right := width - 10
	d := &drawing{Label: c.Label, Width: width, Height: bottom + 25}
	step := roundStep(most/lines, c.Steps)
	top := math.Ceil(most/step) * step
	y := func(x float64) float64 { return round(bottom - plotHeight*x/top) }
	for i := 0.; i*step <= top*(1+1e-9); i++ {
		d.Lines = append(d.Lines, line{left, y(i * step), right, y(i * step)})
		d.Texts = append(d.Texts, text{left - gap, y(i*step) + gap, "end", c.text(i * step)})
	}
	each := (right - left) / float64(len(c.Bars))
	every := int(math.Ceil(label / each))
	for i, bar := range c.Bars {
		x := left + each*float64(i)
		if bar.Value >= 0 {
			d.Bars = append(d.Bars, c.parts(bar, func(from, to float64) rect {
				return rect{X: round(x + each/10), Y: y(to), Width: round(each * 8 / 10), Height: round(y(from) - y(to))}
			})...)
		}
		if i%every == 0 && (x+label < width || len(c.Bars) == 1) {
			d.Texts = append(d.Texts, text{round(x + each/10), bottom + 4*gap, "start", bar.Name})
		}
	}
	return d
}

// across draws bars below each other, each behind its name and before its number.
func (c *Chart) across(width, most float64) *drawing {
	longest, number := 0., 0.
	for _, bar := range c.Bars {
		longest, number = max(longest, widthOf(bar.Name)), max(number, widthOf(c.text(bar.Value)))
	}
	left := math.Min(width*.4, gap+longest) + gap
	right := width - number - 3*gap
	d := &drawing{Label: c.Label, Width: width, Height: barHeight*float64(len(c.Bars)) + 2*gap}
	x := func(value float64) float64 { return round(left + (right-left)*value/most) }
	if c.Whole > 0 {
		d.Lines = append(d.Lines, line{x(c.Whole), 0, x(c.Whole), d.Height})
	}
	for i, bar := range c.Bars {
		y := gap + barHeight*float64(i)
		d.Texts = append(d.Texts, text{left - gap, y + 15, "end", cut(bar.Name, left-2*gap)})
		if bar.Value >= 0 {
			d.Bars = append(d.Bars, c.parts(bar, func(from, to float64) rect {
				return rect{X: x(from), Y: y + 3, Width: round(x(to) - x(from)), Height: barHeight - 6}
			})...)
			d.Texts = append(d.Texts, text{x(bar.Value) + gap, y + 15, "start", c.text(bar.Value)})
		}
		if bar.Mark > 0 {
			d.Marks = append(d.Marks, line{x(bar.Mark), y, x(bar.Mark), y + barHeight})
		}
	}
	return d
}

// parts returns the shapes of a bar: one for each of its parts, and one over all that hatches them where some of it is not known.
func (c *Chart) parts(bar Bar, shape func(from, to float64) rect) []rect {
	whole := shape(0, bar.Value)
	whole.Text = bar.Name + ": " + c.text(bar.Value)
	list := []rect{whole}
	if len(c.Parts) > 0 {
		list = nil
	} else if c.Whole > 0 && bar.Value > c.Whole {
		over := shape(c.Whole, bar.Value)
		over.Text, over.Class = whole.Text, "over"
		list = append(list, over)
	}
	from := 0.
	for i, part := range bar.Parts {
		if !(part > 0) {
			continue
		}
		r := shape(from, from+part)
		r.Text = fmt.Sprintf("%s, %s: %s", bar.Name, c.Parts[i], c.text(part))
		r.Class = partClass(i)
		list = append(list, r)
		from += part
	}
	if bar.Lacks {
		whole.Text, whole.Class = lacking, "hatch"
		list = append(list, whole)
	}
	return list
}

// roundStep returns the least round number that is no less than a number.
func roundStep(least float64, steps []float64) float64 {
	for _, step := range steps {
		if step >= least {
			return step
		}
	}
	power := math.Pow(10, math.Floor(math.Log10(least)))
	if n := len(steps); n > 0 {
		return math.Ceil(least/steps[n-1]) * steps[n-1]
	}
	for _, step := range []float64{1, 2, 5} {
		if step*power >= least {
			return step * power
		}
	}
	return 10 * power
}

// round returns a number with one decimal, which is as exact as a chart is.
func round(x float64) float64 { return math.Round(10*x) / 10 }
