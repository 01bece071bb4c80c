package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/workshop"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pbs/snapshot"
)

const (
	benchRound = "../../../testdata/scheduler/02-fstree/"
	benchJobs  = 20_000
)

// benchLists returns a recorded queue with many more jobs, as qstat prints it
// and with the white space that other programs leave.
func benchLists(b *testing.B) map[string][]byte {
	b.Helper()
	lists := map[string][]byte{}
	recorded, ok := readList(b, benchRound+"qstat-f.json")
	if !ok {
		b.Fatal("no list")
	}
	var queue struct{ Jobs map[string]json.RawMessage }
	if err := json.Unmarshal(recorded, &queue); err != nil {
		b.Fatal(err)
	}
	var ids []string
	for id := range queue.Jobs {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	many := bytes.NewBufferString(`{"pbs_server":"pbs","Jobs":{`)
	for i := range benchJobs {
		if i > 0 {
			many.WriteByte(',')
		}
		fmt.Fprintf(many, `"%d.pbs":%s`, i+1, queue.Jobs[ids[i%len(ids)]])
	}
	many.WriteString("}}")
	layout := func(write func(*bytes.Buffer) error) []byte {
		var out bytes.Buffer
		if err := write(&out); err != nil {
			b.Fatal(err)
		}
		return out.Bytes()
	}
	var array []string
	for i := range benchJobs {
		job := queue.Jobs[ids[i%len(ids)]]
		array = append(array, fmt.Sprintf("{\"id\":\"%d.pbs\",%s", i+1, bytes.TrimSpace(job)[1:]))
	}
	lists["array"] = []byte("[\n  " + strings.Join(array, ",\n  ") + "\n]\n")
	indented := func(indent string) []byte {
		return layout(func(out *bytes.Buffer) error { return json.Indent(out, many.Bytes(), "", indent) })
	}
	lists["compact.json"] = layout(func(out *bytes.Buffer) error { return json.Compact(out, many.Bytes()) })
	lists["blanks2.json"] = indented("  ")
	lists["blanks4.json"] = indented("    ")
	lists["tabs.json"] = bytes.ReplaceAll(indented("\t"), []byte(`": `), []byte("\":\t"))

	number := regexp.MustCompile(`(?m)^Job Id: \d+`)
	for _, format := range []string{"txt", "dsv"} {
		list, ok := readList(b, benchRound+"qstat-f."+format)
		if !ok {
			b.Fatal("no list")
		}
		i := 0
		times := benchJobs / max(1, len(number.FindAll(list, -1)))
		lists[format] = number.ReplaceAllFunc(bytes.Repeat(list, times), func([]byte) []byte {
			i++
			return fmt.Appendf(nil, "Job Id: %d", i)
		})
	}
	return lists
}

// pythonSort reads and sorts a list as a script of an administrator does.
const pythonSort = `
import json, sys
formula = compile("pow(2,-(fairshare_tree_usage/fairshare_perc))+ncpus", "formula", "eval")
jobs = json.load(open(sys.argv[1]))["Jobs"]
def value(job):
    return eval(formula, {"fairshare_tree_usage": .2, "fairshare_perc": .1, "ncpus": job.get("Resource_List", {}).get("ncpus", 0)})
sorted(jobs, key=lambda id: -value(jobs[id]))
`

// BenchmarkSort sorts a list in each format and layout: here, and with Python
// where that reads the format by itself.
func BenchmarkSort(b *testing.B) {
	lists := benchLists(b)
	names := make([]string, 0, len(lists))
	for name := range lists {
		names = append(names, name)
	}
	slices.Sort(names)
	args := []string{"sort", "-o", "ids", "-f", "pow(2,-(fairshare_tree_usage/fairshare_perc))+ncpus", "--sched-priv", benchRound + "sched_priv"}
	for _, name := range names {
		list := lists[name]
		b.Run(name+"/here", func(b *testing.B) {
			b.SetBytes(int64(len(list)))
			for b.Loop() {
				var out, problems bytes.Buffer
				if code := run(args, bytes.NewReader(list), &out, &problems); code > exitPartly {
					b.Fatal("exit ", code, ": ", problems.String())
				} else if n := bytes.Count(out.Bytes(), []byte("\n")); n < benchJobs*9/10 {
					b.Fatal(n, " jobs: ", problems.String())
				}
			}
		})
		if !strings.HasSuffix(name, ".json") {
			continue
		}
		b.Run(name+"/python3", func(b *testing.B) {
			file := filepath.Join(b.TempDir(), name)
			if err := os.WriteFile(file, list, 0o600); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(list)))
			for b.Loop() {
				if out, err := exec.Command("python3", "-c", pythonSort, file).CombinedOutput(); err != nil {
					workshop.Skip(b, "python3: ", err, string(out))
				}
			}
		})
	}
}

// awkHistory counts jobs and their waits by queue, as a script of an administrator does.
const awkHistory = `
split($0, f, ";") && f[2] == "E" {
	n = split(f[4], attributes, " ")
	for (i = 1; i <= n; i++) {
		at = index(attributes[i], "=")
		value[substr(attributes[i], 1, at - 1)] = substr(attributes[i], at + 1)
	}
	jobs[value["queue"]]++
	wait[value["queue"]] += value["start"] - value["etime"]
}
END { for (queue in jobs) print queue, jobs[queue], wait[queue] / jobs[queue] }
`

// benchLog returns an accounting log of many jobs that ended, as recorded ones did.
func benchLog(b *testing.B) []byte {
	b.Helper()
	const replay = "../../../testdata/replay/"
	var ends [][]byte
	for _, run := range []string{"A", "P2", "P5", "P6"} {
		at, err := file.OpenTree(replay + run + "/snapshot")
		if err != nil {
			b.Fatal(err)
		}
		logs, _, err := snapshot.Logs(at)
		if err != nil {
			b.Fatal(err)
		}
		for _, log := range logs {
			err := file.EachLine(log, func(_ int, line []byte) error {
				if bytes.Contains(line, []byte(";E;")) {
					ends = append(ends, bytes.Clone(line))
				}
				return nil
			}, nil)
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	var log bytes.Buffer
	for i := range 2 * benchJobs {
		line := ends[i%len(ends)]
		stamp, rest, _ := bytes.Cut(line, []byte(";E;"))
		_, rest, _ = bytes.Cut(rest, []byte(";"))
		fmt.Fprintf(&log, "%s;E;%d.pbs;%s\n", stamp, i+1, rest)
	}
	return log.Bytes()
}

// BenchmarkLogs reads an accounting log: the history of its jobs, the usage
// that they accrue, and what awk makes of the same file.
func BenchmarkLogs(b *testing.B) {
	log := benchLog(b)
	name := filepath.Join(b.TempDir(), "20260301")
	if err := os.WriteFile(name, log, 0o600); err != nil {
		b.Fatal(err)
	}
	for command, args := range map[string][]string{
		"history": {"history", name},
		"usage":   {"usage", name, "--under", "../../../testdata/replay/P5/snapshot/sched_priv"},
	} {
		b.Run(command, func(b *testing.B) {
			b.SetBytes(int64(len(log)))
			for b.Loop() {
				var out, problems bytes.Buffer
				if code := run(args, strings.NewReader(""), &out, &problems); code > exitPartly { // its days have gaps
					b.Fatal("exit ", code, ": ", problems.String())
				}
			}
		})
	}
	b.Run("awk", func(b *testing.B) {
		b.SetBytes(int64(len(log)))
		for b.Loop() {
			if out, err := exec.Command("awk", awkHistory, name).CombinedOutput(); err != nil {
				workshop.Skip(b, "awk: ", err, string(out))
			}
		}
	})
}
