package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fairshare/cmd/internal/slurm/dump"
)

// Each thing that the help of a command promises to be enough is enough: the command is run with it alone.
func TestNeedsAreEnough(t *testing.T) {
	t.Parallel()
	const data = "../../../testdata"
	dir := t.TempDir()
	put := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	snapshot := data + "/replay/Q3y/snapshot"
	list, vnodes := snapshot+"/job/qstat_f_F_json.out", snapshot+"/node/pbsnodes_va.out"
	site, record := data+"/slurm-site/t2_busy.tgz", data+"/slurm-site/sacct-all.txt.gz"
	d, err := dump.Open(site)
	if err != nil {
		t.Fatal(err)
	}
	const squeue = "JOBID|PRIORITY|USER|ACCOUNT|PARTITION|QOS|ST|REASON|JOBID|PRIORITY\n57|0.00000212574378|bob|hep|main|normal|PD|Resources|57|9130\n"
	queue, sprio, shares := put("squeue.txt", squeue), put("sprio.txt", d.Text("sprio-pipe.txt")), put("sshare.txt", d.Text("sshare-alP.txt"))
	both := filepath.Dir(put("both/squeue.txt", squeue))
	put("both/sprio.txt", d.Text("sprio-pipe.txt"))
	const formula, change = "ncpus", "PriorityWeightQOS=1"
	tried := map[string][][]string{
		"sort":     {{snapshot}, {list, "-f", formula}, {site}, {queue}, {sprio}, {both}},
		"explain":  {{"--user", "c2", snapshot}, {"--user", "c2", list, "-f", formula}, {"57", site}, {"57", queue}, {"57", sprio}, {"57", both}},
		"compare":  {{snapshot, "-f", formula}, {list, "-f", formula, "-f", "walltime"}, {site, "--set", change}},
		"shares":   {{snapshot}, {shares}, {site}},
		"history":  {{snapshot, "--tz", "UTC"}, {record, "--tz", "UTC"}},
		"usage":    {{snapshot}, {site}},
		"nodes":    {{snapshot}, {vnodes}, {site}},
		"metrics":  {{snapshot}, {list, "-f", formula}, {site}, {queue}, {sprio}, {both}},
		"check":    {{"-f", formula}, {snapshot}, {put("slurm.conf", "PriorityType=priority/multifactor\n")}, {site}},
		"vars":     {{}, {snapshot}},
		"priority": {{site}},
	}
	const byScripts = " replay witness when lab eval test collect " // which run them with what they need, and take longer
	for command := range needs {
		if tried[command] == nil && !strings.Contains(byScripts, " "+command+" ") {
			t.Errorf("what formula %s needs is not tried", command)
		}
	}
	for command, lines := range tried {
		for _, args := range lines {
			var stdout, stderr strings.Builder
			if code := run(append([]string{command}, args...), strings.NewReader(""), &stdout, &stderr); code > exitPartly || stdout.Len() == 0 && command != "check" { // 1 for orders that differ
				t.Errorf("%s %v: exit %d: %s", command, args, code, stderr.String())
			}
		}
	}
}
