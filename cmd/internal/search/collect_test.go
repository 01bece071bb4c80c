package search

import (
	"io"
	"strings"
	"testing"

	"fairshare/cmd/internal/file"
)

// A file that is no part of a search is refused for what it is, or in few words.
func TestCollectOther(t *testing.T) {
	for _, c := range []struct {
		text, want string
		remarks    int
	}{
		{strings.Repeat("\x00", 1<<16), "part is no text, and no part of a search, such as replay --part prints", 0},
		{strings.Repeat("03/02/2026 07:40:00;S;96.pbsref;start=1\n", 100), "part is an accounting log, and no part of a search", 0},
		{strings.Repeat("hello\n", 100), "there is no line of a search in part", 4},
		{strings.Repeat("{}\n", 3), "there is no line of a search in part", 3},
		{"{\"search\": \"" + strings.Repeat("x", 17<<20), "part: line 1 is longer than any line of a search", 0},
	} {
		from := file.Source{Name: "part", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(c.text)), nil }}
		_, remarks, err := Collect([]file.Source{from})
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || len(remarks) != c.remarks {
			t.Errorf("%.20q: %v, and %d remarks", c.text, err, len(remarks))
		}
		if last := len(remarks) - 1; last > 2 && remarks[last].Text != "part: and 97 more lines like these" {
			t.Errorf("it says %q", remarks[last].Text)
		}
	}
}
