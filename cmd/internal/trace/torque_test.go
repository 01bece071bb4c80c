package trace

import "testing"

// What TORQUE is asked for comes to cpus, nodes and GPUs, and what cannot be one to nothing.
func TestParseTorque(t *testing.T) {
	for _, test := range []struct {
		nodes, procs string
		want         TorqueRequest
		ok           bool
	}{
		{"2:ppn=6", "", TorqueRequest{12, 2, 0}, true},
		{"1:ppn=8:bigmem+n3:ppn=4#shared", "", TorqueRequest{12, 2, 0}, true},
		{"n01+n02", "", TorqueRequest{2, 2, 0}, true},
		{"4:ppn=8:gpus=2:exclusive_process", "", TorqueRequest{32, 4, 8}, true},
		{"", "16", TorqueRequest{16, 0, 0}, true},
		{"1:ppn=2", "3", TorqueRequest{5, 1, 0}, true},
		{"", "", TorqueRequest{}, false},
		{"0", "", TorqueRequest{}, false},
		{"1:ppn=-1", "", TorqueRequest{}, false},
		{"1:ppn=x", "", TorqueRequest{}, false},
		{"99999999:ppn=99999999", "", TorqueRequest{}, false},
		{"999999999999999999999", "", TorqueRequest{}, false},
		{"100000000:ppn=1+100000000:ppn=1", "", TorqueRequest{}, false},
	} {
		if got, ok := parseTorque(test.nodes, test.procs); got != test.want || ok != test.ok {
			t.Errorf("nodes=%s procs=%s: %v, %v, want %v, %v", test.nodes, test.procs, got, ok, test.want, test.ok)
		}
	}
}

func TestTorqueHosts(t *testing.T) {
	for text, want := range map[string][2]int64{
		"":                       {0, 0},
		"n1/0":                   {1, 1},
		"n1/0+n1/1+n2/0":         {3, 2},
		"n1/0-5,8+n2/0-5":        {13, 2},
		"n1":                     {0, 0},
		"n1/0-999999999999":      {1, 1},
		"n1/5-3":                 {1, 1},
		"/0+n1/x":                {1, 1},
		"n1/0+n2/0+n1/1+n2/1+n1": {4, 2},
	} {
		if slots, hosts := torqueHosts(text); slots != want[0] || hosts != want[1] {
			t.Errorf("%s: %d, %d, want %v", text, slots, hosts, want)
		}
	}
}
