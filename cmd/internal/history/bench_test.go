package history_test

import (
	"compress/gzip"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/history"
	pbssite "fairshare/cmd/internal/pbs/site"
	"fairshare/cmd/internal/site"
	"fairshare/cmd/internal/slurm/sacct"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/workshop"
)

// writeDays writes packed logs of some days, of jobs that wait an hour and run for two, and
// returns how many bytes they have unpacked.
func writeDays(b *testing.B, dir string, days, jobs int) (size int64) {
	b.Helper()
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	vnodes := strings.Repeat("(node0123:ncpus=32:mem=134217728kb)+", 10)
	for day := range days {
		var text strings.Builder
		step := 86400 / jobs
		for i := range jobs {
			now := begin.AddDate(0, 0, day).Add(time.Duration(i*step) * time.Second)
			for _, r := range []struct {
				kind      string
				since     int // seconds since the job came
				what, end string
			}{
				{"Q", 0, "", ""},
				{"S", 3600, "start=%d exec_vnode=" + vnodes, ""},
				{"E", 3 * 3600, "start=%d exec_vnode=" + vnodes, "end=%d Exit_status=0 resources_used.cput=30:00:00 resources_used.mem=3064kb resources_used.walltime=02:00:00"},
			} {
				id := day*jobs + i - r.since/max(1, step)
				came := now.Unix() - int64(r.since)
				fmt.Fprintf(&text, "%s;%s;%d.s;user=u%d group=g%d queue=workq ctime=%d qtime=%d etime=%d ", now.Format("01/02/2006 15:04:05"), r.kind, id, id%97, id%7, came, came, came)
				if r.what != "" {
					fmt.Fprintf(&text, r.what+" ", came+3600)
				}
				text.WriteString("Resource_List.mem=1280gb Resource_List.ncpus=320 Resource_List.nodect=10 Resource_List.walltime=24:00:00 ")
				if r.end != "" {
					fmt.Fprintf(&text, r.end, came+3*3600)
				}
				text.WriteByte('\n')
			}
		}
		f, err := os.Create(filepath.Join(dir, begin.AddDate(0, 0, day).Format("20060102")+".gz"))
		if err != nil {
			b.Fatal(err)
		}
		w := gzip.NewWriter(f)
		if _, err := w.Write([]byte(text.String())); err != nil || w.Close() != nil || f.Close() != nil {
			b.Fatal("the log cannot be written", err)
		}
		size += int64(text.Len())
	}
	return size
}

// How fast a report by day is made of packed logs.
func BenchmarkReport(b *testing.B) {
	dir := b.TempDir()
	const days, jobs = 10, 8640
	b.SetBytes(writeDays(b, dir, days, jobs))
	for b.Loop() {
		from, _, err := pbssite.FindLogs([]string{dir}, "UTC", site.NewInput(strings.NewReader(""), sacct.Format()))
		if err != nil {
			b.Fatal(err)
		}
		ledger := history.NewLedger(history.Question{Step: history.Day, From: trace.Unknown, To: trace.Unknown, Zone: time.UTC})
		t, _, err := from.Read(ledger.Keep())
		if err != nil {
			b.Fatal(err)
		}
		if s, _, err := ledger.Sheet(t, nil, from.Continuity()); err != nil || len(s.Lines) != days {
			b.Fatal(err)
		}
	}
	b.ReportMetric(3*days*jobs*float64(b.N)/b.Elapsed().Seconds(), "records/s")
}

// How fast the shell counts the jobs that ended in the same logs.
func BenchmarkReportAwk(b *testing.B) {
	for _, name := range []string{"zcat", "awk"} {
		if _, err := exec.LookPath(name); err != nil {
			workshop.Skip(b, err)
		}
	}
	dir := b.TempDir()
	const days, jobs = 10, 8640
	b.SetBytes(writeDays(b, dir, days, jobs))
	for b.Loop() {
		if err := exec.Command("sh", "-c", `zcat "$1"/*.gz | awk -F';' '$2 == "E" { n++ } END { print n }'`, "sh", dir).Run(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(3*days*jobs*float64(b.N)/b.Elapsed().Seconds(), "records/s")
}
