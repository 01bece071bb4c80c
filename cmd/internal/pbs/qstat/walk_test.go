package qstat

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// walked returns what Walk tells, a line each.
func walked(text string) (string, error) {
	var out strings.Builder
	err := Walk([]byte(text), func(path []string, value []byte, line int) {
		fmt.Fprintf(&out, "%d %s", line, strings.Join(path, "."))
		if value != nil {
			fmt.Fprintf(&out, "=%s", value)
		}
		out.WriteByte('\n')
	})
	return out.String(), err
}

func TestWalk(t *testing.T) {
	for _, test := range []struct {
		name, text, want string
		isDamaged        bool
	}{
		{"nothing", "{}", "", false},
		{"a queue", "{\n \"t\": 1,\n \"Queue\": {\n  \"w\": {\"a\":\"b\",\n \"r\":{\"n\": 2}}}}\n", "2 t=1\n3 Queue\n4 Queue.w\n4 Queue.w.a=b\n5 Queue.w.r\n5 Queue.w.r.n=2\n", false},
		{"what is passed over", `{"a":{"b":{"c":null,"d":["x",{"y":1}],"e":{"f":{"g":1},"h":"null"}}}}`, "1 a\n1 a.b\n1 a.b.e\n1 a.b.e.h=null\n", false},
		{"escapes", `{"a":"x\\\"\u00e4\n","":""}`, "1 a=x\\\"ä\n\n1 =\n", false},
		{"a quote that is not escaped", `{"a":""bad" disk","b":1}`, "1 a=\"bad\" disk\n1 b=1\n", false},
		{"a backslash that is not escaped", `{"a":"C:\","b":1}`, "1 a=C:\\\n1 b=1\n", false},
		{"control characters and bytes that are no text", "{\"a\":\"\x01\t\xe4\",\"b\":1}", "1 a=\x01\t\xe4\n1 b=1\n", false},
		{"a word without quotes", `{"a":free,"b":1}`, "1 a=free\n1 b=1\n", false},
		{"an array with a quote that is not escaped", `{"a":["x"y","z"],"b":1}`, "1 b=1\n", false},
		{"commas too many", `{,"a":1,,"b":2,}`, "1 a=1\n1 b=2\n", false},
		{"a comma too few", "{\"a\":\"x\"\n\"b\":2}", "1 a=x\n2 b=2\n", false},
		{"no object", "Queue: x", "", true},
		{"empty", "", "", true},
		{"cut off in a number", `{"a":{"b":1`, "1 a\n", true},
		{"cut off behind a value", `{"a":{"b":1,`, "1 a\n1 a.b=1\n", true},
		{"cut off in a string", "{\"a\":{\"b\":\"x\n}}", "1 a\n", true},
		{"a brace too few", `{"a":{"b":1}`, "1 a\n1 a.b=1\n", true},
		{"other words", "{\"a\":1,\nno route\n\"b\":2}", "1 a=1\n3 b=2\n", true},
		{"no value", `{"a":,"b":2}`, "1 b=2\n", true},
	} {
		got, err := walked(test.text)
		if got != test.want || (err != nil) != test.isDamaged {
			t.Errorf("%s: %v\n%s\nwant\n%s", test.name, err, got, test.want)
		}
	}
}

// Text of hostile nesting is read in one go.
func TestWalkDeep(t *testing.T) {
	const times = 200_000
	for _, part := range []string{`{"1":`, `{"a":[`, `"a":["1":{},`, `{"a":"`, `"\"`, `{"a":["`} {
		if _, err := walked("{" + strings.Repeat(part, times)); err == nil {
			t.Errorf("%q many times is read", part)
		}
	}
}

// What is JSON is read as other programs read it.
func FuzzWalk(f *testing.F) {
	f.Add(`{"Queue":{"workq":{"Priority":10,"resources_max":{"ncpus":4,"mem":"1gb"},"x":[1,{"a":"b"}]}}}`)
	f.Add("{\"a\":\"\"b\",\n\"c\":{")
	f.Fuzz(func(t *testing.T, text string) {
		_, err := walked(text)
		var members map[string]json.RawMessage
		if json.Unmarshal([]byte(text), &members) != nil || members == nil || !utf8.ValidString(text) {
			return
		}
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		got := map[string]string{}
		err = Walk([]byte(text), func(path []string, value []byte, _ int) {
			if len(path) == 1 && value != nil {
				got[path[0]] = string(value)
			}
		})
		for name, raw := range members {
			var want string
			if json.Unmarshal(raw, &want) == nil && string(raw) != "null" && got[name] != want {
				t.Errorf("%q: %q is %q, want %q (%v)", text, name, got[name], want, err)
			}
		}
	})
}
