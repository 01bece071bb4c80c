package figure

import (
	"errors"
	"math"
	"testing"
)

// A figure that is read prints back as it is understood; one that is not says where and
// why.
func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"p95(wait)": "p95(wait)", " mean ( wait ,queue = debug, user=\"a b\" ) ": `mean(wait, queue=debug, user="a b")`, "utilisation": "utilisation",
		"count(wait, user=a.b@c-d, group=1x)": `count(wait, user="a.b@c-d", group="1x")`, "p99.9(wait)": "p99.9(wait)", "p0x1(wait)": "0: p0x1 is no statistic; there are mean, median, max, min, sum, count, and p1 to p99",
		"":                                     "0: this ends too early",
		"mean(wait":                            "9: this ends too early",
		"mean(wait))":                          `10: ")" is not expected here`,
		"wait":                                 "0: wait is of each job: write mean(wait), p95(wait) or the like",
		"p95(utilisation)":                     "0: utilisation is of the whole replay: write it by itself",
		"p100(wait)":                           "0: p100 is no statistic; there are mean, median, max, min, sum, count, and p1 to p99",
		"p0(wait)":                             "0: p0 is no statistic; there are mean, median, max, min, sum, count, and p1 to p99",
		"pnan(wait)":                           "0: pnan is no statistic; there are mean, median, max, min, sum, count, and p1 to p99",
		"mean(weight)":                         "0: there is no job figure weight; did you mean wait? There are core_hours, response, slowdown, wait",
		"mean(wait, x=y)":                      "0: jobs are chosen by queue, user, group, account, project, size, partition, qos, not by x",
		"speed":                                "0: there is no figure speed; there are convergence, left_core_hours, left_waiting, preempted, share_distance, started, utilisation, witness, and statistics such as p95(wait)",
		"mean(wait, user=€)":                   `16: this is not expected here`,
		"mean(wait, queue=work q, user=workq)": `11: a name with blanks stands in quotes: queue="..."`,
		"mean(wait, user=bob, user=alice)":     "21: jobs are chosen by one user, and this is a second one",
	} {
		f, err := Parse(text)
		got := f.String()
		if err != nil {
			got = placed(t, text, err)
		} else if again, err := Parse(got); err != nil || !again.Equal(f) {
			t.Errorf("%q prints as %q, which does not read back: %v", text, got, err)
		}
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// placed returns a *ParseError with its place.
func placed(t *testing.T, text string, err error) string {
	t.Helper()
	var e *ParseError
	if !errors.As(err, &e) {
		t.Fatalf("%q: %T %v", text, err, err)
	}
	if e.Start < 0 || e.Start > e.End || e.End > len(e.Text) {
		t.Errorf("%q: place %d to %d", text, e.Start, e.End)
	}
	return string(rune('0' + e.Start/10))[:min(1, e.Start/10)] + string(rune('0'+e.Start%10)) + ": " + e.Detail
}

func TestCondition(t *testing.T) {
	// The figure is 100 for the policy, 50 for the base, 20 as observed.
	for text, want := range map[string]struct {
		left, right float64
		holds       bool
	}{
		"p95(wait, queue=debug) > 1.1 * base": {100, 55, true},
		"mean(wait) >= base + 10min":          {100, 650, false},
		"mean(wait) <= 2*base":                {100, 100, true},
		"mean(wait) < 2*base":                 {100, 100, false},
		"utilisation < 95%":                   {100, .95, false},
		"mean(wait) - 5*(2h+1) > observed":    {100 - 36005, 20 - 36005, true},
		"mean(wait)/4 > base-5":               {25, 12.5 - 5, true},
		"mean(wait) > -(-1d)":                 {100, 86400, false},
		"mean(wait) > 1e1 + .5 + 2.":          {100, 12.5, true},
		"mean(wait) / 0 > 1":                  {math.Inf(1), 1, true},
		"1 - mean(wait) > 1 - 2 - 3":          {-99, -4, false},
		"mean(wait) > 1:00:00":                {100, 3600, false},
		"mean(wait) < base+26:30:05":          {100, 50 + 26*3600 + 30*60 + 5, true},
		"mean(wait) < 1h30m":                  {100, 5400, true},
		"mean(wait) < 1d2h3min4s-1m":          {100, 86400 + 2*3600 + 2*60 + 4, true},
	} {
		c, err := ParseCondition(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		left, right := c.Sides([]float64{100}, []float64{50}, []float64{20})
		if math.Abs(left-want.left) > 1e-9 || math.Abs(right-want.right) > 1e-9 || c.Holds(left, right) != want.holds {
			t.Errorf("%q: %v and %v, %v; want %v", text, left, right, c.Holds(left, right), want)
		}
	}
	for text, want := range map[string]string{
		"base > 1":               "00: base is the value of the left side: it stands on the right",
		"1 > 2":                  "00: the left side has no figure",
		"mean(wait) >":           "12: this ends too early",
		"mean(wait) > 3xx":       "13: 3xx is no number; times are written 90s, 30min, 2h, 1d, 1h30m, 1:30:00",
		"mean(wait) > 1:30":      "13: 1:30 may be of hours or of minutes: times are written 1:30:00, 1h30m, 90s, 30min, 2h, 1d",
		"mean(wait) > 1:60:00":   "13: 1:60:00 is no number; times are written 90s, 30min, 2h, 1d, 1h30m, 1:30:00",
		"mean(wait) > 30m1h":     "13: 30m1h is no number; times are written 90s, 30min, 2h, 1d, 1h30m, 1:30:00",
		"mean(wait) = 3":         `11: "=" is not expected here`,
		"mean(wait) > 3 > 2":     `15: ">" is not expected here`,
		"mean(wait) > base + 5%": "20: 5% of what? For more than the base write 1.05 * base",
		"utilisation < 95":       "14: utilisation is a part of the whole, 0 to 1: write 95%",
		"mean(wait) > speed + 1": "13: there is no figure speed; there are convergence, left_core_hours, left_waiting, preempted, share_distance, started, utilisation, witness, and statistics such as p95(wait)",
	} {
		_, err := ParseCondition(text)
		if err == nil {
			t.Errorf("%q is accepted", text)
		} else if got := placed(t, text, err); got != want && "0"+got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func FuzzLanguage(f *testing.F) {
	for _, text := range []string{"p95(wait, queue=debug) > 1.1 * base", "mean(wait) - 5*(2h+1) > observed", `mean(wait, user="a\"b")`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if figure, err := Parse(text); err == nil {
			again, err := Parse(figure.String())
			if err != nil || !again.Equal(figure) {
				t.Errorf("%q reads as %q, which does not read back: %v", text, figure, err)
			}
		} else {
			placed(t, text, err)
		}
		if c, err := ParseCondition(text); err == nil {
			figures := make([]float64, len(c.Figures))
			c.Holds(c.Sides(figures, figures, figures))
		}
	})
}

func TestText(t *testing.T) {
	for _, row := range []struct {
		figure string
		x      float64
		want   string
	}{
		{"mean(wait)", 3661.4, "1:01:01"}, {"mean(wait)", -59.6, "-0:01:00"}, {"mean(wait)", math.NaN(), "-"}, {"count(wait)", 12, "12"},
		{"mean(slowdown)", 2.25, "2.2"}, {"utilisation", .875, "87.5%"}, {"convergence", 60, "0:01:00"}, {"started", 1e6, "1000000"}, {"started", 1e15, "1000000000000000.0"},
	} {
		f, err := Parse(row.figure)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Unit().Text(row.x); got != row.want {
			t.Errorf("%s of %v is %q, want %q", row.figure, row.x, got, row.want)
		}
	}
	// A standard figure has a column of its own in the table, others have none.
	for _, f := range Standard {
		if f.Title() == "" {
			t.Errorf("%v has no title", f)
		}
	}
	if title := (Figure{Quantity: "preempted"}).Title(); title != "" {
		t.Errorf("preempted has the title %q", title)
	}
}
