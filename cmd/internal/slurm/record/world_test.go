package record

import (
	"context"
	"slices"
	"testing"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/slurm/dump/dumptest"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/setup"
)

// The recorded day of a site on which c03 was drained, g02 was down for half a minute, and three reservations kept
// nodes: the record agrees with what sacctmgr told of it, and a replay keeps to that.
func TestRecordedWorld(t *testing.T) {
	const events = "Cluster|NodeName|TimeStart|TimeEnd|State|Reason|User\nhpc||2026-03-02T07:22:54|Unknown||Cluster Registered TRES|\n" +
		"hpc|c03|2026-03-02T10:07:57|2026-03-02T15:00:29|DRAIN|disk errors, ticket 4711|slurm(64030)\nhpc|g02|2026-03-02T12:32:41|2026-03-02T12:33:09|DOWN|gpu fell off the bus|root(0)\n"
	const course = "ReservationName=course StartTime=2026-03-02T14:18:16 EndTime=2026-03-02T17:18:16 Duration=03:00:00\n   Nodes=f01 NodeCnt=1 CoreCnt=32 Flags=SPEC_NODES\n   TRES=cpu=32\n   Users=kate,liam\n"
	d := dumptest.Booked(t, dumptest.Maint1+dumptest.Chemres+course, "")
	d.Set("events.txt", events)
	name := t.TempDir() + "/site"
	if err := d.Write(name); err != nil {
		t.Fatal(err)
	}
	n, _, err := setup.OpenPast(name)
	if err != nil {
		t.Fatal(err)
	}
	record, err := Read(n.Setup, []file.Source{file.At("../../../../testdata/slurm-site/sacct-all.txt.gz")}, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	remarks, err := ReadWorld(n, nil, record, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range remarks {
		if r.Kind == diag.Warning {
			t.Errorf("said: %s", r.Text)
		}
	}
	var inside []string
	for _, x := range record.Jobs {
		if x.Reservation > 0 {
			inside = append(inside, x.ID)
		}
	}
	if slices.Sort(inside); !slices.Equal(inside, []string{"273", "274"}) {
		t.Errorf("in a reservation ran %v", inside)
	}
	if len(n.Setup.Outages) != 2 || len(n.Setup.Reservations) != 3 {
		t.Fatalf("%d times in which nodes were away, %d reservations", len(n.Setup.Outages), len(n.Setup.Reservations))
	}
	result, err := sched.Run(context.Background(), n.Setup, record.Work(), sched.Options{Swept: record.Swept})
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range result.Jobs {
		on := sched.NewSet(len(n.Setup.Nodes))
		for _, s := range j.Shares {
			on.Add(int(s.Node))
		}
		for _, a := range n.Setup.Outages {
			if on.Has(a.Node) && a.From <= j.Start && j.Start < a.To {
				t.Errorf("job %d starts on %s while it is away", j.ID, n.Setup.Nodes[a.Node].Name)
			}
		}
		for _, k := range n.Setup.Reservations {
			switch isIn := k.Start <= j.Start && j.Start < k.End; {
			case j.Start == 0 || j.Start < k.Known || !on.Meets(k.Nodes) && j.Reservation != k.ID:
			case j.Reservation == k.ID && !isIn:
				t.Errorf("job %d starts outside reservation %s", j.ID, k.Name)
			case j.Reservation != k.ID && j.Start < k.End && j.Start+j.Limit > k.Start:
				t.Errorf("job %d runs into reservation %s", j.ID, k.Name)
			}
		}
	}
}
