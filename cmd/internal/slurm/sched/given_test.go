package sched_test

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/record"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/setup"
)

// Alone on the node that it had, each job of a recorded day is given as many CPUs as it was given then: whole cores,
// and those of whole nodes. What jobs of several nodes are given depends on how many CPUs are free on each.
func TestGivenCPUs(t *testing.T) {
	const site = "../../../../testdata/slurm-site/"
	setup, _, err := setup.Open(site + "t5_end.tgz")
	if err != nil {
		t.Fatal(err)
	}
	text, err := file.At(site + "sacct-all.txt.gz").Text(1 << 30)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(text, "\n")
	columns := map[string]int{}
	for i, name := range strings.Split(lines[0], "|") {
		columns[name] = i
	}
	given := map[string]int{}
	for _, line := range lines[1:] {
		if cells := strings.Split(line, "|"); len(cells) >= len(columns) {
			if n, err := strconv.Atoi(cells[columns["AllocCPUS"]]); err == nil && n > 0 { // also of a job that was requeued, and then had none
				given[cells[columns["JobID"]]] = n
			}
		}
	}
	record, err := record.Read(setup, []file.Source{file.At(site + "sacct-all.txt.gz")}, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	names := sched.NewNodeNames(setup)
	alone := *setup.Restored()
	alone.Reservations, alone.Outages, alone.Backfill, alone.Licences = nil, nil, nil, nil
	alone.Accounts, alone.QOS = append([]sched.Account{}, setup.Accounts...), append([]sched.QOS{}, setup.QOS...)
	for i := range alone.Accounts {
		alone.Accounts[i].Limits = sched.Unlimited(len(setup.GRES))
	}
	for i := range alone.QOS {
		alone.QOS[i].Limits = sched.Unlimited(len(setup.GRES))
	}
	tested, more := 0, 0
	for _, x := range record.Jobs {
		nodes, err := slurm.Hostlist(x.NodeList)
		if x.Start == 0 || err != nil || len(nodes) > 1 {
			continue
		}
		q := *x.Request
		if !names.KeepTo(&q, nodes, nil) {
			t.Errorf("job %s cannot be kept to %s", x.ID, x.NodeList)
			continue
		}
		j := sched.Job{ID: 1, Request: &q, Partition: setup.PartitionNamed(x.Partition), Association: x.Association, QOS: x.Job.QOS, Limit: x.Limit, Run: x.Run, Submit: x.Submit, Eligible: x.Submit}
		if _, err := sched.Run(context.Background(), &alone, []*sched.Job{&j}, sched.Options{}); err != nil {
			t.Fatal(err)
		}
		cpus := 0
		for _, s := range j.Shares {
			cpus += int(s.CPUs)
		}
		if tested++; cpus != given[x.ID] {
			t.Errorf("job %s has %d CPUs of %s, and had %d: %+v", x.ID, cpus, x.NodeList, given[x.ID], q)
		}
		if cpus > int(q.CPUs) {
			more++
		}
	}
	if tested < 300 || more < 5 {
		t.Errorf("only %d jobs were tested, of which %d have more CPUs than they asked for: the test says little", tested, more)
	}
}
