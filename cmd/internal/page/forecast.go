package page

import (
	"bytes"
	_ "embed"
	"html/template"
	"math"
	"unicode/utf8"
)

// Forecast is a page of when jobs start: a bar for each from the time by which it starts in 1 of
// 10 cases to that by which it does in 9. It has no script.
type Forecast struct {
	Title    string
	Facts    []Figure // of which site and time
	Summary  string   // which job starts first
	Foremost string   // in few words which of the warnings bears most on the answer, and how many more there are
	Warnings []string // sentences, which stand below the table
	Marked   []string // what marks in the table mean
	Notes    []string // what has to be known to read it
	Now      float64  // in seconds since 1970
	Marks    []Mark   // times that are marked on all bars
	Header   []string // of Job.Cells
	BarAt    int      // the column before which the bars stand, if there are any
	Jobs     []ForecastJob

	Clock func(at float64) string // how a time is told, where a job has a bar
}

// Mark is a time with a name.
type Mark struct {
	At   float64
	Name string
}

// ForecastJob is a job that waits. Times are infinite after the horizon, and NaN for one that is
// not forecast.
type ForecastJob struct {
	Cells             []string
	Text              string // what the bar says, in words
	Low, Median, High float64
}

//go:embed forecast.html
var forecastText string

var forecastTemplate = templateOf("forecast", forecastText)

// forecastWidth is the width of a bar's picture, in its own units.
const forecastWidth = 1000.

// RenderForecast makes the page of a forecast.
func RenderForecast(f Forecast) ([]byte, error) {
	latest := f.Now
	for _, j := range f.Jobs {
		for _, at := range []float64{j.Median, j.High} {
			if at < math.Inf(1) { // not NaN either
				latest = max(latest, at)
			}
		}
	}
	for _, m := range f.Marks {
		latest = max(latest, m.At)
	}
	const margin = .02
	span := max(60, latest-f.Now) * (1 + margin)
	x := func(at float64) float64 {
		return math.Round(forecastWidth*min(1, max(0, (at-f.Now)/span))*10) / 10
	}
	type mark struct {
		X    float64
		Name string
	}
	type row struct {
		ForecastJob
		Marks               []mark
		Total               float64 // the width of the picture
		IsDrawn             bool
		X, Width, Middle    float64
		HasMiddle, IsBeyond bool
	}
	var marks []mark
	for _, m := range f.Marks {
		marks = append(marks, mark{x(m.At), m.Name})
	}
	hasBars, isBeyond := false, false
	rows := make([]row, len(f.Jobs))
	for i, j := range f.Jobs {
		r := row{ForecastJob: j, Marks: marks, Total: forecastWidth, IsDrawn: !math.IsNaN(j.Median)}
		if r.IsDrawn {
			const least = 3 // wide, to be seen
			r.X, r.Middle = x(j.Low), x(j.Median)
			r.Width = max(least, x(j.High)-r.X)
			r.HasMiddle, r.IsBeyond = !math.IsInf(j.Median, 1), math.IsInf(j.High, 1)
		}
		hasBars, isBeyond = hasBars || r.IsDrawn, isBeyond || r.IsBeyond
		rows[i] = r
	}
	if !hasBars {
		f.BarAt = -1
	}
	below, last := f.widths(hasBars)
	var b bytes.Buffer
	err := forecastTemplate().Execute(&b, map[string]any{
		"Page": f, "Others": max(1, len(f.Header)-f.BarAt-1), "Last": last, "Fits": screenOf(below + last), "FitsBelow": screenOf(below), "HasBars": hasBars, "IsBeyond": isBeyond, "Marks": marks, "Rows": rows, "End": f.Now + span, "Blocks": template.CSS(blocksText), "CSS": template.CSS(cssText),
	})
	return b.Bytes(), err
}

// screenOf returns how wide the screen must be, in pixels, for a table. One that is wider than the text begins where the text does, which
// stands in the middle of the screen, and reaches to the right edge.
func screenOf(table int) int {
	const text, margins = 1168, 50
	if table <= text {
		return table + margins
	}
	return 2*table - text + margins
}

// widths returns how wide all columns but the last are beside each other with the bar, in pixels, and what the last one needs, whose
// cells may be of several lines.
func (f *Forecast) widths(hasBars bool) (others, last int) {
	const letter, between = 8.4, 10
	bar := 0
	if hasBars {
		bar = 150
	}
	const least, most, word, small = 30, 50, 6, 7.8 // letters of a line of the last column and of its last word, and how wide those of its text are
	for i, head := range f.Header {
		longest := utf8.RuneCountInString(head)
		for _, j := range f.Jobs {
			longest = max(longest, utf8.RuneCountInString(j.Cells[i]))
		}
		if i == len(f.Header)-1 {
			inTwo := max(least, longest/2+word) // lines
			return others + bar, int(small*float64(min(most, longest, inTwo))) + between
		}
		others += int(letter*float64(longest)) + between
	}
	return others, last
}
