package cli

import (
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/history"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/trace"
)

// lineOfLog is a line of a log in JSON.
type lineOfLog struct {
	Time       int64             `json:"time"`
	Type       string            `json:"type"`
	ID         string            `json:"id"`
	Attributes map[string]string `json:"attributes"`
	Text       string            `json:"text"`
}

// eachLine prints the lines of logs as JSON.
func (c *historyCmd) eachLine(s *session, logs []file.Source, zone *time.Location) error {
	const most = 10 // damaged lines that are told one by one
	count := 0
	for _, log := range logs {
		damaged := func(number int, why string) {
			problem := trace.Problem{File: log.Name, Line: number, Detail: why}
			s.partly, s.isCut = true, s.isCut || problem.IsCut()
			if count++; count <= most {
				s.diag.Tell(diag.Warningf("%v", problem))
			}
		}
		clock := trace.NewClock(zone, c.TZ == "")
		err := file.EachLine(log, func(number int, line []byte) error {
			if len(strings.TrimSpace(string(line))) == 0 {
				return nil
			}
			if number == 1 && (trace.IsSWF(line) || slices.ContainsFunc(s.in.Formats, func(f trace.Format) bool { return f.Is(line) })) {
				return fail(exitUsage, "%s is no accounting log, and --lines is for those", log.Name)
			}
			l, why := trace.ParseLine(line)
			if why != "" {
				damaged(number, why)
				return nil
			}
			out := lineOfLog{Time: clock.Unix(l), Type: l.Type, ID: l.ID, Attributes: map[string]string{}, Text: strings.TrimRight(l.Text, " ")}
			for _, a := range l.Attributes {
				out.Attributes[a.Name] = a.Value
			}
			return report.WriteLine(s.out, out)
		}, damaged)
		if err != nil {
			return s.failed(err)
		}
	}
	if count > most {
		s.diag.Warning("and %d more such lines", count-most)
	}
	return nil
}

// historyLine is a job in JSON. What is not known is null.
type historyLine struct {
	Job       string `json:"job"`
	Queue     string `json:"queue"`
	User      string `json:"user"`
	Group     string `json:"group"`
	Account   string `json:"account"`
	Project   string `json:"project"`
	Name      string `json:"name"`
	Arrival   *int64 `json:"arrival"`
	Start     *int64 `json:"start"`
	End       *int64 `json:"end"`
	Wait      *int64 `json:"wait"`
	Run       *int64 `json:"run"`
	NCPUs     *int64 `json:"ncpus"`
	Nodes     *int64 `json:"nodes"`
	Mem       *int64 `json:"mem"` // kb
	Walltime  *int64 `json:"walltime"`
	Exit      *int64 `json:"exit"`
	Runs      int    `json:"runs"`
	Suspended int64  `json:"suspended"`
	State     string `json:"state"`
}

func newHistoryLine(t *trace.Trace, j *trace.Job) historyLine {
	orNull := func(n int64, ok bool) *int64 {
		if !ok || n == trace.Unknown {
			return nil
		}
		return &n
	}
	names := t.Names.List
	wait, hasWait := j.Wait()
	run, hasRun := j.Run()
	runs := len(j.Earlier())
	if j.Start != trace.Unknown {
		runs++
	}
	return historyLine{
		j.ID, names[j.Queue], names[j.User], names[j.Group], names[j.Account], names[j.Project], names[j.Name],
		orNull(j.Arrival, true), orNull(j.Start, true), orNull(j.End, true), orNull(wait, hasWait), orNull(run, hasRun),
		orNull(j.NCPUs, true), orNull(j.Nodes, true), orNull(j.Mem, true), orNull(j.Walltime, true), orNull(j.Exit, true),
		runs, j.Suspended(), string(rune(j.State)),
	}
}

func historyLines(h *history.History) iter.Seq[historyLine] {
	return func(yield func(historyLine) bool) {
		for _, j := range h.Jobs {
			if !yield(newHistoryLine(h.Trace, j)) {
				return
			}
		}
	}
}

func printHistoryCSV(s *session, h *history.History) error {
	w := report.NewCSV(s.out)
	w.Write(report.Keys(historyLine{})...)
	orEmpty := func(n *int64) string {
		if n == nil {
			return ""
		}
		return strconv.FormatInt(*n, 10)
	}
	for _, j := range h.Jobs {
		l := newHistoryLine(h.Trace, j)
		w.Write(l.Job, l.Queue, l.User, l.Group, l.Account, l.Project, l.Name, orEmpty(l.Arrival), orEmpty(l.Start), orEmpty(l.End), orEmpty(l.Wait), orEmpty(l.Run),
			orEmpty(l.NCPUs), orEmpty(l.Nodes), orEmpty(l.Mem), orEmpty(l.Walltime), orEmpty(l.Exit), strconv.Itoa(l.Runs), strconv.FormatInt(l.Suspended, 10), l.State)
	}
	return w.Flush()
}
