package expect

import (
	"math"
	"strings"
	"testing"

	"fairshare/cmd/internal/pbs/order"
)

func TestIsAsWritten(t *testing.T) {
	for _, test := range []struct {
		value float64
		text  string
		want  bool
	}{
		{0.6484197, "0.648", true}, {0.6484197, "0.649", false}, {0.6484197, "0.6484", true}, {0.6485, "0.648", true}, {0.64851, "0.648", false},
		{12, "12", true}, {12.3, "12", false}, {16777216, "16777217", false}, {math.Inf(1), "inf", true}, {math.Inf(-1), "inf", false},
		{math.NaN(), "nan", true}, {1e10, "1e10", true}, {1.5e10, "1.5e10", true}, {0, "0", true}, {1e-9, "0", false},
	} {
		if got, err := isAsWritten(test.value, test.text); err != nil || got != test.want {
			t.Errorf("%v as %s: %v %v", test.value, test.text, got, err)
		}
	}
	if _, err := isAsWritten(1, "x"); err == nil {
		t.Error("x is a number")
	}
}

// Of several values of a job that are none, the first by its name is told.
func TestJobLine(t *testing.T) {
	for range 50 {
		if _, err := jobLine(strings.Fields("x ncpus=four mem=much walltime=long"), order.Symbols(nil)); err == nil || !strings.HasPrefix(err.Error(), "the value of mem") {
			t.Fatalf("it says %v", err)
		}
	}
}

// Whatever a file says, it is followed or refused, and files that it names are
// read only below the directory given.
func FuzzCheck(f *testing.F) {
	f.Add("formula ncpus\nvalue 1 with ncpus=1\njob a ncpus=1\njob b ncpus=2\norder b a\ntie a b\nleft-out a\nerror NameError of a\n")
	f.Add("threshold 3\nstatic\nnon-prime\nformula 1/ncpus\njob a\nvalue 0 of a\ntest x\nvalue 1 of a\n")
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "..") || strings.Contains(text, "/") {
			return
		}
		list, err := Parse(text)
		if err != nil {
			return
		}
		for _, line := range list {
			if needs, known := words[line.word]; !known || needs.needsValue == (line.rest == "") {
				t.Errorf("%+v", line)
			}
			if line.word == "job" {
				if text, err := jobLine(strings.Fields(line.rest), order.Symbols(nil)); err == nil && strings.Count(string(text), "\n") > 0 {
					t.Errorf("%q is more than a line", text)
				}
			}
		}
		r, err := Check(list, dir, Start{})
		if n := r.Met + len(r.Missed); err == nil && n == 0 || n > len(list) {
			t.Errorf("%d expectations of %d lines", n, len(list))
		}
	})
}
