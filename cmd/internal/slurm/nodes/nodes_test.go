package nodes_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/nodes"
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
