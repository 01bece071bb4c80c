package file

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// Words that are no numbers become null wherever they are values, in whatever pieces the text comes; texts stay.
func TestFinite(t *testing.T) {
	for text, want := range map[string]string{
		`{"a": Infinity, "b": -Infinity,"c":NaN}`:        `{"a": null, "b": null,"c":null}`,
		`{"a":[-NaN,1,-2e-3,NaN],"b":null,"Infinity":1}`: `{"a":[null,1,-2e-3,null],"b":null,"Infinity":1}`,
		`{"a":"NaN, \"Infinity\\","b":Infinity}`:         `{"a":"NaN, \"Infinity\\","b":null}`,
		`{"a":-`:                                         `{"a":-`,
		`NaN`:                                            `null`,
	} {
		if got := WithoutInfinity(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
		for _, from := range []io.Reader{iotest.OneByteReader(strings.NewReader(text)), iotest.HalfReader(strings.NewReader(text))} {
			if got, err := io.ReadAll(iotest.OneByteReader(Finite(from))); string(got) != want || err != nil {
				t.Errorf("%s in pieces: %s, %v", text, got, err)
			}
		}
	}
}
