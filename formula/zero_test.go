package formula

import (
	"errors"
	"fmt"
	"testing"
)

// What nobody has made, such as the zero Formula, makes errors or harmless values.
func TestZeroValues(t *testing.T) {
	var none Formula
	var program Program
	var evaluator Evaluator
	var symbols Symbols
	var v Variable
	steps := func(steps []Step, r Result) string { return fmt.Sprint(len(steps), " ", isUse(r.Err), r.Value) }
	for _, row := range []struct {
		name string
		do   func() any
		want any
	}{
		{"Formula.Source", func() any { return none.Source() }, ""},
		{"Formula.String", func() any { return none.String() }, ""},
		{"Formula.Names", func() any { return len(none.Names()) }, 0},
		{"Formula.Numbers", func() any { return len(none.Numbers()) }, 0},
		{"Formula.With", func() any { return none.With(map[string]string{"a": "b"}) }, ""},
		{"Formula.Rises", func() any { return none.Rises("ncpus") }, false},
		{"Formula.Eval", func() any { return isUse(none.Eval(nil).Err) }, true},
		{"Formula.Eval of nil", func() any { return isUse((*Formula)(nil).Eval(nil).Err) }, true},
		{"Formula.Explain", func() any { return steps(none.Explain(nil)) }, "0 true 0"},
		{"Compile", func() any { _, err := Compile(&none, nil); return isUse(err) }, true},
		{"Compile of nil", func() any { _, err := Compile(nil, []string{"a"}); return isUse(err) }, true},
		{"Program.Eval", func() any { return isUse(program.Eval().Err) }, true},
		{"Program.Eval with a value", func() any { return isUse(program.Eval(Int(1)).Err) }, true},
		{"Program.NewEvaluator", func() any { return isUse(program.NewEvaluator(3).Run(3)) }, true},
		{"Program.NewEvaluator, below 0", func() any { return isUse(program.NewEvaluator(-3).Run(-3)) }, true},
		{"Evaluator.Set", func() any { return isUse(evaluator.Set(0, 0, Int(1))) }, true},
		{"Evaluator.Run", func() any { return isUse(evaluator.Run(0)) }, true},
		{"Evaluator.Result", func() any { return isUse(evaluator.Result(0).Err) }, true},
		{"Evaluator.SetBudget", func() any { evaluator.SetBudget(0); return isUse(evaluator.Result(-1).Err) }, true},
		{"Symbols.Lookup", func() any { v, ok := symbols.Lookup("ncpus"); return fmt.Sprint(v.Type, " ", ok) }, "long true"},
		{"Symbols.Lookup of nil", func() any { v, ok := (*Symbols)(nil).Lookup("ncpus"); return fmt.Sprint(v.Type, " ", ok) }, "long true"},
		{"Symbols.Type", func() any { return symbols.Type("nonsense") }, Type("")},
		{"Symbols.Resolve", func() any { return symbols.Resolve("walltime") }, VariableName},
		{"Symbols.With", func() any { return symbols.With(map[string]Type{"lic": Long}).Type("lic") }, Long},
		{"Symbols.With of nil", func() any { return (*Symbols)(nil).With(nil).Type("mem") }, Size},
		{"Symbols.With changes nothing", func() any { return symbols.Type("lic") }, Type("")},
		{"NewSymbols", func() any { return NewSymbols(nil).Resolve("nonsense") }, UndefinedName},
		{"Check", func() any { v := Check("ncpus + 1", nil); return fmt.Sprint(v.Code, v.Message, v.Err) }, "0<nil>"},
		{"Check, zero Symbols", func() any { return Check("nonsense", &symbols).Code }, CodeBadKeyword},
		{"Check of nothing", func() any { return Check("", nil).Err != nil }, true},
		{"Warnings", func() any { return len(Warnings("ncpus + 1", nil, Surroundings{})) }, 0},
		{"Warnings of nothing", func() any { return len(Warnings("", nil, Surroundings{})) }, 0},
		{"Warnings, zero Symbols", func() any { return Warnings("1/ncpus", &symbols, Surroundings{})[0].Rule }, "first-evaluation"},
		{"Value.String", func() any { var x Value; return x.String() }, "None"},
		{"Value.Fixed", func() any { var x Value; return x.Fixed(2) }, "None"},
		{"Value.Number", func() any { var x Value; _, ok := x.Number(); return ok }, false},
		{"Variable.Value", func() any { x, ok := v.Value(3); return fmt.Sprint(x, ok) }, "3 true"},
		{"Variable.Text", func() any { return v.Text(Int(3)) }, "3"},
		{"Result.Float32", func() any { var r Result; return r.Float32() }, float32(0)},
		{"Result.Log", func() any { var r Result; return r.Log() }, "0"},
		{"SyntaxError", func() any { return new(SyntaxError).Error() != "" }, true},
		{"PyError", func() any { return new(PyError).Error() != "" }, true},
		{"ForeignError", func() any { return new(ForeignError).Error() != "" }, true},
		{"NotRealError", func() any { return new(NotRealError).Error() != "" }, true},
		{"LimitError", func() any { return new(LimitError).Error() != "" }, true},
		{"UseError", func() any { return new(UseError).Error() }, ""},
	} {
		func() {
			defer func() {
				if what := recover(); what != nil {
					t.Errorf("%s panics: %v", row.name, what)
				}
			}()
			if got := row.do(); got != row.want {
				t.Errorf("%s: %v, want %v", row.name, got, row.want)
			}
		}()
	}
}

// isUse reports whether an error says that something was used wrongly.
func isUse(err error) bool {
	var use *UseError
	return errors.As(err, &use)
}

// Of a name that is not known, one is offered that is like it, or the only one that begins so.
func TestNearestName(t *testing.T) {
	for name, want := range map[string]string{"job_prio": "job_priority", "eligible": "eligible_time", "job_priorty": "job_priority", "nothing_like_it": "", "job": "", "fair_share": "fairshare_factor", "fairshare": "fairshare_factor"} {
		if got := (&Symbols{}).nearest(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
