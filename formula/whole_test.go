package formula

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// randomColumn returns the values of a variable in some rows: mostly of one kind, as
// those of jobs are, sometimes of all kinds.
func randomColumn(r *rand.Rand, rows int) []Value {
	kinds := []func() Value{
		func() Value { return Float(r.Float64()) },
		func() Value { return Int(r.Int64N(100) + 1) },
		func() Value { return Float(float64(r.IntN(5)-2) * r.ExpFloat64()) },
		func() Value { return Int(r.Int64N(5) - 2) },
		func() Value { return boolean(r.IntN(2) == 0) },
		func() Value { return Int(maxExact + r.Int64N(3) - 1) },
		func() Value {
			return Float([]float64{math.Inf(1), math.Inf(-1), math.NaN(), math.Copysign(0, -1), 1e308}[r.IntN(5)])
		},
		func() Value { v, _ := ParseValue("9223372036854775808"); return v },
	}
	values := make([]Value, rows)
	kind := r.IntN(len(kinds))
	mixed := r.IntN(4) == 0
	for row := range values {
		if mixed {
			kind = r.IntN(len(kinds))
		}
		values[row] = kinds[kind]()
	}
	return values
}

// setColumn gives a variable its values, all at once where they allow it.
func setColumn(t *testing.T, e *Evaluator, slot int, values []Value) {
	t.Helper()
	var floats []float64
	var ints []int64
	for _, v := range values {
		switch {
		case v.kind == kFloat:
			floats = append(floats, v.f)
		case v.kind == kInt && v.large() == nil:
			ints = append(ints, v.i)
		}
	}
	var err error
	switch len(values) {
	case len(floats):
		err = e.SetFloats(slot, floats)
	case len(ints):
		err = e.SetInts(slot, ints)
	default:
		for row, v := range values {
			err = errors.Join(err, e.Set(row, slot, v))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Columns that are computed as a whole and columns that are computed row by row have
// the same results to the last bit, run after run with other values.
func TestWholes(t *testing.T) {
	const rows, runs = 7, 12
	r := rand.New(rand.NewPCG(1, 2))
	sources := production(t)
	for _, recorded := range recordedFormulas(t) {
		sources = append(sources, recorded.Formula)
	}
	areWhole := 0
	for _, src := range sources {
		f, err := Parse(src)
		if err != nil {
			continue
		}
		names := variablesOf(f)
		p, err := Compile(f, names)
		if err != nil {
			t.Fatal(err)
		}
		whole, plain := p.NewEvaluator(rows), p.NewEvaluator(rows)
		plain.rowByRow = true
		for range runs {
			count := 1 + r.IntN(rows)
			for slot := range names {
				values := randomColumn(r, count)
				setColumn(t, whole, slot, values)
				for row, v := range values {
					if err := plain.Set(row, slot, v); err != nil {
						t.Fatal(err)
					}
				}
			}
			count += r.IntN(rows - count + 1) // the others keep their values
			for _, e := range []*Evaluator{whole, plain} {
				if err := e.Run(count); err != nil {
					t.Fatal(err)
				}
			}
			values := whole.Values()
			for row := range count {
				got, want := whole.Result(row), plain.Result(row)
				if fmt.Sprint(got.Err) != fmt.Sprint(want.Err) || math.Float64bits(got.Value) != math.Float64bits(want.Value) &&
					!(math.IsNaN(got.Value) && math.IsNaN(want.Value)) {
					t.Fatalf("%q, row %d: %v as a whole, %v row by row", src, row, got, want)
				}
				if values != nil && (want.Err != nil || math.Float64bits(values[row]) != math.Float64bits(got.Value)) {
					t.Fatalf("%q, row %d: %v of all values, %v by itself", src, row, values[row], want)
				}
			}
			if values != nil {
				areWhole++
			}
		}
	}
	if areWhole < len(sources) {
		t.Errorf("%d runs of %d formulas had a number in each row", areWhole, len(sources))
	}
}
