package site

import "testing"

func TestDiffering(t *testing.T) {
	same := func(a, b string) bool { return a == b }
	for _, c := range []struct {
		of, copied []string
		want       int
	}{
		{nil, nil, 0},
		{[]string{"a", "b"}, []string{"a", "b"}, 0},
		{[]string{"a", "b"}, []string{"b", "a"}, 2},
		{[]string{"a", "b", "c"}, []string{"a"}, 2},
		{nil, []string{"a"}, 1},
	} {
		if got := Differing(c.of, c.copied, same); got != c.want {
			t.Errorf("%v and %v differ at %d places, want %d", c.of, c.copied, got, c.want)
		}
	}
}
