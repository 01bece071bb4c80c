package order

import (
	"fmt"
	"strings"
	"testing"

	"fairshare/cmd/internal/slurm/dump/dumptest"
	"fairshare/cmd/internal/workshop"
)

// A file that is cut off, in a line or behind one, gives an error, a remark, or what the whole file gives.
func TestCutOff(t *testing.T) {
	whole, err := New(dumptest.Of(t, "t2_busy", dumptest.Needed...))
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Join(ranked(whole), "\n")
	for _, name := range dumptest.Needed {
		d := dumptest.Of(t, "t2_busy", dumptest.Needed...)
		text := d.Text(name)
		cuts := workshop.Part(60)
		for i := 1; i < cuts; i++ {
			at := len(text) * i / cuts
			if i%2 == 0 { // at the end of a line, which only the rest of the site can tell
				at = strings.LastIndexByte(text[:at], '\n') + 1
			}
			d.Set(name, text[:at])
			s, err := New(d)
			if err != nil || len(s.Remarks) > len(whole.Remarks) {
				continue
			}
			if got := strings.Join(ranked(s), "\n"); got != want {
				t.Errorf("%s cut at %d, behind %q, is read without a word", name, at, text[max(0, at-40):at])
			}
		}
	}
}

// ranked says where each job stands, and why.
func ranked(s *Site) []string {
	var list []string
	for _, r := range s.Rows() {
		list = append(list, fmt.Sprint(r.Rank, " ", r.Job.ID, " ", r.Value, " ", r.Priority, " ", r.Tier, " ", r.Weighted.Fairshare, " ", r.Weighted.JobSize, " ", len(r.Weighted.TRES), " ", r.Difference()))
	}
	return list
}
