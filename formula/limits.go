package formula

// MaxLength is how many bytes of a formula are read. PBS fails at some 8,000.
const MaxLength = 16 << 10

// Bounds on a formula's text; Python's own are 200 nested brackets and a depth
// of about 3,000 operations. Beyond them Parse returns a *LimitError or, in
// Python's words, a *SyntaxError.
const (
	maxBrackets = 200
	maxDepth    = 2_900
	maxPrefix   = 1_000 // signs or "not"s one after another
)

// Bounds on what a formula may compute, each a *LimitError beyond it.
const (
	maxIntDigits = 4_300   // Python's own limit on decimal literals
	maxIntBits   = 1 << 21 // of a result; 630,000 digits
	maxSlowBits  = 1 << 17 // of an operand of what takes quadratic time
	maxWork      = 1 << 24 // steps of one evaluation, see treeEvaluator.charge
	maxElements  = 1 << 17 // of a list
	maxFactorial = 10_000  // and of other loops over integers
)
