package page

import (
	"math"
	"testing"
)

// What is beyond the whole has its own colour, a mark stands where it is, the legend has both, and names have room.
func TestChartBeyondTheWhole(t *testing.T) {
	c := Chart{IsAcross: true, Whole: 1, Marked: "so much time has gone", Text: func(float64) string { return "x" }, Bars: []Bar{{Name: "commons", Value: 1.5, Mark: .5}, {Name: "a", Value: .5}}}
	for _, d := range c.draw() {
		whole, over := d.Bars[0], d.Bars[1]
		if over.Class != "over" || math.Abs(over.Width-whole.Width/3) > .2 || math.Abs(over.X+over.Width-whole.X-whole.Width) > .2 || len(d.Bars) != 3 {
			t.Errorf("beyond the whole of %v there is %v", whole, over)
		}
		if len(d.Marks) != 1 || math.Abs(d.Marks[0].X1-whole.X-whole.Width/3) > .2 {
			t.Errorf("the marks are %v", d.Marks)
		}
		if name := d.Texts[0]; name.Text != "commons" || name.X < widthOf("commons") {
			t.Errorf("the name has %v", name)
		}
	}
	if got := c.draw()[0].Legend; len(got) != 2 || got[0].Class != "over" || got[1].Name != c.Marked {
		t.Errorf("the legend is %v", got)
	}
	if got := cut("mmmmmmmm", 50); got != "mmm…" {
		t.Errorf("a long name is cut to %s", got)
	}
}

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
