// Package gallery holds the gallery of docs/formulas.md to the formulas that it shows: what each
// sentence says of waiting, size and share, and the picture.
package gallery

import (
	"flag"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/flux"
	"fairshare/cmd/internal/slurm"
	"fairshare/formula"
)

var update = flag.Bool("update", false, "write the pictures")

const root = "../../../.."

// job is what the value of a job depends on.
type job struct {
	waited float64 // seconds
	cpus   float64
	used   float64 // of the entity's target: 1 is on it
}

// usual is the job that a picture varies in one way at a time.
var usual = job{waited: day, cpus: 32, used: 1}

const day = 86400

// axis is one of the ways to vary a job.
type axis struct {
	title, from, to string
	at              func(part float64) job // from 0 to 1
}

const (
	longest = 7 * day
	largest = 9 // the binary logarithm of cpus
	most    = 4 // of the target
)

var axes = []axis{
	{"waiting", "0", "7 days", func(p float64) job { j := usual; j.waited = p * longest; return j }},
	{"size", "1 cpu", "512", func(p float64) job { j := usual; j.cpus = float64(int(exp2(p * largest))); return j }},
	{"use of the share", "0", "4 times", func(p float64) job { j := usual; j.used = p * most; return j }},
}

// entry is a formula of the gallery.
type entry struct {
	title  string
	is     [3]string // what its value does on each axis: rises, falls, stays, or either
	config bool      // whether the block is a slurm.conf
	flux   bool
}

var entries = []entry{
	{title: "QUT Aqua", is: [3]string{"rises", "rises", "falls"}},
	{title: "NASA NAS", is: [3]string{"rises", "stays", "falls"}},
	{title: "OpenPBS issue 2530", is: [3]string{"rises", "rises", "stays"}},
	{title: "NCAR Derecho, a term", is: [3]string{"rises", "stays", "stays"}},
	{title: "PBS's design of the fairshare formula, PP-718", is: [3]string{"stays", "stays", "falls"}},
	{title: "OpenPBS's tests: walltime for each cpu", is: [3]string{"stays", "falls", "falls"}},
	{title: "Slurm's own sample", is: [3]string{"rises", "rises", "falls"}, config: true},
	{title: "flux-accounting", is: [3]string{"stays", "stays", "falls"}, flux: true},
}

// The gallery has these entries and no others, each as its source has it, each does what is said of
// it, and its picture is of it.
func TestGallery(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs/formulas.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, text, ok := strings.Cut(string(page), "\n## Gallery\n")
	if !ok {
		t.Fatal("docs/formulas.md has no gallery")
	}
	production, err := os.ReadFile(filepath.Join(root, "testdata/formula/production.txt"))
	if err != nil {
		t.Fatal(err)
	}
	sections := strings.Split(text, "\n### ")[1:]
	if len(sections) != len(entries) {
		t.Errorf("the gallery has %d entries, %d are tested", len(sections), len(entries))
	}
	for _, section := range sections {
		title, body, _ := strings.Cut(section, "\n")
		t.Run(title, func(t *testing.T) {
			i := slices.IndexFunc(entries, func(e entry) bool { return e.title == title })
			m := regexp.MustCompile("(?s)```\n(.*?)\n```").FindStringSubmatch(body)
			picture := regexp.MustCompile(`!\[[^\]]+\]\((gallery/[a-z0-9-]+\.svg)\)`).FindStringSubmatch(body)
			if i < 0 || m == nil || picture == nil {
				t.Fatal("it is not tested, or has no formula or no picture")
			}
			e := entries[i]
			if !e.config && !e.flux && !slices.Contains(strings.Split(string(production), "\n"), m[1]) {
				t.Error("its source has another formula")
			}
			value := e.value(t, m[1])
			var curves [3][]float64
			for k, a := range axes {
				curves[k] = curve(value, a)
				if got := course(curves[k]); got != e.is[k] {
					t.Errorf("with %s it %s, want %s", a.title, got, e.is[k])
				}
				if word := map[string]string{"rises": "rises", "falls": "falls", "stays": "stays"}[e.is[k]]; !strings.Contains(body, word) {
					t.Errorf("its text does not say that it %s with %s", word, a.title)
				}
			}
			file, drawn := filepath.Join(root, "docs", picture[1]), draw(curves)
			if *update {
				if err := os.WriteFile(file, []byte(drawn), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if kept, err := os.ReadFile(file); err != nil || string(kept) != drawn {
				t.Errorf("its picture is another one: go test ./cmd/internal/workshop/gallery -update (%v)", err)
			}
		})
	}
}

// value returns what the text of an entry gives to a job.
func (e entry) value(t *testing.T, text string) func(job) float64 {
	t.Helper()
	if e.flux {
		const fluxText = "fairshare × 100000 + queue × 10000 + bank × 0 + (urgency − 16) × 1000"
		if text != fluxText {
			t.Fatalf("want %s", fluxText)
		}
		const queue, usualUrgency = 1, 16
		return func(j job) float64 {
			return flux.DefaultWeights.Priority(flux.Factors{Fairshare: factorOf(j), Queue: queue}, usualUrgency)
		}
	}
	if e.config {
		return slurmValue(t, text)
	}
	f, err := formula.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return func(j job) float64 {
		r := f.Eval(variables(j))
		if r.Err != nil {
			t.Fatal(r.Err)
		}
		return float64(r.Float32())
	}
}

// slurmValue returns the priority that a slurm.conf gives to a job.
func slurmValue(t *testing.T, text string) func(job) float64 {
	t.Helper()
	const nodes = "\nNodeName=n[1-16] CPUs=32\nPartitionName=main Nodes=ALL Default=YES\n"
	conf, problems, err := slurm.ParseConf(text+nodes, slurm.Beside{})
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	now := time.Unix(1e9, 0)
	return func(j job) float64 {
		cluster := &slurm.Cluster{Conf: conf, Now: now, Fairshare: func(string, string, string) (float64, bool) { return factorOf(j), true }}
		cluster.Prepare()
		of := slurm.Job{
			State: "PENDING", Partitions: []string{"main"}, Accrued: now.Add(-time.Duration(j.waited * float64(time.Second))),
			TRES: map[string]float64{"cpu": j.cpus, "node": math.Ceil(j.cpus / 32)},
		}
		return cluster.Factors(&of, "main", "").Sum
	}
}

// factorOf returns the fairshare of somebody who has used so much of the target: 0.5 on it.
func factorOf(j job) float64 { return exp2(-j.used) }

// variables are those of a job of 4 GB and a day for each cpu. Its entity has a tenth of all shares.
func variables(j job) map[string]formula.Value {
	const share, kbOfCPU = 0.1, 4 << 20
	cpus := int64(j.cpus)
	return map[string]formula.Value{
		"eligible_time": formula.Int(int64(j.waited)), "fairshare_factor": formula.Float(factorOf(j)), "fairshare_perc": formula.Float(share), "fairshare_tree_usage": formula.Float(share * j.used),
		"ncpus": formula.Int(cpus), "mem": formula.Int(cpus * kbOfCPU), "ngpus": formula.Int(0), "nodect": formula.Int((cpus + 31) / 32), "walltime": formula.Int(day), "job_priority": formula.Int(0),
		"queue_priority": formula.Int(100), "sbu_rate": formula.Float(1), "paws": formula.Float(0), "bias": formula.Float(0),
	}
}
