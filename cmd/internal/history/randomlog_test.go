package history_test

import (
	"cmp"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/file"
)

// randomLog makes an accounting log of a few days, of jobs that are run again, suspended, deleted,
// in arrays and in reservations, with attributes in any order.
type randomLog struct {
	*rand.Rand
	begin time.Time // the first day's midnight
	zone  *time.Location
	loses int // of so many records one is left out, 0 for none
	lines []logLine
}

type logLine struct {
	at   int64
	text string
}

// turns are days around which something happens to the calendar.
var turns = []string{"2026-03-27", "2026-10-23", "2025-12-30", "2026-02-27", "2026-06-13"}

func newRandomLog(seed uint64, zone *time.Location) *randomLog {
	r := rand.New(rand.NewPCG(seed, 1))
	begin, err := time.ParseInLocation(time.DateOnly, turns[r.IntN(len(turns))], zone)
	if err != nil {
		panic(err)
	}
	return &randomLog{Rand: r, begin: begin, zone: zone}
}

// source returns a text as a log.
func source(text string) file.Source {
	return file.Source{Name: "log", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
}

// record adds a line of a job.
func (l *randomLog) record(at int64, kind, id string, attributes ...string) {
	l.Shuffle(len(attributes), func(i, k int) { attributes[i], attributes[k] = attributes[k], attributes[i] })
	stamp := time.Unix(at, 0).In(l.zone).Format("01/02/2006 15:04:05")
	l.lines = append(l.lines, logLine{at, fmt.Sprintf("%s;%s;%s;%s", stamp, kind, id, strings.Join(attributes, " "))})
}

// text returns the log of some random jobs.
func (l *randomLog) text() string {
	const days, most = 5, 40
	for n := range 1 + l.IntN(most) {
		came := l.begin.Unix() + l.Int64N(days*86400)
		id := fmt.Sprintf("%d.s", n)
		if l.IntN(6) > 0 {
			l.job(id, came, "")
			continue
		}
		array := fmt.Sprintf("%d[].s", n)
		l.record(came, "Q", array, l.said(came, 1, 3600)...)
		for i := range 1 + l.IntN(3) {
			l.job(fmt.Sprintf("%d[%d].s", n, i), came, array)
		}
	}
	slices.SortStableFunc(l.lines, func(a, b logLine) int { return cmp.Compare(a.at, b.at) })
	var b strings.Builder
	for _, line := range l.lines {
		if l.loses == 0 || l.IntN(l.loses) > 0 {
			b.WriteString(line.text + "\n")
		}
	}
	return b.String()
}

// said returns what each record of a job has.
func (l *randomLog) said(came, cpus, walltime int64) []string {
	return []string{
		"user=u" + fmt.Sprint(cpus%4), "group=g" + fmt.Sprint(cpus%3), "project=p", "account=\"an account\"", "jobname=a b c", "queue=" + []string{"q0", "q1", "R7"}[cpus%3],
		fmt.Sprintf("ctime=%d", came), fmt.Sprintf("qtime=%d", came), fmt.Sprintf("etime=%d", came),
		fmt.Sprintf("Resource_List.ncpus=%d", cpus), fmt.Sprintf("Resource_List.nodect=%d", 1+cpus/8), fmt.Sprintf("Resource_List.walltime=%02d:%02d:00", walltime/3600, walltime/60%60),
		"Resource_List.select=1:ncpus=" + fmt.Sprint(cpus),
	}
}

// job adds the records of a job that comes at a time, which is a subjob where an array is named.
func (l *randomLog) job(id string, came int64, array string) {
	cpus, walltime := 1+l.Int64N(64), 60*(1+l.Int64N(2000))
	said := func(more ...string) []string { return append(l.said(came, cpus, walltime), more...) }
	if array == "" {
		l.record(came, "Q", id, said()...)
	}
	at := came
	for {
		if at += l.Int64N(20 * 3600); l.IntN(12) == 0 {
			if l.IntN(2) == 0 && array == "" {
				l.record(at, "D", id, "requestor=u@s")
			}
			return
		}
		start := at
		vnodes := "exec_vnode=" + strings.Repeat("(n1:ncpus=1)+", l.IntN(9)) + "(n2:ncpus=1)"
		l.record(start, "S", id, said(fmt.Sprintf("start=%d", start), vnodes)...)
		for l.IntN(4) == 0 {
			at += 1 + l.Int64N(7200)
			l.record(at, "z", id)
			at += 1 + l.Int64N(30*3600)
			l.record(at, "r", id)
		}
		if l.IntN(15) == 0 {
			return // it goes on
		}
		at += 1 + l.Int64N(walltime)
		end := said(fmt.Sprintf("start=%d", start), fmt.Sprintf("end=%d", at), vnodes, "Exit_status="+[]string{"0", "1", "-29", "271"}[l.IntN(4)],
			"resources_used.walltime="+fmt.Sprint(at-start), "resources_used.mem=1234kb", "resources_used.cput=00:10:00", "run_count=1")
		if l.IntN(6) > 0 {
			l.record(at, "E", id, end...)
			return
		}
		l.record(at, "R", id, end...)
	}
}
