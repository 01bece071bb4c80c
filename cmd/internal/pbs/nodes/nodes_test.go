package nodes_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/nodes"
	"fairshare/cmd/internal/pbs/cluster"
	pbsnodes "fairshare/cmd/internal/pbs/nodes"
	pbssite "fairshare/cmd/internal/pbs/site"
	"fairshare/cmd/internal/site"
)

// read returns the vnodes of a site.
func read(t *testing.T, names site.Names, list string, q nodes.Question) *nodes.Machine {
	t.Helper()
	p, _, err := pbssite.Find(context.Background(), names, site.NewInput(nil))
	if err != nil {
		t.Fatal(err)
	}
	if list != "" {
		p.Nodes = file.At(list)
	}
	at, _, err := p.Site()
	if err != nil {
		t.Fatal(err)
	}
	m, _, err := pbsnodes.Read(context.Background(), p, at, nil, time.UTC, q)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A vnode that goes down takes its jobs from others too, and those keep what else they have: what is left of each is what it has as it
// is without the jobs that are lost.
func TestDown(t *testing.T) {
	const name = "../../../../testdata/replay/Q3y/snapshot"
	before := read(t, site.Names{Argument: name}, "", nodes.Question{})
	shared := 0
	for _, down := range before.Nodes {
		lost := map[string]bool{}
		for _, j := range down.Jobs {
			lost[j.ID] = true // also one that the list does not have, of which vnodes tell
		}
		for i, n := range readSet(t, name, "node."+down.Name+".down=always").Nodes {
			var want []nodes.Job
			free, isUnknown := before.Nodes[i].CPUs.Free, false
			for _, j := range before.Nodes[i].Jobs {
				if isUnknown = isUnknown || j.CPUs == 0; lost[j.ID] {
					free += j.CPUs
				} else {
					want = append(want, j)
				}
			}
			if n.Name == down.Name {
				want, free = nil, n.CPUs.All
			} else if len(want) > 0 && len(want) < len(before.Nodes[i].Jobs) {
				shared++
			}
			isSame := func(a, b nodes.Job) bool { return a == b }
			if !slices.EqualFunc(n.Jobs, want, isSame) || n.CPUs.Free != free && !isUnknown || n.CPUs.Free > free {
				t.Errorf("%s is down: %s has %v and %v CPUs free, want %v and %v", down.Name, n.Name, n.Jobs, n.CPUs.Free, want, free)
			}
		}
	}
	if shared == 0 {
		t.Error("no vnode has jobs of which it loses some")
	}
}

// readSet returns the vnodes of a site with a setting.
func readSet(t *testing.T, name, setting string) *nodes.Machine {
	t.Helper()
	p, _, err := pbssite.Find(context.Background(), site.Names{Argument: name}, site.NewInput(nil))
	if err != nil {
		t.Fatal(err)
	}
	at, _, err := p.Site()
	if err == nil {
		at, _, err = pbssite.WhatIfReplayed(at, []string{setting})
	}
	if err != nil {
		t.Fatal(err)
	}
	m, _, err := pbsnodes.Read(context.Background(), p, at, nil, time.UTC, nodes.Question{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// What is in use of each recorded vnode is what pbsnodes says is assigned.
func TestInUse(t *testing.T) {
	const name = "../../../../testdata/moments/snapshot_20260302_14_45_00.tgz"
	p, _, err := pbssite.Find(context.Background(), site.Names{Argument: name}, site.NewInput(nil))
	if err != nil {
		t.Fatal(err)
	}
	text, err := p.Nodes.Text(1 << 30)
	if err != nil {
		t.Fatal(err)
	}
	listing, err := cluster.ReadListing(text)
	if err != nil {
		t.Fatal(err)
	}
	told := slices.Collect(listing.Vnodes())
	m := read(t, site.Names{Argument: name}, "", nodes.Question{})
	if len(told) != len(m.Nodes) {
		t.Fatalf("%d vnodes of %d", len(m.Nodes), len(told))
	}
	for i, n := range m.Nodes {
		if told[i][""] != n.Name {
			t.Fatalf("vnode %d is %s, not %s", i, n.Name, told[i][""])
		}
		jobs := map[string]bool{}
		for part := range strings.SplitSeq(told[i]["jobs"], ",") {
			if id, _, _ := strings.Cut(strings.TrimSpace(part), "/"); id != "" {
				jobs[id] = true
			}
		}
		for id := range jobs {
			// Those two wait in the list: what pbsnodes printed of their vnodes is of another time.
			waits := id == "122.pbsref" || id == "123.pbsref"
			if isThere := slices.ContainsFunc(n.Jobs, func(j nodes.Job) bool { return j.ID == id }); isThere == waits {
				t.Errorf("%s: job %s is there: %v; it waits by the list: %v", n.Name, id, isThere, waits)
			}
		}
	}
}
