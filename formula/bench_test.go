package formula

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
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

// BenchmarkProduction evaluates a formula for one job: here, in CPython with
// compiled code, and for the first one as a Go expression.
func BenchmarkProduction(b *testing.B) {
	for i, src := range production(b) {
		f, err := Parse(src)
		if err != nil {
			b.Fatal(err)
		}
		var names []string
		for _, name := range f.Names() {
			if resolve(name, false) == UndefinedName {
				names = append(names, name)
			}
		}
		p, err := Compile(f, names)
		if err != nil {
			b.Fatal(err)
		}
		jobs := make([][]Value, benchJobs)
		for job := range jobs {
			jobs[job] = benchVars(names, job)
		}
		b.Run(fmt.Sprintf("%d/here", i), func(b *testing.B) {
			e := p.NewEvaluator(benchJobs)
			b.ReportAllocs()
			for b.Loop() {
				for job, vars := range jobs {
					for slot, v := range vars {
						e.Set(job, slot, v)
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
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchJobs, "ns/job")
		})
		b.Run(fmt.Sprintf("%d/python3", i), func(b *testing.B) { benchPython(b, src, names, jobs) })
	}
	b.Run("4/go", func(b *testing.B) {
		var usage, perc [benchJobs]float64
		for job := range usage {
			v := benchVars([]string{"fairshare_tree_usage", "fairshare_perc"}, job)
			usage[job], perc[job] = v[0].f, v[1].f
		}
		sum := 0.0
		for b.Loop() {
			for job := range usage {
				sum += math.Pow(2, -(usage[job] / perc[job]))
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchJobs, "ns/job")
	})
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
