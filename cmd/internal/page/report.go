package page

import (
	"bytes"
	_ "embed"
	"html/template"
	"math"
)

// Report is a page to print and to file: tables with a chart above them. It has no script.
type Report struct {
	Summary  string // what it comes to, in a sentence
	Title    string
	Facts    []Figure // of which site and time, from what and when it was made
	Lacks    []string // what is missing, which is said first
	Names    int      // the first columns of each table, which have names
	Sections []Section
}

// Section is a table and what it includes.
type Section struct {
	Title, About string
	Header       []string
	Rows         [][]string
	Omitted      string // what of the rows is not shown
	Chart        *Chart // nil for none
}

// Chart is a bar for each period.
type Chart struct {
	Label string
	Bars  []Bar
	Text  func(float64) string // what a number on the axis is called
	Steps []float64            // between lines of the axis; nil for 1, 2 and 5 times powers of ten
}

// Bar is a number, NaN for none, and what it is of.
type Bar struct {
	Name  string
	Value float64
	Lacks bool // whether some of it is not known
}

//go:embed report.html
var reportText string

var reportTemplate = template.Must(template.New("report").Parse(reportText))

// Measures of a chart, in its own units.
const (
	chartWidth, chartHeight = 720., 180.
	plotLeft, plotRight     = 70., 710.
	plotTop, plotBottom     = 10., 155.
)

// RenderReport makes the page of a report.
func RenderReport(r Report) ([]byte, error) {
	type section struct {
		Section
		Drawn *drawing
	}
	sections := make([]section, len(r.Sections))
	for i, s := range r.Sections {
		sections[i] = section{s, s.Chart.draw()}
	}
	var b bytes.Buffer
	err := reportTemplate.Execute(&b, map[string]any{
		"Title": r.Title, "Summary": r.Summary, "Facts": r.Facts, "Lacks": r.Lacks, "Names": r.Names, "Sections": sections, "CSS": template.CSS(cssText), "Right": plotRight,
	})
	return b.Bytes(), err
}

// drawing is a chart as shapes.
type drawing struct {
	Label         string
	Width, Height float64
	Lines, Labels []mark
	Bars          []rect
}

// mark is a text, and where the line that it is of begins.
type mark struct {
	X, Y, TextX, TextY float64
	Text               string
}

type rect struct {
	X, Y, Width, Height float64
	Text                string
	Lacks               bool
}

// draw returns a chart's shapes, nil where it has no number.
func (c *Chart) draw() *drawing {
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
	const lines, gap, label = 5., 4., 75. // at most, between a text and its line, and from one label to the next at least
	d := &drawing{Label: c.Label, Width: chartWidth, Height: chartHeight}
	step := roundStep(most/lines, c.Steps)
	top := math.Ceil(most/step) * step
	y := func(x float64) float64 { return round(plotBottom - (plotBottom-plotTop)*x/top) }
	for i := 0.; i*step <= top*(1+1e-9); i++ {
		d.Lines = append(d.Lines, mark{plotLeft, y(i * step), plotLeft - gap, y(i*step) + gap, c.Text(i * step)})
	}
	width := (plotRight - plotLeft) / float64(len(c.Bars))
	each := int(math.Ceil(label / width))
	for i, bar := range c.Bars {
		x := plotLeft + width*float64(i)
		if bar.Value >= 0 {
			d.Bars = append(d.Bars, rect{round(x + width/10), y(bar.Value), round(width * 8 / 10), round(plotBottom - y(bar.Value)), bar.Name + ": " + c.Text(bar.Value), bar.Lacks})
		}
		if i%each == 0 && (x+label < chartWidth || len(c.Bars) == 1) {
			d.Labels = append(d.Labels, mark{TextX: round(x + width/10), TextY: plotBottom + 4*gap, Text: bar.Name})
		}
	}
	return d
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
