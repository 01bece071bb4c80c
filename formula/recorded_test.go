package formula

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
)

// recordedFormula is what CPython 3.11.7 answered, with "from math import *".
type recordedFormula struct {
	ID      int
	Formula string
	Vars    map[string]string // as PBS prints them
	Value   string            // float's repr, or
	Error   string            // "Class: message"
}

func recordedFormulas(t testing.TB) []recordedFormula {
	t.Helper()
	f, err := os.Open("../testdata/formula/cpython.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var rows []recordedFormula
	for lines := bufio.NewScanner(z); lines.Scan(); {
		var r recordedFormula
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	if len(rows) != 1200 {
		t.Fatalf("%d formulas, want 1200", len(rows))
	}
	return rows
}

func (r recordedFormula) variables(t testing.TB) map[string]Value {
	t.Helper()
	vars := map[string]Value{}
	for name, text := range r.Vars {
		v, ok := ParseValue(text)
		if !ok {
			t.Fatalf("%d: %s=%s", r.ID, name, text)
		}
		vars[name] = v
	}
	return vars
}

// inexact tells whether a formula uses functions that libraries may round
// differently.
func inexact(formula string) bool {
	for _, name := range []string{"**", "pow", "exp", "log", "sin", "cos", "tan", "hypot", "dist", "cbrt", "gamma", "erf"} {
		if strings.Contains(formula, name) {
			return true
		}
	}
	return false
}

func TestRecordedFormulas(t *testing.T) {
	identical, near := 0, 0
	for _, r := range recordedFormulas(t) {
		value, err := evaluateWith(r.Formula, r.variables(t))
		if err != nil || r.Error != "" {
			got := ""
			if err != nil {
				got = err.Error()
			}
			if want := r.Error; got != want {
				t.Errorf("%d: %s\n got error %q\nwant %q", r.ID, r.Formula, got, want)
			}
			continue
		}
		want, perr := strconv.ParseFloat(r.Value, 64)
		if perr != nil {
			t.Fatal(perr)
		}
		same := math.Float64bits(value) == math.Float64bits(want) || math.IsNaN(value) && math.IsNaN(want)
		if !inexact(r.Formula) {
			if !same {
				t.Errorf("%d: %s is %v, want %v", r.ID, r.Formula, value, want)
			}
			continue
		}
		near++
		if same {
			identical++
		}
		if !same && !(math.Abs(value-want) <= 1e-14*math.Abs(want)) {
			t.Errorf("%d: %s is %v, want %v", r.ID, r.Formula, value, want)
		}
	}
	t.Logf("%d of %d formulas with transcendental functions are identical to the last bit", identical, near)
	if identical*100 < near*99 {
		t.Errorf("only %d of %d are identical", identical, near)
	}
}

// evaluateWith compiles and evaluates a formula once.
func evaluateWith(src string, vars map[string]Value) (float64, error) {
	f, err := Parse(src)
	if err != nil {
		return 0, err
	}
	var names []string
	var values []Value
	for name, v := range vars {
		names = append(names, name)
		values = append(values, v)
	}
	p, err := Compile(f, names)
	if err != nil {
		return 0, err
	}
	r := p.Eval(values...)
	return r.Value, r.Err
}
