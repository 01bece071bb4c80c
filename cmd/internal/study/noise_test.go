package study

import (
	"math"
	"testing"

	"fairshare/cmd/internal/figure"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// Intervals by hand: of 11 to 15 the mean is 13, s is sqrt(2.5) and t 2.776445.
func TestIntervals(t *testing.T) {
	runs := []float64{11, 12, 13, 14, 15}
	const t975 = 2.7764451
	i := IntervalOf(runs)
	if half := t975 * math.Sqrt(2.5) * math.Sqrt(1+1./5); i.Mean != 13 || math.Abs(i.High-13-half) > 1e-6 || math.Abs(13-i.Low-half) > 1e-6 {
		t.Errorf("%+v, want 13 ± %v", i, half)
	}
	d := DifferenceOf([]float64{12, 14, 16, 18, 20}, runs)
	if half := t975 * math.Sqrt(2.5/5); d.Mean != 3 || math.Abs(d.High-3-half) > 1e-6 || d.Above != 5 || d.Below != 0 || d.IsNoise() {
		t.Errorf("%+v, want 3 ± %v", d, half)
	}
	if d := DifferenceOf([]float64{11, 13, 12, 15, 14}, runs); d.Mean != 0 || !d.IsNoise() || d.Above != 2 || d.Below != 2 {
		t.Errorf("%+v is not noise", d)
	}
	if d := DifferenceOf([]float64{7}, []float64{5}); d.Mean != 2 || !math.IsNaN(d.Low) || d.IsNoise() {
		t.Errorf("%+v of a single run", d)
	}
	if i := IntervalOf([]float64{0, 0, 9}); i.Low != 0 {
		t.Errorf("%+v goes below 0", i)
	}
	if i := IntervalOf(nil); !math.IsNaN(i.Mean) {
		t.Errorf("%+v of no run", i)
	}
}

// A difference that reaches none at an end of its interval may be chance; one that does
// not, however near it comes, is none. A single run tells nothing of chance.
func TestIsNoise(t *testing.T) {
	least := math.SmallestNonzeroFloat64
	for _, row := range []struct {
		low, high float64
		want      bool
	}{
		{-1, 2, true},
		{0, 2, true},
		{-2, 0, true},
		{0, 0, true},
		{least, 2, false},
		{-2, -least, false},
		{math.NaN(), math.NaN(), false},
	} {
		if got := (Difference{Low: row.low, High: row.high}).IsNoise(); got != row.want {
			t.Errorf("from %v to %v: %v, want %v", row.low, row.high, got, row.want)
		}
	}
}

// What people read of several runs has its interval, and of a single one it has none.
func TestNoiseText(t *testing.T) {
	none := math.NaN()
	for want, got := range map[string]string{
		"0:01:00":                      Interval{60, none, none}.Text(figure.Seconds),
		"0:01:00 (0:00:30 to 0:01:30)": Interval{60, 30, 90}.Text(figure.Seconds),
		"95.0% (89.0% to 100.0%)":      Interval{.95, .89, 1.01}.Text(figure.Fraction),
		"-":                            Difference{Mean: none, Low: none, High: none}.Text(figure.Plain),
		"none":                         Difference{}.Text(figure.Plain),
		"+2":                           Difference{Mean: 2, Low: none, High: none}.Text(figure.Plain),
		"-2 (noise)":                   Difference{Mean: -2, Low: -5, High: 1}.Text(figure.Plain),
		"-2 (±1)":                      Difference{Mean: -2, Low: -3, High: -1}.Text(figure.Plain),
		">+2 (may be noise)":           Difference{Mean: 2, Low: -1, High: 5, IsLonger: true}.Text(figure.Plain),
		">+2 (±1)":                     Difference{Mean: 2, Low: 1, High: 3, IsLonger: true}.Text(figure.Plain),
		"not known":                    Difference{Mean: -2, Low: none, High: none, IsLonger: true}.Text(figure.Plain),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Runs that all come to the same have an interval without width: a difference in each of
// them is certain, and none in any is noise.
func TestNoSpread(t *testing.T) {
	if diff := cmp.Diff(Interval{7, 7, 7}, IntervalOf([]float64{7, 7, 7})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, row := range []struct {
		runs    []float64
		want    Difference
		isNoise bool
	}{
		{[]float64{7, 7, 7}, Difference{Mean: 2, Low: 2, High: 2, Above: 3}, false},
		{[]float64{4, 4, 4}, Difference{Mean: -1, Low: -1, High: -1, Below: 3}, false},
		{[]float64{5, 5, 5}, Difference{}, true},
		{[]float64{7}, Difference{Mean: 2, Low: math.NaN(), High: math.NaN(), Above: 1}, false},
		{nil, Difference{Mean: math.NaN(), Low: math.NaN(), High: math.NaN()}, false},
	} {
		got := DifferenceOf(row.runs, []float64{5, 5, 5})
		if diff := cmp.Diff(row.want, got, cmpopts.EquateNaNs()); diff != "" || got.IsNoise() != row.isNoise {
			t.Errorf("%v: noise %v (-want +got):\n%s", row.runs, got.IsNoise(), diff)
		}
	}
}

// A start that is earlier or later by no more than Alike is the same one. The means of who
// gains and who loses are of those alone, and the hours are of all.
func TestGainsAtTheEdge(t *testing.T) {
	for _, row := range []struct {
		waits []float64 // of jobs that wait 100 s under the first policy
		want  Gains
	}{
		{[]float64{40}, Gains{Same: 1, Hours: -60. / 3600}},
		{[]float64{39}, Gains{Sooner: 1, SoonerBy: 61, Hours: -61. / 3600}},
		{[]float64{160}, Gains{Same: 1, Hours: 60. / 3600}},
		{[]float64{161}, Gains{Later: 1, LaterBy: 61, Hours: 61. / 3600}},
		{[]float64{100, 40, 39, 160, 161}, Gains{Sooner: 1, Later: 1, Same: 3, SoonerBy: 61, LaterBy: 61}},
		{[]float64{0, 20, 300}, Gains{Sooner: 2, Later: 1, SoonerBy: 90, LaterBy: 200, Hours: 20. / 3600}},
		{nil, Gains{}},
	} {
		before := &Measured{Runs: 2}
		after := &Measured{Runs: 3}
		s := &Study{Policies: make([]*Policy, 2)}
		for _, wait := range row.waits {
			before.waits = append(before.waits, 2*100)
			after.waits = append(after.waits, 3*wait)
			s.counted = append(s.counted, true)
		}
		got := s.Compare([]*Measured{nil, before, after}).Gains[1]
		if diff := cmp.Diff(row.want, got, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", row.waits, diff)
		}
	}
}

// Usage has converged once its distance is under Near to the end; times at which nobody
// has demand tell nothing.
func TestConvergence(t *testing.T) {
	nobody := math.NaN()
	for _, row := range []struct {
		distance          []float64
		mean, convergence float64
	}{
		{[]float64{1, Near, .04, .01}, (1 + Near + .05) / 4, 20},
		{[]float64{1, .04, Near, .01}, (1 + Near + .05) / 4, 30},
		{[]float64{0, 0}, 0, 0},
		{[]float64{1, nobody, 0, nobody}, .5, 20},
		{[]float64{0, 1}, .5, nobody},
		{[]float64{0, Near}, Near / 2, nobody},
		{[]float64{nobody, nobody}, nobody, nobody},
	} {
		s := &Shares{Distance: row.distance}
		for i := range row.distance {
			s.Times = append(s.Times, 1000+int64(i)*10)
		}
		s.summarise(1000, 1000+int64(len(row.distance))*10)
		if diff := cmp.Diff([]float64{row.mean, row.convergence}, []float64{s.Mean, s.Convergence}, cmpopts.EquateNaNs(), cmpopts.EquateApprox(0, 1e-12)); diff != "" {
			t.Errorf("%v: the mean and the convergence (-want +got):\n%s", row.distance, diff)
		}
	}
}
