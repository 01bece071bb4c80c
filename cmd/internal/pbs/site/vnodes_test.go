package site

import (
	"io"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/file"
)

// The vnodes of a place are read once, and those of another list anew.
func TestVnodesOnce(t *testing.T) {
	reads := 0
	source := func(name string) file.Source {
		return file.Source{Name: name, Open: func() (io.ReadCloser, error) {
			reads++
			return io.NopCloser(strings.NewReader(name + "\n     state = free\n")), nil
		}}
	}
	p := &Place{Nodes: source("a")}
	for i, name := range []string{"a", "a", "b", "b"} {
		if p.Nodes.Name != name {
			p.Nodes = source(name)
		}
		l, err := p.Vnodes()
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.Collect(l.Vnodes()); len(got) != 1 || got[0][""] != name || reads != 1+i/2 {
			t.Errorf("%v after %d reads", got, reads)
		}
	}
	p.Nodes = file.Source{Name: "none", Open: func() (io.ReadCloser, error) { return nil, io.ErrUnexpectedEOF }}
	if _, err := p.Vnodes(); err == nil {
		t.Error("what cannot be opened is read")
	}
}
