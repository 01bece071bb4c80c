package formula

import (
	"slices"
	"strings"
)

// NameKind is what a name means in a formula.
type NameKind uint8

// The kinds, in the order in which PBS's interpreter finds them: it imports
// Python's math module whole, so that a name of math hides a variable, and a
// variable hides a function of Python's own.
const (
	UndefinedName   NameKind = iota // Python raises a NameError
	Constant                        // of Python's math module, such as pi
	MathFunction                    // of Python's math module, such as sqrt
	VariableName                    // a keyword or a resource
	BuiltinFunction                 // Python's own, such as max
	ForeignName                     // Python's own, but not to be had in a formula, such as open
)

// resolve returns what a name means, given whether it is a variable.
func resolve(name string, variable bool) NameKind {
	if v, ok := mathNames[name]; ok {
		if v.kind == kFunction {
			return MathFunction
		}
		return Constant
	}
	switch {
	case variable:
		return VariableName
	case builtinNames[name].function() != nil:
		return BuiltinFunction
	case pythonNames[name]:
		return ForeignName
	}
	return UndefinedName
}

// binding is what a name of a formula means, resolved once.
type binding struct {
	kind  NameKind
	value Value // of a constant or a function
}

// bind resolves all names below some nodes.
func bind(roots []node, variable func(name string) bool) map[string]binding {
	names := map[string]binding{}
	for _, root := range roots {
		walk(root, func(n node) {
			name, ok := n.(*nameNode)
			if !ok {
				return
			}
			if _, done := names[name.Name]; done {
				return
			}
			b := binding{kind: resolve(name.Name, variable(name.Name))}
			switch b.kind {
			case Constant, MathFunction:
				b.value = mathNames[name.Name]
			case BuiltinFunction:
				b.value = builtinNames[name.Name]
			}
			names[name.Name] = b
		})
	}
	return names
}

// Functions returns the names of the functions and constants that formulas can
// use: Python's own functions, and the functions and constants of its math
// module.
func Functions() (builtins, math, constants []string) {
	for name := range builtinNames {
		builtins = append(builtins, name)
	}
	for name, v := range mathNames {
		if v.kind == kFunction {
			math = append(math, name)
		} else {
			constants = append(constants, name)
		}
	}
	slices.Sort(builtins)
	slices.Sort(math)
	slices.Sort(constants)
	return builtins, math, constants
}

// pythonNames are Python's builtins that PBS's interpreter, which runs without
// the site module, knows and this package does not evaluate.
var pythonNames = func() map[string]bool {
	m := map[string]bool{}
	for _, name := range strings.Fields(`
ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError
BrokenPipeError BufferError BytesWarning ChildProcessError ConnectionAbortedError ConnectionError
ConnectionRefusedError ConnectionResetError DeprecationWarning EOFError Ellipsis EncodingWarning
EnvironmentError Exception ExceptionGroup FileExistsError FileNotFoundError FloatingPointError
FutureWarning GeneratorExit IOError ImportError ImportWarning IndentationError IndexError
InterruptedError IsADirectoryError KeyError KeyboardInterrupt LookupError MemoryError
ModuleNotFoundError NameError NotADirectoryError NotImplemented NotImplementedError OSError
OverflowError PendingDeprecationWarning PermissionError ProcessLookupError RecursionError
ReferenceError ResourceWarning RuntimeError RuntimeWarning StopAsyncIteration StopIteration
SyntaxError SyntaxWarning SystemError SystemExit TabError TimeoutError TypeError UnboundLocalError
UnicodeDecodeError UnicodeEncodeError UnicodeError UnicodeTranslateError UnicodeWarning UserWarning
ValueError Warning ZeroDivisionError __build_class__ __debug__ __doc__ __import__ __loader__
__name__ __package__ __spec__ aiter anext ascii bin breakpoint bytearray bytes callable chr
classmethod compile complex delattr dict dir enumerate eval exec filter format frozenset getattr
globals hasattr hash hex id input isinstance issubclass iter list locals map memoryview next object
oct open ord pow print property range repr reversed set setattr slice staticmethod str super tuple
type vars zip
`) {
		m[name] = true
	}
	return m
}()
