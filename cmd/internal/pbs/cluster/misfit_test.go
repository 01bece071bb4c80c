package cluster

import (
	"errors"
	"testing"

	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/work"
)

// A request that fits on no vnodes is told what they lack, with amounts.
func TestMisfit(t *testing.T) {
	const hosts = "a\n resources_available.ncpus = 4\n resources_available.mem = 8gb\n\n" +
		"b\n resources_available.ncpus = 4\n resources_available.mem = 8gb\n\n" +
		"c\n resources_available.ncpus = 2\n resources_available.mem = 16gb\n resources_available.ngpus = 2\n\n" +
		"d\n queue = gpuq\n resources_available.ncpus = 2\n resources_available.ngpus = 8\n\n"
	const numa = "h[0]\n resources_available.host = h\n resources_available.ncpus = 4\n\nh[1]\n resources_available.host = h\n resources_available.ncpus = 4\n\n"
	for _, test := range []struct{ vnodes, wants, place, queue, want string }{
		{hosts, "1:ncpus=1:ngpus=9", "free", "gpuq", "no vnode that takes jobs of queue gpuq has 9 ngpus (most: 8)"},
		{hosts, "1:ncpus=1:ngpus=4", "free", "workq", "no vnode that takes jobs of queue workq has 4 ngpus (most: 2)"},
		{hosts, "1:ncpus=5", "free", "workq", "no vnode that takes jobs of queue workq has 5 ncpus (most: 4)"},
		{hosts, "1:ncpus=4:mem=16gb", "free", "workq", "no vnode that takes jobs of queue workq has 4 ncpus, 16.0gb mem together"},
		{hosts, "1:ncpus=1:host=a:mem=8388609kb", "free", "workq", "no vnode with host=a has 8388609kb mem (most: 8388608kb)"},
		{hosts, "1:ncpus=1:host=a:mem=9gb", "free", "workq", "no vnode with host=a has 9.0gb mem (most: 8.0gb)"},
		{hosts, "1:ncpus=1:host=x", "free", "workq", "no vnode that takes jobs of queue workq has host=x"},
		{hosts, "1:ncpus=1:host=a:vnode=b", "free", "workq", "no vnode that takes jobs of queue workq has host=a, vnode=b together"},
		{hosts, "1:ncpus=1+3:ncpus=4", "free", "workq", "it asks for 13 ncpus in all, of 12"},
		{hosts, "3:ncpus=4", "free", "workq", "there is room for 2 of its 3 chunks"},
		{hosts, "2:ncpus=4", "pack", "workq", "there is room for 1 of its 2 chunks on one host (place=pack)"},
		{hosts, "4:ncpus=1", "scatter", "workq", "there is room for 3 of its 4 chunks, each on a host of its own (place=scatter)"},
		{numa, "1:ncpus=9", "free", "workq", "no host has 9 ncpus (most: 8)"},
		{numa, "1:ncpus=5", "vscatter", "workq", "no vnode has 5 ncpus (most: 4)"},
		{numa, "1:ncpus=8", "free", "workq", ""},
	} {
		w := work.New(&trace.Trace{}, nil)
		w.Requests = append(w.Requests[:0], work.Request{Select: test.wants, Place: test.place})
		_, err := NewRequests(w, parse(t, test.vnodes), nil).Try(0, test.queue)
		var misfit *MisfitError
		if is := errors.As(err, &misfit); is != (test.want != "") || is && misfit.Lacks != test.want {
			t.Errorf("%s, %s, of %s: %v, want %q", test.wants, test.place, test.queue, err, test.want)
		}
	}
}
