package study_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"fairshare/cmd/internal/pbs/study/studytest"
	"fairshare/cmd/internal/study"
)

// month is a month of n jobs of many sizes and users on 4096 cpus, as a trace without
// waits.
func month(n int) string {
	const days, cpus, load = 30, 4096, .9
	r := rand.New(rand.NewPCG(1, 2))
	sizes := []int{1, 1, 1, 2, 4, 8, 16, 32, 64, 128, 256}
	type job struct {
		cpus int
		run  float64
	}
	jobs := make([]job, n)
	total := 0.
	for i := range jobs {
		jobs[i] = job{sizes[r.IntN(len(sizes))], 5 + r.ExpFloat64()*r.ExpFloat64()*6000}
		total += float64(jobs[i].cpus) * jobs[i].run
	}
	factor := load * cpus * days * 86400 / total
	var b strings.Builder
	at := 0.
	for i, j := range jobs {
		at += r.ExpFloat64() * days * 86400 / float64(n)
		run := int(j.run*factor) + 1
		fmt.Fprintf(&b, "%d %d -1 %d %d -1 -1 %d %d -1 1 u%d g%d -1 q%d -1 -1 -1\n", i+1, int(at), run, j.cpus, j.cpus, run*2+300, int(400*r.Float64()*r.Float64()), i%20, i%3)
	}
	return b.String()
}

// BenchmarkRuns is a study of a month: how long a run of two policies takes where there
// are several, beside a single one.
func BenchmarkRuns(b *testing.B) {
	swf := month(30_000)
	var single float64
	for _, runs := range []int{1, 10} {
		b.Run(fmt.Sprint(runs), func(b *testing.B) {
			s := studytest.OfTrace(b, swf, "64x64", "ncpus")
			studytest.Add(b, s, study.Changes{Formula: "1000 - ncpus + eligible_time/3600"})
			s.Runs = runs
			for b.Loop() {
				studytest.Run(b, s)
			}
			each := b.Elapsed().Seconds() / float64(b.N*runs*2)
			b.ReportMetric(each, "s/replay")
			if runs == 1 {
				single = each
			} else {
				b.ReportMetric(each/single, "x-single")
			}
		})
	}
}
