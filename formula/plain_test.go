package formula

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// A plain name is read as the grammar reads it, and what is none is left to the grammar.
func TestPlainNames(t *testing.T) {
	keywords := strings.Split(pythonKeywords, "|")
	texts := slices.Concat(keywords, []string{
		"cput", "ncpus", "_x", "x1", "X", "__", "1x", "1", "x y", "x ", " x", "x\n", "x\\\n", "x#", "x.y", "x()", "-x", "b''", "b", "r", "rb", "f", "u", "é", "xé", "x\u0301", "ﬁ", "xﬁ", "x·", "", "inf",
		"print", "exec", "None_", "_None", "true", "print x", "x\x00", "\ufeffx", "e1", "E", "j", "_1",
	})
	for _, k := range keywords {
		texts = append(texts, k+"x", k+"1", k+"_", "x"+k, strings.ToUpper(k), strings.ToLower(k))
	}
	plain := 0
	for _, text := range texts {
		n, err := parseText(text)
		of, failed := parseGrammar(text)
		if !reflect.DeepEqual(n, of) || !reflect.DeepEqual(err, failed) {
			t.Errorf("%q: %#v, %v, by the grammar %#v, %v", text, n, err, of, failed)
		}
		if isPlainName(text) {
			plain++
			if s, err := parseStatements(text); err != nil || !reflect.DeepEqual(s.roots, []node{of}) || s.marks != nil {
				t.Errorf("%q: %#v, %v", text, s, err)
			}
		}
	}
	if plain < 100 {
		t.Errorf("%d texts are plain names", plain)
	}
}
