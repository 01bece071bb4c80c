package nodes_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/nodes"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
	slurmnodes "fairshare/cmd/internal/slurm/nodes"
	"fairshare/cmd/internal/slurm/order"
)

// What is in use of each recorded node is what scontrol show node says that it has given away.
func TestInUse(t *testing.T) {
	names, err := filepath.Glob("../../../../testdata/slurm-now/*.tgz")
	if err != nil || len(names) == 0 {
		t.Fatal(err, len(names))
	}
	for _, name := range names {
		now, _, err := order.OpenNow(name, time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		m, _, err := slurmnodes.Read(t.Context(), now, time.UTC, nodes.Question{})
		if err != nil {
			t.Fatal(err)
		}
		told := map[string]dump.Row{}
		for _, row := range now.World.Records(dump.KindNodes) {
			told[row["nodename"]] = row
		}
		for _, n := range m.Nodes {
			const kbOfMB = 1024
			row := told[n.Name]
			if got, want := n.CPUs.Used(), dump.Number(row["cpualloc"], 0); n.IsUp && got != want {
				t.Errorf("%s: %s has %v cpus in use, scontrol says %v", name, n.Name, got, want)
			}
			if got, want := n.Memory.Used()/kbOfMB, dump.Number(row["allocmem"], 0); n.IsUp && got != want {
				t.Errorf("%s: %s has %v MB in use, scontrol says %v", name, n.Name, got, want)
			}
		}
	}
}

// Without a partition, what becomes of a job in the default one is that of a question about it, and stands first.
func TestDefaultPartition(t *testing.T) {
	now, _, err := order.OpenNow("../../../../testdata/slurm-now/24.11-busy.tgz", time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	asked := func(q nodes.Question) (*nodes.Machine, []string) {
		m, _, err := slurmnodes.Read(t.Context(), now, time.UTC, q)
		if err != nil {
			t.Fatal(err)
		}
		return m, nodes.NewAnswer(m, q).Head()
	}
	m, head := asked(nodes.Question{Submit: "ntasks=1"})
	of := m.Asked.Default
	if of == nil {
		t.Fatal("nothing is said of the default partition")
	}
	in, _ := asked(nodes.Question{Submit: "ntasks=1", Queue: of.Queue})
	if in.Asked.Default != nil || in.Asked.Fits != of.Fits || !slices.Equal(in.Asked.Places, of.Places) {
		t.Errorf("%+v, want %+v", of, in.Asked)
	}
	if text := head[len(head)-2]; !strings.Contains(text, "partition "+of.Queue+", to which a job goes that names none") {
		t.Errorf("%q", head)
	}
}

// Nodes that a job names or excludes say so in their rows, whatever else keeps them from it, and one that is down is named as the reason.
func TestNamedNodes(t *testing.T) {
	for _, x := range []struct{ line, head, node, why string }{
		{"-w a003 -n4 -t 1:00:00 -p batch", "there would be no room even if nothing ran: of the nodes that -w names, a003 is idle+drain", "a006", "nodelist (only beside a003 (-w))"},
		{"-w a003 -n4 -t 1:00:00 -p batch", "a003 is idle+drain", "a003", "state (idle+drain)"},
		{"-w a003 -N1 -p batch", "a003 is idle+drain", "a002", "nodelist (not named by -w), cpus (0 of 16 free)"},
		{"-w a006 -n1 -p batch", "there is room now, on a006", "a002", "nodelist (not named by -w), cpus (0 of 16 free)"},
		{"-w a006 -n1 -p batch", "there is room now, on a006", "b003", "nodelist (not named by -w), mem (2000 MB a CPU asked, 0 of 124000 MB free)"},
		{"-w a006 -n1 -p batch", "there is room now, on a006", "a006", ""},
		{"-x m001 -n1 -p batch", "there is room now, on a006", "m001", "excluded (-x), reservation (course)"},
		{"-x a002 -n1 -p batch", "there is room now, on a006", "a002", "excluded (-x), cpus (0 of 16 free)"},
		{"-n4 -N1 -p batch", "there is no room now", "a006", "cpus (4 asked, 2 of 16 free)"},
		{"-n4 -p batch -x a001", "there is no room now: the node with most room has it for 2 of 4 tasks", "a006", ""},
	} {
		now, _, err := order.OpenNow("../../../../testdata/slurm-now/24.11-busy.tgz", time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		q := nodes.Question{Submit: x.line}
		m, _, err := slurmnodes.Read(t.Context(), now, time.UTC, q)
		if err != nil {
			t.Fatal(err)
		}
		a := nodes.NewAnswer(m, q)
		if head := a.Head(); !slices.ContainsFunc(head, func(line string) bool { return strings.Contains(line, x.head) }) {
			t.Errorf("%s: %q, want %q", x.line, head, x.head)
		}
		for i := range m.Nodes {
			var words []string
			for _, b := range m.Nodes[i].Bars {
				words = append(words, strings.TrimSuffix(b.What+" ("+b.Has+")", " ()"))
			}
			if n := &m.Nodes[i]; n.Name == x.node && strings.Join(words, ", ") != x.why {
				t.Errorf("%s: %s: %q, want %q", x.line, n.Name, words, x.why)
			}
		}
	}
}

// A node that a site does not have is tried by a copy of the site that has it, as --set nodes.added advises: in scontrol show node, and
// in Nodes of its partition.
func TestAddedNode(t *testing.T) {
	d, err := dump.Open("../../../../testdata/slurm-now/24.11-busy.tgz")
	if err != nil {
		t.Fatal(err)
	}
	read := func() *nodes.Machine {
		now, _, err := order.ReadNow(d, slurm.OnRoom, time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		m, _, err := slurmnodes.Read(t.Context(), now, time.UTC, nodes.Question{})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	before := len(read().Nodes)
	of, partitions := d.All(dump.KindNodes)[0], d.All(dump.KindPartitions)[0]
	first, _, _ := strings.Cut(of.Text, "\n\n")
	name := strings.TrimPrefix(strings.Fields(first)[0], "NodeName=")
	d.Set(of.File(), of.Text+"\n"+strings.ReplaceAll(first, name, "new01")+"\n")
	d.Set(partitions.File(), strings.ReplaceAll(partitions.Text, "   Nodes=", "   Nodes=new01,"))
	m := read()
	at := slices.IndexFunc(m.Nodes, func(n nodes.Node) bool { return n.Name == "new01" })
	if at < 0 || len(m.Nodes) != before+1 || len(m.Nodes[at].Queues) == 0 {
		t.Errorf("%d nodes in place of %d, new01 at %d", len(m.Nodes), before+1, at)
	}
}
