package libm

import "math"

// Functions whose formulas in glibc differ from musl's: what follows has
// glibc's, on top of the functions that agree.

// largeAsinh is where glibc's asinh and acosh take the logarithm alone.
const largeAsinh = 1 << 28

// Asinh returns C's asinh.
func Asinh(x float64) float64 {
	a := math.Abs(x)
	switch {
	case !(a <= math.MaxFloat64) || a < 1.0/largeAsinh:
		return x
	case a > largeAsinh:
		a = Log(a) + math.Ln2
	case a > 2:
		a = Log(2*a + 1/(math.Sqrt(float64(a*a)+1)+a))
	default:
		t := a * a
		a = Log1p(a + t/(1+math.Sqrt(1+t)))
	}
	return math.Copysign(a, x)
}

// Acosh returns C's acosh, for x from 1 on.
func Acosh(x float64) float64 {
	switch {
	case x > largeAsinh:
		return Log(x) + math.Ln2
	case x > 2:
		return Log(2*x - 1/(x+math.Sqrt(float64(x*x)-1)))
	}
	t := x - 1
	return Log1p(t + math.Sqrt(2*t+float64(t*t)))
}

// Log10 returns C's log10, for x above 0: the exponent's part in two pieces.
func Log10(x float64) float64 {
	const (
		inverseLn10 = 4.34294481903251816668e-01
		log10Of2Hi  = 3.01029995663611771306e-01
		log10Of2Lo  = 3.69423907715893078616e-13
	)
	if math.IsInf(x, 1) {
		return x
	}
	frac, exp := math.Frexp(x) // from 0.5 to 1
	if exp > 0 {
		frac, exp = frac*2, exp-1
	}
	n := float64(exp)
	z := float64(n*log10Of2Lo) + float64(inverseLn10*Log(frac))
	return z + float64(n*log10Of2Hi)
}

// Gamma and Lgamma are CPython's own: Lanczos's approximation with these
// constants, published with the Boost libraries.
const lanczosG = 6.024680040776729583740234375

var (
	lanczosNumerator = [...]float64{
		23531376880.410759688572007674451636754734846804940,
		42919803642.649098768957899047001988850926355848959,
		35711959237.355668049440185451547166705960488635843,
		17921034426.037209699919755754458931112671403265390,
		6039542586.3520280050642916443072979210699388420708,
		1439720407.3117216736632230727949123939715485786372,
		248874557.86205415651146038641322942321632125127801,
		31426415.585400194380614231628318205362874684987640,
		2876370.6289353724412254090516208496135991145378768,
		186056.26539522349504029498971604569928220784236328,
		8071.6720023658162106380029022722506138218516325024,
		210.82427775157934587250973392071336271166969580291,
		2.5066282746310002701649081771338373386264310793408,
	}
	lanczosDenominator = [...]float64{
		0, 39916800, 120543840, 150917976, 105258076, 45995730, 13339535,
		2637558, 357423, 32670, 1925, 66, 1,
	}
)

func lanczosSum(x float64) float64 {
	var num, den float64
	last := len(lanczosNumerator) - 1
	for i := range lanczosNumerator {
		if x < 5 {
			num = float64(num*x) + lanczosNumerator[last-i]
			den = float64(den*x) + lanczosDenominator[last-i]
		} else {
			num = num/x + lanczosNumerator[i]
			den = den/x + lanczosDenominator[i]
		}
	}
	return num / den
}

// sinPi is sin(pi x), exact at its zeros.
func sinPi(x float64) float64 {
	y := math.Mod(math.Abs(x), 2)
	var r float64
	switch math.Round(2 * y) {
	case 0:
		r = Sin(math.Pi * y)
	case 1:
		r = Cos(math.Pi * (y - 0.5))
	case 2:
		r = Sin(math.Pi * (1 - y))
	case 3:
		r = -Cos(math.Pi * (y - 1.5))
	default:
		r = Sin(math.Pi * (y - 2))
	}
	return math.Copysign(1, x) * r
}

// Gamma is the gamma function; x is finite and no integer below 1.
func Gamma(x float64) float64 {
	const gMinusHalf = lanczosG - 0.5
	a := math.Abs(x)
	switch {
	case a < 1e-20:
		return 1 / x
	case a > 200 && x < 0:
		return 0 / sinPi(x)
	case a > 200:
		return math.Inf(1)
	}
	y := a + gMinusHalf
	var z float64 // what y has lost by rounding
	if a > gMinusHalf {
		q := y - a
		z = q - gMinusHalf
	} else {
		q := y - gMinusHalf
		z = q - a
	}
	z = z * lanczosG / y
	if x < 0 {
		r := -math.Pi / sinPi(a) / a * Exp(y) / lanczosSum(a)
		r -= float64(z * r)
		if a < 140 {
			return r / Pow(y, a-0.5)
		}
		root := Pow(y, a/2-0.25)
		return r / root / root
	}
	r := lanczosSum(a) / Exp(y)
	r += float64(z * r)
	if a < 140 {
		return r * Pow(y, a-0.5)
	}
	root := Pow(y, a/2-0.25)
	return r * root * root
}

// Lgamma is the logarithm of the gamma function's size; x is finite and no
// integer below 1.
func Lgamma(x float64) float64 {
	const logPi = 1.144729885849400174143427351353058711647
	if x == 1 || x == 2 {
		return 0
	}
	a := math.Abs(x)
	if a < 1e-20 {
		return -Log(a)
	}
	r := Log(lanczosSum(a)) - lanczosG
	r += float64((a - 0.5) * (Log(a+lanczosG-0.5) - 1))
	if x < 0 {
		r = logPi - Log(math.Abs(sinPi(a))) - Log(a) - r
	}
	return r
}
