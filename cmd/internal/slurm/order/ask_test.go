package order

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/slurm/dump"
)

// A live site is asked, and what fails is said and kept out.
func TestAsk(t *testing.T) {
	const recordedAs = "config=scontrol-show-config job=scontrol-show-job -o=sprio-pipe -l=sprio-l -m=sshare-alP partition=scontrol-show-partition node=scontrol-show-node qos=sacctmgr-P-qos assoc=sacctmgr-P-assoc sdiag=sdiag"
	d, err := dump.Open("../../../../testdata/slurm-site/t2_busy.tgz")
	if err != nil {
		t.Fatal(err)
	}
	from := map[string]string{}
	for pair := range strings.FieldsSeq(recordedAs) {
		name, file, _ := strings.Cut(pair, "=")
		from[name] = file
	}
	at := time.Date(2026, 3, 2, 11, 55, 0, 0, time.UTC)
	now := func() time.Time { at = at.Add(time.Second / 2); return at }
	last := ""
	run := func(_ context.Context, words []string) ([]byte, error) {
		last = words[len(words)-1]
		key := last
		switch words[0] {
		case "sprio":
			key = words[1]
		case "sacctmgr":
			key = words[3]
		}
		if text := d.Text(from[key] + ".txt"); text != "" && words[0] != "squeue" && words[0] != "sacct" {
			return []byte(text), nil
		}
		return nil, errors.New("Access/permission denied")
	}
	if _, err := dump.Ask(context.Background(), run, now, dump.ForNow, 0); err != nil || last != "lic" {
		t.Error("the commands of what is now are not the first: ", err)
	}
	asked, err := dump.Ask(context.Background(), run, now, dump.ForAll, 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(asked.Remarks) != 8 || !strings.Contains(asked.Text("commands.txt"), "failed: Access/permission denied events.txt: sacctmgr -P show event all_time") {
		t.Errorf("%v\n%s", asked.Remarks, asked.Text("commands.txt"))
	}
	s, err := New(asked)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(ranked(s), "\n"), strings.Join(ranked(openRecorded(t, "t2_busy")), "\n"); got != want {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
	dir := filepath.Join(t.TempDir(), "site")
	if err := asked.Write(dir); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(dir, "jobs.txt")); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info, err)
	}
	if _, err := dump.Ask(context.Background(), func(context.Context, []string) ([]byte, error) { return nil, errors.New("no") }, now, dump.ForAll, 0); err == nil {
		t.Error("a site that says nothing is taken")
	}
}
