package sched

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// treeOf returns a cluster of 16 nodes of 16 CPUs under four leaves of four, two switches over these and one over all.
func treeOf() *Cluster {
	c := &Cluster{}
	for i := range 16 {
		c.Nodes = append(c.Nodes, Node{Name: fmt.Sprintf("n%02d", i), CPUs: 16, Memory: 64000, Weight: 1})
	}
	set := func(from, to int) Set {
		s := NewSet(16)
		for i := from; i < to; i++ {
			s.Add(i)
		}
		return s
	}
	for leaf := range 4 {
		c.Switches = append(c.Switches, Switch{fmt.Sprint("leaf", leaf), 4 + leaf/2, 0, set(4*leaf, 4*leaf+4)})
	}
	c.Switches = append(c.Switches, Switch{"mid0", 6, 1, set(0, 8)}, Switch{"mid1", 6, 1, set(8, 16)}, Switch{"core", -1, 2, set(0, 16)})
	c.Partitions = []Partition{{Name: "p", Nodes: set(0, 16)}}
	return c
}

// Nodes are taken by switches as slurmctld 24.11 with topology/tree was recorded to.
func TestTree(t *testing.T) {
	for _, test := range []struct {
		options string
		free    string // CPUs of the nodes of each leaf
		want    string // places of nodes
	}{
		{"-N2 --ntasks-per-node=16", "16 16 16 16 / 16 16 16 16 / 16 16 16 16 / 16 16 16 16", "0 1"},
		{"-N2 --ntasks-per-node=16", "16 16 16 16 / 16 16 16 16 / 0 16 16 16 / 16 16 16 16", "9 10"},          // the tightest leaf that is enough
		{"-N6 --ntasks-per-node=16", "14 0 0 16 / 0 0 16 16 / 16 16 16 16 / 16 16 16 16", "8 9 10 11 12 13"},  // one switch over two leaves is enough: nothing beside it
		{"-N6 --ntasks-per-node=16", "0 0 0 16 / 0 0 16 16 / 0 16 16 16 / 16 16 16 16", "9 10 12 13 14 15"},   // the leaf with most nodes first
		{"-N6 --ntasks-per-node=16", "16 16 0 16 / 16 16 0 0 / 16 16 16 16 / 0 0 0 0", "0 1 3 4 5 8"},         // beside the switch with most nodes, another one
		{"-N8 --ntasks-per-node=8", "0 16 16 16 / 16 8 0 0 / 16 16 16 16 / 0 0 8 8", "1 2 3 4 8 9 10 11"},     // what is left, of the tighter switch
		{"-n1 -c8", "0 8 16 16 / 0 0 8 0 / 16 16 16 16 / 16 16 16 16", "6"},                                   // one node of the tightest leaf
		{"-n1 -c8", "8 16 16 16 / 16 16 16 16 / 16 16 16 16 / 16 16 16 16", "0"},                              // the first one, not the one that it fills best
		{"-N6 --ntasks-per-node=8 --switches=1", "16 16 16 16 / 16 16 16 16 / 16 16 16 16 / 16 16 16 16", ""}, // a leaf is of four
		{"-N4 --ntasks-per-node=8 --switches=1", "0 16 16 16 / 16 16 16 16 / 0 0 0 0 / 0 0 0 0", "4 5 6 7"},   // one leaf
		{"-N4 --ntasks-per-node=8 --switches=2", "0 0 16 16 / 16 16 0 0 / 0 0 0 0 / 0 0 0 0", "2 3 4 5"},      // or two
		{"-N4 --ntasks-per-node=8 --switches=2", "0 0 16 16 / 16 0 0 0 / 0 0 0 16 / 0 0 0 0", ""},             // and not three
		{"-N17 --ntasks-per-node=8", "16 16 16 16 / 16 16 16 16 / 16 16 16 16 / 16 16 16 16", ""},
	} {
		c := treeOf()
		m := NewMachine(c)
		for i, text := range strings.Fields(strings.ReplaceAll(test.free, "/", "")) {
			m.cpus[i] = number(text)
		}
		r := ParseRequest(strings.Fields(test.options), nil, 1000)
		var got []string
		for _, s := range (&placer{onFew: r.Switches > 0}).place(m, r, c.Partitions[0].Nodes) {
			got = append(got, fmt.Sprint(s.Node))
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s of %s: %q, want %q", test.options, test.free, got, test.want)
		}
	}
}

// Heavier nodes are taken where those that are lighter are not enough.
func TestWeightsOfTree(t *testing.T) {
	c := treeOf()
	for i := range 4 {
		c.Nodes[i].Weight = 5
	}
	m := NewMachine(c)
	for options, want := range map[string]string{"-n1": "4", "-N13": "0 4 5 6 7 8 9 10 11 12 13 14 15"} {
		var got []string
		for _, s := range (&placer{}).place(m, ParseRequest(strings.Fields(options), nil, 0), c.Partitions[0].Nodes) {
			got = append(got, fmt.Sprint(s.Node))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", options, got, want)
		}
	}
}

// A job waits for few switches for as long as it says, and no longer than max_switch_wait; those behind it in its
// partition wait with it.
func TestSwitchWait(t *testing.T) {
	for _, test := range []struct {
		options string
		most    int64 // max_switch_wait
		want    int64 // seconds until it starts
	}{
		{"-N6", 300, 0},
		{"-N6 --switches=2", 300, 0},
		{"-N6 --switches=1", 300, 300},
		{"-N6 --switches=1@00:02:00", 300, 120},
		{"-N6 --switches=1@01:00:00", 300, 300},
		{"-N6 --switches=1", 60, 60},
	} {
		s := pair()
		s.Cluster, s.SwitchWait = treeOf(), test.most
		r := ParseRequest(strings.Fields(test.options), nil, 0)
		j := &Job{ID: 1, Request: r, Association: 1, Limit: 600, Run: 600, Submit: 1_700_000_000, Eligible: 1_700_000_000}
		result, err := Run(context.Background(), s, []*Job{j}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if waited := result.Jobs[0].Start - j.Submit; waited < test.want || waited > test.want+100 {
			t.Errorf("%s, at most %d s: starts after %d s, want %d", test.options, test.most, waited, test.want)
		}
	}
}
