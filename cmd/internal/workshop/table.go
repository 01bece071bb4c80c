package workshop

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// HoldTable compares a table with that of its name in a page of docs, or writes it there. Comments of the page say where it
// begins and ends.
func HoldTable(tb testing.TB, page, name, table string, writes bool) {
	tb.Helper()
	file := Testdata("../docs/" + page)
	begin, end := fmt.Sprintf("<!-- %s: begin of the table -->\n", name), fmt.Sprintf("<!-- %s: end of the table -->", name)
	text, err := os.ReadFile(file)
	if err != nil {
		tb.Fatal(err)
	}
	before, rest, isThere := strings.Cut(string(text), begin)
	was, after, isWhole := strings.Cut(rest, end)
	switch {
	case !isThere || !isWhole:
		tb.Fatalf("%s has no place for the table %s", file, name)
	case writes:
		if err := os.WriteFile(file, []byte(before+begin+table+end+after), 0o644); err != nil {
			tb.Fatal(err)
		}
	case was != table:
		tb.Errorf("the table %s is another one (go test -update writes it):\n%s", name, table)
	}
}

// HoldPage compares a page of docs that is written as a whole with its text, or writes it.
func HoldPage(tb testing.TB, page, text string, writes bool) {
	tb.Helper()
	file := Testdata("../docs/" + page)
	if writes {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	was, err := os.ReadFile(file)
	if err != nil {
		tb.Fatal(err)
	}
	if string(was) != text {
		tb.Errorf("%s is not what the tables in the code say: go test -run Page -update writes it", file)
	}
}
