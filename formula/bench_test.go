package formula

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// production are the formulas that sites use.
func production(tb testing.TB) []string {
	tb.Helper()
	f, err := os.Open("../testdata/formula/production.txt")
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	var formulas []string
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if s := lines.Text(); s != "" && !strings.HasPrefix(s, "#") {
			formulas = append(formulas, s)
		}
	}
	if len(formulas) != 11 {
		tb.Fatalf("%d formulas, want 11", len(formulas))
	}
	return formulas
}

// variablesOf returns the names that a formula has and Python has not.
func variablesOf(f *Formula) []string {
	return slices.DeleteFunc(slices.Clone(f.Names()), func(name string) bool { return resolve(name, false) != UndefinedName })
}

// benchVars are 1,000 jobs that differ in every variable.
func benchVars(names []string, job int) []Value {
	vars := make([]Value, len(names))
	for i, name := range names {
		switch name {
		case "fairshare_perc":
			vars[i] = Float(float64(job%97+1) / 100)
		case "fairshare_tree_usage", "fairshare_factor":
			vars[i] = Float(float64(job%89) / 89)
		default:
			vars[i] = Int(int64(job%64 + 1))
		}
	}
	return vars
}

const benchJobs = 1_000

// natives are the formulas of production as somebody would write them in Go, over
// columns of the values that they need.
var natives = []func(out []float64, f map[string][]float64, n map[string][]int64){
	func(out []float64, f map[string][]float64, n map[string][]int64) {
		factor, mem, ncpus, ngpus, eligible := f["fairshare_factor"], n["mem"], n["ncpus"], n["ngpus"], n["eligible_time"]
		for i := range out {
			out[i] = 48*factor[i] + 6*factor[i]*(float64(mem[i])/1048576/8+float64(ncpus[i])+float64(ngpus[i]*32)) +
				0.000278*float64(eligible[i]) + 4*math.Log(max(factor[i], 1e-7))
		}
	},
	func(out []float64, f map[string][]float64, n map[string][]int64) {
		factor, job, queue, eligible, rate := f["fairshare_factor"], n["job_priority"], n["queue_priority"], n["eligible_time"], n["sbu_rate"]
		for i := range out {
			priority := float64(job[i])
			if job[i] == 0 {
				priority = float64(queue[i]) + min(20, float64(eligible[i])/28800*2)
			}
			out[i] = factor[i]*1e9 + priority*1e6 + float64(queue[i])*1e3 + math.Log2(float64(rate[i]+1))
		}
	},
	func(out []float64, f map[string][]float64, n map[string][]int64) {
		queue, ncpus, eligible, paws, bias := n["queue_priority"], n["ncpus"], n["eligible_time"], n["paws"], n["bias"]
		for i := range out {
			out[i] = float64(queue[i]) + 0.005*float64(ncpus[i]) + 0.000277778*float64(eligible[i]) + float64(paws[i]) + float64(bias[i])
		}
	},
	func(out []float64, f map[string][]float64, n map[string][]int64) {
		for i, eligible := range n["eligible_time"] {
			out[i] = 300 * (float64(eligible) / 86400)
		}
	},
	nativeHalving,
	nativeHalving,
	func(out []float64, f map[string][]float64, n map[string][]int64) {
		copy(out, f["fairshare_factor"])
	},
	func(out []float64, f map[string][]float64, n map[string][]int64) {
		factor, walltime, ncpus := f["fairshare_factor"], n["walltime"], n["ncpus"]
		for i := range out {
			out[i] = factor[i] + float64(walltime[i])/float64(ncpus[i])
		}
	},
	func(out []float64, f map[string][]float64, n map[string][]int64) {
		ncpus, mem, walltime := n["ncpus"], n["mem"], n["walltime"]
		for i := range out {
			out[i] = math.Ceil(math.Abs(-float64(ncpus[i]) * (float64(mem[i]) / 100) * math.Sqrt(float64(walltime[i]))))
		}
	},
	func(out []float64, f map[string][]float64, n map[string][]int64) {
		copy(out, f["fairshare_tree_usage"])
	},
	func(out []float64, f map[string][]float64, n map[string][]int64) {
		ncpus, mem := n["ncpus"], n["mem"]
		for i := range out {
			out[i] = float64(ncpus[i]) + float64(mem[i])/1024
		}
	},
}

func nativeHalving(out []float64, f map[string][]float64, _ map[string][]int64) {
	usage, perc := f["fairshare_tree_usage"], f["fairshare_perc"]
	for i := range out {
		out[i] = math.Pow(2, -(usage[i] / perc[i]))
	}
}

// BenchmarkProduction evaluates a formula for one job of a thousand: by columns, by
// setting each job's values and asking for its result, as a Go function, and in
// CPython with compiled code.
func BenchmarkProduction(b *testing.B) {
	for i, src := range production(b) {
		f, err := Parse(src)
		if err != nil {
			b.Fatal(err)
		}
		names := variablesOf(f)
		p, err := Compile(f, names)
		if err != nil {
			b.Fatal(err)
		}
		jobs := make([][]Value, benchJobs)
		floats, ints := map[string][]float64{}, map[string][]int64{}
		for job := range jobs {
			jobs[job] = benchVars(names, job)
			for slot, v := range jobs[job] {
				if name := names[slot]; v.kind == kFloat {
					floats[name] = append(floats[name], v.f)
				} else {
					ints[name] = append(ints[name], v.i)
				}
			}
		}
		b.Run(fmt.Sprintf("%d/columns", i), func(b *testing.B) {
			e := p.NewEvaluator(benchJobs)
			for b.Loop() {
				for slot, name := range names {
					var err error
					if values, isFloat := floats[name]; isFloat {
						err = e.SetFloats(slot, values)
					} else {
						err = e.SetInts(slot, ints[name])
					}
					if err != nil {
						b.Fatal(err)
					}
				}
				if err := e.Run(benchJobs); err != nil {
					b.Fatal(err)
				}
				if len(e.Values()) != benchJobs {
					b.Fatal("not all jobs have a value")
				}
			}
			reportJob(b)
		})
		b.Run(fmt.Sprintf("%d/jobs", i), func(b *testing.B) {
			e := p.NewEvaluator(benchJobs)
			for b.Loop() {
				for job, vars := range jobs {
					for slot, v := range vars {
						if err := e.Set(job, slot, v); err != nil {
							b.Fatal(err)
						}
					}
				}
				if err := e.Run(benchJobs); err != nil {
					b.Fatal(err)
				}
				for job := range jobs {
					if r := e.Result(job); r.Err != nil {
						b.Fatal(r.Err)
					}
				}
			}
			reportJob(b)
		})
		b.Run(fmt.Sprintf("%d/go", i), func(b *testing.B) {
			out := make([]float64, benchJobs)
			for b.Loop() {
				natives[i](out, floats, ints)
			}
			reportJob(b)
		})
		b.Run(fmt.Sprintf("%d/python3", i), func(b *testing.B) { benchPython(b, src, names, jobs) })
	}
}

// reportJob reports the time for one of the jobs.
func reportJob(b *testing.B) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchJobs, "ns/job")
}

const pythonBench = `
import json, sys, time
from math import *
task = json.load(sys.stdin)
code = compile(task["formula"], "<string>", "eval")
names = task["names"]
rows = [dict(zip(names, row)) for row in task["rows"]]
space = dict(globals())
best = 1e9
for _ in range(5):
    start = time.perf_counter()
    for row in rows:
        eval(code, space, row)
    best = min(best, time.perf_counter() - start)
print(best / len(rows) * 1e9)
`

func benchPython(b *testing.B, src string, names []string, jobs [][]Value) {
	python, err := exec.LookPath("python3")
	if err != nil {
		skip(b, "python3 is not here to compare with")
	}
	rows := make([][]json.RawMessage, len(jobs))
	for job, vars := range jobs {
		for _, v := range vars {
			rows[job] = append(rows[job], json.RawMessage(v.String()))
		}
	}
	task, err := json.Marshal(map[string]any{"formula": src, "names": names, "rows": rows})
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(python, "-c", pythonBench)
	cmd.Stdin = bytes.NewReader(task)
	out, err := cmd.Output()
	if err != nil {
		b.Fatal(err)
	}
	var ns float64
	if _, err := fmt.Sscan(string(out), &ns); err != nil {
		b.Fatal(err)
	}
	for b.Loop() { // Python has timed itself
	}
	b.ReportMetric(ns, "ns/job")
}
