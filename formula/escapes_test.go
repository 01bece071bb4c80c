package formula

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"
)

// A complex of PBS answered 25 formulas with string escapes and comments:
// qmgr's verdict, and the values of four jobs of 1, 2, 4 and 800 cpus.
func TestRecordedEscapes(t *testing.T) {
	f, err := os.Open("../testdata/qmgr/escapes.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols := NewSymbols(nil)
	tried := 0
	for lines := bufio.NewScanner(f); lines.Scan(); tried++ {
		var r recordedVerdict
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		v := Check(r.Formula, symbols)
		if v.Code != r.Error || v.Message != r.Message {
			t.Errorf("%q: %d %q, want %d %q", r.Formula, v.Code, v.Message, r.Error, r.Message)
		}
		for i, ncpus := range []int64{1, 2, 4, 800} {
			if r.Error != 0 {
				continue
			}
			value, err := evaluateWith(r.Formula, map[string]Value{"ncpus": Int(ncpus)})
			if got := (Result{Value: value}).Log(); got != r.Values[i] {
				t.Errorf("%q of %d cpus: %s (%v), want %s", r.Formula, ncpus, got, err, r.Values[i])
			}
			// PBS's 0 for a formula that is several statements is an error.
			if zero := r.Values[i] == "0"; zero != (err != nil) {
				t.Errorf("%q: error %v, value %s", r.Formula, err, r.Values[i])
			}
		}
	}
	if tried != 25 {
		t.Errorf("%d formulas, want 25", tried)
	}
}

// An odd number of backslashes at the end escapes the closing quote, an even
// one does not; and so on for other ways to end the literal.
func TestQuotes(t *testing.T) {
	tests := []struct {
		formula string
		code    int
	}{
		{`ncpus\`, CodeServerError},
		{`ncpus\\`, CodeBadFormat},
		{`ncpus\\\`, CodeServerError},
		{`ncpus\\\\`, CodeBadFormat},
		{`ncpus'`, CodeServerError},
		{`ncpus\'`, CodeBadFormat},
		{`ncpus\\'`, CodeServerError},
		{`ncpus\x2`, CodeServerError},
		{`ncpus\u002`, CodeServerError},
		{`ncpus\U00110000`, CodeServerError},
		{`ncpus\N{NO SUCH NAME}`, CodeServerError},
		{`ncpus\N`, CodeServerError},
		{"ncpus\n", CodeServerError},
		{`ncpus\U0000002b1`, 0},
		{`ncpus+\N{digit one}`, 0},
		{`ncpus\e9`, CodeBadFormat},
		{`ncpus\xe9`, CodeBadKeyword},
		{`ncpus\xb2`, CodeBadFormat},
		{`ncpus\n mem`, CodeBadFormat},
		{`ncpus\nmem`, 0},
		{`ncpus\nnosuch`, CodeBadKeyword},
	}
	for _, test := range tests {
		if v := Check(test.formula, NewSymbols(nil)); v.Code != test.code {
			t.Errorf("%s: %d %v, want %d", test.formula, v.Code, v.Err, test.code)
		}
	}
}

// A place in a formula is one of its text, not of what its escapes stand for.
func TestPlacesBehindEscapes(t *testing.T) {
	const src = `ncpus\x2bnosuch`
	v := Check(src, NewSymbols(nil))
	p, ok := v.Err.(Problem)
	if !ok {
		t.Fatalf("%v is no problem", v.Err)
	}
	if at := p.Place(); src[at.Start:at.End] != "nosuch" {
		t.Errorf("%v is %q", at, src[at.Start:at.End])
	}
	f, err := Parse(`1\x2f(ncpus\x2d1)`)
	if err != nil {
		t.Fatal(err)
	}
	steps, _ := f.Explain(map[string]Value{"ncpus": Int(1)})
	if text := steps[1].Text; text != `(ncpus\x2d1)` && text != `ncpus\x2d1` {
		t.Errorf("the divisor is %q", text)
	}
}
