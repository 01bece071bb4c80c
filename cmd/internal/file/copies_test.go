package file

import (
	"strings"
	"testing"

	"fairshare/cmd/internal/diag"
)

// A copy of a text has the same words: with a warning it is said only of what is none.
func TestNotRead(t *testing.T) {
	for _, test := range []struct {
		text, other string
		want        Likeness
	}{
		{"", "", Copy}, {"a b\n", "a b\n", Copy}, {"a  b\r\n", "\na b", Copy},
		{"a b", "a c", Different}, {"a b", "a", Different}, {"a", "a b", Different}, {"ab", "a b", Different},
	} {
		if got := LikenessOf(test.text, test.other); got != test.want {
			t.Errorf("%q and %q: %d", test.text, test.other, got)
		}
	}
	for how, want := range map[Likeness]string{Copy: "b and c are not read: a has the same", Different: "b and c are not read: a is a list as well, and they differ",
		OtherForm: "b and c are not read: a is a list as well, in another form, and perhaps of another time"} {
		got := NotRead([]string{"c", "b"}, "a", "a list", how)
		if strings.ReplaceAll(got.Text, "b, c", "b and c") != want || (got.Kind == diag.Warning) == (how == Copy) {
			t.Errorf("%d: %+v", how, got)
		}
	}
}
