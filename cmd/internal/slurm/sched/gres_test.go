package sched

import (
	"fmt"
	"strings"
	"testing"
)

// GPUs of all nodes together and of each task, and tasks of each socket, are placed as slurmctld 24.11 was recorded to.
func TestGRESOverNodes(t *testing.T) {
	for _, test := range []struct {
		options string
		free    string // CPUs and GPUs of nodes of 32 CPUs, 4 GPUs and two sockets
		want    string // CPUs by node, and GPUs
	}{
		{"--gpus=4 -N2 -n8", "32/4 32/4", "0:6/3 1:2/1"},          // the second node keeps a GPU and its CPUs
		{"--gpus=4 -N2 -n8", "8/2 26/2", "0:4/2 1:4/2"},           // two CPUs for each of four GPUs
		{"--gpus=4 -N2 -n8", "4/0 26/1 29/3 16/4", "2:2/1 3:6/3"}, // those of most GPUs first
		{"--gpus=4 -N2 -n8", "19/2 27/2 6/4 28/2", "2:6/3 3:2/1"}, // of as many, the next one behind the first
		{"--gpus=4 -N2 -n8", "8/2 8/1 7/2 14/3", "0:2/1 3:6/3"},   // and round
		{"--gpus=4 -N2 -n8", "26/1 27/0 10/2", ""},                // three are free
		{"--gpus-per-task=1 -N2-4 -n8", "23/2 19/0 32/4 24/2", "0:2/2 2:4/4 3:2/2"},
		{"--gpus-per-task=1 -N2-4 -n8", "0/2 24/4 5/2 15/4", "1:4/4 3:4/4"}, // no more nodes than it needs
		{"--gpus-per-task=1 -N2-4 -n8", "4/4 16/4 0/4 2/4", "0:4/4 1:4/4"},
		{"-n4 --gpus=5", "6/4 4/4 4/4 0/4", "0:3/4 1:1/2"}, // more GPUs than a node has; how many of them are on which is not known
		{"-n4 --gpus=1", "8/4 8/4", "0:4/1"},
		{"-n10 --ntasks-per-socket=4", "32/4", ""},
		{"-n10 --ntasks-per-socket=4", "16/4 16/4", "0:8/0 1:2/0"},
		{"-N1 -n10 --ntasks-per-socket=4", "32/4 32/4", ""},
		{"-N1 -n8 --ntasks-per-socket=4", "6/4 32/4", "1:8/0"},
	} {
		c := &Cluster{GRES: []string{"gpu"}}
		m := &Machine{Cluster: c}
		all := NewSet(8)
		for i, text := range strings.Fields(test.free) {
			var cpus, gpus int32
			fmt.Sscanf(text, "%d/%d", &cpus, &gpus)
			c.Nodes = append(c.Nodes, Node{CPUs: 32, Memory: 256000, GRES: []int32{4}, Sockets: 2})
			m.cpus, m.memory, m.gres = append(m.cpus, cpus), append(m.memory, 256000), append(m.gres, gpus)
			all.Add(i)
		}
		r := ParseRequest(strings.Fields(test.options), c.GRES, 1000)
		var got []string
		for _, s := range (&placer{}).place(m, r, all) {
			got = append(got, fmt.Sprintf("%d:%d/%d", s.Node, s.CPUs, r.gresOn(0, s.CPUs)))
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s of %s: %q, want %q", test.options, test.free, got, test.want)
		}
	}
}
