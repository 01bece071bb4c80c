package sched

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// FuzzRequest reads any line of sbatch, and makes sure that what it asks for can be counted with.
func FuzzRequest(f *testing.F) {
	f.Add("-N2 --ntasks-per-node=16 --mem=24000 --wrap=x")
	f.Add("-c 999999999999 -n 999999999999 --gres=gpu:a100:9999999999,gpu --mem-per-cpu=1e300T -C a&b job.sh -N9")
	f.Add("--nodes=9-1 --exclusive --gres=gpu:-4 -N -n")
	f.Add("-n999999999 --gpus=999999999 --gpus-per-task=9999999 -c99999999 --ntasks-per-socket=4")
	f.Fuzz(func(t *testing.T, line string) {
		q := ParseRequest(SubmitOptions(strings.Fields(line)), []string{"gpu"}, 1000)
		if q.MinNodes < 1 || q.MaxNodes < 0 || q.Tasks < 0 || q.CPUs < 0 || q.NodeMemory < 0 || q.CPUMemory < 0 {
			t.Errorf("%q asks for %+v", line, *q)
		}
		for i, a := range q.asks(1) {
			if a < 0 {
				t.Errorf("%q asks for %d of resource %d", line, a, i)
			}
		}
		s := randomSetup(rand.New(rand.NewPCG(1, 1)), true)
		var p placer
		p.place(NewMachine(s.Cluster), q, s.Partitions[0].Nodes)
	})
}
