// Package report holds what the commands' outputs have in common.
package report

import (
	"encoding/json"
	"math"
)

// Number is a float64 that JSON can carry whatever it is: infinities and NaN
// become the strings "inf", "-inf" and "nan".
type Number float64

// MarshalJSON implements json.Marshaler.
func (n Number) MarshalJSON() ([]byte, error) {
	f := float64(n)
	switch {
	case math.IsNaN(f):
		return []byte(`"nan"`), nil
	case math.IsInf(f, 1):
		return []byte(`"inf"`), nil
	case math.IsInf(f, -1):
		return []byte(`"-inf"`), nil
	}
	return json.Marshal(f)
}

// Known is a number for a field that is null where there is none (NaN).
func Known(f float64) *Number {
	if math.IsNaN(f) {
		return nil
	}
	n := Number(f)
	return &n
}
