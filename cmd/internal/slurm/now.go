package slurm

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pattern"
)

// ListedJob is a job that has not ended: besides what orders it, what it asks of the nodes, and since when
// and where it runs.
type ListedJob struct {
	Job
	Name        string
	Started     time.Time          // of one that waits, when Slurm expects to start it; zero when unknown
	Ends        time.Time          // when it is to end at the latest, or when one that is COMPLETING ended; zero when unknown
	Suspended   time.Time          // when one was suspended or went on last, zero for never
	RanBefore   int64              // for how many seconds it had run before
	Preempted   time.Time          // since when one is being preempted, zero for one that is not
	Nodes       []string           // on which it runs
	OfNodes     []NodeShare        // what it has of each of them, where that is told (scontrol -d, JSON); nil where it is not
	Given       map[string]float64 // what it has there (AllocTRES), which is more than TRES on whole nodes; nil where TRES is that
	MinNodes    int32
	MaxNodes    int32 // 0 where it did not say
	CPUs        int32
	Tasks       int32
	TaskCPUs    int32
	NodeTasks   int32 // tasks on each node, 0 where it did not say
	SocketTasks int32 // and on each socket
	NodeMemory  int64 // MB on each node, 0 where CPUMemory counts
	CPUMemory   int64 // MB for each CPU
	AllMemory   bool  // whether it has all memory of its nodes
	NodeGRES    map[string]int32
	JobGRES     map[string]int32 // of all nodes together
	TaskGRES    map[string]int32
	Switches    int32 // on no more than so many (--switches), 0 for any number
	SwitchWait  int64 // for as many seconds, negative for as long as may be
	Threads     int32 // of each core that its tasks run on, 0 for all
	Features    string
	Wanted      []string // nodes that it asks for by name (sbatch -w)
	Unwanted    []string // and those that it refuses (-x)

	Throttle int32 // how many tasks of its array may run at a time, 0 for any number
	Licenses string

	Dependency string // what it waits for of others, "" for nothing

	Restarts      int64 // how often it was queued again
	TellsRestarts bool  // whether the list says that

	Requeue   bool // whether it waits again when it is taken off its nodes, where the list says it: a batch job that may
	NoRequeue bool // and whether it does not

	ExclusiveTopology bool // whether it has its part of the topology for itself (--exclusive=topo)

	NodeCPUs int32    // of each node at least, also where a limit of memory for each CPU has raised them
	Lacks    []Lack   // what it asks for that is not modelled, where it waits
	Unknown  []string // its fields that are not known here
	Missing  []string // and those that it lacks, which Slurm prints of every job
}

// Has returns what a job that runs or is suspended has: as it prints, or what it asked for where it prints that alone.
func (n *ListedJob) Has() map[string]float64 {
	if n.Given != nil {
		return n.Given
	}
	return n.TRES
}

// RaisedCPUs returns how many CPUs each task of a job has where MaxMemPerCPU has made them more than it asks for, 0 where it
// has not.
func (n *ListedJob) RaisedCPUs() int32 {
	each := (n.NodeCPUs + max(1, n.NodeTasks) - 1) / max(1, n.NodeTasks)
	if each > max(1, n.TaskCPUs) && (n.Tasks <= 1 || n.NodeTasks > 0) {
		return each
	}
	return 0
}

// ParseNow reads scontrol show job as ParseJobs does, with all that a scheduler knows of the jobs, and leaves out those
// of which not all of that can be read.
func ParseNow(text string, local *time.Location) (jobs []ListedJob, problems []*file.Problem, err error) {
	return parseNow(text, local, func(n *ListedJob, wrong error) error { return fmt.Errorf("job %s: %w", n.ID, wrong) })
}

// ParseListed reads scontrol show job as ParseJobs does, with what a scheduler knows of the jobs. Of one of which not
// all of that can be read, it is zero.
func ParseListed(text string, local *time.Location) (jobs []ListedJob, problems []*file.Problem, err error) {
	return parseNow(text, local, func(n *ListedJob, _ error) error {
		*n = ListedJob{Job: n.Job, Unknown: n.Unknown, Missing: n.Missing}
		return nil
	})
}

// parseNow reads jobs, and lets a function say what becomes of one of which not all can be read.
func parseNow(text string, local *time.Location, repair func(n *ListedJob, wrong error) error) (jobs []ListedJob, problems []*file.Problem, err error) {
	problems, err = eachJob(text, local, func(fields map[string]string) error {
		j, err := newJob(fields, local)
		if err != nil {
			return err
		}
		n := ListedJob{Job: j, Unknown: unknown(fields)}
		_, n.Missing = missing(fields)
		if wrong := n.read(fields, local); wrong != nil {
			if err := repair(&n, wrong); err != nil {
				return err
			}
		}
		jobs = append(jobs, n)
		return nil
	})
	return jobs, problems, err
}

// read reads the fields that a Job does not have.
func (n *ListedJob) read(fields map[string]string, local *time.Location) (err error) {
	has := func(key string) bool { return fields[key] != "" && fields[key] != "(null)" && fields[key] != "N/A" }
	for _, x := range []struct {
		key  string
		into *time.Time
	}{{"StartTime", &n.Started}, {"EndTime", &n.Ends}, {"SuspendTime", &n.Suspended}, {"PreemptTime", &n.Preempted}} {
		if text := fields[x.key]; has(x.key) && text != "Unknown" && text != "None" {
			if *x.into, err = time.ParseInLocation("2006-01-02T15:04:05", text, local); err != nil {
				return fmt.Errorf("%s %q is not a time", x.key, text)
			}
		}
	}
	if text := fields["SecsPreSuspend"]; has("SecsPreSuspend") {
		if n.RanBefore, err = strconv.ParseInt(text, 10, 64); err != nil {
			return fmt.Errorf("SecsPreSuspend %q is no number of seconds", text)
		}
	}
	if n.Nodes, err = Hostlist(fields["NodeList"]); err != nil {
		return err
	}
	if has("AllocTRES") {
		given, err := ParseAmounts(fields["AllocTRES"])
		if err != nil {
			return fmt.Errorf("AllocTRES: %w", err)
		}
		n.Given = AmountsByName(given)
	}
	var most int32
	for _, x := range []struct {
		key      string
		low, top *int32
	}{{"NumNodes", &n.MinNodes, &n.MaxNodes}, {"NumCPUs", &n.CPUs, &most}, {"NumTasks", &n.Tasks, &most}} {
		if text := fields[x.key]; has(x.key) && !isSpan().MatchString(text) {
			return fmt.Errorf("%s %q is no number that a job has", x.key, text)
		}
		*x.low, *x.top = span(fields[x.key])
	}
	odd := func(key string) {
		n.Lacks = append(n.Lacks, Lack{key + "=" + fields[key], fmt.Sprintf("ask by %s for something that cannot be read (%s)", key, fields[key])})
	}
	for _, key := range []string{"CPUs/Task", "MinCPUsNode", "ArrayTaskThrottle"} {
		if has(key) && !isSpan().MatchString(fields[key]) {
			odd(key)
		}
	}
	n.TaskCPUs, _ = span(fields["CPUs/Task"])
	perNode, others, _ := strings.Cut(fields["NtasksPerN:B:S:C"], ":")
	n.NodeTasks, _ = span(perNode)
	if of := strings.Split(others, ":"); len(of) == 3 { // of boards, sockets and cores
		n.SocketTasks, _ = span(of[1])
	}
	for _, x := range []struct {
		key  string
		into *int64
	}{{"MinMemoryNode", &n.NodeMemory}, {"MinMemoryCPU", &n.CPUMemory}} {
		if !has(x.key) {
			continue
		}
		amounts, err := ParseAmounts("mem=" + fields[x.key])
		if err != nil || len(amounts) != 1 || amounts[0].Count >= 1e12 {
			odd(x.key)
			continue
		}
		*x.into = int64(amounts[0].Count)
	}
	n.AllMemory = fields["MinMemoryNode"] == "0"
	n.readGRES(fields)
	if has("Features") {
		n.Features = fields["Features"]
	}
	if n.Array != "" {
		n.Throttle, _ = span(fields["ArrayTaskThrottle"])
	}
	if times, err := strconv.ParseInt(fields["Restarts"], 10, 64); err == nil {
		n.Restarts, n.TellsRestarts = times, true
	}
	n.Name = fields["JobName"]
	n.ExclusiveTopology = fields["OverSubscribe"] == "TOPO"
	if n.Wanted, err = Hostlist(fields["ReqNodeList"]); err != nil {
		return fmt.Errorf("ReqNodeList: %w", err)
	}
	if n.Unwanted, err = Hostlist(fields["ExcNodeList"]); err != nil {
		return fmt.Errorf("ExcNodeList: %w", err)
	}
	if at := strings.LastIndexByte(fields["ReqB:S:C:T"], ':'); at >= 0 {
		n.Threads, _ = span(fields["ReqB:S:C:T"][at+1:])
	}
	if has("Dependency") && n.State == "PENDING" {
		n.Dependency = fields["Dependency"]
	}
	if has("Licenses") {
		n.Licenses = fields["Licenses"]
	}
	if count, wait, isTimed := strings.Cut(fields["Switches"], "@"); has("Switches") {
		n.Switches, _ = span(count)
		n.SwitchWait = -1
		seconds, err := Duration(wait)
		if isTimed && err == nil {
			n.SwitchWait = int64(min(max(0, seconds), math.MaxInt32))
		}
		if !isSpan().MatchString(count) || isTimed && err != nil {
			odd("Switches")
		}
	}
	n.OfNodes = n.sharesOf(fields[ofEachNode])
	n.NodeCPUs, _ = span(fields["MinCPUsNode"])
	n.NoRequeue = fields["Requeue"] == "0" || fields["BatchFlag"] == "0"
	n.Requeue = fields["Requeue"] != "" && !n.NoRequeue
	if n.Lacks = append(n.Lacks, lacking(fields)...); n.State != "PENDING" {
		n.Lacks = nil
	}
	return nil
}

// readGRES reads what a job asks for of generic resources on each node, on all nodes together and for each task.
func (n *ListedJob) readGRES(fields map[string]string) {
	n.NodeGRES, n.JobGRES, n.TaskGRES = amountsOfGRES(fields["TresPerNode"]), amountsOfGRES(fields["TresPerJob"]), amountsOfGRES(fields["TresPerTask"])
	if len(n.NodeGRES)+len(n.JobGRES)+len(n.TaskGRES) > 0 {
		return
	}
	nodes := max(1, int32(n.TRES["node"]))
	for name, x := range n.TRES {
		if strings.HasPrefix(name, "gres/") && x >= 1 {
			n.NodeGRES[name] = (int32(min(x, mostGRES)) + nodes - 1) / nodes
		}
	}
}

// mostGRES is more than any job asks for of a generic resource.
const mostGRES = 1 << 20

// amountsOfGRES reads generic resources such as gres/gpu:2 or gres:gpu:a100:1, and passes over others (cpu=4).
func amountsOfGRES(text string) map[string]int32 {
	amounts := map[string]int32{}
	for part := range strings.SplitSeq(text, ",") {
		name, isNamed := strings.CutPrefix(part, "gres:")
		if !isNamed {
			name, isNamed = strings.CutPrefix(part, "gres/")
		}
		if !isNamed && (strings.HasPrefix(part, "cpu=") || strings.HasPrefix(part, "cpu:") || strings.HasPrefix(part, "mem")) {
			continue
		}
		list, err := ParseGRES(strings.ReplaceAll(name, "=", ":"))
		if err != nil {
			continue
		}
		for _, a := range list {
			amounts[a.Name] += int32(min(a.Count, mostGRES))
		}
	}
	return amounts
}

// isSpan matches what span reads, of numbers of which the machine could have as many.
var isSpan = pattern.Of(`^[0-9]{1,6}(-[0-9]{1,6})?$`)

// span reads a number such as 4, or two such as 4-8. The second is 0 where there is one only.
func span(text string) (low, high int32) {
	const most = 1 << 20
	first, last, isSpan := strings.Cut(text, "-")
	number := func(text string) int32 {
		n, _ := strconv.ParseInt(text, 10, 64)
		return int32(min(max(0, n), most))
	}
	if low = number(first); isSpan {
		high = number(last)
	}
	return low, high
}
