package cli

import (
	"archive/tar"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is asked for and is not there is told, with the status that belongs to it.
func TestRefusals(t *testing.T) {
	t.Setenv("TZ", "UTC")
	const (
		p6   = "../../../testdata/replay/P6/snapshot"
		site = "../../../testdata/snapshots/snapshot_20261121_10_00_00.tgz"
	)
	cut := filepath.Join(t.TempDir(), "cut.tgz")
	if err := os.WriteFile(cut, withoutEnd(t), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		code int
		want string // in what is told
	}{
		{"usage " + p6 + " --tz UTC --at 1999-01-01", exitUsage, "error: --at is before the logs, which begin at 2026-03-02 00:00:00 UTC"},
		{"help explan", exitUsage, "there is no command explan; did you mean explain?"},
		{"when ../../../testdata/moments/snapshot_20260302_14_45_00.tgz --submit select=1:ncpus=1,walltime=1h --user bob --queue workq", exitUsage, "\"1h\" is no walltime: a number of seconds, or HH:MM:SS"},
		{"when ../../../testdata/slurm-now/24.11-busy.tgz 186 9999 --tz UTC --runs 1", exitPartly, "warning: no job 9999 waits in the list"},
		{"when ../../../testdata/slurm-now/24.11-busy.tgz 9998 9999 --tz UTC --runs 1", exitUsage, "error: no job 9998 waits in the list"},
		{"when ../../../testdata/slurm-site/t2_busy.tgz 118_[77-99] --tz UTC --runs 1", exitUsage, "error: no job 118_[77-99] waits in the list"},
		{"when ../../../testdata/slurm-site/t2_busy.tgz 118_[14-99] --tz UTC --runs 1", exitFine, ""},
		{"explain ../../../testdata/slurm-site/t2_busy.tgz 118_[77-99]", exitUsage, "error: there is no job 118_[77-99] in the list"},
		{"explain ../../../testdata/slurm-site/t2_busy.tgz 118_[14-99]", exitFine, ""},
		{"when ../../../testdata/moments/snapshot_20260302_14_45_00.tgz 999999 --tz UTC --runs 1", exitUsage, "error: no job 999999 waits in the list"},
		{"usage ../../../testdata/slurm/seed_example/classic.sshare.txt", exitUnreadable, "is what sshare prints, which formula shares reads, and neither an accounting log"},
		{"compare ../../../testdata/slurm-site/t2_busy.tgz --rules 19.05", exitUsage, "--rules 19.05: the rules of this version are not known, those of Slurm 22.05 to 25.05 are"},
		{"compare ../../../testdata/slurm-site/t2_busy.tgz --rules 24.1", exitUsage, "there is no release of Slurm 24.1; did you mean 24.11?"},
		{"usage " + p6 + " --tz UTC --at 2026-04-01", exitFine, "warning: --at is 28 days after the last time of the logs, 2026-03-03 06:15:43 UTC"},
		{"history " + p6 + " --user bobb", exitUsage, "error: there is no user bobb; did you mean bob? There are "},
		{"history " + p6 + " --group phisics", exitUsage, "there is no group phisics; did you mean physics?"},
		{"history " + p6 + " --queue workqq,highq", exitPartly, "there is no queue workqq; did you mean workq?"},
		{"history " + p6 + " --queue workqq,highqq", exitUsage, "there is no queue highqq; did you mean highq?"},
		{"history " + p6 + " --from 2026-03-03 --to 2026-03-02", exitUsage, "error: --from 2026-03-03 00:00:00 UTC is not earlier than --to 2026-03-02 00:00:00 UTC"},
		{"sort " + cut, exitUnreadable, "cut.tgz is cut off or damaged"},
		{"metrics " + cut, exitUnreadable, "cut.tgz has no list of jobs: "},
		{"metrics " + cut, exitUnreadable, "cut.tgz is cut off or damaged"},
		{"collect /nonexistent/x.tgz --snapshot " + site, exitUnreadable, "cannot write the snapshot: write /nonexistent/x.tgz: no such file or directory"},
		{"collect /nonexistent/x --snapshot " + site, exitUnreadable, "cannot write the snapshot: write /nonexistent/x: no such file or directory"},
		{"compare " + site + " -f ncpus --user bobb", exitUsage, "error: there is no user bobb; did you mean bob?"},
		{"shares " + site + " --snapshot " + site, exitUsage, "the tree is named twice"},
		{"shares --from sched-priv", exitUsage, "--from sched-priv needs a directory"},
		{"compare " + site + " -f ncpus --queue workq,nowhere", exitDiffers, "there is no queue nowhere; "},
	} {
		var out, errs bytes.Buffer
		if code := run(strings.Fields(c.args), strings.NewReader(""), &out, &errs); code != c.code {
			t.Errorf("%s: status %d, want %d", c.args, code, c.code)
		}
		if !strings.Contains(errs.String(), c.want) {
			t.Errorf("%s: it says %q, want %q", c.args, errs.String(), c.want)
		}
	}
}

// withoutEnd returns an archive with queues that ends within its next member.
func withoutEnd(t *testing.T) []byte {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	const queues, more = "Queue: workq\n    queue_type = Execution\n", 4096
	if err := w.WriteHeader(&tar.Header{Name: "s/server/qstat_Qf.out", Mode: 0o644, Size: int64(len(queues))}); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, queues); err != nil {
		t.Fatal(err)
	}
	if err := w.WriteHeader(&tar.Header{Name: "s/other", Mode: 0o644, Size: more}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
