package order

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/dump/dumptest"
	"fairshare/fstree"
)

// said returns the texts of a site's remarks in one.
func said(s *Site) string {
	var b strings.Builder
	for _, r := range s.Remarks {
		b.WriteString(r.Text + "\n")
	}
	return b.String()
}

// What is wrong with a site is said.
func TestBadSites(t *testing.T) {
	replace := func(name, old, new string) func(*dump.Dump) {
		return func(d *dump.Dump) { dumptest.Edit(t, d, name, old, new) }
	}
	without := func(name string) func(*dump.Dump) { return func(d *dump.Dump) { d.Set(name, "") } }
	for name, c := range map[string]struct {
		change func(*dump.Dump)
		want   string
	}{
		"no sprio":           {without("sprio-pipe.txt"), "has no sprio -l: priorities are those that scontrol shows"},
		"no sshare":          {without("sshare-alP.txt"), "has no sshare -a -l -P: the fairshare factors are those that sprio prints"},
		"no QOS":             {without("sacctmgr-P-qos.txt"), "has no sacctmgr -P show qos: the limits of QOS are not known; the QOS factors are those that sprio prints"},
		"no jobs":            {without("scontrol-show-job.txt"), "has no scontrol show job"},
		"no partitions":      {without("scontrol-show-partition.txt"), "lacks the configuration"},
		"a QOS is missing":   {replace("sacctmgr-P-qos.txt", "normal|", "other|"), "QOS normal is not known: a factor of"},
		"an association":     {replace("sshare-alP.txt", "   genomics|ivan|", "   genomics|ivana|"), "the association of genomics/ivan is not known: a factor of 10 jobs counts 0"},
		"a partition":        {replace("scontrol-show-partition.txt", "PartitionName=gpu", "PartitionName=cpu"), "does not have partition gpu of node g01"},
		"a node is reserved": {replace("scontrol-show-node.txt", "State=MIXED ", "State=MIXED+RESERVED "), "which jobs it attracts (MAGNETIC), so that they go first, is not known"},
		"sacctmgr alone has a MAGNETIC one": {func(d *dump.Dump) {
			at := d.Taken()
			d.Set("sacctmgr-reservation.txt", "Cluster|Name|TRES|TimeStart|TimeEnd|Flags|NodeNames\n|lab|cpu=4|"+at.Add(-time.Hour).Format(dump.TimeLayout)+"|"+at.Add(time.Hour).Format(dump.TimeLayout)+"|MAGNETIC|c01\n")
		}, "reservation lab is MAGNETIC, and nothing tells whom it lets in"},
		"a new version":           {replace("scontrol-show-config.txt", "SLURM_VERSION           = 22.05", "SLURM_VERSION           = 25.11"), "Slurm 25.11 is newer than any version that is known here: the order is that of 25.05"},
		"users that are hidden":   {replace("sshare-alP.txt", "   genomics|judy|25|", "  genomics||25|"), "sshare"},
		"a row of sprio is short": {replace("sprio-pipe.txt", "57|main|bob|9130|", "57|main|"), "left out: line 2"},
		"words for numbers":       {replace("sprio-pipe.txt", "57|main|bob|9130|", "57|main|bob|many|"), "is no priority of job"},
		"a job twice": {func(d *dump.Dump) {
			text := d.Text("scontrol-show-job.txt")
			d.Set("scontrol-show-job.txt", text+text[:1300])
		}, "job 57 occurs earlier"},
		"jobs are cut": {func(d *dump.Dump) { d.Set("scontrol-show-job.txt", d.Text("scontrol-show-job.txt")[:5000]) }, "scontrol show job lacks the jobs of 24 rows of sprio"},
		"refused": {func(d *dump.Dump) {
			d.Set("scontrol-show-node.txt", "slurm_load_node error: Access/permission denied\n")
		}, "lacks the configuration"},
	} {
		t.Run(name, func(t *testing.T) {
			d := dumptest.Of(t, "t2_busy", dumptest.Needed...)
			c.change(d)
			s, err := New(d)
			text := said(s)
			if err != nil {
				text += err.Error()
			}
			if !strings.Contains(text, c.want) {
				t.Errorf("want %q in\n%s", c.want, text)
			}
		})
	}
}

// What an ordinary person sees is enough for the order: what is hidden is said.
func TestPrivateData(t *testing.T) {
	d := dumptest.Of(t, "t2_busy", dumptest.Needed...)
	mine := func(name, keep string) {
		var kept []string
		for i, line := range strings.SplitAfter(d.Text(name), "\n") {
			if i == 0 || strings.Contains(line, keep) {
				kept = append(kept, line)
			}
		}
		d.Set(name, strings.Join(kept, ""))
	}
	mine("sshare-alP.txt", "|dora|")
	mine("sprio-pipe.txt", "|dora|")
	s, err := New(d)
	if err != nil {
		t.Fatal(err)
	}
	if text := said(s); !strings.Contains(text, "the shares tree is not whole") || !strings.Contains(text, "sprio lists 3 of the 26 jobs that Slurm considers (it is of user dora alone)") {
		t.Error(text)
	}
	for _, r := range s.Rows() {
		if r.Rank > 0 && r.Job.User == "dora" && r.Priority != r.Value {
			t.Errorf("%+v", r)
		}
	}
}

// The columns of TRES are cut where a table has a width: what is cut is not compared.
func TestCutTRES(t *testing.T) {
	names := append([]string{"sprio-l.txt"}, dumptest.Needed...)
	names = append(names[:5], names[6:]...) // without the table that is not cut
	s, err := New(dumptest.Of(t, "t2_busy", names...))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(said(s), "the column TRES was too narrow for 4 jobs") {
		t.Error(said(s))
	}
	for _, r := range s.Rows() {
		if r.Difference() != "" {
			t.Errorf("job %s: %s", r.Job.ID, r.Difference())
		}
	}
}

// What is nothing of a Slurm site is refused, whatever it is called.
func TestOtherTools(t *testing.T) {
	for name, text := range map[string]string{
		"qstat":  "Job Id: 1.server\n    Job_Name = a\n    job_state = Q\n",
		"bjobs":  "JOBID   USER    STAT  QUEUE      FROM_HOST   EXEC_HOST   JOB_NAME   SUBMIT_TIME\n1       bob     PEND  normal     h1                      a          Mar  2 09:00\n",
		"condor": " ID      OWNER            SUBMITTED     RUN_TIME ST PRI SIZE CMD\n1.0   bob 3/2  09:00   0+00:00:00 I  0   0.0  a\n",
		"json":   `{"jobs": []}`,
		"binary": "\x00\x01\x02",
		"empty":  "",
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "sprio.txt"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if s, err := Open(dir); !dump.IsMissing(err) {
			t.Errorf("%s: %v %v", name, s.Remarks, err)
		}
	}
}

// Where sshare, or sacctmgr show qos, is missing, scontrol show assoc_mgr or sprio tells the same.
func TestOtherSources(t *testing.T) {
	names := func(without string, more ...string) []string {
		var list []string
		for _, name := range dumptest.Needed {
			if name != without {
				list = append(list, name)
			}
		}
		return append(list, more...)
	}
	for without, more := range map[string][]string{"sshare-alP.txt": {"scontrol-show-assoc_mgr.txt"}, "sacctmgr-P-qos.txt": nil, "sshare-alP.txt ": nil} {
		for moment := range dumptest.Moments {
			s, err := New(dumptest.Of(t, moment, names(strings.TrimSpace(without), more...)...))
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range s.Rows() {
				if r.Rank > 0 && math.Abs(r.Priority-r.Value) > 1 || more != nil && r.Difference() != "" {
					t.Errorf("%s without %s: job %s: %s", moment, without, r.Job.ID, r.Difference())
				}
			}
		}
	}
	whole := openRecorded(t, "t2_busy")
	s, err := New(dumptest.Of(t, "t2_busy", names("sshare-alP.txt", "scontrol-show-assoc_mgr.txt")...))
	if err != nil {
		t.Fatal(err)
	}
	if s.newest == nil || s.newest.Len() != whole.newest.Len() {
		t.Fatal("the tree is not whole")
	}
	name := func(tree *fstree.Associations, i int) string {
		x := tree.At(i)
		if x.User {
			return tree.At(int(x.Parent)).Name + "/" + x.Name
		}
		return x.Name
	}
	of := map[string]fstree.Association{}
	for i := range whole.newest.Len() {
		of[name(whole.newest, i)] = whole.newest.At(i)
	}
	for i := 1; i < s.newest.Len(); i++ {
		x, want := s.newest.At(i), of[name(s.newest, i)]
		if x.Shares != want.Shares || x.FromParent != want.FromParent || math.Trunc(x.Usage) != want.Usage {
			t.Errorf("%+v, want %+v", x, want)
		}
	}
}

// How many associations there are is told by the tree, by sacctmgr show assoc and by sacctmgr dump.
func TestAssociations(t *testing.T) {
	for _, names := range [][]string{
		{"sshare-alP.txt"}, {"scontrol-show-assoc_mgr.txt"}, {"sacctmgr-P-assoc.txt"}, {"sacctmgr-dump.cfg"}, nil,
	} {
		at := filepath.Join(t.TempDir(), "site")
		if err := dumptest.Of(t, "t2_busy", append(names, "slurm.conf")...).Write(at); err != nil {
			t.Fatal(err)
		}
		want := 16 // 13 people, two of them in two accounts, and root
		if names == nil {
			want = 0
		}
		if _, n, remarks, err := confOf(at); n != want || err != nil {
			t.Errorf("%v: %d associations %v %v", names, n, remarks, err)
		}
	}
}

// confOf returns the configuration that a folder has.
func confOf(name string) (*slurm.Conf, int, []diag.Remark, error) {
	d, err := dump.Open(name)
	if err != nil {
		return nil, 0, nil, err
	}
	conf, remarks, err := d.Advised()
	return conf.Conf, conf.Users, remarks, err
}
