package fstree

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// Sums are those of numbers with 64 bits, whatever the sizes of the numbers.
func TestAdd(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for range 20_000 {
		sum, want := longDouble{}, new(big.Float).SetPrec(64)
		for range 2 + r.IntN(4) {
			x := math.Ldexp(float64(r.Uint64N(1<<53)), r.IntN(140)-60)
			switch r.IntN(4) {
			case 0:
				x = math.Ldexp(float64(1+r.IntN(3)), r.IntN(140)) // so that sums are halfway between two numbers
			case 1:
				x = math.Ldexp(1, 100) - math.Ldexp(float64(r.IntN(2)), 100-53) // all bits set
			}
			sum = sum.add(toLongDouble(x))
			want.Add(want, big.NewFloat(x))
		}
		got := new(big.Float).SetPrec(64).SetMantExp(new(big.Float).SetPrec(64).SetUint64(sum.mantissa), int(sum.exponent))
		wantFloat, _ := want.Float64()
		if got.Cmp(want) != 0 || sum.float64() != wantFloat {
			t.Fatalf("%v, want %v", got, want)
		}
	}
}
