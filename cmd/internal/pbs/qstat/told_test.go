package qstat

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What a list has of waits is what a pattern finds, in any text.
func TestEachOfWaits(t *testing.T) {
	all := regexp.MustCompile(`"(` + strings.Join(ofWaits, "|") + `)"\s*:\s*"?([^",}]*)`)
	pieces := []string{`"`, `"Job_Name"`, `"etime"`, `"eligible_time"`, `"accrue_type":2`, "etime", ":", " ", "\n", ",", "}", "x", "04:08:21", `"a"`, "\v", "é"}
	r := rand.New(rand.NewPCG(1, 3))
	found := 0
	for range 20_000 {
		var b strings.Builder
		for range r.IntN(12) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		text := b.String()
		var want, got []string
		for _, m := range all.FindAllStringSubmatch(text, -1) {
			want = append(want, m[1]+"="+strings.TrimSpace(m[2]))
		}
		for name, value := range eachOfWaits([]byte(text)) {
			got = append(got, name+"="+value)
		}
		if found += len(want); !slices.Equal(got, want) {
			t.Fatalf("%q has %q, not %q", text, want, got)
		}
	}
	if found < 5_000 {
		t.Errorf("only %d values were found", found)
	}
}
