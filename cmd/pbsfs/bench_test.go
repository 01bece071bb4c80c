package main

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"fairshare/usagefile"
)

// Shapes of trees: every entity under the root, groups of as many members as
// there are groups, one resgroup inside the other.
var shapes = []struct {
	name string
	line func(w io.Writer, i, n int)
}{
	{"flat", func(w io.Writer, i, n int) {
		fmt.Fprintf(w, "u%d %d root %d\n", i, i+2, i%100)
	}},
	{"sqrt", func(w io.Writer, i, n int) {
		side := int(math.Sqrt(float64(n)))
		if i%side == 0 {
			fmt.Fprintf(w, "u%d %d root %d\n", i, i+2, i%100+1)
		} else {
			fmt.Fprintf(w, "u%d %d u%d %d\n", i, i+2, i/side*side, i%100+1)
		}
	}},
	{"chain", func(w io.Writer, i, n int) {
		if i == 0 {
			fmt.Fprintf(w, "u%d %d root 1\n", i, i+2)
		} else {
			fmt.Fprintf(w, "u%d %d u%d 1\n", i, i+2, i-1)
		}
	}},
}

// makeSchedPriv writes a sched_priv of n entities, half of them with usage.
func makeSchedPriv(tb testing.TB, dir string, n int, line func(w io.Writer, i, n int)) {
	tb.Helper()
	create := func(name string, fill func(w io.Writer) error) {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			tb.Fatal(err)
		}
		w := bufio.NewWriter(f)
		if err := fill(w); err != nil {
			tb.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			tb.Fatal(err)
		}
		if err := f.Close(); err != nil {
			tb.Fatal(err)
		}
	}
	create("sched_config", func(w io.Writer) error {
		_, err := io.WriteString(w, "unknown_shares: 10\n")
		return err
	})
	create("resource_group", func(w io.Writer) error {
		for i := range n {
			line(w, i, n)
		}
		return nil
	})
	create("usage", func(w io.Writer) error {
		return usagefile.Write(w, 1700000000, func(yield func(string, float64) bool) {
			for i := n / 2; i < n; i++ {
				if !yield(fmt.Sprint("u", i), float64(i)) {
					return
				}
			}
		})
	})
}

// BenchmarkCommands runs whole commands: load, compute, print or write.
func BenchmarkCommands(b *testing.B) {
	for _, shape := range shapes {
		for _, n := range []int{1_000, 100_000, 1_000_000} {
			dir := b.TempDir()
			last := fmt.Sprint("u", n-1)
			for _, args := range [][]string{{"-g", last}, {"-p"}, {"-c", "u0", last}, {"-s", last, "5"}, {"-d"}} {
				b.Run(fmt.Sprintf("%s/%d/%s", shape.name, n, args[0]), func(b *testing.B) {
					// -d changes the file, so each starts from a new one.
					makeSchedPriv(b, dir, n, shape.line)
					args := append([]string{"--sched-priv", dir}, args...)
					for b.Loop() {
						if code := run(args, io.Discard, b.Output()); code != 0 {
							b.Fatalf("%q: exit %d", args, code)
						}
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/entity")
				})
			}
		}
	}
}
