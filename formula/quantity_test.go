package formula

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

func TestParseDuration(t *testing.T) {
	tests := []struct {
		text string
		want float64 // NaN for none
	}{
		{"0", 0}, {"90", 90}, {"1:30", 90}, {"01:00:00", 3600}, {"100:00:01", 360001}, {"-1:00", -60},
		{"1:2:3:4", math.NaN()}, {"", math.NaN()}, {"1:", math.NaN()}, {":1", math.NaN()}, {"1:-2", math.NaN()}, {"1.5", math.NaN()},
		{"9223372036854775807", 9223372036854775807}, {"99999999999999999999", math.NaN()},
	}
	for _, test := range tests {
		got, ok := ParseDuration(test.text)
		if ok == math.IsNaN(test.want) || ok && got != test.want {
			t.Errorf("%q: %v %v, want %v", test.text, got, ok, test.want)
		}
	}
}

func TestParseSize(t *testing.T) {
	for text, want := range map[string]float64{
		"4gb": 4 << 20, "3w": 8, "2kw": 16, "1500b": 2, "1024": 1, "1025b": 2, "0b": 0, "1TB": 1 << 30, "1mw": 8 << 10,
		"4g": 4 << 20, "3K": 3, "2m": 2 << 10, "1T": 1 << 30,
	} {
		if got, ok := ParseSize(text); !ok || got != want {
			t.Errorf("%s: %v %v, want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "b", "1pb", "1 gb", "-1kb", "1.5gb", "0x1kb", "1kbb", "g", "1p"} {
		if got, ok := ParseSize(text); ok {
			t.Errorf("%q is %v", text, got)
		}
	}
}

// What is read as a size, a time or an amount is a number that a formula can
// see, and is printed so that it reads back.
func FuzzQuantity(f *testing.F) {
	for _, s := range []string{"4gb", "1:2:3:4", "1:2:3", "-0", "1e308", "1e400", "inf", "nan", "0x10", "1_0", "16777217", "0.00005", "999.9995", "9w"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if kB, ok := ParseSize(text); ok && !(kB >= 0) {
			t.Errorf("the size %q is %v", text, kB)
		}
		seconds, ok := ParseDuration(text)
		if ok && (strings.Count(text, ":") > 2 || math.IsNaN(seconds) || (seconds < 0) != strings.HasPrefix(text, "-") && seconds != 0) {
			t.Errorf("the time %q is %v", text, seconds)
		}
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return
		}
		v, ok := Amount(x)
		if ok != finite(x) {
			t.Errorf("%v: %v", x, ok)
		}
		if !ok {
			return
		}
		again, ok := ParseValue(v.String())
		if !ok || again.String() != v.String() {
			t.Errorf("%v is printed %s, which reads as %s (%v)", x, v, again, ok)
		}
		if f, _ := v.Number(); math.Abs(x) < 1e15 && math.Abs(f-x) > 0.001+1e-15*math.Max(1, math.Abs(x)) { // PBS stops at three decimals that are 000 or 999
			t.Errorf("%v becomes %v", x, f)
		}
	})
}

// The verdict on a formula has a place in it, and what PBS accepts and this
// package can evaluate, Parse accepts.
func FuzzCheck(f *testing.F) {
	addSeeds(f)
	f.Add(`ncpus\x2b1`)
	f.Add(`\n\n'\'`)
	f.Add("a=1;b=2\\n c")
	symbols := NewSymbols(siteResources)
	f.Fuzz(func(t *testing.T, src string) {
		v := Check(src, symbols)
		switch v.Code {
		case 0, CodeBadFormat, CodeBadKeyword, CodeBadType, CodeServerError:
		default:
			t.Errorf("code %d", v.Code)
		}
		if (v.Code != 0) && v.Err == nil || v.Code != 0 && v.Message == "" {
			t.Errorf("%q: %+v", src, v)
		}
		if v.Err != nil {
			p, ok := v.Err.(Problem)
			if !ok {
				t.Fatalf("%q: %T has no place", src, v.Err)
			}
			if at := p.Place(); at.Start < 0 || at.Start > at.End || at.End > len(src) {
				t.Errorf("%q: a mistake at %v", src, at)
			}
		} else if _, err := Parse(src); err != nil {
			t.Errorf("%q is accepted, but %v", src, err)
		}
		for _, w := range Warnings(src, symbols, Surroundings{}) {
			if w.Rule == "" || w.Message == "" {
				t.Errorf("%q: %+v", src, w)
			}
		}
	})
}

// Numbers are rounded to six decimals as printing and reading them again does.
func TestRoundingIsPrinting(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 6))
	numbers := []float64{0, math.Copysign(0, -1), .5e-6, 1.5e-6, -.5e-6, 2.5, .0000005, 1 << 41, 1e300, math.Inf(1), math.Inf(-1), .1234565, 1234.5678905}
	for range 200_000 {
		x := math.Exp(60*r.Float64() - 30)
		numbers = append(numbers, x, -x, r.Float64(), float64(r.IntN(1e9))/1e6, (float64(r.IntN(1e9))+.5)/1e6, float64(float32(r.Float64())))
	}
	for _, x := range numbers {
		want, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'f', 6, 64), 64)
		if got := roundDecimals(x, 6); math.Float64bits(got) != math.Float64bits(want) {
			t.Fatalf("%v: %v, want %v", x, got, want)
		}
	}
}
