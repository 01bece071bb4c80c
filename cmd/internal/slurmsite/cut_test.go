package slurmsite

import (
	"strings"
	"testing"

	"fairshare/cmd/internal/workshop"
)

// kept are the files of a moment that a site is read from, without a second one of any of them.
var kept = []string{"scontrol-show-config.txt", "scontrol-show-job.txt", "scontrol-show-node.txt", "scontrol-show-partition.txt", "sprio-pipe.txt", "sshare-alP.txt", "sacctmgr-P-qos.txt"}

// dumpOf returns the files of a recorded moment that a site is read from.
func dumpOf(t *testing.T, moment string, names ...string) *Dump {
	t.Helper()
	all, err := OpenDump("../../../testdata/slurm-site/" + moment + ".tgz")
	if err != nil {
		t.Fatal(err)
	}
	d := all.Empty()
	d.Name = moment
	for _, name := range names {
		if all.Text(name) == "" {
			t.Fatalf("%s has no %s", moment, name)
		}
		d.Set(name, all.Text(name))
	}
	return d
}

// A file that is cut off, in a line or behind one, gives an error, a remark, or what the whole file gives.
func TestCutOff(t *testing.T) {
	whole, err := New(dumpOf(t, "t2_busy", kept...))
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Join(ranked(whole), "\n")
	for _, name := range kept {
		d := dumpOf(t, "t2_busy", kept...)
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
