package page

import (
	"math"
	"testing"
)

// A part of a whole is drawn as that, and more than the whole reaches beyond its line.
func TestChartOfAWhole(t *testing.T) {
	for _, values := range [][]float64{{.25}, {.25, .61}, {.25, 1.5}} {
		c := Chart{IsAcross: true, Whole: 1, Text: func(float64) string { return "x" }}
		for _, v := range values {
			c.Bars = append(c.Bars, Bar{Name: "a", Value: v})
		}
		for _, d := range c.draw() {
			if len(d.Lines) != 1 {
				t.Fatalf("%v: %d lines, want that of the whole", values, len(d.Lines))
			}
			whole := d.Lines[0].X1 - d.Bars[0].X
			for i, v := range values {
				if part := d.Bars[i].Width / whole; math.Abs(part-v) > .01 {
					t.Errorf("%v: bar %d is %.2f of the whole, want %.2f", values, i, part, v)
				}
			}
			if end := d.Lines[0].X1; end > d.Width {
				t.Errorf("%v: the line stands at %.0f of %.0f", values, end, d.Width)
			}
		}
	}
}
