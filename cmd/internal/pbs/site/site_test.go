package site_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pbs/joblist"
	pbssite "fairshare/cmd/internal/pbs/site"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/trace"
)

const (
	packed = "../../../../testdata/snapshots/snapshot_20261121_10_00_00.tgz"
	round  = "../../../../testdata/scheduler/02-fstree"
	replay = "../../../../testdata/replay/A/snapshot"
)

// stdin returns standard input with a text.
func stdin(text string) *site.Input { return site.NewInput(strings.NewReader(text)) }

// wanting returns names where a list of jobs is wanted.
func wanting(names site.Names) site.Names {
	names.WantsJobs = true
	return names
}

// A place has what its names lead to: files given one by one win over a snapshot, and
// standard input has the jobs where nothing else does.
func TestFind(t *testing.T) {
	list := filepath.Join(round, "qstat-f.json")
	for _, c := range []struct {
		names site.Names
		name  string // of the place
		jobs  string // its first list
		priv  string
	}{
		{site.Names{Argument: packed}, packed, packed + "/job/qstat_f_F_json.out", "sched_priv"},
		{site.Names{Snapshot: packed, Jobs: list}, packed, list, "sched_priv"},
		{site.Names{Argument: list, SchedPriv: round + "/sched_priv"}, "", list, round + "/sched_priv"},
		{site.Names{Argument: round + "/sched_priv"}, round + "/sched_priv", "standard input", round + "/sched_priv"},
		{site.Names{SchedPriv: round + "/sched_priv"}, "", "standard input", round + "/sched_priv"},
	} {
		p, remarks, err := pbssite.Find(t.Context(), wanting(c.names), stdin(`{"Jobs":{}}`))
		if err != nil || len(remarks) > 0 {
			t.Errorf("%+v: %v %v", c.names, remarks, err)
			continue
		}
		if p.Name != c.name || len(p.Jobs) == 0 || p.Jobs[0].Name != c.jobs || !strings.HasSuffix(p.Files.SchedPriv.Name, c.priv) {
			t.Errorf("%+v: %q with jobs of %q and the tree of %q", c.names, p.Name, p.Jobs[0].Name, p.Files.SchedPriv.Name)
		}
	}
}

// What cannot be is an error about what was asked for, and no other one.
func TestFindRefuses(t *testing.T) {
	empty := t.TempDir()
	if err := os.MkdirAll(filepath.Join(empty, "server"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(empty, "server/qstat_Qf.out"), []byte("Queue: a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(round, "qstat-f.json")
	for want, names := range map[string]site.Names{
		"are both a site, give one of them":         {Argument: packed, Snapshot: round},
		"both name a job list, give one of them":    {Argument: list, Jobs: list},
		"and no snapshot":                           {Snapshot: list},
		"is a site: give it as an argument or with": {Jobs: packed, Argument: round + "/sched_priv"},
	} {
		_, _, err := pbssite.Find(t.Context(), wanting(names), stdin(""))
		var asked *diag.RequestError
		if !errors.As(err, &asked) || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", names, err, want)
		}
	}
	_, _, err := pbssite.Find(t.Context(), wanting(site.Names{Argument: empty}), stdin(""))
	var none *pbssite.NoJobsError
	if !errors.As(err, &none) {
		t.Errorf("a site without jobs: %v", err)
	}
}

// One reader has standard input.
func TestInput(t *testing.T) {
	in := stdin("text")
	if text, err := in.Source("-", "the formula").Text(10); err != nil || text != "text" {
		t.Errorf("%q %v", text, err)
	}
	_, err := in.Source("-", site.JobList).Text(10)
	if err == nil || !strings.Contains(err.Error(), "standard input cannot be both the formula and the job list") {
		t.Error(err)
	}
}

// Of several lists the one counts that is whole.
func TestList(t *testing.T) {
	p, _, err := pbssite.Find(t.Context(), wanting(site.Names{Argument: packed}), stdin(""))
	if err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(t.TempDir(), "broken.json")
	if err := os.WriteFile(broken, []byte("\x00\x01"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.Jobs = slices.Insert(p.Jobs, 0, site.NewInput(nil).Source(broken, ""))
	list, remarks, err := p.List(joblist.Options{})
	if err != nil || list.Len() == 0 || len(remarks) == 0 || !remarks[0].IsDamage || !strings.HasPrefix(remarks[len(remarks)-1].Text, "the job list is ") {
		t.Errorf("%v %v", remarks, err)
	}
}

// Logs are read with the cpus of their site, and one without any is told of as that.
func TestLogs(t *testing.T) {
	logs, remarks, err := pbssite.FindLogs([]string{replay}, "UTC", stdin(""))
	if err != nil || len(remarks) > 0 || len(logs.Snapshots()) != 1 {
		t.Fatal(remarks, err)
	}
	recorded, _, err := logs.Read(trace.Keep{})
	if err != nil || len(recorded.Jobs) == 0 || logs.CPUs == 0 || logs.IsBroken() {
		t.Errorf("%d cpus (%v)", logs.CPUs, err)
	}
	if _, _, err := pbssite.FindLogs([]string{packed}, "", stdin("")); err == nil {
		t.Error("a snapshot without logs is one with some")
	}
	priv, _, err := pbssite.PrivOf("", "", logs)
	if err != nil || priv.IsOther || priv.Taken == 0 {
		t.Errorf("%+v %v", priv, err)
	}
}

// A tree is found in a snapshot, a sched_priv and a file, and settings change PBS's alone.
func TestTree(t *testing.T) {
	slurm := "../../../../testdata/slurm-priority"
	configs, err := filepath.Glob(slurm + "/*/sshare_l.txt")
	if err != nil || len(configs) == 0 {
		t.Fatal("no tree of Slurm's")
	}
	tree := func(names site.Names, settings ...string) (site.Tree, error) {
		names.WantsTree = true
		p, _, err := pbssite.Find(t.Context(), names, stdin(""))
		if err != nil {
			t.Fatal(err)
		}
		tree, _, err := p.Tree("auto", settings)
		return tree, err
	}
	for _, c := range []struct {
		names    site.Names
		settings []string
		isWrong  bool
	}{
		{site.Names{Argument: packed}, nil, false},
		{site.Names{SchedPriv: round + "/sched_priv"}, []string{"bob.usage=0"}, false},
		{site.Names{Argument: configs[0]}, nil, false},
		{site.Names{Argument: configs[0]}, []string{"bob.usage=0"}, true},
		{site.Names{Argument: packed}, []string{"queue.a.priority=1"}, true},
	} {
		var asked *diag.RequestError
		switch tree, err := tree(c.names, c.settings...); {
		case c.isWrong && !errors.As(err, &asked):
			t.Errorf("%+v: %v", c, err)
		case !c.isWrong && (err != nil || tree.Len() < 2):
			t.Errorf("%+v: %v", c, err)
		}
	}
}
