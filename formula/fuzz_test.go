package formula

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Tests have small heaps, most of which is garbage: they are to collect it less often.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	m.Run()
}

func addSeeds(f *testing.F) {
	for i, r := range recordedFormulas(f) {
		if i%12 == 0 {
			f.Add(r.Formula)
		}
	}
	for _, s := range production(f) {
		f.Add(s)
	}
	for _, s := range []string{
		"", " ", "(", "1 if 2 else", "a b", "not not 1", "1 < 2 < 3", "-2**-2", "x = 3", "a;b", "[i for i in (1,2)]",
		"lambda x: x", "f'x'", "x.y", "x[1:2]", "{1:2}", "(x:=1)", "1_0", "0x", "1..2", "\"", "'", "\\", "é", "1j*1j", "True + None",
		"int(0) % int", "int[0]", "int | None", "bool | 1", "[1][int]", "abs[0]",
		"max([1,2,3])", "sum((1,2),3)", "pow(x=1)", "f(*a)", "10**400", "1/3//0.1%7", "~True", "1 is 1 is not 2", "not 1 in [1]",
	} {
		f.Add(s)
	}
}

// Parsing never panics, and what is printed parses back to the same tree.
func FuzzParse(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, src string) {
		g, err := Parse(src)
		if err != nil {
			var p Problem
			if !errors.As(err, &p) {
				t.Fatalf("%q: %T has no place", src, err)
			}
			if span := p.Place(); span.Start < 0 || span.End > len(src) || span.Start > span.End {
				t.Fatalf("%q: error at %v", src, span)
			}
			Check(src, NewSymbols(nil))
			return
		}
		printed := g.String()
		if len(printed) > MaxLength {
			return
		}
		again, err := Parse(printed)
		if err != nil {
			t.Fatalf("%q prints as %q: %v", src, printed, err)
		}
		if s := again.String(); s != printed {
			t.Errorf("%q prints as %q, that as %q", src, printed, s)
		}
	})
}

// fuzzVars are the variables that fuzzed formulas may use.
var fuzzVars = map[string]string{
	"ncpus": "48", "mem": "209715200", "walltime": "0", "nodect": "2", "ngpus": "1", "cost": "0.5",
	"eligible_time": "86399", "queue_priority": "50", "job_priority": "-7", "accrue_type": "2",
	"fairshare_perc": "0.360000", "fair_share_perc": "0.000000", "fairshare_tree_usage": "0.125000", "fairshare_factor": "1.000000",
}

func fuzzValues() map[string]Value {
	values := map[string]Value{}
	for name, text := range fuzzVars {
		values[name], _ = ParseValue(text)
	}
	return values
}

// The compiled program and the walk of the tree agree, in value and error.
func FuzzCompiled(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, src string) {
		g, err := Parse(src)
		if err != nil {
			return
		}
		var names []string
		var values []Value
		for name, v := range fuzzValues() {
			names = append(names, name)
			values = append(values, v)
		}
		p, err := Compile(g, names)
		if err != nil {
			t.Fatalf("%q: %v", src, err)
		}
		got := p.Eval(values...)
		want := g.Eval(fuzzValues())
		if fmt.Sprint(got.Err) != fmt.Sprint(want.Err) || math.Float64bits(got.Value) != math.Float64bits(want.Value) &&
			!(math.IsNaN(got.Value) && math.IsNaN(want.Value)) {
			t.Errorf("%q: compiled %v %v, walked %v %v", src, got.Value, got.Err, want.Value, want.Err)
		}
	})
}

// pythonOracle evaluates formulas in one long-lived interpreter.
type pythonOracle struct {
	mu  sync.Mutex
	in  io.Writer
	out *bufio.Scanner
}

const pythonServer = `
import json, signal, sys, warnings
warnings.simplefilter("ignore")
space = {}
exec("from math import *", space)
def late(*_): raise TimeoutError()
signal.signal(signal.SIGALRM, late)
for line in sys.stdin:
    task = json.loads(line)
    names = dict(space)
    names.update((k, eval(v)) for k, v in task["vars"].items() if k not in space)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        v = eval(task["formula"], names)
        answer = {"value": repr(float(v))} if isinstance(v, (int, float)) else {"odd": True}
    except TimeoutError:
        answer = {"skip": True}
    except OverflowError as e:
        answer = {"odd": True} if "v" in dir() and isinstance(v, int) else {"error": "OverflowError: " + str(e)}
    except BaseException as e:
        answer = {"error": type(e).__name__ + ": " + str(e)}
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    v = None
    print(json.dumps(answer), flush=True)
`

type pythonAnswer struct {
	Value, Error string
	Odd, Skip    bool
}

func startPython(tb testing.TB) *pythonOracle {
	path, err := exec.LookPath("python3")
	if err != nil {
		skip(tb, "python3 is not here to compare with")
	}
	if out, err := exec.Command(path, "-c", "import sys; print(sys.version_info >= (3, 11) and sys.version_info < (3, 12))").Output(); err != nil ||
		strings.TrimSpace(string(out)) != "True" {
		skip(tb, "python3 is not 3.11, whose words the formulas have")
	}
	cmd := exec.Command(path, "-c", pythonServer)
	in, err := cmd.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		in.Close()
		cmd.Process.Kill()
		cmd.Wait()
	})
	return &pythonOracle{in: in, out: bufio.NewScanner(out)}
}

func (o *pythonOracle) ask(t testing.TB, src string) pythonAnswer {
	t.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	task, err := json.Marshal(map[string]any{"formula": src, "vars": fuzzVars})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := o.in.Write(append(task, '\n')); err != nil {
		t.Fatal(err)
	}
	var a pythonAnswer
	if !o.out.Scan() {
		t.Fatalf("python3 ended on %q", src)
	}
	if err := json.Unmarshal(o.out.Bytes(), &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// What this program evaluates, CPython evaluates to the same. Formulas that
// are not in the language, and answers beyond our limits, are not asked: the
// fuzzer must not make Python run code.
func FuzzPython(f *testing.F) {
	oracle := startPython(f)
	addSeeds(f)
	f.Fuzz(func(t *testing.T, src string) {
		g, err := Parse(src)
		if err != nil || strings.ContainsAny(src, "\n\r\x00") {
			return
		}
		got := g.Eval(fuzzValues())
		var limit *LimitError
		var foreign *ForeignError
		if errors.As(got.Err, &limit) || errors.As(got.Err, &foreign) {
			return
		}
		literal, _, err := readLiteral(src)
		if err != nil {
			t.Fatal(err)
		}
		a := oracle.ask(t, literal.text)
		var notReal *NotRealError
		switch {
		case a.Skip:
		case errors.As(got.Err, &notReal):
			if !a.Odd {
				t.Errorf("%q: %v, python has %+v", src, got.Err, a)
			}
		case got.Err != nil:
			if got.Err.Error() != a.Error {
				t.Errorf("%q: %v, python has %+v", src, got.Err, a)
			}
		default:
			want, err := strconv.ParseFloat(a.Value, 64)
			if err != nil || math.IsNaN(want) != math.IsNaN(got.Value) ||
				!math.IsNaN(want) && want != got.Value && !(math.Abs(want-got.Value) <= 1e-13*math.Abs(want)) {
				t.Errorf("%q: %v, python has %+v", src, got.Value, a)
			}
		}
	})
}

// Each of these ends at once, in an error of its own.
func TestHostile(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"nested", strings.Repeat("(", 100_000) + "1" + strings.Repeat(")", 100_000), "bytes, at most"},
		{"nested less", strings.Repeat("(", 7_000) + "1" + strings.Repeat(")", 7_000), "too many nested parentheses"},
		{"tower", "9**9**9**9", "more than"},
		{"shift", "1<<10**9", "more than"},
		{"factorial", "factorial(10**8)", "factorial of more than"},
		{"megabyte", strings.Repeat("1+", 500_000) + "1", "bytes, at most"},
		{"sum", strings.Repeat("1+", 7_000) + "1", "nested more than"},
		{"list", "[" + strings.Repeat("1,", 7_000) + "1]*100000", "more than"},
		{"million", "[" + strings.Repeat("1,", 1_000_000) + "1]", "bytes, at most"},
		{"signs", strings.Repeat("-", 15_000) + "1", "too many signs"},
		{"nots", strings.Repeat("not ", 4_000) + "1", "too many signs"},
		{"products", strings.Repeat("9**600000*", 1_500) + "1", "more than"},
		{"powers", "[" + strings.Repeat("9**600000,", 1_500) + "1][0]", "more than"},
		{"comb", "comb(10**9, 10**8)", "more than"},
		{"nested lists", "max([[1]*131072]*100000)", "more than"},
		{"sum of lists", "sum([[1]]*50000,[])", "more than"},
		{"deep comparison", "[[[[[[0]*1000]*1000]*1000]*1000]*1000]*1000==[[[[[[0.0]*1000]*1000]*1000]*1000]*1000]*1000", "more than"},
		{"many sums", strings.Repeat("sum([1]*131072)+", 700) + "0", "more than"},
		{"many factorials", strings.Repeat("factorial(10000)+", 700) + "0", "more than"},
		{"product", "prod([3]*131072)", "more than"},
		{"power", "9**600000", "too large"},
		{"gcd", "gcd(9**600000, 7**600000)", "more than"},
		{"digits", strings.Repeat("9", 15_000), "Exceeds the limit"},
		{"indexes", "x" + strings.Repeat("[0]", 5_000), "nested more than"},
		{"conditions", "1" + strings.Repeat("+(1 if 0 else ", 150) + "1" + strings.Repeat(")", 151), "unmatched"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			done := make(chan error, 1)
			go func() {
				_, err := evaluateWith(test.src, nil)
				Check(test.src, NewSymbols(nil))
				Warnings(test.src, NewSymbols(nil), Surroundings{})
				done <- err
			}()
			select {
			case err := <-done:
				if err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("error %v, want %q", err, test.want)
				}
			case <-time.After(3 * time.Minute): // a hang, not a speed
				t.Error("does not end")
			}
		})
	}
}

func TestProduction(t *testing.T) {
	site := NewSymbols(map[string]Type{"ngpus": Long, "sbu_rate": Float64, "paws": Float64, "bias": Float64})
	for _, src := range production(t) {
		if v := Check(src, site); v.Code != 0 || v.Err != nil {
			t.Errorf("%s: %d %s %v", src, v.Code, v.Message, v.Err)
		}
		vars := map[string]Value{}
		f, err := Parse(src)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range f.Names() {
			if site.Type(name).Numeric() {
				vars[name] = Int(1)
			}
		}
		if _, err := evaluateWith(src, vars); err != nil {
			t.Errorf("%s: %v", src, err)
		}
	}
}

// skip skips a test that asks for something which this machine does not have. Where
// FAIRSHARE_CI is set, as .ci/run does, everything must be there, and the test fails.
func skip(tb testing.TB, missing string) {
	tb.Helper()
	if os.Getenv("FAIRSHARE_CI") != "" {
		tb.Fatal("nothing may be skipped where FAIRSHARE_CI is set:", missing)
	}
	tb.Skip(missing)
}
