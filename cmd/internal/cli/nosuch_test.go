package cli

import (
	"bytes"
	"strings"
	"testing"
)

// A name that a site does not have is refused alike by all commands that take one: with one status, and one text that says
// which names there are.
func TestNamesThatAreNotThere(t *testing.T) {
	t.Setenv("TZ", "UTC")
	const (
		pbs   = "../../../testdata/moments/snapshot_20260302_14_45_00.tgz"
		slurm = "../../../testdata/slurm-site/t2_busy.tgz"
		flux  = "../../../testdata/flux-site/R1-m1.tgz"
	)
	const all, of = "there is no ", " nosuch; there are "
	for _, site := range []struct {
		name     string
		compares string // the flags with which compare has something to compare
		submit   string
		queue    string // what the scheduler calls one
		group    string // and what its groups are called
		lacks    string // commands that are not for it
	}{
		{pbs, "-f ncpus", "select=1:ncpus=1", "queue", "group", "priority"},
		{slurm, "--set PriorityWeightAge=1", "ntasks=1", "partition", "Unix group", ""},
		{flux, "--set weight.queue=1", "", "queue", "group", "when nodes"},
	} {
		for _, row := range []struct{ command, flag, kind string }{
			{"sort SITE", "user", "user"},
			{"sort SITE --now", "user", "user"},
			{"sort SITE -o json", "user", "user"},
			{"sort SITE", "queue", site.queue},
			{"sort SITE", "partition", site.queue},
			{"explain SITE", "user", "user"},
			{"compare SITE COMPARES", "user", "user"},
			{"compare SITE COMPARES", "queue", site.queue},
			{"compare SITE COMPARES", "partition", site.queue},
			{"priority SITE", "user", "user"},
			{"history SITE", "user", "user"},
			{"history SITE", "queue", site.queue},
			{"history SITE", "partition", site.queue},
			{"history SITE", "account", "account"},
			{"history SITE", "group", site.group},
			{"history SITE --by month", "user", "user"},
			{"history SITE -o json", "user", "user"},
			{"when SITE --runs 1", "user", "user"},
			{"when SITE --runs 1 --submit SUBMIT --user alice", "queue", site.queue},
			{"when SITE --runs 1 --submit SUBMIT --user alice", "partition", site.queue},
			{"nodes SITE", "user", "user"},
			{"nodes SITE", "queue", site.queue},
			{"nodes SITE", "partition", site.queue},
			{"nodes SITE --submit SUBMIT", "partition", site.queue},
		} {
			command, _, _ := strings.Cut(row.command, " ")
			if strings.Contains(site.lacks, command) || command == "sort" && site.name == flux && strings.HasSuffix(row.command, "--now") {
				continue
			}
			line := strings.NewReplacer("SITE", site.name, "COMPARES", site.compares, "SUBMIT", site.submit).Replace(row.command) + " --" + row.flag + " nosuch"
			var out, errs bytes.Buffer
			code := run(strings.Fields(line), strings.NewReader(""), &out, &errs)
			lines := strings.Split(strings.TrimSpace(errs.String()), "\n")
			last, want := lines[len(lines)-1], "error: "+all+row.kind+of
			if code != exitUsage || out.Len() > 0 || !strings.Contains(last, want) && !strings.Contains(last, strings.ReplaceAll(want, of, " nosuch")) {
				t.Errorf("%s: status %d, %d bytes, and it says %q, want status %d and %q", line, code, out.Len(), last, exitUsage, want)
			}
		}
	}
}
