package cli

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pbs/snapshot"
)

// BenchmarkWitness judges recordings that are repeated until they have 100,000 starts, or as many as WITNESS_STARTS says, as the
// command does: with the reading of the logs, as a process of its own. cpu-s is the processor time of all cores, MB the
// most memory.
func BenchmarkWitness(b *testing.B) {
	starts := 100_000
	if n, err := strconv.Atoi(os.Getenv("WITNESS_STARTS")); err == nil {
		starts = n
	}
	program := filepath.Join(b.TempDir(), "formula")
	if out, err := exec.Command("go", "build", "-o", program, "../../formula").CombinedOutput(); err != nil {
		b.Fatal(err, string(out))
	}
	bench := func(name string, args []string) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				cmd := exec.Command(program, append([]string{"witness", "--tz", "UTC", "-o", "json"}, args...)...)
				begin := time.Now()
				var problems bytes.Buffer
				cmd.Stderr = &problems
				out, err := cmd.Output()
				if code := cmd.ProcessState.ExitCode(); code > exitPartly {
					b.Fatal(err, problems.String())
				}
				n, _ := strconv.Atoi(string(regexp.MustCompile(`"starts": *(\d+)`).FindSubmatch(out)[1]))
				used := cmd.ProcessState.SysUsage().(*syscall.Rusage)
				b.ReportMetric((cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), "cpu-s")
				b.ReportMetric(time.Since(begin).Seconds(), "wall-s")
				b.ReportMetric(float64(used.Maxrss)/1024, "MB")
				b.ReportMetric(float64(n), "starts")
			}
		})
	}
	for _, run := range []string{"P4", "P5", "V4"} { // limits, and a formula of eligible_time; arrays; vnodes that fail
		dir := b.TempDir()
		site := "../../../testdata/replay/" + run
		repeatLogs(b, site+"/snapshot", dir, starts)
		bench(run, []string{site + "/snapshot", dir, "--usage", site + "/usage.begin"})
		os.RemoveAll(dir)
	}
	for _, run := range []string{"S1a", "S2a", "S5a", "S8a"} { // builtin; backfill; limits of QOS; arrays, licences and the like
		table := filepath.Join(b.TempDir(), "sacct.txt")
		site := "../../../testdata/slurm-replay/" + run
		repeatTable(b, site+"/sacct.txt.gz", table, starts)
		bench(run, []string{site + "/site.tgz", table})
		os.Remove(table)
	}
}

// A recording is repeated with all times later by its span and all numbers of jobs higher.
const repeatedIDs = 100_000

// repeatLogs writes the accounting logs of a snapshot again and again until they have so many starts, a file a day.
func repeatLogs(b *testing.B, snap, to string, starts int) {
	at, err := file.OpenTree(snap)
	if err != nil {
		b.Fatal(err)
	}
	logs, _, err := snapshot.Logs(at)
	if err != nil {
		b.Fatal(err)
	}
	type record struct {
		at             time.Time
		kind, id, rest string
	}
	const form = "01/02/2006 15:04:05"
	var records []record
	once := 0
	for _, log := range logs {
		err := file.EachLine(log, func(_ int, line []byte) error {
			part := strings.SplitN(string(line), ";", 4)
			if len(part) < 4 {
				return nil
			}
			at, err := time.Parse(form, part[0])
			if part[1] == "S" {
				once++
			}
			records = append(records, record{at, part[1], part[2], part[3]})
			return err
		}, nil)
		if err != nil {
			b.Fatal(err)
		}
	}
	ended := map[string]bool{}
	for _, r := range records {
		ended[r.id] = ended[r.id] || r.kind == "E" || r.kind == "D"
	}
	records = slices.DeleteFunc(records, func(r record) bool { return !ended[r.id] && r.id[0] >= '0' && r.id[0] <= '9' })
	slices.SortStableFunc(records, func(a, b record) int { return a.at.Compare(b.at) })
	span := records[len(records)-1].at.Sub(records[0].at).Truncate(time.Hour) + 2*time.Hour
	day := ""
	out := bufio.NewWriter(io.Discard)
	var open *os.File
	for k := range starts/once + 1 {
		shift := time.Duration(k) * span
		for _, r := range records {
			at := r.at.Add(shift)
			if name := at.Format("20060102"); name != day {
				day = name
				out.Flush()
				open.Close()
				if open, err = os.OpenFile(filepath.Join(to, name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err != nil {
					b.Fatal(err)
				}
				out.Reset(open)
			}
			fmt.Fprintf(out, "%s;%s;%s;%s\n", at.Format(form), r.kind, repeatedID(r.id, k), laterEpochs(r.rest, shift))
		}
	}
	if err := out.Flush(); err != nil {
		b.Fatal(err)
	}
	open.Close()
}

// repeatedID returns the id that a job has when its recording is repeated for the kth time.
func repeatedID(id string, k int) string {
	n := 0
	for n < len(id) && id[n] >= '0' && id[n] <= '9' {
		n++
	}
	if n == 0 {
		return id
	}
	number, _ := strconv.Atoi(id[:n])
	return strconv.Itoa(number+k*repeatedIDs) + id[n:]
}

// laterEpochs makes the seconds since 1970 in a text later.
func laterEpochs(text string, by time.Duration) string {
	b := []byte(text)
	for i := 0; i+10 <= len(b); i++ {
		isEpoch := b[i] == '1' && (i == 0 || b[i-1] == '=' || b[i-1] == ',') && (i+10 == len(b) || b[i+10] == ' ' || b[i+10] == ',')
		for k := i; isEpoch && k < i+10; k++ {
			isEpoch = b[k] >= '0' && b[k] <= '9'
		}
		if isEpoch {
			at, _ := strconv.ParseInt(string(b[i:i+10]), 10, 64)
			strconv.AppendInt(b[i:i:i+10], at+int64(by/time.Second), 10)
		}
	}
	return string(b)
}

// repeatTable writes a table of sacct again and again until it has so many starts.
func repeatTable(b *testing.B, from, to string, starts int) {
	packed, err := os.Open(from)
	if err != nil {
		b.Fatal(err)
	}
	defer packed.Close()
	plain, err := file.Plain(packed)
	if err != nil {
		b.Fatal(err)
	}
	text, err := io.ReadAll(plain)
	if err != nil {
		b.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	header := strings.Split(lines[0], "|")
	const form = "2006-01-02T15:04:05"
	var rows [][]string
	var first, last time.Time
	once := 0
	ids := []int{slices.Index(header, "JobID"), slices.Index(header, "JobIDRaw")}
	start := slices.Index(header, "Start")
	for _, line := range lines[1:] {
		row := strings.Split(line, "|")
		if row[slices.Index(header, "End")] == "Unknown" { // it would wait or run for ever
			continue
		}
		rows = append(rows, row)
		if at, err := time.Parse(form, row[start]); err == nil && !strings.Contains(row[ids[0]], ".") {
			once++
			if first.IsZero() || at.Before(first) {
				first = at
			}
			if at.After(last) {
				last = at
			}
		}
	}
	span := last.Sub(first).Truncate(time.Hour) + 2*time.Hour
	open, err := os.Create(to)
	if err != nil {
		b.Fatal(err)
	}
	defer open.Close()
	out := bufio.NewWriter(open)
	fmt.Fprintln(out, lines[0])
	var one bytes.Buffer
	for k := range starts/once + 1 {
		for _, row := range rows {
			one.Reset()
			for c, value := range row {
				if c > 0 {
					one.WriteByte('|')
				}
				if slices.Contains(ids, c) {
					value = repeatedID(value, k)
				} else if len(value) == len(form) && value[10] == 'T' && value[4] == '-' {
					if at, err := time.Parse(form, value); err == nil {
						value = at.Add(time.Duration(k) * span).Format(form)
					}
				}
				one.WriteString(value)
			}
			one.WriteByte('\n')
			out.Write(one.Bytes())
		}
	}
	if err := out.Flush(); err != nil {
		b.Fatal(err)
	}
}
