// Package workshop and the packages below it are what tests and developers need, and no
// program has.
package workshop

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"io"
	"os"
	"testing"
)

// Skip skips a test that asks for something which this machine does not have. Where
// FAIRSHARE_CI is set, as .ci/run does, everything must be there, and the test fails.
func Skip(tb testing.TB, missing ...any) {
	tb.Helper()
	if os.Getenv("FAIRSHARE_CI") != "" {
		tb.Fatal(append([]any{"nothing may be skipped where FAIRSHARE_CI is set:"}, missing...)...)
	}
	tb.Skip(missing...)
}

// Part returns how many of all random scenarios a test runs: a fifth of them, or all where
// FAIRSHARE_CI is set and the tests are not asked to be short.
func Part(all int) int {
	if os.Getenv("FAIRSHARE_CI") != "" && !testing.Short() {
		return all
	}
	return all / 5
}

// Table returns the rows of a packed CSV file, its header included.
func Table(t testing.TB, name string) [][]string {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(z).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// Archive returns a tar archive of members, in pairs of name and text.
func Archive(t testing.TB, members ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for i := 0; i < len(members); i += 2 {
		if err := w.WriteHeader(&tar.Header{Name: members[i], Mode: 0o644, Size: int64(len(members[i+1]))}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, members[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
