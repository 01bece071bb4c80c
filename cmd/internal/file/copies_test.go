package file

import (
	"io"
	"slices"
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
		{" a", "a", Copy}, {"a b", "a b \n", Copy}, {"a b c", "a bc", Different},
	} {
		for _, before := range []string{"", " \n", "word", "word ", strings.Repeat("x", 5000), strings.Repeat("x y\n", 5000)} {
			if got := LikenessOf(before+test.text, before+test.other); got != test.want && (before == "" || strings.HasSuffix(before, "\n") || strings.HasSuffix(before, " ")) {
				t.Errorf("%q and %q behind %d bytes: %d", test.text, test.other, len(before), got)
			}
			given := func(text string) Source {
				return Source{Name: "x", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
			}
			same := slices.Equal(strings.Fields(before+test.text), strings.Fields(before+test.other))
			if got := given(before + test.text).LikenessTo(given(before + test.other)); (got == Copy) != same {
				t.Errorf("%q and %q behind %d bytes: %d", test.text, test.other, len(before), got)
			}
		}
	}
	for how, want := range map[Likeness]string{Copy: "b and c are not read: a has the same", Different: "b and c are not read: a is a list as well, and they differ",
		Uncompared: "b and c are not read: a is a list as well, and they cannot be compared, since not all of them can be read",
		OtherForm:  "b and c are not read: a is a list as well, in another form, and perhaps of another time"} {
		got := NotRead([]string{"c", "b"}, "a", "a list", how, "")
		if strings.ReplaceAll(got.Text, "b, c", "b and c") != want || (got.Kind == diag.Warning) == (how == Copy) {
			t.Errorf("%d: %+v", how, got)
		}
		if isJoined := got.Under != "" && got.Short != ""; isJoined != (how == Different) { // of many prints that stand twice, one line
			t.Errorf("%d is in a line with others: %v", how, isJoined)
		}
	}
}
