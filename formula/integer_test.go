package formula

import (
	"errors"
	"testing"
)

// A choice is limited by the smaller of its two halves, as Python's takes no
// longer for the other one.
func TestComb(t *testing.T) {
	tests := []struct {
		formula, want string // "" for what is too much
	}{
		{"comb(100000,2)", "4999950000"},
		{"comb(100000,99998)", "4999950000"},
		{"comb(2**70,2**70-1)", "1180591620717411303424"},
		{"comb(5,6)", "0"},
		{"perm(100000,2)", "9999900000"},
		{"comb(2**70,2**62)", ""},
		{"comb(2**70,2**69)", ""},
		{"perm(2**70,2**62)", ""},
	}
	for _, test := range tests {
		f, err := Parse(test.formula)
		if err != nil {
			t.Fatal(err)
		}
		steps, _ := f.Explain(nil)
		var limit *LimitError
		switch first := steps[0]; {
		case test.want == "":
			if !errors.As(first.Err, &limit) {
				t.Errorf("%s: %+v, want a LimitError", test.formula, first)
			}
		case first.Err != nil || first.Value.String() != test.want:
			t.Errorf("%s: %+v, want %s", test.formula, first, test.want)
		}
	}
}
