package nodes

import (
	"strings"
	"testing"
)

func TestRanges(t *testing.T) {
	for names, want := range map[string]string{
		"":                         "",
		"n1":                       "n1",
		"login":                    "login",
		"n1,n2,n3":                 "n[1-3]",
		"n2,n1,n3":                 "n[1-3]",
		"n01,n02,n04":              "n[01-02,04]",
		"n1,n01":                   "n1,n01",
		"n9,n10,n11":               "n[9-11]",
		"n08,n09,n10":              "n[08-10]",
		"n99,n100":                 "n[99-100]",
		"r1n1,r1n2,r2n1":           "r1n[1-2],r2n1",
		"n1-ib,n2-ib":              "n[1-2]-ib",
		"a1,b1,a2":                 "a[1-2],b1",
		"n1,n99999999999999999999": "n1,n99999999999999999999",
	} {
		if got := Ranges(strings.FieldsFunc(names, func(c rune) bool { return c == ',' })); got != want {
			t.Errorf("%s: %s, want %s", names, got, want)
		}
	}
}
