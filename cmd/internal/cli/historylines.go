package cli

import (
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/history"
	pbssite "fairshare/cmd/internal/pbs/site"
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
func (c *historyCmd) eachLine(s *session, logs *pbssite.Logs) error {
	const most = 10 // damaged lines that are told one by one
	count := 0
	for _, log := range logs.Sources {
		damaged := func(number int, why string) {
			problem := trace.Problem{File: log.Name, Line: number, Detail: why}
			s.partly, s.isCut = true, s.isCut || problem.IsCut()
			if count++; count <= most {
				s.diag.Tell(diag.Warningf("%v", problem))
			}
		}
		clock, err := logs.Clock()
		if err != nil {
			return err
		}
		err = file.EachLine(log, func(number int, line []byte) error {
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
	Job       string         `json:"job"`
	Queue     string         `json:"queue"`
	User      string         `json:"user"`
	Group     string         `json:"group"`
	Account   string         `json:"account"`
	Project   string         `json:"project"`
	Name      string         `json:"name"`
	Arrival   *int64         `json:"arrival"`
	Start     *int64         `json:"start"`
	End       *int64         `json:"end"`
	Wait      *int64         `json:"wait"`
	Run       *int64         `json:"run"`
	NCPUs     *int64         `json:"ncpus"`
	Nodes     *int64         `json:"nodes"`
	Mem       *int64         `json:"mem"` // kb
	Walltime  *int64         `json:"walltime"`
	Exit      *int64         `json:"exit"`
	Runs      int            `json:"runs"`
	Suspended int64          `json:"suspended"`
	State     string         `json:"state"`
	Cput      *int64         `json:"cput"`     // used, in seconds
	UsedMem   *report.Number `json:"used_mem"` // kb
	UsedMore  bool           `json:"used_mem_is_at_least,omitempty"`
	GPUs      *report.Number `json:"ngpus"`
	Hosts     string         `json:"hosts"`
	CoreHours *report.Number `json:"core_hours"`
	NodeHours *report.Number `json:"node_hours"`
	Charged   *report.Number `json:"charged_hours,omitempty"`
	QOS       string         `json:"qos,omitempty"`
}

// newHistoryLine returns the job at a place in a history.
func newHistoryLine(h *history.History, at int) historyLine {
	t, j, use := h.Trace, h.Jobs[at], h.Use(at)
	orNull := func(n int64, ok bool) *int64 {
		if !ok || n == trace.Unknown {
			return nil
		}
		return &n
	}
	names := t.Names.List
	wait, hasWait := j.Wait()
	run, hasRun := j.Length()
	runs := len(j.Earlier())
	if j.Start != trace.Unknown || hasRun {
		runs++
	}
	project, qos := names[j.Project], ""
	if t.CheckKind("qos") == nil {
		project, qos = "", project
	}
	return historyLine{
		j.ID, names[j.Queue], names[j.User], names[j.Group], names[j.Account], project, names[j.Name],
		orNull(j.Arrival, true), orNull(j.Start, true), orNull(j.End, true), orNull(wait, hasWait), orNull(run, hasRun),
		orNull(j.NCPUs, true), orNull(j.Nodes, true), orNull(j.Mem, true), orNull(j.Walltime, true), orNull(j.Exit, true),
		runs, j.Suspended(), string(rune(j.State)), orNull(j.UsedCput, true), report.Optional(use.Memory), use.UsedMore, report.Optional(use.GPUs), names[j.Hosts],
		report.Optional(use.CoreHours), report.Optional(use.NodeHours), report.Optional(use.Charged), qos,
	}
}

// listing returns the jobs of a history as they are printed.
func (c *historyCmd) listing(h *history.History) *report.Listing[historyLine] {
	l := &report.Listing[historyLine]{Line: func(line historyLine) any { return line }}
	l.Rows = func(yield func(historyLine) bool) {
		for at := range h.Jobs {
			if !yield(newHistoryLine(h, at)) {
				return
			}
		}
	}
	text := func(name string, of func(historyLine) string) {
		l.Columns = append(l.Columns, report.Column[historyLine]{Name: name, Cell: of})
	}
	whole := func(name string, of func(historyLine) *int64) {
		text(name, func(line historyLine) string {
			if n := of(line); n != nil {
				return strconv.FormatInt(*n, 10)
			}
			return ""
		})
	}
	number := func(name string, of func(historyLine) *report.Number) {
		text(name, func(line historyLine) string { return report.OrEmpty(of(line)) })
	}
	text("job", func(l historyLine) string { return l.Job })
	text("queue", func(l historyLine) string { return l.Queue })
	text("user", func(l historyLine) string { return l.User })
	text("group", func(l historyLine) string { return l.Group })
	text("account", func(l historyLine) string { return l.Account })
	text("project", func(l historyLine) string { return l.Project })
	text("name", func(l historyLine) string { return l.Name })
	whole("arrival", func(l historyLine) *int64 { return l.Arrival })
	whole("start", func(l historyLine) *int64 { return l.Start })
	whole("end", func(l historyLine) *int64 { return l.End })
	whole("wait", func(l historyLine) *int64 { return l.Wait })
	whole("run", func(l historyLine) *int64 { return l.Run })
	whole("ncpus", func(l historyLine) *int64 { return l.NCPUs })
	whole("nodes", func(l historyLine) *int64 { return l.Nodes })
	whole("mem", func(l historyLine) *int64 { return l.Mem })
	whole("walltime", func(l historyLine) *int64 { return l.Walltime })
	whole("exit", func(l historyLine) *int64 { return l.Exit })
	text("runs", func(l historyLine) string { return strconv.Itoa(l.Runs) })
	whole("suspended", func(l historyLine) *int64 { return &l.Suspended })
	text("state", func(l historyLine) string { return l.State })
	whole("cput", func(l historyLine) *int64 { return l.Cput })
	number("used_mem", func(l historyLine) *report.Number { return l.UsedMem })
	if slices.ContainsFunc(h.Jobs, func(j *trace.Job) bool { return j.UsedMore }) {
		text("used_mem"+atLeastColumn, func(l historyLine) string { return strconv.FormatBool(l.UsedMore) })
	}
	number("ngpus", func(l historyLine) *report.Number { return l.GPUs })
	text("hosts", func(l historyLine) string { return l.Hosts })
	number("core_hours", func(l historyLine) *report.Number { return l.CoreHours })
	number("node_hours", func(l historyLine) *report.Number { return l.NodeHours })
	if len(c.Charge) > 0 {
		number("charged_hours", func(l historyLine) *report.Number { return l.Charged })
	}
	if h.Trace.CheckKind("qos") == nil {
		text("qos", func(l historyLine) string { return l.QOS })
	}
	return l
}
