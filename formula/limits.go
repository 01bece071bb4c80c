package formula

// Bounds on what a formula may compute, each a LimitError beyond it.
const (
	maxIntDigits = 4_300   // Python's own limit on decimal literals
	maxIntBits   = 1 << 21 // of a result; 630,000 digits
	maxSlowBits  = 1 << 17 // of an operand of what takes quadratic time
	maxWork      = 1 << 24 // steps of one evaluation, see evaluator.charge
	maxSpent     = 1 << 28 // steps of an Evaluator
	maxElements  = 1 << 17 // of a list
	maxFactorial = 10_000  // and other loops over integers
)
