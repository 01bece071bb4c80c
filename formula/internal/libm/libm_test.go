package libm

import (
	"math"
	"sync"
	"testing"
)

// Values of CPython 3.11.7 with glibc 2.36, to the last bit.
func TestAnswers(t *testing.T) {
	tests := []struct {
		name    string
		f       func(float64) float64
		x, want float64
	}{
		{"Asinh", Asinh, 0.5, 0.48121182505960347},
		{"Asinh", Asinh, 1.5, 1.1947632172871094},
		{"Asinh", Asinh, 3.0, 1.8184464592320668},
		{"Asinh", Asinh, 100000000.0, 19.11382792451231},
		{"Asinh", Asinh, 209715200.0, 19.85440815830689},
		{"Asinh", Asinh, 1000000000.0, 21.416413017506354},
		{"Asinh", Asinh, -7.25, -2.678871313462426},
		{"Acosh", Acosh, 1.0, 0.0},
		{"Acosh", Acosh, 1.25, 0.6931471805599453},
		{"Acosh", Acosh, 2.5, 1.566799236972411},
		{"Acosh", Acosh, 100000000.0, 19.11382792451231},
		{"Acosh", Acosh, 209715200.0, 19.85440815830689},
		{"Acosh", Acosh, 1000000000.0, 21.416413017506354},
		{"Log10", Log10, 0.934, -0.029653123769906618},
		{"Log10", Log10, 2.0, 0.3010299956639812},
		{"Log10", Log10, 3.0, 0.47712125471966244},
		{"Log10", Log10, 1000.0, 3.0},
		{"Log10", Log10, 1e-300, -300.0},
		{"Log10", Log10, 86400.0, 4.936513742478893},
		{"Log10", Log10, 5e-324, -323.3062153431158},
		{"Gamma", Gamma, 0.5, 1.7724538509055159},
		{"Gamma", Gamma, -1.5, 2.3632718012073544},
		{"Gamma", Gamma, 5.5, 52.34277778455352},
		{"Gamma", Gamma, 33.25, 6.288735965374881e+35},
		{"Gamma", Gamma, 141.5, 1.59710891165126e+242},
		{"Gamma", Gamma, 170.5, 5.56209241456e+305},
		{"Gamma", Gamma, 1e-21, 1.0000000000000001e+21},
		{"Lgamma", Lgamma, 0.0015, 6.5014261965765},
		{"Lgamma", Lgamma, 0.5, 0.5723649429247004},
		{"Lgamma", Lgamma, 3.5, 1.2009736023470738},
		{"Lgamma", Lgamma, 48.0, 136.80272263732635},
		{"Lgamma", Lgamma, 100000.0, 1051287.7089736566},
		{"Lgamma", Lgamma, -2.5, -0.05624371649767457},
		{"Log1p", Log1p, 1e-10, 9.999999999500001e-11},
		{"Log1p", Log1p, 0.5, 0.4054651081081644},
		{"Log1p", Log1p, -0.75, -1.3862943611198906},
		{"Log1p", Log1p, 10000.0, 9.210440366976517},
	}
	for _, test := range tests {
		if got := test.f(test.x); math.Float64bits(got) != math.Float64bits(test.want) {
			t.Errorf("%s(%v) is %v, want %v", test.name, test.x, got, test.want)
		}
	}
}

func TestHypot(t *testing.T) {
	tests := []struct {
		v    []float64
		want float64
	}{
		{[]float64{3.0, 4.0}, 5.0},
		{[]float64{1.0, 1.0}, 1.4142135623730951},
		{[]float64{1e+308, 1e+308}, 1.4142135623730951e+308},
		{[]float64{5e-324, 5e-324}, 5e-324},
		{[]float64{1.5, 2.5, 3.5}, 4.55521678957215},
		{[]float64{}, 0.0},
		{[]float64{-0.1, 0.7}, 0.7071067811865475},
		{[]float64{1e-200, 1e-200}, 1.414213562373095e-200},
		{[]float64{48.0, 1.0}, 48.010415536631214},
		{[]float64{0.0, 0.0}, 0.0},
	}
	for _, test := range tests {
		if got := Hypot(test.v...); math.Float64bits(got) != math.Float64bits(test.want) {
			t.Errorf("Hypot(%v) is %v, want %v", test.v, got, test.want)
		}
	}
	if got := Hypot(math.NaN(), math.Inf(-1)); !math.IsInf(got, 1) {
		t.Errorf("Hypot of NaN and infinity is %v, want infinity", got)
	}
}

// TestConcurrent: all functions may be used by several goroutines at a time.
func TestConcurrent(t *testing.T) {
	functions := []func(float64) float64{
		func(x float64) float64 { return Pow(x, 1.7) }, func(x float64) float64 { return Atan2(x, 2) },
		Exp, Log, Log2, Exp2, Expm1, Sin, Cos, Tan, Asin, Acos, Atan, Sinh, Cosh, Tanh, Atanh, Erf, Cbrt, Erfc, Asinh, Acosh, Log10, Gamma, Lgamma, Log1p,
	}
	const n = 2000
	want := make([][n]float64, len(functions))
	compute := func(f func(float64) float64, i int) float64 { return f(float64(i)/n*1.5 + 1e-3) }
	for k, f := range functions {
		for i := range n {
			want[k][i] = compute(f, i)
		}
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for k, f := range functions {
				for i := range n {
					if got := compute(f, i); math.Float64bits(got) != math.Float64bits(want[k][i]) {
						t.Errorf("function %d of %d: %v, alone %v", k, i, got, want[k][i])
						return
					}
				}
			}
		})
	}
	wg.Wait()
}
