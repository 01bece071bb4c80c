package formula

import (
	"bufio"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/alecthomas/participle/v2/lexer"
)

// siteResources are those of the complex that answered the recordings.
var siteResources = map[string]Type{
	"foo": Long, "bar": Float64, "siz": Size, "strr": String, "boolr": Boolean, "arrr": StringArray,
}

// recordedVerdict is what qmgr answered, and the values of four jobs.
type recordedVerdict struct {
	Formula    string
	Error      int
	Message    string
	Validation string
	Values     []string
	EvalError  string `json:"eval_error"`
}

func recordedVerdicts(t *testing.T) []recordedVerdict {
	t.Helper()
	f, err := os.Open("../testdata/qmgr/verdicts.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var rows []recordedVerdict
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var r recordedVerdict
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	if len(rows) != 99 {
		t.Fatalf("%d verdicts, want 99", len(rows))
	}
	return rows
}

// qmgr takes no & in a value, as was seen on a live complex, and so PBS never sees it.
func TestAmpersand(t *testing.T) {
	v := Check("ncpus & 1", NewSymbols(nil))
	var syntax *SyntaxError
	if v.Message != "Syntax error" || v.Code != 0 || !errors.As(v.Err, &syntax) || syntax.Span != (Span{6, 7}) {
		t.Errorf("%+v", v)
	}
}

func TestRecordedVerdicts(t *testing.T) {
	symbols := NewSymbols(siteResources)
	for _, r := range recordedVerdicts(t) {
		v := Check(r.Formula, symbols)
		if v.Code != r.Error || v.Message != r.Message || v.Validation != r.Validation {
			t.Errorf("%q:\n got %d %q %q\nwant %d %q %q", r.Formula, v.Code, v.Message, v.Validation, r.Error, r.Message, r.Validation)
		}
	}
}

// The jobs of probe_jobs.txt, whose values the recordings have, with the tree
// of the round 02-fstree.
var probeJobs = []map[string]string{
	{"ncpus": "1", "nodect": "1", "bar": "0.3333", "job_priority": "0", "fairshare_perc": "0.181818", "fairshare_tree_usage": "0.125312", "fairshare_factor": "0.620190"},
	{"ncpus": "2", "nodect": "1", "mem": "1048576", "walltime": "60", "job_priority": "5", "fairshare_perc": "0.327273", "fairshare_tree_usage": "0.500416", "fairshare_factor": "0.346505"},
	{"ncpus": "4", "nodect": "1", "foo": "3", "job_priority": "-7", "fairshare_perc": "0.218182", "fairshare_tree_usage": "0.832973", "fairshare_factor": "0.070914"},
	{"ncpus": "8", "nodect": "1", "foo": "16777217", "bar": "1.5", "walltime": "1800", "job_priority": "0", "fairshare_perc": "0.090909", "fairshare_tree_usage": "0.000833", "fairshare_factor": "0.993672"},
}

// Every accepted formula that this program runs gives the values that the
// scheduler logged.
func TestRecordedProbeValues(t *testing.T) {
	symbols := NewSymbols(siteResources)
	tried := 0
	for _, r := range recordedVerdicts(t) {
		if r.Formula == "ncpus and foo" {
			continue // recorded before the last job requested foo
		}
		if r.Error != 0 || len(r.Values) != len(probeJobs) || Check(r.Formula, symbols).Err != nil {
			continue
		}
		for i, job := range probeJobs {
			vars := map[string]Value{}
			for name := range symbols.variables {
				vars[name] = Int(0)
			}
			vars["accrue_type"] = Int(2)
			for name, text := range job {
				vars[name], _ = ParseValue(text)
			}
			vars["fair_share_perc"] = vars["fairshare_perc"]
			value, err := evaluateWith(r.Formula, vars)
			tried++
			if got := (Result{Value: value}).Log(); got != r.Values[i] {
				t.Errorf("%q for job %d: %s (%v), want %s", r.Formula, i, got, err, r.Values[i])
			}
			message := ""
			if py, ok := err.(*PyError); ok {
				message = py.Message
			}
			if i == 0 && message != r.EvalError {
				t.Errorf("%q: error %q, want %q", r.Formula, message, r.EvalError)
			}
		}
	}
	if tried < 250 {
		t.Errorf("only %d values were tried", tried)
	}
}

// What Python's grammar refuses in places where ours would let it pass.
func TestRefused(t *testing.T) {
	for _, src := range []string{"*ncpus", "(*ncpus)", "**ncpus", "(**ncpus if 1 else 2)", "[**ncpus]", "ncpus[]",
		"1 for x in (1,2)", "(1, x for x in (1,2))", "min(ncpus=1, 2)", "(,)", "f(,)", "x.1", "ncpus == = 2"} {
		if v := Check(src, NewSymbols(nil)); v.Code != CodeBadFormat {
			t.Errorf("%s: %d %s, want %d", src, v.Code, v.Validation, CodeBadFormat)
		}
	}
}

// Corners in which the compiled program or the walk once were wrong.
func TestCorners(t *testing.T) {
	vars := map[string]Value{"a": Int(1 << 53), "n": Int(1)}
	tests := []struct {
		formula, want string // a value's repr or an error
	}{
		{"a+1-a", "1.0"},
		{"round(2.567, ndigits=1)", "2.6"},
		{"sum([1,2], start=5)", "8.0"},
		{"isclose(1, 2, rel_tol=0.9)", "1.0"},
		{"1<<9223372036854775807", "LimitError: an integer of more than 2097152 bits"},
		{strings.Repeat("n+", 1100) + "n", "1101.0"},
		{"round(5, -9223372036854775807-1)", "0.0"},
		{"0.0**-inf", "inf"},
		{"fsum([nan, inf])", "nan"},
		{"fsum([inf, -inf])", "ValueError: -inf + inf in fsum"},
	}
	for _, test := range tests {
		value, err := evaluateWith(test.formula, vars)
		got := Float(value).String()
		if err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%.40s is %s, want %s", test.formula, got, test.want)
		}
	}
}

// TestTokenTypes holds the types of tokens to those that the lexer has.
func TestTokenTypes(t *testing.T) {
	want := map[string]lexer.TokenType{
		"EOF": lexer.EOF, "Space": tSpace, "Newline": tNewline, "String": tString, "Number": tNumber, "Keyword": tKeyword, "Name": tName, "Op": tOp, "Other": tOther,
	}
	if got := pythonLexer().Symbols(); !maps.Equal(got, want) {
		t.Errorf("the lexer has %v, want %v", got, want)
	}
}
