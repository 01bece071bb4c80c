package door

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/lab"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/slurm/dump"
	slurmlab "fairshare/cmd/internal/slurm/lab"
)

// The lab of a live site replays the tables of sacct that are named, in the zone that is given, as that of a folder does.
func TestLabOfLiveSite(t *testing.T) {
	d, err := dump.Open("../../../../testdata/slurm-site/t1_morning.tgz")
	if err != nil {
		t.Fatal(err)
	}
	table := filepath.Join(t.TempDir(), "sacct.txt")
	if err := os.WriteFile(table, []byte(d.Text("sacct-aXP.txt")), 0o600); err != nil {
		t.Fatal(err)
	}
	answers := map[string]string{
		"scontrol show config": "scontrol-show-config.txt", "scontrol show job": "scontrol-show-job.txt", "scontrol show node": "scontrol-show-node.txt", "scontrol show partition": "scontrol-show-partition.txt",
		"sprio -l": "sprio-l.txt", "sshare -a -l -P -m": "sshare-alP.txt", "sacctmgr -P show qos format=" + dump.QOSColumns: "sacctmgr-P-qos.txt", "sacctmgr -P show assoc": "sacctmgr-P-assoc.txt",
	}
	run := func(_ context.Context, words []string) ([]byte, error) {
		if name := answers[strings.Join(words, " ")]; name != "" {
			return []byte(d.Text(name)), nil
		}
		return nil, errors.New("it is not recorded")
	}
	console := &site.Console{Input: site.NewInput(strings.NewReader(""), Scheduler().Formats...), Say: (&diag.Printer{W: io.Discard}).Say}
	live, folder := &Site{run: run, to: console}, &Site{dump: d, to: console}
	replay := func(s *Site, q site.Experiment) string {
		t.Helper()
		made, err := s.Lab(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		replay := made.(*slurmlab.Lab).Replay
		if replay == nil {
			return ""
		}
		page, err := replay(t.Context(), lab.State{Settings: []string{"PriorityWeightAge=20000"}}, func(float64) {})
		if err != nil {
			t.Fatal(err)
		}
		return string(page)
	}
	if replay(live, site.Experiment{}) != "" {
		t.Error("there is something to replay without a table")
	}
	q := site.Experiment{Logs: []string{table}, TZ: "Asia/Tokyo"}
	page := replay(live, q)
	if !strings.Contains(page, "PriorityWeightAge=20000") || strings.Count(page, "<tr") != strings.Count(replay(folder, q), "<tr") {
		t.Errorf("the page does not have what that of a folder has: %d bytes", len(page))
	}
	if q.TZ = "UTC"; replay(live, q) == page {
		t.Error("the zone changes nothing")
	}
	for _, bad := range []site.Experiment{{TZ: "Nowhere"}, {Logs: []string{"../../../../README.md"}}} {
		if _, err := live.Lab(t.Context(), bad); err == nil {
			t.Errorf("%+v is not refused", bad)
		}
	}
}
