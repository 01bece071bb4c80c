package nodes

import (
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
)

// Answer is the nodes that a question is about, as they are printed.
type Answer struct {
	report.Listing[Node]
	machine  *Machine
	question Question
	nodes    []Node
	now      func(id string) string // what a cycle right now makes of a job that waits; nil where that is not known
	isFolded bool                   // whether nodes that are alike are one row of the table
}

// mostRows is how many nodes have each a row of the table where not all are wanted.
const mostRows = 40

// NewAnswer returns the answer to a question.
func NewAnswer(m *Machine, q Question) *Answer {
	a := &Answer{machine: m, question: q, nodes: m.Chosen(q)}
	a.Columns, a.Rows, a.Line = m.columns(a.nodes, q.IsLong || q.Names != nil || q.States != nil), slices.Values(a.nodes), func(n Node) any { return m.line(n) }
	a.isFolded = len(a.nodes) > mostRows && !q.IsEach && q.Names == nil
	return a
}

// IsFolded reports whether nodes that are alike are one row of the table.
func (a *Answer) IsFolded() bool { return a.isFolded }

// Table returns the nodes as people read them.
func (a *Answer) Table() report.Table {
	if !a.isFolded {
		return a.Listing.Table()
	}
	rows := fold(a.nodes)
	names := report.Column[Node]{Title: strings.ToUpper(a.machine.Called) + "S", Text: func(n Node) string { return report.Cut(n.Name, longestRange) }}
	count := report.Column[Node]{Title: "COUNT", Text: func(n Node) string { return strconv.Itoa(len(n.names)) }, Right: true}
	of := report.Listing[Node]{Columns: []report.Column[Node]{names, count}, Rows: slices.Values(rows)}
	for _, c := range a.machine.columns(rows, a.question.IsLong) {
		if !slices.Contains([]string{"node", "users", "free_by", "free_by_forecast"}, c.Name) {
			of.Columns = append(of.Columns, c)
		}
	}
	return of.Table()
}

// columns returns the columns of nodes. What none of the nodes has takes no column of the table, in which long comments are in full or cut.
func (m *Machine) columns(list []Node, isLong bool) []report.Column[Node] {
	has := func(is func(n Node) bool) bool { return slices.ContainsFunc(list, is) }
	shown := func(text func(Node) string, isShown bool) func(Node) string {
		if !isShown {
			return nil
		}
		return text
	}
	words := func(of func(Node) []string) func(Node) string {
		return func(n Node) string { return strings.Join(of(n), ",") }
	}
	name, state := func(n Node) string { return n.Name }, func(n Node) string { return n.State }
	queues := func(n Node) []string {
		if n.IsOfAll {
			return []string{"all"}
		}
		return n.Queues
	}
	properties := func(n Node) []string { return n.Properties }
	ids := func(n Node) []string {
		var ids []string
		for _, j := range n.Jobs {
			ids = append(ids, j.ID)
		}
		return ids
	}
	columns := []report.Column[Node]{
		{Title: strings.ToUpper(m.Called), Text: name, Name: "node", Cell: name},
		{Name: "host", Cell: func(n Node) string { return n.Host }},
		{Title: "STATE", Text: state, Name: "state", Cell: state},
		{Name: "up", Cell: func(n Node) string { return strconv.FormatBool(n.IsUp) }},
	}
	columns = append(columns, amounts("CPUS FREE", "cpus", has(func(n Node) bool { return n.CPUs.All > 0 }), counts, func(n Node) Amount { return n.CPUs })...)
	columns = append(columns, amounts("MEMORY FREE", "mem_kb", has(func(n Node) bool { return n.Memory.All > 0 }), sizes, func(n Node) Amount { return n.Memory })...)
	columns = append(columns, amounts("GPUS FREE", "gpus", has(func(n Node) bool { return n.GPUs.All > 0 }), counts, func(n Node) Amount { return n.GPUs })...)
	columns = append(columns,
		report.Column[Node]{Title: strings.ToUpper(m.Queue) + "S", Text: shown(words(queues), has(func(n Node) bool { return !n.IsOfAll })), Name: "queues", Cell: words(func(n Node) []string { return n.Queues })},
		report.Column[Node]{Title: "PROPERTIES", Text: shown(words(properties), has(func(n Node) bool { return len(n.Properties) > 0 })), Name: "properties", Cell: words(properties)},
		report.Column[Node]{Title: "JOBS", Text: func(n Node) string { return m.jobsText(len(n.Jobs)) }, Right: true, Name: "jobs", Cell: words(ids)},
		report.Column[Node]{Title: "USERS", Text: words(func(n Node) []string { return n.Users() }), Name: "users", Cell: words(func(n Node) []string { return n.Users() })},
		m.time("NEXT END", "next_end", (*Node).nextEnd, Job.requested),
		m.time("ALL ENDED", "free_by", (*Node).freeBy, Job.requested),
	)
	if m.IsForecast {
		columns = append(columns,
			m.time("NEXT BY FORECAST", "next_end_forecast", (*Node).nextEnd, Job.forecast),
			m.time("ALL BY FORECAST", "free_by_forecast", (*Node).freeBy, Job.forecast))
	}
	comment := func(n Node) string { return n.Comment }
	const longest = 60 // characters of a comment
	short := func(n Node) string {
		if isLong {
			return n.Comment
		}
		return report.Cut(n.Comment, longest)
	}
	why := report.Column[Node]{Title: strings.ToUpper(m.Why), Text: shown(short, has(func(n Node) bool { return n.Comment != "" })), Name: "comment", Cell: comment}
	if m.Asked == nil {
		return append(columns, why)
	}
	return append(columns, why,
		report.Column[Node]{Title: "ROOM FOR " + strings.ToUpper(m.Parts), Text: roomText, Right: true, Name: "room_for", Cell: func(n Node) string { return strconv.Itoa(n.Fits) }},
		report.Column[Node]{Title: "WHY NOT", Text: barsText, Name: "why_not", Cell: barsText})
}

// amounts returns the columns of a resource: one in the table, and in CSV what is free and what there is.
func amounts(title, name string, isShown bool, text func(Amount) string, of func(Node) Amount) []report.Column[Node] {
	free := report.Column[Node]{Title: title, Right: true, Name: name + "_free", Cell: func(n Node) string { return report.Plain(of(n).Free) }}
	if isShown {
		free.Text = func(n Node) string {
			if of(n).All == 0 {
				return "-"
			}
			return text(of(n))
		}
	}
	return []report.Column[Node]{free, {Name: name, Cell: func(n Node) string { return report.Plain(of(n).All) }}}
}

// time returns the column of a time at which jobs of a node end, by one of their two ends.
func (m *Machine) time(title, name string, of func(*Node, func(Job) int64) int64, end func(Job) int64) report.Column[Node] {
	return report.Column[Node]{Title: title, Text: func(n Node) string { return m.end(of(&n, end)) }, Name: name, Cell: func(n Node) string {
		if at := of(&n, end); at > 0 {
			return strconv.FormatInt(at, 10)
		}
		return ""
	}}
}

// end returns when a job ends, as people read it.
func (m *Machine) end(at int64) string {
	if at == 0 {
		return "-"
	}
	return clock(at, m.Zone)
}

// clock returns a time to the minute.
func clock(at int64, zone *time.Location) string {
	return time.Unix(at, 0).In(zone).Format("2006-01-02 15:04")
}

func counts(a Amount) string { return report.Plain(a.Free) + " of " + report.Plain(a.All) }

const kbOfGB = 1 << 20

// sizes returns what is free of a memory in GB.
func sizes(a Amount) string {
	return report.Fixed(a.Free/kbOfGB, 0) + " of " + report.Fixed(a.All/kbOfGB, 0) + " GB"
}

// roomText returns how often a node has room, of several kinds of parts for each, and with which others.
func roomText(n Node) string {
	text := strconv.Itoa(n.Fits)
	if len(n.Kinds) > 0 {
		var each []string
		for _, k := range n.Kinds {
			each = append(each, strconv.Itoa(k.Fits))
		}
		text = strings.Join(each, "+")
	}
	if len(n.FitsWith) > 0 {
		text += " with " + strings.Join(n.FitsWith, ",")
	}
	return text
}

// barsText returns what keeps a node from a job, in words: where several kinds of parts are asked for, from those for which it has
// no room.
func barsText(n Node) string {
	if len(n.Kinds) == 0 {
		return cmp.Or(inWords(n.Bars), n.Doubt)
	}
	var list []string
	parts := map[string][]string{} // by what keeps it from them
	for _, k := range n.Kinds {
		if text := inWords(k.Bars); text != "" {
			if parts[text] == nil {
				list = append(list, text)
			}
			parts[text] = append(parts[text], k.Part)
		}
	}
	if len(list) == 1 && len(parts[list[0]]) == len(n.Kinds) {
		return list[0]
	}
	for i, text := range list {
		list[i] = strings.Join(parts[text], " and ") + ": " + text
	}
	return strings.Join(list, "; ")
}

// inWords says what keeps a node from a job.
func inWords(bars []Bar) string {
	var list []string
	for _, b := range bars {
		if b.Has == "" {
			list = append(list, b.What)
		} else {
			list = append(list, b.What+" ("+b.Has+")")
		}
	}
	return strings.Join(list, ", ")
}

// line is a node in JSON.
type line struct {
	Node       string   `json:"node"`
	Host       string   `json:"host"`
	State      string   `json:"state"`
	IsUp       bool     `json:"up"`
	CPUsFree   float64  `json:"cpus_free"`
	CPUs       float64  `json:"cpus"`
	MemoryFree float64  `json:"mem_kb_free"`
	Memory     float64  `json:"mem_kb"`
	GPUsFree   float64  `json:"gpus_free"`
	GPUs       float64  `json:"gpus"`
	Queues     []string `json:"queues"`
	Properties []string `json:"properties"`
	Jobs       []Job    `json:"jobs"` // null where nothing tells
	NextEnd    *int64   `json:"next_end"`
	FreeBy     *int64   `json:"free_by"`
	Comment    string   `json:"comment,omitempty"`

	NextForecast   *int64 `json:"next_end_forecast,omitempty"`
	FreeByForecast *int64 `json:"free_by_forecast,omitempty"`

	RoomFor  *int     `json:"room_for,omitempty"`
	RoomWith []string `json:"room_with,omitempty"`
	WhyNot   []Bar    `json:"why_not,omitempty"`
	Kinds    []Kind   `json:"kinds,omitempty"`
}

// jobsText returns how many jobs are somewhere, "-" where nothing tells.
func (m *Machine) jobsText(count int) string {
	if m.IsUntold {
		return "-"
	}
	return strconv.Itoa(count)
}

func (m *Machine) line(n Node) line {
	orNull := func(at int64) *int64 {
		if at == 0 {
			return nil
		}
		return &at
	}
	l := line{n.Name, n.Host, n.State, n.IsUp, n.CPUs.Free, n.CPUs.All, n.Memory.Free, n.Memory.All, n.GPUs.Free, n.GPUs.All,
		append([]string{}, n.Queues...), append([]string{}, n.Properties...), append([]Job{}, n.Jobs...), orNull(n.nextEnd(Job.requested)), orNull(n.freeBy(Job.requested)), n.Comment, orNull(n.nextEnd(Job.forecast)), orNull(n.freeBy(Job.forecast)), nil, n.FitsWith, n.Bars, n.Kinds}
	if m.Asked != nil {
		l.RoomFor = &n.Fits
	}
	if m.IsUntold {
		l.Jobs = nil
	}
	return l
}

// WriteJSON writes one object: the time, what is asked for, and the nodes.
func (a *Answer) WriteJSON(w io.Writer) error {
	var lines []any
	for _, n := range a.nodes {
		lines = append(lines, a.Line(n))
	}
	of := a.overview()
	return report.WriteLine(w, struct {
		At           *int64         `json:"at"`
		Asked        *Asked         `json:"asked"`
		Nodes        []any          `json:"nodes"`
		States       map[string]int `json:"states"`
		Summary      []*group       `json:"summary"`
		Reservations []Reservation  `json:"reservations"`
		Outlook      []outlook      `json:"outlook,omitempty"`
	}{of.At, a.machine.Asked, append([]any{}, lines...), of.States, of.Summary, of.Reservations, a.outlooks()})
}

// Remarks says which of the users that a question is about run nowhere. A *diag.RequestError is for users of whom the site has none.
func (a *Answer) Remarks(q Question) ([]diag.Remark, error) {
	var running []string
	for i := range a.machine.Nodes {
		running = append(running, a.machine.Nodes[i].Users()...)
	}
	there := slices.Concat(running, a.machine.Known)
	slices.Sort(there)
	remarks, err := diag.CheckNames("user", q.Users, slices.Compact(there))
	if err != nil {
		return remarks, err
	}
	if idle := slices.DeleteFunc(slices.Clone(q.Users), func(name string) bool { return slices.Contains(running, name) || !slices.Contains(there, name) }); len(idle) > 0 {
		remarks = append(remarks, diag.NoneOf(idle, "runs there"))
	}
	if len(a.nodes) == 0 && len(a.machine.Nodes) > 0 {
		remarks = append(remarks, diag.Notef("none of %s is one that is asked for", report.Count(len(a.machine.Nodes), a.machine.Called)))
	}
	return remarks, nil
}
