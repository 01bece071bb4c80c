package nodes

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/report"
)

// Counts is how many there are of something, by what they are used for, as sinfo -s counts.
type Counts struct {
	Allocated float64 `json:"allocated"` // in use by jobs, of PBS also for a reservation that has it now
	Idle      float64 `json:"idle"`      // free for jobs
	Other     float64 `json:"other"`     // no job gets it now
	Total     float64 `json:"total"`
}

// String returns the counts as sinfo -s writes them.
func (c Counts) String() string {
	return strings.Join([]string{report.Plain(c.Allocated), report.Plain(c.Idle), report.Plain(c.Other), report.Plain(c.Total)}, "/")
}

// group is the nodes of a queue or a partition, or those of one kind that take the jobs of the same queues.
type group struct {
	Queues     string  `json:"queues"`
	State      string  `json:"state,omitempty"` // of a partition, or which of the queues do not take all jobs and start them
	Kind       string  `json:"kind,omitempty"`  // what each has, where the group is of one kind
	Nodes      Counts  `json:"nodes"`
	CPUs       Counts  `json:"cpus"`
	MemoryFree float64 `json:"mem_kb_free"`
	Memory     float64 `json:"mem_kb"`
	GPUsFree   float64 `json:"gpus_free"`
	GPUs       float64 `json:"gpus"`
	Jobs       *int    `json:"jobs"` // null where nothing tells

	list []Node
}

// groups returns some nodes by partitions, where the scheduler has these, and else by the queues whose jobs they take and by kind.
func (m *Machine) groups(list []Node) (all []*group) {
	of := func(queues, kind string) *group {
		at := slices.IndexFunc(all, func(g *group) bool { return g.Queues == queues && g.Kind == kind })
		if at < 0 {
			at, all = len(all), append(all, &group{Queues: queues, Kind: kind})
		}
		return all[at]
	}
	for _, partition := range m.Partitions {
		of(partition, "")
	}
	for _, n := range list {
		queues := strings.Join(n.Queues, ",")
		switch {
		case n.isBare():
		case m.Partitions == nil && n.IsOfAll:
			of("all", n.has()).add(n)
		case m.Partitions == nil || len(n.Queues) == 0:
			of(report.DashIfEmpty(queues), n.has()).add(n)
		default:
			for _, partition := range n.Queues {
				of(partition, "").add(n)
			}
		}
	}
	all = slices.DeleteFunc(all, func(g *group) bool { return m.Only != nil && m.Partitions != nil && !slices.Contains(m.Only, g.Queues) })
	for _, g := range all {
		g.State = m.stateOf(g)
		t := totalOf(g.list)
		g.MemoryFree, g.Memory, g.GPUsFree, g.GPUs, g.Jobs = t.Memory.Free, t.Memory.All, t.GPUs.Free, t.GPUs.All, &t.Jobs
		if m.IsUntold {
			g.Jobs = nil
		}
	}
	return all
}

// stateOf says of a partition whether it is UP, and of queues which of them are not open, and how.
func (m *Machine) stateOf(g *group) string {
	if slices.Contains(m.Partitions, g.Queues) {
		return cmp.Or(m.Closed[g.Queues], "UP")
	}
	var list []string
	for _, queue := range slices.Sorted(maps.Keys(m.Closed)) {
		if g.Queues == "all" && g.list[0].IsOfAll || slices.Contains(g.list[0].Queues, queue) {
			list = append(list, queue+": "+m.Closed[queue])
		}
	}
	return strings.Join(list, "; ")
}

// has says in words what a node has.
func (n *Node) has() string {
	list := []string{report.Plain(n.CPUs.All) + " cpus"}
	if n.Memory.All > 0 {
		list = append(list, report.Fixed(n.Memory.All/kbOfGB, 0)+" GB")
	}
	if n.GPUs.All > 0 {
		list = append(list, report.Count(int(n.GPUs.All), "GPU"))
	}
	return strings.Join(list, ", ")
}

// add counts a node.
func (g *group) add(n Node) {
	g.list = append(g.list, n)
	count := [...]*float64{isAllocated: &g.Nodes.Allocated, isIdle: &g.Nodes.Idle, isOther: &g.Nodes.Other}
	*count[n.use()]++
	g.Nodes.Total++
	cpus := n.cpus()
	g.CPUs.Allocated += cpus.Allocated
	g.CPUs.Idle += cpus.Idle
	g.CPUs.Other += cpus.Other
	g.CPUs.Total += cpus.Total
}

// Summary returns what nodes come to, by partitions or queues.
func (a *Answer) Summary() report.Sheet {
	all := a.overview()
	groups := all.Summary
	has := func(is func(g *group) bool) bool { return slices.ContainsFunc(groups, is) }
	queues, kind := func(g *group) string { return g.Queues }, func(g *group) string { return g.Kind }
	cell := func(of func(g *group) float64) func(*group) string {
		return func(g *group) string { return report.Plain(of(g)) }
	}
	amount := func(isShown bool, text func(Amount) string, of func(g *group) Amount) func(*group) string {
		if !isShown {
			return nil
		}
		return func(g *group) string {
			if of(g).All == 0 {
				return "-"
			}
			return text(of(g))
		}
	}
	title := strings.ToUpper(a.machine.Queue)
	each := report.Column[*group]{Name: "kind", Cell: kind}
	if a.machine.Partitions == nil {
		title += "S"
		each.Title, each.Text = "EACH HAS", kind
	}
	state := func(g *group) string { return g.State }
	stated := report.Column[*group]{Name: "state", Cell: state}
	if has(func(g *group) bool { return g.State != "" }) {
		stated.Title, stated.Text = "STATE", func(g *group) string {
			if starts := startsOf[g.State]; starts != "" {
				return g.State + " (" + starts + ")"
			}
			return report.DashIfEmpty(g.State)
		}
	}
	called := strings.ToUpper(a.machine.Called) + "S A/I/O/T"
	columns := []report.Column[*group]{
		{Title: title, Text: func(g *group) string { return report.Cut(g.Queues, 24) }, Name: "queues", Cell: queues}, each, stated,
		{Title: called, Text: func(g *group) string { return g.Nodes.String() }, Right: true},
		{Title: "CPUS A/I/O/T", Text: func(g *group) string { return g.CPUs.String() }, Right: true},
	}
	for _, c := range []struct {
		name string
		of   func(g *group) Counts
	}{{"nodes", func(g *group) Counts { return g.Nodes }}, {"cpus", func(g *group) Counts { return g.CPUs }}} {
		columns = append(columns,
			report.Column[*group]{Name: c.name + "_allocated", Cell: cell(func(g *group) float64 { return c.of(g).Allocated })},
			report.Column[*group]{Name: c.name + "_idle", Cell: cell(func(g *group) float64 { return c.of(g).Idle })},
			report.Column[*group]{Name: c.name + "_other", Cell: cell(func(g *group) float64 { return c.of(g).Other })},
			report.Column[*group]{Name: c.name, Cell: cell(func(g *group) float64 { return c.of(g).Total })})
	}
	jobs := func(g *group) string {
		if g.Jobs == nil {
			return ""
		}
		return strconv.Itoa(*g.Jobs)
	}
	columns = append(columns,
		report.Column[*group]{Title: "MEMORY FREE", Text: amount(has(func(g *group) bool { return g.Memory > 0 }), sizes, func(g *group) Amount { return Amount{Free: g.MemoryFree, All: g.Memory} }), Right: true, Name: "mem_kb_free", Cell: cell(func(g *group) float64 { return g.MemoryFree })},
		report.Column[*group]{Name: "mem_kb", Cell: cell(func(g *group) float64 { return g.Memory })},
		report.Column[*group]{Title: "GPUS FREE", Text: amount(has(func(g *group) bool { return g.GPUs > 0 }), counts, func(g *group) Amount { return Amount{Free: g.GPUsFree, All: g.GPUs} }), Right: true, Name: "gpus_free", Cell: cell(func(g *group) float64 { return g.GPUsFree })},
		report.Column[*group]{Name: "gpus", Cell: cell(func(g *group) float64 { return g.GPUs })},
		report.Column[*group]{Title: "JOBS", Text: func(g *group) string { return report.DashIfEmpty(jobs(g)) }, Right: true, Name: "jobs", Cell: jobs})
	return &summary{report.Listing[*group]{Columns: columns, Rows: slices.Values(groups)}, all}
}

// summary is what nodes come to, as it is printed.
type summary struct {
	report.Listing[*group]
	overview overview
}

// WriteJSON writes one object.
func (s *summary) WriteJSON(w io.Writer) error { return report.WriteLine(w, s.overview) }

// overview is what nodes come to in JSON.
type overview struct {
	At           *int64         `json:"at"`
	States       map[string]int `json:"states"` // how many nodes are in each
	Summary      []*group       `json:"summary"`
	Reservations []Reservation  `json:"reservations"`
}

func (a *Answer) overview() overview {
	of := overview{States: map[string]int{}, Summary: a.machine.groups(a.nodes), Reservations: append([]Reservation{}, a.machine.Reservations...)}
	if a.machine.At > 0 {
		of.At = &a.machine.At
	}
	for _, s := range totalOf(a.nodes).States {
		of.States[s.Name] = s.Nodes
	}
	return of
}

// Reservation is what is set aside for some time, now or later.
type Reservation struct {
	Name  string   `json:"name"`
	Start int64    `json:"start"`
	End   int64    `json:"end,omitempty"` // 0 for one that has no end
	Nodes []string `json:"nodes"`
	Note  string   `json:"note,omitempty"` // what else there is to say of it

	IsOfWhole bool `json:"-"` // whether its nodes are kept whole, so that what of them is free is its own
}

// reserved says how many of the free CPUs of some nodes are of reservations that last, and of which; "" where none is.
func (m *Machine) reserved(list []Node) string {
	var names []string
	isCounted, cpus := map[string]bool{}, 0.0
	for _, k := range m.Reservations {
		if !k.IsOfWhole || k.Start > m.At {
			continue
		}
		isOf := false
		for i := range list {
			if n := &list[i]; n.IsUp && n.CPUs.Free > 0 && slices.Contains(k.Nodes, n.Name) {
				isOf = true
				if !isCounted[n.Name] {
					isCounted[n.Name] = true
					cpus += n.CPUs.Free
				}
			}
		}
		if isOf {
			names = append(names, k.Name)
		}
	}
	if names == nil {
		return ""
	}
	return fmt.Sprintf("%s of them reserved (%s)", report.Plain(cpus), strings.Join(names, ", "))
}

// startsOf says what a partition does in a state other than UP.
var startsOf = map[string]string{"DOWN": "starts no job", "DRAIN": "takes no job", "INACTIVE": "takes and starts no job"}

// Legend says what the counts of a summary are: as sinfo counts, reserved nodes on which nothing runs are idle, but vnodes are those of
// a reservation.
func (a *Answer) Legend() string {
	if a.machine.Partitions != nil {
		return "A/I/O/T: allocated to jobs, idle (also if it is reserved), others that take no job now, total"
	}
	return "A/I/O/T: allocated to jobs or reserved now, idle, others that take no job now, total"
}

// longestRange is how many characters of the names of several nodes are shown.
const longestRange = 48

// Reserved says of each reservation that lasts or is to come until when it has which of some nodes, in the order in which they begin.
func (a *Answer) Reserved() (lines []string) {
	m := a.machine
	list := slices.Clone(m.Reservations)
	slices.SortStableFunc(list, func(x, y Reservation) int { return cmp.Compare(x.Start, y.Start) })
	isShown := map[string]bool{}
	for _, n := range a.nodes {
		isShown[n.Name] = true
	}
	for _, r := range list {
		names := slices.DeleteFunc(slices.Clone(r.Nodes), func(name string) bool { return !isShown[name] })
		if len(names) == 0 {
			continue
		}
		text := "reserved: " + r.Name
		if r.Start > m.At {
			text += " from " + clock(r.Start, m.Zone)
		}
		if r.End > 0 {
			text += " until " + clock(r.End, m.Zone)
		}
		if text += " on " + report.Cut(Ranges(names), longestRange); r.Note != "" {
			text += " (" + r.Note + ")"
		}
		lines = append(lines, text)
	}
	return lines
}
