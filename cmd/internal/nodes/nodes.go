// Package nodes says what the nodes of a site have and what of it is free, who runs there and until when, and what keeps
// each of them from a job that asks for something. What a node has room for, the site's scheduler says.
package nodes

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"fairshare/cmd/internal/diag"
)

// Question is what is asked of the nodes of a site.
type Question struct {
	Submit string   // what a job asks for that is not there yet, "" for none
	Job    string   // which job that waits is asked about as if it were one that is not there yet, "" for none
	Queue  string   // where it would be submitted, and whose nodes alone are shown; "" for that which Submit names, or all
	User   string   // who would submit it, "" where nothing tells
	Users  []string // on whose nodes alone is looked, nil for all
	Names  []string // the nodes that alone are shown, as the scheduler finds them by names, patterns and properties; nil for all
	States []string // in which alone nodes are shown, see Machine.States; nil for all
	IsEach bool     // whether each node has a row of the table, however many there are
	IsFree bool     // whether nodes alone are shown on which something may start
	IsLong bool     // whether the table has long comments in full

	Settings []string // what if?
}

// OfJob reports whether it is asked what becomes of a job.
func (q Question) OfJob() bool { return q.Submit != "" || q.Job != "" }

// SayIdle says which of some settings change nothing of the nodes: those that are not of places, where nothing is asked of the nodes.
func (q Question) SayIdle(names []string, isOfPlaces func(name string) bool) (remarks []diag.Remark) {
	for _, name := range names {
		if !q.OfJob() && !isOfPlaces(name) {
			remarks = append(remarks, diag.Warningf("%s changes nothing of what nodes have and who runs there: --submit says what becomes of a job under it, sort and when of those that wait", name).OfAsked())
		}
	}
	return remarks
}

// Machine is the nodes of a site at a time.
type Machine struct {
	At    int64 // in seconds since 1970, 0 where nothing tells
	Zone  *time.Location
	Nodes []Node
	Asked *Asked   // nil where nothing is asked for
	Only  []string // the queues whose nodes alone are asked about, nil for all
	Named []string // the nodes that Question.Names stands for
	Known []string // users of the site, whether they run there or not

	States       []string          // in which nodes may be at all, in small letters
	Partitions   []string          // by which nodes are summed up, in their order; nil where that is by the queues whose jobs they take
	Closed       map[string]string // what is to be said of queues and partitions that do not take all jobs and start them, such as "not started"
	Reservations []Reservation     // those that last or are to come

	Waiting []Waiting // the jobs that wait, where Question.IsTold; else nil

	IsForecast bool // whether it is forecast when jobs end
	IsUntold   bool // whether jobs run there, and nothing tells which

	Called string // what the scheduler calls a node, such as "vnode"
	Parts  string // of which kind of parts of a job Node.Fits counts, such as "chunks"
	Queue  string // and a queue
	Why    string // and Node.Comment, such as "reason"
}

// Node is a host, or a part of one that the scheduler knows for itself.
type Node struct {
	Name, Host string
	State      string   // as the scheduler prints it
	Words      []string // the words of Machine.States by which it is found
	IsUp       bool     // whether it is neither down nor offline and some scheduler places jobs on it, so that what it has counts; one that takes no job just now has no CPUs free
	Queues     []string
	IsOfAll    bool // whether jobs of all queues may run on it
	Properties []string
	Comment    string // why it is as it is, as the scheduler has it in words; "" for nothing

	CPUs, Memory, GPUs Amount // Memory in kb
	HasElse            bool   // whether it has something else that jobs use up, such as licences
	Jobs               []Job

	Fits     int      // how often it has room for a part of what is asked for, such as a chunk
	FitsWith []string // nodes with which it has it, where such a part is broken over several
	Bars     []Bar    // what keeps it from all of that, none where it has room
	Doubt    string   // what of the room that it has may not be free, "" for nothing
	names    []string // of the nodes that are folded into this one, nil for one node
	Kinds    []Kind   // of which these are the sums, where several kinds of parts are asked for
}

// Kind is a kind of the parts that are asked for, and how often a node has room for one, or what keeps it from that.
type Kind struct {
	Part string `json:"part"` // such as "ncpus=8:ngpus=4"
	Fits int    `json:"room_for"`
	Bars []Bar  `json:"why_not,omitempty"`
}

// Amount is how much of a resource there is.
type Amount struct {
	Free, All float64
	Idle      float64 // what nobody uses and no job gets just now, as the state of the node keeps it from all
}

// Used returns what is in use of it.
func (a Amount) Used() float64 { return max(0, a.All-a.Free-a.Idle) }

// Close keeps what is free from all jobs.
func (a *Amount) Close() { a.Free, a.Idle = 0, a.Idle+a.Free }

// Job is a job that has something of a node.
type Job struct {
	ID   string  `json:"id"`
	User string  `json:"user"`
	CPUs float64 `json:"cpus"` // of this node
	End  int64   `json:"end"`  // when it ends by what it asked for, 0 where nothing tells

	Forecast int64 `json:"forecast,omitempty"` // when it is forecast to end, 0 where nothing is forecast of it
}

// Bar is what keeps a node from a job.
type Bar struct {
	What string `json:"what"` // such as "ncpus", "state" or "queue"
	Has  string `json:"has"`  // what is asked of it and what the node has, in words; "" where there is nothing to say
}

// Asked is what a job asks for, and what becomes of it.
type Asked struct {
	Text     string   `json:"text"`
	IsListed bool     `json:"listed,omitempty"` // whether it is a job that waits
	Queue    string   `json:"queue"`            // that of the question, that which it names itself or that which jobs without one get; "" for any
	Fits     bool     `json:"fits"`             // whether there is room for all of it now
	Places   []string `json:"nodes"`            // where that is
	Never    bool     `json:"never"`            // whether there would be none if nothing ran

	IsUntimed bool `json:"-"` // whether what tells this tells nothing of when it would start

	Kept string `json:"kept,omitempty"` // that something which is not told keeps it all the same, "" where nothing tells that

	Lacks string `json:"lacks,omitempty"` // what nodes that have room for parts of it lack together, or what none of them ever has; "" where nothing

	Unknown string `json:"not_known,omitempty"` // which nodes with room for parts of it are not counted, and what else of them is not known; "" for nothing

	Refused string `json:"refused,omitempty"` // why the scheduler does not take it, "" if it does
	Now     string `json:"now,omitempty"`     // what a cycle makes of it that looks at no other one, such as "starts"; "" where none is gone through

	Later string `json:"later,omitempty"` // why it is not eligible yet, such as "is not eligible before 2026-11-28 08:00 (--begin)": what is free then is not looked at

	Preempts []string `json:"preempts,omitempty"` // jobs that run and go for it, if it starts only so
	Reached  string   `json:"reached,omitempty"`  // the limit that they have reached, "" for none
	IsBarred bool     `json:"-"`                  // whether Now is so wherever there is room

	Says string `json:"comment,omitempty"` // what the scheduler itself says keeps the job from starting, where not all that it asks for is known; "" for nothing

	Default *Asked `json:"default,omitempty"` // what becomes of it in the queue to which it goes where it names none, nil where it names one or there is none
}

// Refusal says why the scheduler does not take what is asked for, "" if it does: where no queue is named, in that to which it goes
// then.
func (m *Machine) Refusal() string {
	switch x := m.Asked; {
	case x == nil:
		return ""
	case x.Refused == "" && x.Default != nil:
		return x.Default.Refused
	default:
		return x.Refused
	}
}

// The two ends of a job: by what it asked for, and as it is forecast.
func (j Job) requested() int64 { return j.End }
func (j Job) forecast() int64  { return j.Forecast }

// nextEnd returns when the first job of a node ends, 0 where none runs or nothing tells.
func (n *Node) nextEnd(of func(Job) int64) int64 {
	first := int64(0)
	for _, j := range n.Jobs {
		if end := of(j); end > 0 && (first == 0 || end < first) {
			first = end
		}
	}
	return first
}

// freeBy returns when all jobs of a node have ended, 0 where none runs or nothing tells of one.
func (n *Node) freeBy(of func(Job) int64) int64 {
	last := int64(0)
	for _, j := range n.Jobs {
		end := of(j)
		if end == 0 {
			return 0
		}
		last = max(last, end)
	}
	return last
}

// Forecast gives the jobs the ends that are forecast of them, by ID.
func (m *Machine) Forecast(ends map[string]int64) {
	m.IsForecast = ends != nil
	for _, n := range m.Nodes {
		for i := range n.Jobs {
			n.Jobs[i].Forecast = ends[n.Jobs[i].ID]
		}
	}
}

// HasRoom reports whether something may start on a node.
func (n *Node) HasRoom() bool { return n.IsUp && n.CPUs.Free > 0 }

// Users returns who runs on a node, each once.
func (n *Node) Users() []string {
	var names []string
	for _, j := range n.Jobs {
		if j.User != "" && !slices.Contains(names, j.User) {
			names = append(names, j.User)
		}
	}
	slices.Sort(names)
	return names
}

// Chosen returns the nodes that a question is about.
func (m *Machine) Chosen(q Question) []Node {
	isAsked := func(queue string) bool { return slices.Contains(m.Only, queue) }
	var list []Node
	for _, n := range m.Nodes {
		isOfUser := q.Users == nil || slices.ContainsFunc(n.Jobs, func(j Job) bool { return slices.Contains(q.Users, j.User) })
		isOfQueue := m.Only == nil || n.IsOfAll || slices.ContainsFunc(n.Queues, isAsked)
		isNamed := q.Names == nil || slices.Contains(m.Named, n.Name)
		if isOfUser && isOfQueue && isNamed && (q.States == nil || n.IsIn(q.States)) && (!q.IsFree || n.HasRoom()) {
			list = append(list, n)
		}
	}
	return list
}

// Total is what some nodes come to.
type Total struct {
	Nodes, Up, Free    int // Free those on which something may start
	Jobs               int
	CPUs, Memory, GPUs Amount // of the nodes that are up
	States             []State
	Bare               []string // those that have nothing that jobs could run on, and count nowhere else
}

// State is how many nodes are in a state.
type State struct {
	Name  string
	Nodes int
}

// isBare reports whether a node that is up has nothing that jobs could run on, such as the host of PBS's server.
func (n *Node) isBare() bool {
	return n.IsUp && n.CPUs.All == 0 && n.GPUs.All == 0 && !n.HasElse && len(n.Jobs) == 0
}

// Total returns what the nodes that are asked about come to.
func (m *Machine) Total() Total { return totalOf(m.Chosen(Question{})) }

// MostCPUs returns how many CPUs some hosts have free, those that have most of them, and how many the largest one has.
func (m *Machine) MostCPUs(hosts int) (free, largest int) {
	has, all := map[string]float64{}, map[string]float64{}
	for _, n := range m.Chosen(Question{}) {
		host := cmp.Or(n.Host, n.Name)
		if all[host] += n.CPUs.All; n.IsUp {
			has[host] += n.CPUs.Free
		}
	}
	sum := 0.
	for i, cpus := range slices.Backward(slices.Sorted(maps.Values(has))) {
		if i < len(has)-hosts {
			break
		}
		sum += cpus
	}
	return int(sum), int(slices.Max(append(slices.Collect(maps.Values(all)), 0)))
}

// totalOf returns what nodes come to. A job that has something of several is one.
func totalOf(list []Node) Total {
	var t Total
	states, jobs := map[string]int{}, map[string]bool{}
	for i := range list {
		n := &list[i]
		if n.isBare() {
			t.Bare = append(t.Bare, n.Name)
			continue
		}
		t.Nodes++
		states[n.State]++
		for _, j := range n.Jobs {
			jobs[j.ID] = true
		}
		if n.HasRoom() {
			t.Free++
		}
		if !n.IsUp {
			continue
		}
		t.Up++
		for _, sum := range [...]struct{ of, a *Amount }{{&t.CPUs, &n.CPUs}, {&t.Memory, &n.Memory}, {&t.GPUs, &n.GPUs}} {
			sum.of.All += sum.a.All
			sum.of.Free += max(0, sum.a.Free)
			sum.of.Idle += max(0, sum.a.Idle)
		}
	}
	t.Jobs = len(jobs)
	for name, n := range states {
		t.States = append(t.States, State{name, n})
	}
	slices.SortFunc(t.States, func(a, b State) int { return cmp.Or(b.Nodes-a.Nodes, cmp.Compare(a.Name, b.Name)) })
	return t
}
