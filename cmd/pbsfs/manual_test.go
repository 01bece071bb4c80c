package main

import (
	"flag"
	"io"
	"testing"

	"fairshare/cmd/internal/workshop/manual"
)

var update = flag.Bool("update", false, "write man page and completion files anew")

func TestManual(t *testing.T) {
	parser, err := newParser(&cli{}, io.Discard, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	manual.Check(t, "pbsfs.8", parser.Model, *update)
}
