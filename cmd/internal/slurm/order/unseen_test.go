package order

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
)

// In no recording of somebody who sees all jobs is much in use by others, and a list cut to one user's jobs is told by the
// nodes, whatever PrivateData says.
func TestUnseen(t *testing.T) {
	const testdata = "../../../../testdata/"
	sites := 0
	for _, pattern := range []string{"slurm-site/*.tgz", "slurm-now/*.tgz"} {
		names, err := filepath.Glob(testdata + pattern)
		if err != nil || len(names) == 0 {
			t.Fatal(pattern, err)
		}
		for _, name := range names {
			d, err := dump.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			s, err := New(d)
			if err != nil {
				t.Fatal(err)
			}
			sites++
			if s.Unseen.IsHidden() || s.Unseen.IsPrivate || s.Unseen.inUse() == 0 {
				t.Errorf("%s: %+v", name, s.Unseen)
			}
			part := d.All(dump.KindJobs)[0]
			records := strings.Split(part.Text, "\n\n")
			user := regexp.MustCompile(`UserId=\w+`).FindString(part.Text)
			var own []string
			for _, r := range records {
				if strings.Contains(r, user+"(") {
					own = append(own, r)
				}
			}
			d.Set(part.File(), strings.Join(own, "\n\n")+"\n")
			for _, p := range d.All(dump.KindJobs)[1:] {
				d.Set(p.File(), "")
			}
			config := d.All(dump.KindConfig)[0]
			d.Set(config.File(), regexp.MustCompile(`PrivateData( *)= none`).ReplaceAllString(config.Text, "PrivateData$1= jobs,users"))
			cut, err := New(d)
			if err != nil {
				t.Fatal(err)
			}
			u := cut.Unseen
			said := false
			for _, r := range cut.Remarks {
				said = said || strings.Contains(r.Text, "of the jobs that you may see") || strings.Contains(r.Text, "of those that you may see")
			}
			for _, share := range u.Shares {
				if has := share.InUse - share.Unseen; has < 0.9*share.InUse && share.Unseen >= share.least && (!u.IsHidden() || !said) {
					t.Errorf("%s of %s: %+v, said %v", name, user, u, said)
				}
			}
		}
	}
	if sites < 9 {
		t.Errorf("only %d sites", sites)
	}
}

// Memory and GPUs of nodes without a job of the list are signs of jobs of others, too, and those of a suspended job are none.
func TestUnseenShares(t *testing.T) {
	const node = "NodeName=n1 Arch=x86_64 CPUAlloc=0 AllocMem=%s AllocTRES=%s\n"
	for _, c := range []struct {
		memory, tres string
		jobs         []slurm.ListedJob
		isHidden     bool
	}{
		{"0", "", nil, false},
		{"64000", "mem=64000M", nil, true},
		{"0", "gres/gpu=2", nil, true},
		{"64000", "mem=64000M,gres/gpu=2", []slurm.ListedJob{{Nodes: []string{"n1"}, Job: slurm.Job{State: "SUSPENDED"}}}, false},
		{"64000", "mem=64000M,gres/gpu=2", []slurm.ListedJob{{Nodes: []string{"n1"}, Job: slurm.Job{State: "COMPLETED"}}}, true},
	} {
		d := &dump.Dump{}
		d.Set("nodes.txt", fmt.Sprintf(node, c.memory, c.tres))
		if u := readUnseen(d, c.jobs); u.IsHidden() != c.isHidden {
			t.Errorf("%+v: %+v", c, u)
		}
	}
}
