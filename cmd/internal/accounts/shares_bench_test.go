//go:build unix

package accounts

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"fairshare/cmd/internal/workshop"
	"fairshare/fstree"
)

// sshareOf returns what sshare -a -l -P prints of so many users in accounts of 100.
func sshareOf(users int) string {
	const each, tres = 100, "cpu=0,mem=0,energy=0,node=0,billing=0,fs/disk=0,vmem=0,pages=0"
	r := rand.New(rand.NewPCG(1, 1))
	usage := make([]int, users)
	sums, all := make([]int, (users+each-1)/each), 0
	for i := range usage {
		usage[i] = int(r.ExpFloat64() * 1e6)
		sums[i/each] += usage[i]
		all += usage[i]
	}
	var table strings.Builder
	table.WriteString("Account|User|RawShares|NormShares|RawUsage|NormUsage|EffectvUsage|FairShare|LevelFS|GrpTRESMins|TRESRunMins\n")
	fmt.Fprintf(&table, "root|||0.000000|%d||1.000000||||%s\n", all, tres)
	part := func(of, all int) float64 { return float64(of) / float64(max(1, all)) }
	for i, used := range usage {
		account := i / each
		if i%each == 0 {
			fmt.Fprintf(&table, " acct%05d||1|%.6f|%d|%.6f|%.6f||||%s\n", account, part(1, len(sums)), sums[account], part(sums[account], all), part(sums[account], all), tres)
		}
		fmt.Fprintf(&table, "  acct%05d|user%07d|1|%.6f|%d|%.6f|%.6f|%.6f|%.6f||%s\n", account, i, part(1, min(each, users-account*each)), used, part(used, all), part(used, sums[account]), r.Float64(), 5*r.Float64(), tres)
	}
	return table.String()
}

// BenchmarkShares says how the cost of reading a table of sshare grows with its users, and that of the table of all algorithms.
func BenchmarkShares(b *testing.B) {
	sizes := []int{10_000, 20_000, 40_000}
	b.Run("read", func(b *testing.B) {
		workshop.Growth(b, sizes, func(b *testing.B, users int) func() any {
			text := sshareOf(users)
			return func() any {
				read, err := ParseSwept(text)
				if err != nil {
					b.Fatal(err)
				}
				return read
			}
		})
	})
	b.Run("compute", func(b *testing.B) {
		workshop.Growth(b, sizes, func(b *testing.B, users int) func() any {
			read, err := ParseSwept(sshareOf(users))
			if err != nil {
				b.Fatal(err)
			}
			return func() any { return NewTable(read.Swept, fstree.Algorithms, fstree.Options{}) }
		})
	})
}
