// Package studytest makes studies for tests: of recorded runs, and of small traces.
package studytest

import (
	"context"
	"io"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pbs"
	"fairshare/cmd/internal/pbs/snapshot"
	pbsstudy "fairshare/cmd/internal/pbs/study"
	"fairshare/cmd/internal/study"
	"fairshare/cmd/internal/trace"
	"fairshare/cmd/internal/workshop"
	"fairshare/usagefile"
)

// Recordings is where the runs of a real scheduler are, as a test of any package sees them.
var Recordings = workshop.Testdata("replay") + "/"

// OfRun returns the study of a recorded run under the policy in force.
func OfRun(tb testing.TB, name string) *pbsstudy.Study {
	tb.Helper()
	return OfRunUntil(tb, name, math.MaxInt64)
}

// OfRunUntil does as OfRun, of logs that were taken at a time: without the lines that were written later.
func OfRunUntil(tb testing.TB, name string, until int64) *pbsstudy.Study {
	tb.Helper()
	check := func(err error) {
		if err != nil {
			tb.Helper()
			tb.Fatal(err)
		}
	}
	snap, err := snapshot.Open(Recordings + name + "/snapshot")
	check(err)
	in := &pbsstudy.Inputs{Nodes: snap.Nodes(), Lists: snap.Jobs()}
	in.Site, _, err = snap.Files().Read()
	check(err)
	in.Taken, _ = snap.Taken()
	_, in.IsKnown, err = in.Site.SetFormula("")
	check(err)
	text, err := os.ReadFile(Recordings + name + "/usage.begin")
	check(err)
	in.Usage = usagefile.Parse(string(text))
	if _, err := os.Stat(Recordings + name + "/priority.csv"); err == nil {
		in.Lists = append(in.Lists, file.At(Recordings+name+"/priority.csv"))
	}
	logs, _, err := snapshot.Logs(snap.Tree())
	check(err)
	for i, log := range logs {
		logs[i] = linesUntil(log, until)
	}
	keep, err := in.Keep()
	check(err)
	t, err := trace.Read(logs, time.UTC, keep)
	check(err)
	return New(tb, in, t)
}

// linesUntil returns an accounting log without the lines that were written after a time.
func linesUntil(log file.Source, until int64) file.Source {
	open := func() (io.ReadCloser, error) {
		text, err := log.Text(1 << 30)
		var kept strings.Builder
		for line := range strings.Lines(text) {
			stamp, _, _ := strings.Cut(line, ";")
			if at, err := time.Parse("01/02/2006 15:04:05", stamp); err != nil || at.Unix() <= until {
				kept.WriteString(line)
			}
		}
		return io.NopCloser(strings.NewReader(kept.String())), err
	}
	return file.Source{Name: log.Name, Open: open}
}

// OfTrace returns the study of a trace, written as SWF, on a cluster under a formula,
// without a tree.
func OfTrace(tb testing.TB, swf, spec, formula string) *pbsstudy.Study {
	tb.Helper()
	in := &pbsstudy.Inputs{Site: &pbs.Site{Sched: pbs.Sched{Formula: formula}}, IsKnown: true, ClusterSpec: spec}
	t, err := trace.ReadSWF(Source(swf), trace.Keep{Requests: true})
	if err != nil {
		tb.Fatal(err)
	}
	return New(tb, in, t)
}

// New returns the study of a trace under the policy in force.
func New(tb testing.TB, in *pbsstudy.Inputs, t *trace.Trace) *pbsstudy.Study {
	tb.Helper()
	s, _, err := in.Study(t)
	if err != nil {
		tb.Fatal(err)
	}
	p, _, err := pbsstudy.InForce(in.Site, true)
	if err == nil {
		s.InForce = p
		_, err = s.Use([]*pbsstudy.Policy{p})
	}
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// Add adds policies to a study.
func Add(tb testing.TB, s *pbsstudy.Study, changes ...study.Changes) {
	tb.Helper()
	for _, c := range changes {
		p, _, err := pbsstudy.NewPolicy(c, s.Inputs.Site)
		if err != nil {
			tb.Fatal(err)
		}
		if _, err := s.Use(append(s.Used(), p)); err != nil {
			tb.Fatal(err)
		}
	}
}

// Run returns what a study comes to.
func Run(tb testing.TB, s *pbsstudy.Study) []*study.Measured {
	tb.Helper()
	all, err := s.Run(context.Background())
	if err != nil {
		tb.Fatal(err)
	}
	return all
}

// SmallTrace has three jobs on one node of 4 cpus: 1 and 2 take it one after the other, 3
// needs one cpu and comes last. In the record the third started at once where 2 waited.
const SmallTrace = `1 0 0 100 4 -1 -1 4 100 -1 1 ann chem -1 a -1 -1 -1
2 10 90 100 4 -1 -1 4 100 -1 1 bob chem -1 a -1 -1 -1
3 20 180 50 1 -1 -1 1 50 -1 1 cy bio -1 b -1 -1 -1
`

// Source returns a text as a file.
func Source(text string) file.Source {
	return file.Source{Name: "text", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
}
