package record

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
	moved "fairshare/cmd/internal/obfuscate"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/obfuscate"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/cmd/internal/slurm/setup"
)

// eventsOf returns a site whose past has some events, with what is said of them. Its jobs run on some nodes
// for an hour each, from the times that are given, between 08:00 and 20:00.
func eventsOf(t *testing.T, table string, starts map[string]string) (*setup.Site, string) {
	t.Helper()
	n, _, err := setup.OpenPast("../../../../testdata/slurm-site/t2_busy.tgz")
	if err != nil {
		t.Fatal(err)
	}
	at := func(clock string) int64 {
		x, err := time.Parse("2006-01-02 15:04", "2026-03-02 "+clock)
		if err != nil {
			t.Fatal(err)
		}
		return x.Unix()
	}
	record := &Record{Last: at("20:00"), Jobs: []*Job{{Job: &sched.Job{Submit: at("08:00")}}}}
	for nodes, clock := range starts {
		record.Jobs = append(record.Jobs, &Job{Job: &sched.Job{Submit: at(clock)}, NodeList: nodes, Start: at(clock), End: at(clock) + 3600})
	}
	var given *file.Source
	if table != "" {
		given = &file.Source{Name: "events", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(table)), nil }}
	}
	remarks, err := readEvents(n, given, record, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, r := range remarks {
		said = append(said, r.Text)
	}
	return n, strings.Join(said, "\n")
}

// Tables of sacctmgr show event, and the times in which nodes take no job. Node c03 is drained when the site
// was printed, and its last job ended at 10:07:57, when the event begins; its Reason was set at 10:00:32, from when on it took no job.
func TestEvents(t *testing.T) {
	const header = "Cluster|NodeName|TimeStart|TimeEnd|State|Reason|User\n"
	const c03 = "hpc|c03|2026-03-02T10:07:57|Unknown|DRAIN|disk errors, ticket 4711|slurm(64030)\n"
	for _, test := range []struct {
		name, table string
		starts      map[string]string
		want        string // node, begin and end of each
		said        string
	}{
		{"as printed", header + "hpc||2026-03-02T07:22:54|Unknown||Cluster Registered TRES|\n" + c03, nil, "c03 10:00:32-", "1 node down or drained for some of the record (1 time, 10.0 of 144.0 node hours)"},
		{"a job starts there later", header + c03, map[string]string{"c[02-04]": "15:00", "c03": "16:00", "c01": "11:00"}, "c03 10:00:32-15:00:00", "(1) are taken to be back"},
		{"a job that began before", header + c03, map[string]string{"c[02-04]": "10:07"}, "c03 10:07:57-", ""},
		{"over, and of any state", header + "hpc|c01|2026-03-02T11:00:00|2026-03-02T12:00:00|DOWN*|Not responding|slurm(64030)\nhpc|c02|2026-03-02T12:00:00|2026-03-02T12:30:00|MAINT|x|\nhpc|f01|2026-03-02T13:00:00|2026-03-02T14:00:00|IDLE+DRAIN|x|root(0)\n" + c03, nil,
			"c03 10:00:32- c01 11:00:00-12:00:00 c02 12:00:00-12:30:00 f01 13:00:00-14:00:00", "4 nodes"},
		{"other columns in another order, with a pipe at the end", "State|End|Start|NodeName|\nDRAINED|2026-03-02T12:00:00|2026-03-02T11:00:00|c03|\n", nil, "c03 11:00:00-12:00:00", ""},
		{"as printed without -P", "   Cluster NodeName                  TimeStart             TimeEnd  State                         Reason       User \n---------- --------------- ------------------- ------------------- ------ ------------------------------ ---------- \n" +
			"       hpc                 2026-03-02T07:22:54             Unknown               Cluster Registered TRES            \n       hpc c03             2026-03-02T10:07:57 2026-03-02T12:00:00  DRAIN       disk errors, ticket 4711 slurm(590+ \n", nil, "c03 10:07:57-12:00:00", ""},
		{"a reason with pipes", header + "hpc|c03|2026-03-02T10:07:57|2026-03-02T12:00:00|DRAIN|a|b||c|root(0)\n", nil, "c03 10:07:57-12:00:00", ""},
		{"printed twice, first while it lasted", header + c03 + strings.Replace(c03, "Unknown", "2026-03-02T12:00:00", 1), nil, "c03 10:07:57-12:00:00", ""},
		{"before and after the record", header + "hpc|c01|2026-03-02T06:00:00|2026-03-02T07:00:00|DOWN|x|\nhpc|c01|2026-03-02T21:00:00|Unknown|DOWN|x|\n" + c03, nil, "c03 10:00:32-", ""},
		{"it saves power", header + "hpc|c01|2026-03-02T11:00:00|2026-03-02T12:00:00|IDLE~|x|\n" + c03, nil, "c03 10:00:32-", "1 event of nodes in states in which Slurm gives them to jobs"},
		{"of another cluster", header + "abc|c01|2026-03-02T11:00:00|2026-03-02T12:00:00|DOWN|x|\n" + c03, nil, "c03 10:00:32-", "1 event of other clusters"},
		{"of a node that is not there", header + "hpc|z9|2026-03-02T11:00:00|2026-03-02T12:00:00|DOWN|x|\n" + c03, nil, "c03 10:00:32-", "nodes that the site does not have: z9"},
		{"of a state that is not there", header + "hpc|c01|2026-03-02T11:00:00|2026-03-02T12:00:00|ODD|x|\n" + c03, nil, "c03 10:00:32- c01 11:00:00-12:00:00", "states that Slurm does not have, in which nodes are taken to be down: ODD"},
		{"times that cannot be", header + "hpc|c01|2026-03-02|2026-03-02T12:00:00|DOWN|x|\nhpc|c01|2026-03-02T12:00:00|2026-03-02T11:00:00|DOWN|x|\nhpc|c01\n" + c03, nil, "c03 10:00:32-", "3 events left out, whose columns or times cannot be read: c01 from 2026-03-02 to 2026-03-02T12:00:00, c01 from 2026-03-02T12:00:00 to 2026-03-02T11:00:00, hpc|c01"},
		{"starts against it", header + "hpc|c01|2026-03-02T11:00:00|2026-03-02T12:00:00|DOWN|x|\n" + c03, map[string]string{"c01": "11:30"}, "c03 10:00:32- c01 11:00:00-12:00:00", "1 start of the record on nodes that are down"},
		{"nothing is told, but the reason of the node", "", nil, "c03 10:00:32-", "which nodes were down or drained before now is not known"},
	} {
		n, said := eventsOf(t, test.table, test.starts)
		var got []string
		clock := func(at int64) string {
			if at == sched.ForGood {
				return ""
			}
			return time.Unix(at, 0).UTC().Format("15:04:05")
		}
		for _, a := range n.Setup.Outages {
			got = append(got, fmt.Sprintf("%s %s-%s", n.Setup.Nodes[a.Node].Name, clock(a.From), clock(a.To)))
		}
		if strings.Join(got, " ") != test.want || !strings.Contains(said, test.said) {
			t.Errorf("%s: %v, want %s; said: %s", test.name, got, test.want, said)
		}
		at := slices.IndexFunc(n.Setup.Nodes, func(x sched.Node) bool { return x.Name == "c03" })
		if n.Setup.Nodes[at].CPUs != 16 || n.Setup.Down[at] != 0 {
			t.Errorf("%s: c03 has %d CPUs, and %d once it is back", test.name, n.Setup.Nodes[at].CPUs, n.Setup.Down[at])
		}
	}
}

// A node whose Reason nothing tells the time of stays away for the whole record, and is told of.
func TestDownWithoutEvents(t *testing.T) {
	n, _, err := setup.OpenPast("../../../../testdata/slurm-site/t2_busy.tgz")
	if err != nil {
		t.Fatal(err)
	}
	n.World = &dump.Dump{}
	remarks, err := readEvents(n, nil, &Record{Last: 1_800_000_000}, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	if text := fmt.Sprint(remarks); len(n.Setup.Outages) > 0 || !strings.Contains(text, "1 node down or drained now with no event") || slices.Max(n.Setup.Down) != 16 {
		t.Errorf("%v %v", n.Setup.Outages, text)
	}
}

// Events of a site are found among its files, and an obfuscated copy has them at the same times without the
// names and reasons.
func TestEventsOfASite(t *testing.T) {
	const table = "Cluster|NodeName|TimeStart|TimeEnd|State|Reason|User\nhpc|c01|2026-03-02T11:00:00|2026-03-02T12:00:00|DOWN*|not responding|slurm(64030)\nhpc|c02|2026-03-02T13:00:00|Unknown|DRAIN|ticket 4711|root(0)\n"
	d, err := dump.Open("../../../../testdata/slurm-site/t2_busy.tgz")
	if err != nil {
		t.Fatal(err)
	}
	d.Set("events.txt", table)
	hidden, err := obfuscate.Copy(d, moved.Shift{})
	if err != nil {
		t.Fatal(err)
	}
	var want []sched.Outage
	for i, of := range []*dump.Dump{d, hidden} {
		name := filepath.Join(t.TempDir(), "site")
		if err := of.Write(name); err != nil {
			t.Fatal(err)
		}
		n, _, err := setup.OpenPast(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := readEvents(n, nil, &Record{Last: math.MaxInt32, Jobs: []*Job{{Job: &sched.Job{}}}}, time.UTC); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			want = n.Setup.Outages
		}
		if len(want) != 3 || !slices.Equal(n.Setup.Outages, want) {
			t.Errorf("%v, want %v", n.Setup.Outages, want)
		}
	}
	text := hidden.Text("events.txt")
	for _, name := range []string{"c01", "hpc", "4711", "responding", "root", "slurm("} {
		if strings.Contains(text, name) {
			t.Errorf("the copy has %s: %s", name, text)
		}
	}
}

// FuzzEvents reads any table, and makes sure that each time that comes of it is one of a node of the site.
func FuzzEvents(f *testing.F) {
	f.Add("Cluster|NodeName|TimeStart|TimeEnd|State|Reason|User\nhpc|c03|2026-03-02T10:07:57|Unknown|DRAIN|a|b|slurm(64030)\n")
	f.Add("State|Start|End|NodeName|Reason|Reason\n|||c03|||\nDOWN|2026-03-02T10:07:57|2026-03-02T10:07:57|c03\n")
	n, _, err := setup.OpenPast("../../../../testdata/slurm-site/t2_busy.tgz")
	if err != nil {
		f.Fatal(err)
	}
	setup := *n.Setup
	f.Fuzz(func(t *testing.T, table string) {
		of, now := setup, *n
		now.Setup = &of
		from := file.Source{Name: "events", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(table)), nil }}
		_, _ = readEvents(&now, &from, &Record{Last: math.MaxInt32}, time.UTC)
		for _, a := range of.Outages {
			if a.Node < 0 || a.Node >= len(of.Nodes) || a.To < a.From {
				t.Errorf("%q: %+v", table, a)
			}
		}
	})
}
