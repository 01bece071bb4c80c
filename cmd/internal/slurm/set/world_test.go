package set

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/slurm/dump/dumptest"
	"fairshare/cmd/internal/slurm/record"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/setup"
)

// Settings of nodes and reservations, and what they make of a site with two reservations.
func TestSetWorld(t *testing.T) {
	n, _, err := setup.OpenPast(dumptest.Written(t, dumptest.Booked(t, dumptest.Maint1+dumptest.Chemres, "")))
	if err == nil {
		_, err = record.ReadWorld(n, nil, &record.Record{Last: 1_900_000_000, Jobs: []*record.Job{{Job: &sched.Job{}}}}, time.UTC)
	}
	if err != nil {
		t.Fatal(err)
	}
	n.Setup.Outages = nil
	for _, test := range []struct{ setting, want string }{
		{"node.c01.down=2026-03-02 08:10/2026-03-02 10:00", "away c01 08:10-10:00"},
		{"node.g0*.offline=2026-03-02T08:10:00/2026-03-02 10:00", "away g01 08:10-10:00, away g02 08:10-10:00"},
		{"node.c[01,03].down=2026-03-02 08:10/2026-03-02 10:00", "away c01 08:10-10:00, away c03 08:10-10:00"},
		{"nodes.removed=c01,g0?", "removed c01, removed g01, removed g02"},
		{"reservation.new=2026-03-02 08:00/2026-03-02 10:00 on f0*,c01", "new (3) c01,f01,f02 08:00-10:00"},
		{"reservation.new=2026-03-02 08:00/2026-03-02 10:00 on ALL", "new (3) c01,c02,c03,c04,c05,c06,f01,f02,g01,g02,h01,h02 08:00-10:00"},
		{"reservation.a.b=2026-03-02 08:00/2026-03-02 10:00 on c01", "a.b (3) c01 08:00-10:00"},
		{"reservation.maint1=2026-03-02 08:00/2026-03-02 10:00", "maint1 (2) c05,c06 08:00-10:00"},
		{"reservation.maint1=2026-03-02 08:00/2026-03-02 10:00 on c01", "maint1 (2) c01 08:00-10:00"},
		{"reservation.maint1=none", "maint1 (2)  00:00-never flex"},
		{"reservation.*=none", "chemres (1)  00:00-never flex, maint1 (2)  00:00-never flex"},
		{"reservation.maint1=2026-03-02 17:48/2026-03-02 19:48 on c05,c06", "it is that already"},
		{"nodes.added=4x64", "a copy of the site that has them, in scontrol show node and in Nodes of scontrol show partition"},
		{"nodes.added.n09=64", "a copy of the site that has them"},
		{"nodes.removed=z9", "no node z9"},
		{"nodes.removed=*", "no node would be left"},
		{"nodes.removed=", "expected NAME=VALUE"},
		{"node.c01.up=2026-03-02 08:10/2026-03-02 10:00", "no setting node.c01.up"},
		{"node.c01.State=DRAIN", "away c01 00:00-never"},
		{"node.c01.state=Down", "away c01 00:00-never"},
		{"node.c01.State=RESUME", "none of them is drained or down"},
		{"node.c01.State=PLANNED", "is set to one of DOWN, DRAIN, FAIL, IDLE, RESUME, UNDRAIN, not to PLANNED"},
		{"TRESBillingWeights=CPU=2", "TRESBillingWeights is not set here"},
		{"node.c01.down=2026-03-02 10:10/2026-03-02 10:00", "is not before"},
		{"node.c01.down=tomorrow/2026-03-02 10:00", "is not a time"},
		{"node.c01.down=2026-03-02 10:10", "is not FROM/TO"},
		{"reservation.maint2=none", "no reservation maint2"},
		{"reservation.new=2026-03-02 08:00/2026-03-02 10:00", "a new one needs nodes"},
		{"reservation.new=soon", "expected none, or FROM/TO on NODES"},
		{"reservation.*=2026-03-02 08:00/2026-03-02 10:00", "not be moved together"},
	} {
		changed, changes, err := ChangeSetup(n.Setup, []string{test.setting})
		var got []string
		clock := func(at int64) string {
			if at == sched.ForGood {
				return "never"
			}
			return time.Unix(at, 0).UTC().Format("15:04")
		}
		switch {
		case err != nil:
			got = append(got, err.Error())
		case changes[0].IsSame:
			got = append(got, errSame.Error())
		default:
			for i, node := range changed.Nodes {
				if node.CPUs != n.Setup.Nodes[i].CPUs {
					got = append(got, "removed "+node.Name)
				}
			}
			for _, a := range changed.Outages {
				got = append(got, fmt.Sprintf("away %s %s-%s", changed.Nodes[a.Node].Name, clock(a.From), clock(a.To)))
			}
			for i, k := range changed.Reservations {
				if i < len(n.Setup.Reservations) && fmt.Sprint(k) == fmt.Sprint(n.Setup.Reservations[i]) {
					continue
				}
				var names []string
				for i, node := range changed.Nodes {
					if k.Nodes.Has(i) {
						names = append(names, node.Name)
					}
				}
				text := fmt.Sprintf("%s (%d) %s %s-%s", k.Name, k.ID, strings.Join(names, ","), clock(k.Start), clock(k.End))
				if k.IsFlex {
					text += " flex"
				}
				got = append(got, text)
			}
		}
		if text := strings.Join(got, ", "); text != test.want && (err == nil || !strings.Contains(text, test.want)) {
			t.Errorf("%s: %s, want %s", test.setting, text, test.want)
		}
	}
	if len(n.Setup.Outages) > 0 || len(n.Setup.Reservations) != 2 {
		t.Error("the setup has changed of which the others were made")
	}
}
