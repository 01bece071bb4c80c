package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestSharesMemory fails if what is made in memory for each row of a table of shares grows to more than the row's text and what is shown
// of it need: as by a map of the whole tree for prints that are not there.
func TestSharesMemory(t *testing.T) {
	const each, fewer, more = 100, 100, 300
	made := func(accounts int) (bytesMade uint64) {
		usageOf := func(user int) int { return user * 7919 % 100_003 }
		sums, all := make([]int, accounts), 0
		for i := range accounts * each {
			sums[i/each] += usageOf(i)
			all += usageOf(i)
		}
		part := func(of, all int) float64 { return float64(of) / float64(all) }
		var table strings.Builder
		table.WriteString("Account|User|RawShares|NormShares|RawUsage|NormUsage|EffectvUsage|FairShare|LevelFS|GrpTRESMins|TRESRunMins\n")
		fmt.Fprintf(&table, "root|||0.000000|%d||1.000000||||\n", all)
		for a, sum := range sums {
			fmt.Fprintf(&table, " acct%03d||1|%f|%d|%f|%f||||\n", a, part(1, accounts), sum, part(sum, all), part(sum, all))
			for i := a * each; i < (a+1)*each; i++ {
				fmt.Fprintf(&table, "  acct%03d|user%05d|1|%f|%d|%f|%f|0.500000|1.000000||\n", a, i, part(1, each), usageOf(i), part(usageOf(i), all), part(usageOf(i), sum))
			}
		}
		name := filepath.Join(t.TempDir(), "sshare.txt")
		if err := os.WriteFile(name, []byte(table.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		var problems bytes.Buffer
		if code := run([]string{"shares", name}, strings.NewReader(""), io.Discard, &problems); code != 0 {
			t.Fatal("exit ", code, ": ", problems.String())
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	made(fewer) // what is made once
	if took := (made(more) - made(fewer)) / ((more - fewer) * each); took > 1800 {
		t.Errorf("%d bytes are made in memory for each user", took)
	}
}
