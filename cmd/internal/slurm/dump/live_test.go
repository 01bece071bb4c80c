package dump

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/workshop"
)

// The manual collects by hand what a live site is asked.
func TestByHand(t *testing.T) {
	var asked []string
	for _, c := range commands {
		asked = append(asked, strings.Join(c.words, " ")+" > "+c.name)
	}
	workshop.ByHand(t, "Slurm", asked)
}

// A command of a site that refuses what not all print is asked without it: columns that sacctmgr does not know, and details of jobs.
func TestAskedForLess(t *testing.T) {
	const qos, jobs = "Name|Priority|MaxWall\nnormal|0|\n", "JobId=1 JobName=x\n   UserId=u(1) GroupId=g(1) MCS_label=N/A\n"
	run := func(_ context.Context, words []string) ([]byte, error) {
		switch line := strings.Join(words, " "); {
		case strings.Contains(line, "format="):
			return nil, errors.New("unknown field 'MinPrioThres'")
		case strings.Contains(line, "-d "):
			return nil, errors.New("invalid option -- 'd'")
		case line == "sacctmgr -P show qos":
			return []byte(qos), nil
		case line == "scontrol show job":
			return []byte(jobs), nil
		}
		return nil, nil
	}
	d, err := Ask(context.Background(), run, time.Now, ForAll, 0)
	if err != nil {
		t.Fatal(err)
	}
	log := d.Text(commandsName)
	if d.Text("qos.txt") != qos || d.Text("jobs.txt") != jobs || len(d.Remarks) > 0 || !strings.Contains(log, "rc=0 qos.txt: sacctmgr -P show qos\n") || !strings.Contains(log, "rc=0 jobs.txt: scontrol show job\n") {
		t.Errorf("%q, %q, %v\n%s", d.Text("qos.txt"), d.Text("jobs.txt"), d.Remarks, log)
	}
}
