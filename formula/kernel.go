package formula

import (
	"fmt"
	"math"

	"github.com/expr-lang/expr"

	"fairshare/formula/internal/libm"
)

// kernel computes one operation in each row of a batch. A row whose operand is
// tagOther where it is needed, or whose result no column holds, is tagOther in
// out.
type kernel func(e *Evaluator, o *op, out *column, x []*column)

var add = arithmetic(func(a, b float64) float64 { return a + b })

// comparisons are Python's, by the names of their kernels.
var comparisons = map[string]func(a, b float64) bool{
	"less":         func(a, b float64) bool { return a < b },
	"lessEqual":    func(a, b float64) bool { return a <= b },
	"greater":      func(a, b float64) bool { return a > b },
	"greaterEqual": func(a, b float64) bool { return a >= b },
	"equal":        func(a, b float64) bool { return a == b },
	"notEqual":     func(a, b float64) bool { return a != b },
}

// kernels by the name that they have in a lowered formula.
var kernels = map[string]kernel{
	"add":         add,
	"subtract":    arithmetic(func(a, b float64) float64 { return a - b }),
	"multiply":    arithmetic(func(a, b float64) float64 { return a * b }),
	"divide":      divide,
	"floorDivide": floorAnd(func(q, _ float64) float64 { return q }, true),
	"modulo":      floorAnd(func(_, r float64) float64 { return r }, false),
	"power":       power,
	"plus":        sign(1),
	"negate":      sign(-1),
	"not":         not,
	"andOperands": firstOperand(false),
	"orOperands":  firstOperand(true),
	"conditional": conditionalKernel,
	"pick":        pick,
	"minOf":       extremeOf(comparisons["less"]),
	"maxOf":       extremeOf(comparisons["greater"]),
	"sumOf":       sumOf,
	"call abs":    absKernel,
	"call float":  toFloatKernel,
	"call bool":   truthKernel,
	"call int":    toIntKernel(math.Trunc),
	"call floor":  toIntKernel(math.Floor),
	"call ceil":   toIntKernel(math.Ceil),
	"call trunc":  toIntKernel(math.Trunc),
	"call round":  toIntKernel(math.RoundToEven),
	"call log":    unaryKernel(logarithm),
}

var logarithm = domain(libm.Log, positive)

// kernelFunctions give expr the kernels. constant, variable and byTree are not
// in the table: the first two have nothing to compute.
var kernelFunctions = func() []expr.Option {
	for name, holds := range comparisons {
		kernels[name], wholes[name] = comparison(holds), wholeComparison(holds)
	}
	for name, f := range mathUnary {
		kernels["call "+name] = unaryKernel(f)
		if wholes["call "+name] == nil {
			wholes["call "+name] = wholeUnary(f)
		}
	}
	for name, f := range mathBinary {
		kernels["call "+name] = binaryKernel(f)
	}
	wholes["call log"] = wholeUnary(logarithm)
	options := []expr.Option{
		expr.Function("constant", func(args ...any) (any, error) {
			return &args[0].(*Evaluator).scratch[args[1].(int)], nil
		}),
		expr.Function("variable", func(args ...any) (any, error) {
			e := args[0].(*Evaluator)
			return &e.vars[e.program.ops[args[1].(int)].slot], nil
		}),
		expr.Function("byTree", runKernel(byTree, nil)),
	}
	for name, k := range kernels {
		options = append(options, expr.Function(name, runKernel(k, wholes[name])))
	}
	return options
}()

// runKernel returns a kernel as a function of expr, which computes by the whole, if
// there is one, where the operands allow it.
func runKernel(k kernel, w whole) func(args ...any) (any, error) {
	return func(args ...any) (any, error) {
		e, number := args[0].(*Evaluator), args[1].(int)
		x := make([]*column, len(args)-2)
		areNumbers := true
		for i := range x {
			c, ok := args[i+2].(*column)
			if !ok {
				return nil, fmt.Errorf("operand %d is a %T", i, args[i+2])
			}
			x[i] = c
			areNumbers = areNumbers && c.all != tagAny
		}
		out := &e.scratch[number]
		if w == nil || !areNumbers || e.rowByRow || !w(e.rows, out, x) {
			out.known = 0
			k(e, &e.program.ops[number], out, x)
			out.survey(e.rows)
		}
		return out, nil
	}
}

// byTree evaluates a node with the tree evaluator in each row.
func byTree(e *Evaluator, o *op, out *column, _ []*column) {
	for row := range e.rows {
		out.tag[row] = tagOther
		if e.steps > maxWork || e.isSpent() {
			continue // Result evaluates the whole formula, within bounds of its own
		}
		e.row, e.tree.work = row, 0
		if v, err := e.tree.eval(o.node); err == nil {
			out.set(row, v)
		}
		e.charge()
	}
}

func arithmetic(f func(a, b float64) float64) kernel {
	return func(e *Evaluator, _ *op, out *column, x []*column) {
		a, b := x[0], x[1]
		for i := range e.rows {
			ta, tb := a.tag[i], b.tag[i]
			r := f(a.v[i], b.v[i])
			switch {
			case ta == tagOther || tb == tagOther:
				out.tag[i] = tagOther
			case ta == tagFloat || tb == tagFloat:
				out.v[i], out.tag[i] = r, tagFloat
			default:
				out.setInt(i, r)
			}
		}
	}
}

func divide(e *Evaluator, _ *op, out *column, x []*column) {
	a, b := x[0], x[1]
	for i := range e.rows {
		out.v[i], out.tag[i] = a.v[i]/b.v[i], tagFloat
		if b.v[i] == 0 || a.tag[i] == tagOther || b.tag[i] == tagOther {
			out.tag[i] = tagOther
		}
	}
}

// floorAnd returns the kernel of // (quotient is true) or %.
func floorAnd(result func(q, r float64) float64, quotient bool) kernel {
	return func(e *Evaluator, _ *op, out *column, x []*column) {
		a, b := x[0], x[1]
		for i := range e.rows {
			ta, tb := a.tag[i], b.tag[i]
			switch {
			case ta == tagOther || tb == tagOther || b.v[i] == 0:
				out.tag[i] = tagOther
			case ta == tagFloat || tb == tagFloat:
				out.v[i], out.tag[i] = result(floatDivMod(a.v[i], b.v[i])), tagFloat
			default:
				q, r := intDivMod(Int(int64(a.v[i])), Int(int64(b.v[i])))
				if quotient {
					out.set(i, q)
				} else {
					out.set(i, r)
				}
			}
		}
	}
}

// power computes powers of floats above 0 and small powers of integers; other
// rows become tagOther.
func power(e *Evaluator, _ *op, out *column, x []*column) {
	a, b := x[0], x[1]
	for i := range e.rows {
		ta, tb := a.tag[i], b.tag[i]
		out.tag[i] = tagOther
		switch {
		case ta == tagOther || tb == tagOther:
		case ta == tagFloat || tb == tagFloat || b.v[i] < 0:
			if p := libm.Pow(a.v[i], b.v[i]); a.v[i] > 0 && finite(p) {
				out.v[i], out.tag[i] = p, tagFloat
			}
		case b.v[i] <= 64:
			r := 1.0
			for range int(b.v[i]) {
				r *= a.v[i]
			}
			out.setInt(i, r)
		}
	}
}

func sign(by float64) kernel {
	return func(e *Evaluator, _ *op, out *column, x []*column) {
		for i := range e.rows {
			switch t := x[0].tag[i]; t {
			case tagOther:
				out.tag[i] = tagOther
			case tagFloat:
				out.v[i], out.tag[i] = x[0].v[i]*by, tagFloat
			default:
				out.setInt(i, x[0].v[i]*by)
			}
		}
	}
}

func absKernel(e *Evaluator, _ *op, out *column, x []*column) {
	for i := range e.rows {
		out.v[i], out.tag[i] = math.Abs(x[0].v[i]), x[0].tag[i]
		if out.tag[i] == tagBool {
			out.tag[i] = tagInt
		}
	}
}

func not(e *Evaluator, _ *op, out *column, x []*column) {
	for i := range e.rows {
		if out.setBool(i, x[0].v[i] == 0); x[0].tag[i] == tagOther {
			out.tag[i] = tagOther
		}
	}
}

func comparison(holds func(a, b float64) bool) kernel {
	return func(e *Evaluator, _ *op, out *column, x []*column) {
		a, b := x[0], x[1]
		for i := range e.rows {
			if out.setBool(i, holds(a.v[i], b.v[i])); a.tag[i] == tagOther || b.tag[i] == tagOther {
				out.tag[i] = tagOther
			}
		}
	}
}

// firstOperand returns the kernel of "or" (wanted is true) or "and": the first
// operand whose truth is the wanted one, or the last.
func firstOperand(wanted bool) kernel {
	return func(e *Evaluator, _ *op, out *column, x []*column) {
		for i := range e.rows {
			for _, c := range x {
				out.v[i], out.tag[i] = c.v[i], c.tag[i]
				if c.tag[i] == tagOther || (c.v[i] != 0) == wanted {
					break
				}
			}
		}
	}
}

func conditionalKernel(e *Evaluator, _ *op, out *column, x []*column) {
	for i := range e.rows {
		c := x[1]
		if x[0].v[i] == 0 {
			c = x[2]
		}
		out.v[i], out.tag[i] = c.v[i], c.tag[i]
		if x[0].tag[i] == tagOther {
			out.tag[i] = tagOther
		}
	}
}

// pick computes an index into elements that are written in the formula. Python
// evaluates all of them, so that any that is tagOther makes the row tagOther.
func pick(e *Evaluator, _ *op, out *column, x []*column) {
	index, elements := x[0], x[1:]
	for i := range e.rows {
		out.tag[i] = tagOther
		if index.tag[i] != tagInt && index.tag[i] != tagBool || anyOther(elements, i) {
			continue
		}
		at := index.v[i]
		if at < 0 {
			at += float64(len(elements))
		}
		if at >= 0 && at < float64(len(elements)) {
			c := elements[int(at)]
			out.v[i], out.tag[i] = c.v[i], c.tag[i]
		}
	}
}

func anyOther(x []*column, i int) bool {
	for _, c := range x {
		if c.tag[i] == tagOther {
			return true
		}
	}
	return false
}

func extremeOf(better func(a, b float64) bool) kernel {
	return func(e *Evaluator, _ *op, out *column, x []*column) {
		for i := range e.rows {
			if anyOther(x, i) {
				out.tag[i] = tagOther
				continue
			}
			best := x[0]
			for _, c := range x[1:] {
				if better(c.v[i], best.v[i]) {
					best = c
				}
			}
			out.v[i], out.tag[i] = best.v[i], best.tag[i]
		}
	}
}

func sumOf(e *Evaluator, o *op, out *column, x []*column) {
	out.fill(0, tagInt)
	for _, c := range x {
		add(e, o, out, []*column{out, c})
	}
}

func toFloatKernel(e *Evaluator, _ *op, out *column, x []*column) {
	for i := range e.rows {
		if out.v[i], out.tag[i] = x[0].v[i], tagFloat; x[0].tag[i] == tagOther {
			out.tag[i] = tagOther
		}
	}
}

func truthKernel(e *Evaluator, _ *op, out *column, x []*column) {
	for i := range e.rows {
		if out.setBool(i, x[0].v[i] != 0); x[0].tag[i] == tagOther {
			out.tag[i] = tagOther
		}
	}
}

func toIntKernel(rounding func(float64) float64) kernel {
	return func(e *Evaluator, _ *op, out *column, x []*column) {
		for i := range e.rows {
			f := rounding(x[0].v[i])
			if out.setInt(i, f); x[0].tag[i] == tagOther || math.IsNaN(f) {
				out.tag[i] = tagOther
			}
		}
	}
}

func unaryKernel(f func(x float64) (float64, error)) kernel {
	return func(e *Evaluator, _ *op, out *column, x []*column) {
		for i := range e.rows {
			out.tag[i] = tagOther
			if x[0].tag[i] == tagOther {
				continue
			}
			if y, err := f(x[0].v[i]); err == nil {
				out.v[i], out.tag[i] = y, tagFloat
			}
		}
	}
}

func binaryKernel(f func(x, y float64) (float64, error)) kernel {
	return func(e *Evaluator, _ *op, out *column, x []*column) {
		for i := range e.rows {
			out.tag[i] = tagOther
			if x[0].tag[i] == tagOther || x[1].tag[i] == tagOther {
				continue
			}
			if y, err := f(x[0].v[i], x[1].v[i]); err == nil {
				out.v[i], out.tag[i] = y, tagFloat
			}
		}
	}
}
