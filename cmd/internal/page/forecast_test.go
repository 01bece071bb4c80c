package page

import (
	"math"
	"strconv"
	"strings"
	"testing"
)

// A bar lies between the times of its job, whatever these are; what names contain is text.
func TestRenderForecast(t *testing.T) {
	text, err := RenderForecast(Forecast{
		Title: "When?", Now: 1000, Marks: []Mark{{2000, "midnight"}}, Header: []string{"Job"},
		Clock: func(at float64) string { return strconv.FormatFloat(at, 'f', 0, 64) },
		Jobs: []ForecastJob{
			{Cells: []string{"<b>1</b>"}, Text: `"quoted"`, Low: 1000, Median: 2000, High: 3000},
			{Cells: []string{"late"}, Low: 2000, Median: math.Inf(1), High: math.Inf(1)},
			{Cells: []string{"held"}, Median: math.NaN()},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	for _, want := range []string{
		"&lt;b&gt;1&lt;/b&gt;", `aria-label="&#34;quoted&#34;"`, `<rect x="0" y="4" width="980.4" height="12"/><line class="mark" x1="490.2" x2="490.2" y1="0" y2="20"/><line class="middle" x1="490.2"`,
		`<rect x="490.2" y="4" width="509.8" height="12" class="beyond"/><line class="mark" x1="490.2" x2="490.2" y1="0" y2="20"/></svg>`, `<td class="bar"></td><td data-head="Job">held</td>`, "The left edge is now, the right one 3040.", "midnight.</p>", "default-src 'none'",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%s is not in %s", want, page[strings.Index(page, "<main>"):])
		}
	}
	if !strings.Contains(page, "A pale bar ends later") || strings.Index(page, "A bar begins") < strings.Index(page, "</table>") {
		t.Error("bars are not explained below the table")
	}
	for _, not := range []string{"NaN", "Inf", "<script", "http://", "https://"} {
		if strings.Contains(page, not) {
			t.Errorf("%s is in the page", not)
		}
	}
	if _, err := RenderForecast(Forecast{Now: 1}); err != nil {
		t.Error(err)
	}
}

// Where no start is forecast there is no column of bars, and nothing is said of any. One line of warnings stands above the table, and
// all of them below it.
func TestRenderForecastWithoutBars(t *testing.T) {
	text, err := RenderForecast(Forecast{
		Title: "When?", Now: 1000, Marks: []Mark{{2000, "midnight"}}, Header: []string{"Job", "Waits for"}, BarAt: 1,
		Foremost: "one <and> 2 more", Warnings: []string{"first", "second"}, Marked: []string{"* is doubtful"},
		Jobs: []ForecastJob{{Cells: []string{"1 *", "held"}, Median: math.NaN()}},
	})
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(string(text), "<body>")
	for _, not := range []string{"bar", "From now on", "midnight"} {
		if strings.Contains(body, not) {
			t.Errorf("it has %q: %s", not, body)
		}
	}
	at := 0
	for _, want := range []string{"<p class=\"fails\">one &lt;and&gt; 2 more</p>", "<table", "</table>", "* is doubtful", "<li>first</li>", "<li>second</li>"} {
		next := strings.Index(body[at:], want)
		if next < 0 {
			t.Fatalf("%q does not stand where it should: %s", want, body)
		}
		at += next
	}
	if n := strings.Count(body, "class=\"fails\""); n != 1 {
		t.Errorf("%d warnings stand out", n)
	}
}
