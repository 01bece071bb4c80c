package formula

import (
	"fmt"
	"strings"
	"testing"
)

func TestExplain(t *testing.T) {
	tests := []struct{ formula, want string }{
		{"a + 2*b", "0 a + 2*b=7|1 a=1|1 2*b=6*|2 b=3"},
		{"a - b", "0 a - b=-2|1 a=1|1 b=3*"},
		{"a + a", "0 a + a=2|1 a=1*|1 a=1"}, // of equal parts, the first
		{"a*b", "0 a*b=3|1 a=1|1 b=3"},
		{"max(a, b + 1)", "0 max(a, b + 1)=4|1 a=1|1 b + 1=4|2 b=3*"},
		{"a if b > 2 else 1/0", "0 a if b > 2 else 1/0=1|1 b > 2=True|2 b=3|1 a=1|1 1/0 not reached"},
		{"b and a", "0 b and a=1|1 b=3|1 a=1"},
		{"a or b", "0 a or b=1|1 a=1|1 b not reached"},
		{"1 + a/(b-3)", "0 1 + a/(b-3)!|1 a/(b-3)!|2 a=1|2 b-3=0|3 b=3"},
		{"floor(a + pi)", "0 floor(a + pi)=4|1 a + pi=4.141592653589793|2 a=1"},
		{"a if b else min(a, b)", "0 a if b else min(a, b)=1|1 b=3|1 a=1|1 min(a, b) not reached|2 a not reached|2 b not reached"},
		{"[a, b][0]", "0 [a, b][0]=1|1 [a, b]=[1, 3]|2 a=1|2 b=3"},
	}
	for _, test := range tests {
		f, err := Parse(test.formula)
		if err != nil {
			t.Fatal(err)
		}
		steps, _ := f.Explain(map[string]Value{"a": Int(1), "b": Int(3)})
		var got []string
		for _, s := range steps {
			text := fmt.Sprintf("%d %s", s.Depth, s.Text)
			switch {
			case s.Err != nil:
				text += "!"
			case !s.Reached:
				text += " not reached"
			default:
				text += "=" + s.Value.String()
			}
			if s.Most {
				text += "*"
			}
			got = append(got, text)
		}
		if joined := strings.Join(got, "|"); joined != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.formula, joined, test.want)
		}
	}
}
