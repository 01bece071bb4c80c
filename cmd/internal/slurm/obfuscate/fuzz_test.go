package obfuscate

import (
	"fmt"
	"strings"
	"testing"

	"fairshare/cmd/internal/obfuscate"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
)

// Whatever Slurm's commands may print, other names come out of it, and no panic.
func FuzzHide(f *testing.F) {
	f.Add("JobId=7 JobName=a b UserId=bob(1) GroupId=g(2)\n   Account=x Reason=y TRES=cpu=1,gres/gpu:a100=2\n")
	f.Add("NodeName=c1 Arch=x86_64 Gres=gpu:a100:4(S:0-1),fs\n")
	f.Add("JOBID|PARTITION|USER|PRIORITY|PARTITION|TRES\n7|main|bob|5|6|cpu=1\n")
	f.Add(" \n7|bob\n")
	f.Add("JobID User\n7|bob\n")
	f.Add("Account|User|RawShares\n root|bob|parent\n")
	f.Fuzz(func(t *testing.T, text string) {
		h := newHider(obfuscate.Shift{})
		h.records(text, "jobid", "", slurm.JobCopy)
		for first, k := range map[string]dump.Kind{"nodename": dump.KindNodes, "partitionname": dump.KindPartitions, "reservationname": dump.KindReservations, "licensename": dump.KindLicences} {
			h.records(text, first, "", of(k))
		}
		h.manager(text)
		for _, k := range []dump.Kind{dump.KindShares, dump.KindQOS, dump.KindAssociations, dump.KindEvents, dump.KindPastReservations, dump.KindPriorities, dump.KindQueue} {
			if out := h.table(text, k); strings.Count(out, "\n") > strings.Count(text, "\n")+1 {
				t.Errorf("%q has more lines than %q", out, text)
			}
		}
		h.config(text, nil)
		h.accounting(text)
		h.accounting("JobID|State|Submit|SubmitLine|JobName\n" + text)
	})
}

// A copy without names has the partitions and licences of a job under the names that the site has there.
func TestHiddenLicences(t *testing.T) {
	h := newHider(obfuscate.Shift{})
	has, asks := licences(h, "matlab:4,ansys:2"), submitLine(h, "sbatch -p main,debug -L Matlab=2,ansys --partition=main -n4 a.sh")
	partition := nameList("partition")
	want := fmt.Sprintf("sbatch -p%s,%s -L%s,%s --partition=%s -n4", partition(h, "main"), partition(h, "debug"), strings.Replace(strings.Split(has, ",")[0], ":4", ":2", 1), strings.Replace(strings.Split(has, ",")[1], ":2", ":1", 1), partition(h, "main"))
	if asks != want || strings.Contains(has, "matlab") {
		t.Errorf("%s: %q, want %q", has, asks, want)
	}
	if got := tres(h, "license/matlab=3"); got != "license/"+strings.Replace(strings.Split(has, ",")[0], ":4", "=3", 1) {
		t.Errorf("%s, of %s", got, has)
	}
	for text, want := range map[string]string{"(null)": "(null)", "": "", "matlab|octave": "license"} {
		if got := licences(h, text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
