package formula

import (
	"errors"
	"strings"
	"testing"
)

// PBS's interpreter looks for a name among math's, then among the variables,
// then among Python's own; every way of evaluating does so too.
func TestResolve(t *testing.T) {
	symbols := NewSymbols(map[string]Type{"slice": Long, "max": Long, "floor": Long, "gpus": Long}, Variable{Name: "fair_tree"}, Variable{Name: "gpus"})
	for name, want := range map[string]NameKind{
		"pi": Constant, "floor": MathFunction, "pow": MathFunction, "ncpus": VariableName, "slice": VariableName, "max": VariableName,
		"min": BuiltinFunction, "open": ForeignName, "nosuch": UndefinedName, "fair_tree": VariableName,
	} {
		if got := symbols.Resolve(name); got != want {
			t.Errorf("%s is %d, want %d", name, got, want)
		}
	}
	if symbols.Type("fair_tree") != "" || symbols.Type("gpus") != Long {
		t.Error("PBS knows an additional variable, or does not know a site's resource")
	}
}

// A variable hides a function of Python's own, also one that cannot be had in
// a formula; one that math has is hidden by it.
func TestHiddenNames(t *testing.T) {
	vars := map[string]Value{"slice": Int(9), "max": Int(7), "floor": Int(5)}
	tests := []struct{ formula, want string }{
		{"slice", "9.0"},
		{"max", "7.0"},
		{"max(1, 2)", "TypeError: 'int' object is not callable"},
		{"floor(2.5)", "2.0"},
		{"min(max, slice)", "7.0"},
		{"open", "ForeignError: Python's open: PBS would run this as Python code; formula does not"},
		{"nosuch", "NameError: name 'nosuch' is not defined"},
	}
	for _, test := range tests {
		f, err := Parse(test.formula)
		if err != nil {
			t.Fatal(err)
		}
		compiled, err := evaluateWith(test.formula, vars)
		walked := f.Eval(vars)
		for kind, r := range map[string]Result{"compiled": {compiled, err}, "walked": walked} {
			got := Float(r.Value).String()
			if r.Err != nil {
				got = r.Err.Error()
			}
			if got != test.want {
				t.Errorf("%s, %s: %s, want %s", test.formula, kind, got, test.want)
			}
		}
	}
}

// Wrong use is an error, never a panic.
func TestUseErrors(t *testing.T) {
	f, err := Parse("a + b")
	if err != nil {
		t.Fatal(err)
	}
	var use *UseError
	if _, err := Compile(f, []string{"a", "b", "a"}); !errors.As(err, &use) {
		t.Errorf("a variable twice: %v", err)
	}
	p, err := Compile(f, []string{"a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	if r := p.Eval(Int(1)); !errors.As(r.Err, &use) {
		t.Errorf("too few values: %v", r.Err)
	}
	e := p.NewEvaluator(2)
	if r := e.Result(0); !errors.As(r.Err, &use) {
		t.Errorf("a result before a run: %v", r.Err)
	}
	for _, at := range [][2]int{{2, 0}, {-1, 0}, {0, 2}, {0, -1}} {
		if err := e.Set(at[0], at[1], Int(1)); !errors.As(err, &use) {
			t.Errorf("row %d, slot %d: %v", at[0], at[1], err)
		}
	}
	if err := e.Run(3); !errors.As(err, &use) {
		t.Errorf("more rows than there are: %v", err)
	}
	if err := e.Run(1); err != nil {
		t.Fatal(err)
	}
	if r := e.Result(1); !errors.As(r.Err, &use) {
		t.Errorf("a row that was not run: %v", r.Err)
	}
	if r := e.Result(0); r.Err != nil || r.Value != 0 {
		t.Errorf("variables that were not set: %v", r)
	}
	p.NewEvaluator(-1)
}

// A budget bounds all runs together, and only where one is set.
func TestBudget(t *testing.T) {
	f, err := Parse("len([1]*20000) + n")
	if err != nil {
		t.Fatal(err)
	}
	p, err := Compile(f, []string{"n"})
	if err != nil {
		t.Fatal(err)
	}
	for _, budget := range []int{-1, 20_000_000} {
		e := p.NewEvaluator(1)
		if budget > 0 {
			e.SetBudget(budget)
		}
		var limit *LimitError
		for run := range 40 {
			if err := e.Run(1); err != nil {
				t.Fatal(err)
			}
			r := e.Result(0)
			if late := run >= 30; budget > 0 && late != errors.As(r.Err, &limit) && (late || run < 3) || budget < 0 && r.Err != nil {
				t.Errorf("budget %d, run %d: %v", budget, run, r.Err)
			}
		}
	}
}

// Parts that the tree evaluates are counted by what they come to, also where the row is evaluated
// again: a run of many of them is bounded.
func TestPartsAreCounted(t *testing.T) {
	const parts = 100
	f, err := Parse(strings.Repeat("factorial(10000)+", parts) + "n")
	if err != nil {
		t.Fatal(err)
	}
	p, err := Compile(f, []string{"n"})
	if err != nil {
		t.Fatal(err)
	}
	e := p.NewEvaluator(2)
	if err := e.Run(2); err != nil {
		t.Fatal(err)
	}
	if e.steps <= maxWork || e.steps > 2*maxWork {
		t.Errorf("%d steps are counted, want as many as a run may take, %d", e.steps, maxWork)
	}
	var limit *LimitError
	if r := e.Result(1); !errors.As(r.Err, &limit) {
		t.Errorf("the last row: %v", r.Err)
	}
}
