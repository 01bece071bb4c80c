package forecast

import (
	"strings"
	"testing"

	"fairshare/cmd/internal/workshop"
)

// What jobs wait for is what Slurm itself said of most of them: it says it of the last cycle that looked at a
// job, which may have been a while ago.
func TestReasons(t *testing.T) {
	same, all := 0, 0
	for _, run := range []string{"S1a", "S3a"} {
		for i := range momentsOf(t, run) {
			if i%4 != 1 && !workshop.TestsAll() {
				continue
			}
			s := siteOf(t, run, i)
			said := map[string]string{}
			for _, n := range s.Queue {
				said[n.ID] = n.Reason
			}
			for _, j := range made(t, s, 1).Jobs {
				if j.Held != "" || said[j.ID] == "None" {
					continue
				}
				word, _, _ := strings.Cut(j.Reason, " (")
				if all++; word == said[j.ID] {
					same++
				} else {
					t.Logf("%s at %d: %s waits for %s, and Slurm said %s", run, s.At, j.ID, j.Reason, said[j.ID])
				}
			}
		}
	}
	if all < 80 || same < all*19/20 {
		t.Errorf("%d of %d jobs wait for what Slurm said", same, all)
	}
}
