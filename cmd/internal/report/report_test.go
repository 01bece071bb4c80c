package report

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/workshop"
)

// Two numbers are printed with as many digits as tell them apart, and no more.
func TestApart(t *testing.T) {
	third := 1. / 3
	tests := []struct {
		a, b         float64
		wantA, wantB string
	}{
		{1, 2, "1", "2"},
		{1.00001, 1.00002, "1.00001", "1.00002"},
		{1.0000001, 1.0000002, "1.0000001", "1.0000002"},
		{third, third, "0.333333", "0.333333"},
		{third, math.Nextafter(third, 1), "0.3333333333333333", "0.3333333333333334"},
		{math.Inf(1), 1, "inf", "1"},
	}
	for _, test := range tests {
		if a, b := Apart(test.a, test.b, 6); a != test.wantA || b != test.wantB {
			t.Errorf("%v and %v: %s and %s, want %s and %s", test.a, test.b, a, b, test.wantA, test.wantB)
		}
	}
}

// All outputs write a number in one form.
func TestNumbers(t *testing.T) {
	tests := []struct {
		x                         float64
		plain, shortest, twoDigit string
	}{
		{0, "0", "0", "0"},
		{1234567, "1234567", "1234567", "1200000"},
		{1e20, "100000000000000000000", "100000000000000000000", "100000000000000000000"},
		{1e21, "1000000000000000000000", "1e+21", "1e+21"},
		{0.00001, "0.00001", "0.00001", "0.00001"},
		{0.000001234, "0.000001234", "1.234e-06", "1.2e-06"},
		{math.NaN(), "nan", "nan", "nan"},
		{math.Inf(-1), "-inf", "-inf", "-inf"},
	}
	for _, test := range tests {
		if p, s, d := Plain(test.x), Shortest(test.x), Significant(test.x, 2); p != test.plain || s != test.shortest || d != test.twoDigit {
			t.Errorf("%v: %s, %s, %s, want %s, %s, %s", test.x, p, s, d, test.plain, test.shortest, test.twoDigit)
		}
	}
	for x, want := range map[float64]string{-0.001: "0.00", 0.125: "0.12", 0.375: "0.38", -1: "-1.00"} {
		if got := Fixed(x, 2); got != want {
			t.Errorf("%v with two decimals: %s, want %s", x, got, want)
		}
	}
}

// A number is cut to digits and never in the middle, other texts are cut to characters.
func TestFitted(t *testing.T) {
	for text, want := range map[string]string{"123.25": "123.25", "0.002222222222222222": "0.002222222222222222", "0.0022222222222222222": "0.00222222222222", "-1.2345678901234567e-100": "-1.23456789012e-100", "(1, 2, 3, 4, 5, 6, 7, 8)": "(1, 2, 3, 4, 5, 6, …"} {
		if got := Fitted(text, 20); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for x, want := range map[float64]string{0.125: "12.5%", -1: "-100.0%", math.Inf(1): "inf%"} {
		if got := Percent(x, 1); got != want {
			t.Errorf("%v: %q, want %q", x, got, want)
		}
	}
	if got := Percent(math.NaN(), 1); got != "-" {
		t.Errorf("no part: %q", got)
	}
}

// JSON can carry any number.
func TestJSONNumber(t *testing.T) {
	list := []*Number{Optional(math.NaN()), Optional(0.5)}
	for _, x := range []float64{math.Inf(1), math.Inf(-1), math.NaN()} {
		n := Number(x)
		list = append(list, &n)
	}
	tenth := CFloat(0.1)
	list = append(list, &tenth)
	text, err := json.Marshal(list)
	if want := `[null,0.5,"inf","-inf","nan",0.1]`; err != nil || string(text) != want {
		t.Errorf("%s, %v, want %s", text, err, want)
	}
}

// No text from outside can steer a terminal.
func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"plain": "plain", "é": "é", "a\x1b[31mb": "a?[31mb", "a\nb\tc": "a?b?c", "\u202eabc": "?abc", "\xff": "?", "\x7f": "?", "\u0085": "?",
	} {
		if got := Printable(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestCut(t *testing.T) {
	for text, want := range map[string]string{"": "", "abcd": "abcd", "abcde": "abc…", "éééé": "éééé", "ééééé": "ééé…"} {
		if got := Cut(text, 4); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Of many names some are said, and how many more there are.
func TestSome(t *testing.T) {
	for want, names := range map[string][]string{"": nil, "a": {"a"}, "a, b": {"a", "b"}, "a, b and 1 more": {"a", "b", "c"}} {
		if got := Some(names, 2); got != want {
			t.Errorf("%q: %q, want %q", names, got, want)
		}
	}
}

func TestListed(t *testing.T) {
	for _, names := range []struct{ of, want string }{{"", ""}, {"a", "a"}, {"a b", "a and b"}, {"a b c", "a, b and c"}} {
		if got := Listed(strings.Fields(names.of)); got != names.want {
			t.Errorf("%q is %q, want %q", names.of, got, names.want)
		}
	}
}

func TestTable(t *testing.T) {
	table := Table{
		Rows:  [][]string{{"job", "value"}, {"1.s", "7"}, {"é", "12\x1b"}},
		Right: func(column int) bool { return column == 1 },
	}
	tests := []struct {
		terminal Terminal
		want     string
	}{
		{Terminal{}, "job  value\n1.s      7\né      12?\n"},
		{Terminal{Width: 7}, "job  v…\n1.s   …\né     …\n"},
		{Terminal{Width: 10, Bold: true}, "\x1b[1mjob  value\x1b[0m\n1.s      7\né      12?\n"},
	}
	for _, test := range tests {
		var out strings.Builder
		if err := table.Write(&out, test.terminal); err != nil || out.String() != test.want {
			t.Errorf("%v: %v\n%q, want\n%q", test.terminal, err, out.String(), test.want)
		}
	}
	if table.Width() != 10 {
		t.Errorf("width %d, want 10", table.Width())
	}
}

func TestWithoutMiddle(t *testing.T) {
	rows := [][]string{{"n"}, {"1"}, {"2"}, {"3"}, {"4"}, {"5"}}
	for most, want := range map[int]string{6: "n 1 2 3 4 5", 5: "n 1 2 3 4 5", 3: "n 1 … 2 more jobs 4 5", 2: "n 1 … 3 more jobs 5"} {
		var cells []string
		for _, row := range WithoutMiddle(rows, most, "jobs") {
			cells = append(cells, row...)
		}
		if got := strings.Join(cells, " "); got != want {
			t.Errorf("%d: %s, want %s", most, got, want)
		}
	}
}

// No spreadsheet evaluates a cell.
func TestCSV(t *testing.T) {
	var out strings.Builder
	w := NewCSV(&out)
	w.Write("a", "-1", "+1.5e3", "-inf", "=1", "-1+1", "@x", "\tx", "-", "a,b", "")
	if err := w.Flush(); err != nil || out.String() != "a,-1,+1.5e3,-inf,'=1,'-1+1,'@x,'\tx,'-,\"a,b\",\n" {
		t.Errorf("%v: %q", err, out.String())
	}
}

// Only a terminal that can has a bold header.
func TestNewTerminal(t *testing.T) {
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		workshop.Skip(t, "no terminal: ", err)
	}
	defer terminal.Close()
	for _, test := range []struct {
		term, noColor string
		want          bool
	}{{"xterm", "", true}, {"dumb", "", false}, {"", "", false}, {"xterm", "1", false}} {
		t.Setenv("TERM", test.term)
		t.Setenv("NO_COLOR", test.noColor)
		if got := NewTerminal(terminal); got != (Terminal{Width: 80, Bold: test.want}) {
			t.Errorf("TERM=%s NO_COLOR=%s: %+v", test.term, test.noColor, got)
		}
	}
	if got := NewTerminal(&strings.Builder{}); got != (Terminal{}) {
		t.Errorf("no terminal: %+v", got)
	}
}

// The nearest name is the one with the fewest changes, the first of several, and none where
// too much of the word is other.
func TestNearest(t *testing.T) {
	for _, row := range []struct {
		word, names, want string
	}{
		{"ncpu", "mem ncpus walltime", "ncpus"},
		{"walltme", "mem ncpus walltime", "walltime"},
		{"bob", "bob bobby", "bob"},
		{"ann", "anne anni", "anne"}, // as near as the second one
		{"ab", "xb", "xb"},           // one change of two letters
		{"ab", "xy", ""},             // and two
		{"abcdefghi", "abcdexxxx", "abcdexxxx"},
		{"abcdefghi", "abcdxxxxx", ""}, // five of nine
		{"", "a", "a"},
		{"", "ab", ""},
		{"\u00e9t\u00e9", "ete", "ete"}, // letters, not bytes, are counted
		{"ncpus", "", ""},
		{"tiem", "mem time", "time"}, // two neighbours have changed places, which is one change
		{"tmie", "mem time", "time"},
	} {
		names := strings.Fields(row.names)
		for range 2 { // in either order
			if got := Nearest(row.word, names); got != row.want {
				t.Errorf("%q of %q: %q, want %q", row.word, names, got, row.want)
			}
			slices.Reverse(names)
		}
	}
}

// Where there is no such name, the one that was meant is named, and those that there are
// in their order, of many the nearest.
func TestNoSuch(t *testing.T) {
	for _, row := range []struct {
		name, names, want string
	}{
		{"bob", "", "there is no user bob"},
		{"bob", "rob ann", "there is no user bob; did you mean rob? There are ann, rob"},
		{"bob", "xavier ann", "there is no user bob; there are ann, xavier"},
		{"zz", "j i h g f e d c b a", "there is no user zz; there are a, b, c, d, e, f, g, h, i, j"},
		{"zz", "k j i h g f e d c b a", "there is no user zz; there are 11, of which the nearest are a, b, c, d, e"},
		{"kk", "kkk j i h g f e d c b a", "there is no user kk; did you mean kkk? There are 11, of which the nearest are a, b, c, d, kkk"},
	} {
		names := strings.Fields(row.names)
		if got := NoSuch("user", row.name, names); got != row.want {
			t.Errorf("%s of %s: %q, want %q", row.name, row.names, got, row.want)
		}
		if strings.Join(names, " ") != row.names {
			t.Errorf("the names have become %v", names)
		}
	}
}

// A terminal that is too narrow leaves out details, the last first, and names them.
func TestDetails(t *testing.T) {
	table := Table{Rows: [][]string{{"JOB", "AGE", "QOS", "WHY"}, {"1", "20", "300", "a limit"}}, IsDetail: func(column int) bool { return column == 1 || column == 2 }}
	for width, want := range map[int]string{
		0:  "JOB  AGE  QOS  WHY\n1    20   300  a limit\n",
		22: "JOB  AGE  QOS  WHY\n1    20   300  a limit\n",
		21: "JOB  AGE  WHY\n1    20   a limit\n(left out for want of width: QOS)\n",
		12: "JOB  WHY\n1    a limit\n(left out for want of width: AGE, QOS)\n",
		9:  "JOB  WHY\n1    a l…\n(left out for want of width: AGE, QOS)\n",
	} {
		var out strings.Builder
		if err := table.Write(&out, Terminal{Width: width}); err != nil || out.String() != want {
			t.Errorf("%d columns: %q %v, want %q", width, out.String(), err, want)
		}
	}
}

// A text for which a terminal has no room goes on below its beginning, or in lines of its own, and loses no word.
func TestText(t *testing.T) {
	jobs := []Column[string]{
		{Title: "JOB", Text: func(string) string { return "1" }},
		{Title: "STARTS", Text: func(string) string { return "now" }},
		{Title: "TO", Text: func(string) string { return "12:00" }, IsDetail: true},
		{Text: func(string) string { return "p" }, IsDetail: true},
		{Title: "WHY", Text: func(text string) string { return text }, IsText: true},
	}
	const why = "never: it asks for 5 hours, which none gives"
	list := &Listing[string]{Columns: jobs, Rows: slices.Values([]string{why})}
	for width, want := range map[int]string{
		0:  "JOB  STARTS  TO        WHY\n1    now     12:00  p  " + why + "\n",
		67: "JOB  STARTS  TO        WHY\n1    now     12:00  p  " + why + "\n",
		47: "JOB  STARTS  TO        WHY\n1    now     12:00  p  never: it asks for 5\n                       hours, which none gives\n",
		46: "JOB  STARTS  TO     WHY\n1    now     12:00  never: it asks for 5\n                    hours, which none gives\n(left out for want of width: what stands behind TO)\n",
		40: "JOB  STARTS  WHY\n1    now     never: it asks for 5 hours,\n             which none gives\n(left out for want of width: TO, what stands behind TO)\n",
		24: "JOB  STARTS  WHY\n1    now\n    never: it asks for 5\n    hours, which none\n    gives\n(left out for want of width: TO, what stands behind TO)\n",
	} {
		var out strings.Builder
		if err := list.Table().Write(&out, Terminal{Width: width}); err != nil || out.String() != want {
			t.Errorf("%d columns: %v\n%swant:\n%s", width, err, out.String(), want)
		}
	}
}

// A shift of less than half a second has no minus.
func TestShift(t *testing.T) {
	for seconds, want := range map[float64]string{0: "+0:00:00", -0.3: "+0:00:00", 0.3: "+0:00:00", -0.5: "-0:00:01", 59.6: "+0:01:00", -3661: "-1:01:01", math.NaN(): "-"} {
		if got := Shift(seconds); got != want {
			t.Errorf("Shift(%g) = %q, want %q", seconds, got, want)
		}
	}
}

// TestAppendFixed: what is rounded quickly is rounded as the plain way rounds it, also beside the middle between two numbers.
func TestAppendFixed(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	quick := 0
	for range 300_000 {
		decimals := r.IntN(8) - r.IntN(2)
		var x float64
		switch r.IntN(4) {
		case 0:
			x = math.Float64frombits(r.Uint64())
		case 1:
			x = r.Float64() * math.Pow(10, float64(r.IntN(14)))
		case 2: // in the middle, or next to it
			x = (float64(r.IntN(1e6)) + .5) / math.Pow(10, float64(decimals))
			x = math.Nextafter(x, x+float64(r.IntN(3)-1))
		case 3:
			x = float64(r.IntN(2000)-1000) / math.Pow(10, float64(r.IntN(8)))
		}
		want := string(appendFixed([]byte("x"), x, decimals))
		if got := string(AppendFixed([]byte("x"), x, decimals)); got != want {
			t.Fatalf("%v with %d decimals: %s, want %s", x, decimals, got, want)
		}
		if _, ok := rounded(x, decimals); ok {
			quick++
		}
		if whole := math.Trunc(x); string(AppendPlain(nil, x)) != Plain(x) || string(AppendPlain(nil, whole)) != Plain(whole) {
			t.Fatalf("%v: %s, want %s; or its whole part", x, AppendPlain(nil, x), Plain(x))
		}
	}
	if quick < 50_000 {
		t.Errorf("only %d numbers are rounded quickly", quick)
	}
}
