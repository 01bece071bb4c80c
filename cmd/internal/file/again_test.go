package file

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// A stream is read as often as wanted, also where somebody left off, and where it is longer than what is kept in memory.
func TestAgain(t *testing.T) {
	for _, text := range []string{"", "short", strings.Repeat("0123456789abcdef", (mostSpare+100)/16)} {
		opened := 0
		from := Again(Source{Name: "in", Open: func() (io.ReadCloser, error) {
			opened++
			return io.NopCloser(iotest.DataErrReader(strings.NewReader(text))), nil
		}})
		begin, _ := from.Open()
		if _, err := io.ReadFull(begin, make([]byte, min(3, len(text)))); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			in, _ := from.Open()
			got, err := io.ReadAll(in)
			if string(got) != text || err != nil {
				t.Errorf("%d bytes of %d, %v", len(got), len(text), err)
			}
		}
		if opened != 1 {
			t.Errorf("it is opened %d times", opened)
		}
	}
}
