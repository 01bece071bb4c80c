package work

import (
	"fmt"
	"testing"
)

func TestParseDepend(t *testing.T) {
	for text, want := range map[string]string{
		"afterok:8.pbsref@pbsref":          "[{1 8.pbsref 0}]",
		"afterany:1.s@s:2.s@s,after:3.s@s": "[{3 1.s 0} {3 2.s 0} {0 3.s 0}]",
		"on:2":                             "[{4  2}]",
		"beforeany:36.s@s":                 "[{131 36.s 0}]",
		"runone:7[].s@s":                   "[{5 7[].s 0}]",
		"":                                 "[]",
		"on:x,on:-1,on:99999999999999999999,nonsense": "[]",
		"afterok:,:,afterok":                          "[]",
	} {
		if got := fmt.Sprint(ParseDepend(text)); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func FuzzParseDepend(f *testing.F) {
	f.Add("afterok:8.pbsref@pbsref:9,on:2")
	f.Fuzz(func(t *testing.T, text string) {
		if list := ParseDepend(text); len(list) > len(text) {
			t.Errorf("%d parents", len(list))
		}
	})
}
