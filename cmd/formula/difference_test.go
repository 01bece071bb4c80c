package main

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// plainTauB counts pairs one by one.
func plainTauB(ranks []int32) float64 {
	n := len(ranks)
	score := 0
	for i := range n {
		for j := range i {
			if ranks[j] < ranks[i] {
				score++
			} else {
				score--
			}
		}
	}
	return float64(score) / (float64(n) * float64(n-1) / 2)
}

func TestTauB(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for n := 2; n < 60; n++ {
		var ranks []int32
		for _, i := range random.Perm(n) {
			ranks = append(ranks, int32(i))
		}
		if got, want := float64(*tauB(ranks)), plainTauB(ranks); math.Abs(got-want) > 1e-12 {
			t.Errorf("%v: %v, want %v", ranks, got, want)
		}
	}
	if tau := tauB([]int32{1}); tau != nil {
		t.Errorf("of one job: %v", *tau)
	}
}

func TestOverlaps(t *testing.T) {
	old, now := make([]int32, 200), make([]int32, 200)
	for i := range old {
		old[i], now[i] = int32(i), int32(199-i)
	}
	got := overlaps(old, now)
	want := []overlapLine{{10, 0}, {100, 0}, {200, 200}}
	for i := range want {
		if i >= len(got) || got[i] != want[i] {
			t.Fatalf("%v, want %v", got, want)
		}
	}
}

func TestLeastWhole(t *testing.T) {
	for _, test := range []struct {
		name string
		gain func(float64) float64
		want float64 // 0 for none
	}{
		{"grows", func(x float64) float64 { return x - 1000.5 }, 1001},
		{"at once", func(x float64) float64 { return x - 0.5 }, 1},
		{"steps", func(x float64) float64 { return math.Floor(x/64) - 3 }, 256},
		{"never", func(x float64) float64 { return -1 / (x + 1) }, 0},
		{"falls", func(x float64) float64 { return -x }, 0},
		{"falls again", func(x float64) float64 { return math.Sin(x/1e5) - .5 }, 0},
		{"no number", func(x float64) float64 { return math.NaN() }, 0},
		{"turned already", func(x float64) float64 { return 1 }, 0},
	} {
		got, ok := leastWhole(func(x float64) trial { return trial{test.gain(x), test.gain(x) > 0} }, 1e6)
		if ok != (test.want != 0) || ok && got != test.want {
			t.Errorf("%s: %v %v, want %v", test.name, got, ok, test.want)
		}
	}
}

func TestAsWritten(t *testing.T) {
	for _, test := range []struct {
		value float64
		text  string
		want  bool
	}{
		{0.6484197, "0.648", true}, {0.6484197, "0.649", false}, {0.6484197, "0.6484", true}, {0.6485, "0.648", true}, {0.64851, "0.648", false},
		{12, "12", true}, {12.3, "12", false}, {16777216, "16777217", false}, {math.Inf(1), "inf", true}, {math.Inf(-1), "inf", false},
		{math.NaN(), "nan", true}, {1e10, "1e10", true}, {1.5e10, "1.5e10", true}, {0, "0", true}, {1e-9, "0", false},
	} {
		if got, err := asWritten(test.value, test.text); err != nil || got != test.want {
			t.Errorf("%v as %s: %v %v", test.value, test.text, got, err)
		}
	}
	if _, err := asWritten(1, "x"); err == nil {
		t.Error("x is a number")
	}
}

func FuzzParseExpectations(f *testing.F) {
	f.Add("formula ncpus\nvalue 1 with ncpus=1\njob a ncpus=1\norder a b\n")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := parseExpectations(text)
		if err != nil {
			return
		}
		for _, x := range list {
			if needs, known := expectWords[x.word]; !known || needs == (x.rest == "") {
				t.Errorf("%+v", x)
			}
			parseSubject(x.rest)
			if x.word == "job" {
				jobByHand(strings.Fields(x.rest))
			}
		}
	})
}
