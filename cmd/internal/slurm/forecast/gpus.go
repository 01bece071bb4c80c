package forecast

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/slurm/sched"
)

// perGPU are the options that ask for something with each GPU.
var perGPU = []string{"cpus-per-gpu", "mem-per-gpu", "ntasks-per-gpu"}

// ofMemory are the options that ask for memory, of which sbatch takes one alone.
var ofMemory = []string{"mem", "mem-per-cpu", "mem-per-gpu"}

// noGRES is what sbatch and slurmctld say of GPUs that are asked for in ways that do not go together.
const noGRES = "Invalid generic resource (gres) specification"

// gpuList is what a job asks of GPUs, such as a100:2,t4:1.
type gpuList struct {
	text  string
	count int
	types []string // "" for any
}

// readGPUs reads an amount of GPUs, such as 2, a100:2, a100 or a100:2,t4:1; of gres, which names other kinds as well, the GPUs.
func (o options) readGPUs(name string) (list gpuList) {
	var texts []string
	for part := range strings.SplitSeq(o[name], ",") {
		if name == "gres" {
			rest, isGPU := strings.CutPrefix(part+":", "gpu:")
			if part = strings.TrimSuffix(rest, ":"); !isGPU {
				continue
			} else if part == "" {
				part = "1"
			}
		}
		kind, count, isCounted := strings.Cut(part, ":")
		n, err := strconv.Atoi(part)
		switch {
		case part == "":
			continue
		case isCounted:
			n, _ = strconv.Atoi(count)
		case err == nil:
			kind = ""
		default:
			n = 1
		}
		if n > 0 {
			list.count += n
			list.types = append(list.types, kind)
			texts = append(texts, part)
		}
	}
	list.text = strings.Join(texts, ",")
	return list
}

// each returns as many GPUs of the type of a list, which has one.
func (l gpuList) each(n int) string {
	if l.types[0] == "" {
		return strconv.Itoa(n)
	}
	return l.types[0] + ":" + strconv.Itoa(n)
}

// number returns the number that an option asks for, 0 for none.
func (o options) number(name string) int {
	n, _ := strconv.Atoi(o[name])
	return n
}

// nodes returns how many nodes are asked for at least, 0 where that is not said, and at most of a range, 0 where none is asked for.
func (o options) nodes() (least, most int) {
	low, high, _ := strings.Cut(o["nodes"], "-")
	least, _ = strconv.Atoi(low)
	most, _ = strconv.Atoi(high)
	return least, most
}

// set lets an option ask for a number.
func (o options) set(name string, n int) { o[name] = strconv.Itoa(n) }

// unshared returns that GPUs are asked for together with something so that it is not modelled where the job would run.
func unshared(name, with string) error {
	return wrong("%s with %s is not modelled here: %s", name, with, ofGPUs)
}

// share lets options ask for GPUs by gres, gpus or gpus-per-task alone, and for what goes with each GPU by tasks, CPUs and memory, as
// sbatch and slurmctld 22.05 were recorded to read them (testdata/slurm-submit/gpus.tsv). Where each GPU comes with CPUs, it counts as
// a task that has them, so that the job has as many CPUs of a node as its GPUs there bring.
func (o options) share() error {
	node, job, task := o.joinPerNode()
	tasks, tasksPerGPU := o.number("ntasks"), o.number("ntasks-per-gpu")
	low, _ := o.nodes()
	_, hasCPUs := o["cpus-per-task"]
	_, isByCPUs := o["cpus"]
	switch {
	case tasksPerGPU > 0 && task.count > 0:
		return refused("--gpus-per-task is mutually exclusive with --ntasks-per-gpu and SLURM_NTASKS_PER_GPU", "gpus-per-task and ntasks-per-gpu cannot both be asked for")
	case tasksPerGPU > 0 && o["ntasks-per-node"] != "":
		return refused("--ntasks-per-node is mutually exclusive with --ntasks-per-gpu and SLURM_NTASKS_PER_GPU", "ntasks-per-node and ntasks-per-gpu cannot both be asked for")
	case o["cpus-per-gpu"] != "" && hasCPUs:
		return refused(noGRES, "cpus-per-gpu and cpus-per-task cannot both be asked for")
	case o["cpus-per-gpu"] != "" && task.count > 0:
		return refused(noGRES, "cpus-per-gpu and gpus-per-task cannot both be asked for, as slurmctld 22.05 has it")
	case isByCPUs && (tasksPerGPU > 0 || o["cpus-per-gpu"] != ""):
		return wrong("cpus cannot be asked for beside those of each GPU")
	case o["mem-per-gpu"] != "" && node.count+job.count+task.count+tasksPerGPU == 0:
		return refused(noGRES, "mem-per-gpu asks for memory with each GPU, and no GPU is asked for")
	case tasksPerGPU > 0 && node.count+job.count == 0 && tasks == 0 && low > 0:
		return unshared("ntasks-per-gpu", "nodes alone")
	case tasksPerGPU > 0 && node.count+job.count == 0 && (tasks == 0 || tasks%tasksPerGPU > 0):
		return refused(noGRES, "ntasks-per-gpu needs GPUs, or ntasks that are a multiple of it")
	case tasksPerGPU > 0 && node.count+job.count == 0:
		job = gpuList{text: strconv.Itoa(tasks / tasksPerGPU), count: tasks / tasksPerGPU, types: []string{""}}
		o["gpus"] = job.text
	}
	err := o.agree(node, job, task)
	if err != nil {
		return err
	}
	switch {
	case task.count > 0:
		o.memoryOf(task.count, max(1, o.number("cpus-per-task")))
	case node.count > 0:
		err = o.shareOfNode(node)
	case job.count > 0:
		err = o.shareOfJob(job)
	}
	for _, name := range perGPU {
		delete(o, name)
	}
	return err
}

// withUsualCPUs returns what a job asks for whose GPUs bring the CPUs of JobDefaults (DefCpuPerGPU in man slurm.conf: where it says
// neither --cpus-per-task nor --cpus-per-gpu), and how many each brings; 0 where they bring none, or not so that it is modelled.
func (o options) withUsualCPUs(defaults string) (options, int) {
	each := 0
	for part := range strings.SplitSeq(defaults, ",") {
		if name, value, _ := strings.Cut(part, "="); strings.EqualFold(name, "DefCpuPerGPU") {
			each, _ = strconv.Atoi(value)
		}
	}
	gpus := o.readGPUs("gres").count + o.readGPUs("gpus").count + o.readGPUs("gpus-per-node").count + o.readGPUs("gpus-per-task").count
	if each <= 0 || gpus == 0 || o.hasAny([]string{"cpus-per-task", "cpus-per-gpu", "cpus"}) {
		return o, 0
	}
	with := maps.Clone(o)
	with.set("cpus-per-gpu", each)
	if maps.Clone(with).share() != nil {
		return o, 0
	}
	return with, each
}

// joinPerNode lets options ask for GPUs of each node by gres alone, which counts before gpus-per-node where both ask for GPUs, and
// leaves out amounts of none. It returns those of each node, of the job and of each task.
func (o options) joinPerNode() (node, job, task gpuList) {
	if each := o.readGPUs("gpus-per-node"); each.count > 0 && o.readGPUs("gres").count == 0 {
		o["gres"] = strings.Trim("gpu:"+strings.ReplaceAll(each.text, ",", ",gpu:")+","+o["gres"], ",")
	}
	delete(o, "gpus-per-node")
	var parts []string
	for part := range strings.SplitSeq(o["gres"], ",") {
		if part != "" && part != "none" && !strings.HasSuffix(part, ":0") {
			parts = append(parts, part)
		}
	}
	if o["gres"] = strings.Join(parts, ","); parts == nil {
		delete(o, "gres")
	}
	read := func(name string) gpuList {
		list := o.readGPUs(name)
		if o[name] = list.text; list.count == 0 {
			delete(o, name)
		}
		return list
	}
	return o.readGPUs("gres"), read("gpus"), read("gpus-per-task")
}

// agree returns which amounts of GPUs do not go together: of each node, of the job, and of each task. Those of the job are told by the
// nodes or the tasks then.
func (o options) agree(node, job, task gpuList) error {
	tasks := o.number("ntasks")
	nodes, most := o.nodes()
	switch {
	case node.count > 0 && task.count > 0:
		return unshared("gpus-per-task", "GPUs of each node")
	case job.count > 0 && job.count < nodes:
		return refused(noGRES, "gpus=%s are fewer than nodes=%s", o["gpus"], o["nodes"])
	case task.count > 0 && job.count == 0 && tasks == 0 && nodes == 0 && o["ntasks-per-node"] == "":
		return refused(noGRES, "gpus-per-task needs ntasks: how many tasks the job has")
	case job.count > 0 && node.count+task.count > 0 && !isOfSameTypes(job, node, task):
		return refused(noGRES, "gpus=%s are of other types than those of each node or task", o["gpus"])
	case job.count > 0 && task.count > 0:
		if tasks == 0 && nodes > 0 {
			tasks = nodes * max(1, o.number("ntasks-per-node"))
		}
		if job.count%task.count > 0 || tasks > 0 && tasks != job.count/task.count {
			return refused(noGRES, "gpus=%s are not those of the tasks by gpus-per-task=%s", o["gpus"], o["gpus-per-task"])
		}
		o.set("ntasks", job.count/task.count)
		delete(o, "gpus")
	case job.count > 0 && node.count > 0:
		of := job.count / node.count
		switch isRange := most > 0; {
		case job.count%node.count > 0:
			return refused(noGRES, "gpus=%s are no multiple of those of each node", o["gpus"])
		case nodes > of || nodes > 0 && !isRange && nodes != of || isRange && most < of:
			return refused(noGRES, "gpus=%s are those of %d nodes, and nodes=%s", o["gpus"], of, o["nodes"])
		}
		o.set("nodes", of)
		delete(o, "gpus")
	}
	return nil
}

// isOfSameTypes reports whether the GPUs of a job are of the types of those of each node or task.
func isOfSameTypes(job, node, task gpuList) bool {
	others := slices.Concat(node.types, task.types)
	slices.Sort(others)
	own := slices.Sorted(slices.Values(job.types))
	return slices.Equal(own, others)
}

// unit returns how many CPUs come with each GPU, 0 where nothing tells.
func (o options) unit() int {
	return max(o.number("ntasks-per-gpu")*max(1, o.number("cpus-per-task")), o.number("cpus-per-gpu"))
}

// memoryPerGPU returns how much memory comes with each GPU, in MB; 0 for what its nodes give a job that asks for none.
func (o options) memoryPerGPU() int {
	return int(sched.ParseRequest([]string{"--mem=" + o["mem-per-gpu"]}, nil, 0).NodeMemory)
}

// memoryOf lets each CPU have its part of the memory of some GPUs.
func (o options) memoryOf(gpus, cpus int) {
	if each := o.memoryPerGPU(); each > 0 {
		o.set("mem-per-cpu", (gpus*each+cpus-1)/cpus)
	}
}

// shareOfNode tells the tasks, CPUs and memory of a job that has as many GPUs on each of its nodes.
func (o options) shareOfNode(node gpuList) error {
	if each := o.memoryPerGPU(); each > 0 {
		o.set("mem", each*node.count)
	}
	unit, perGPU, tasks := o.unit(), o.number("ntasks-per-gpu"), o.number("ntasks")
	if unit == 0 {
		return nil
	}
	low, most := o.nodes()
	nodes, perNode := max(1, low), o.number("ntasks-per-node")
	if perNode > 0 && o["nodes"] == "" && tasks > 0 {
		nodes = (tasks + perNode - 1) / perNode
	}
	name := cmp.Or(map[bool]string{true: "ntasks-per-gpu"}[perGPU > 0], "cpus-per-gpu")
	switch {
	case most > 0:
		return unshared(name, "a range of nodes")
	case perGPU > 0 && tasks > 0 && tasks != nodes*node.count*perGPU:
		return unshared(name, "another number of tasks")
	case tasks > nodes*node.count*unit || perNode > node.count*unit:
		return unshared(name, "more tasks than the CPUs of its GPUs")
	}
	o.set("nodes", nodes)
	o.set("ntasks", nodes*node.count)
	o.set("ntasks-per-node", node.count)
	o.set("cpus-per-task", unit)
	return nil
}

// shareOfJob tells the tasks, CPUs and memory of a job that has some GPUs on all of its nodes together.
func (o options) shareOfJob(job gpuList) error {
	unit, perGPU, tasks := o.unit(), o.number("ntasks-per-gpu"), o.number("ntasks")
	name, memory := "cpus-per-gpu", o.memoryPerGPU()
	switch {
	case perGPU > 0:
		name = "ntasks-per-gpu"
	case unit > 0:
	case memory == 0:
		return nil
	case o["nodes"] == "1":
		o.set("mem", memory*job.count)
		return nil
	default: // a CPU for each GPU at least, see otherwise
		name = "mem-per-gpu"
		unit = max(1, tasks*max(1, o.number("cpus-per-task"))/job.count)
		if rest := tasks * max(1, o.number("cpus-per-task")) % job.count; tasks > job.count && rest > 0 {
			return unshared(name, "tasks that are no multiple of the GPUs")
		}
	}
	switch {
	case len(job.types) > 1:
		return unshared(name, "GPUs of several types")
	case o["ntasks-per-node"] != "":
		return unshared(name, "ntasks-per-node")
	case perGPU > 0 && tasks > 0 && tasks != job.count*perGPU:
		return unshared(name, "another number of tasks")
	case tasks > job.count*unit:
		return unshared(name, "more tasks than the CPUs of its GPUs")
	}
	o["gpus-per-task"] = job.each(1)
	delete(o, "gpus")
	o.set("ntasks", job.count)
	o.set("cpus-per-task", unit)
	o.memoryOf(1, unit)
	return nil
}

// spread lets a job have a CPU on each of the nodes that it needs for its GPUs together, as slurmctld gives them where its tasks are
// fewer.
func (o *offer) spread(r *sched.Request, partition int) {
	all := int32(0)
	for _, n := range r.JobGRES {
		all = max(all, n)
	}
	if r.CPUs >= all || r.CPUsPerTask > 1 {
		return
	}
	of, far := o.site.Setup.Restored(), int64(1<<40) // when no reservation lasts any more
	empty := sched.NewMachine(of.Cluster)
	for cpus := r.CPUs; cpus <= all && cpus <= r.CPUs+int32(len(of.Nodes)); cpus++ {
		wider := *r
		wider.CPUs, wider.Tasks = cpus, cpus
		if empty.PlaceIn(of, &wider, partition, far, 1, 0) != nil {
			*r = wider
			return
		}
	}
}

// hasGRES returns which of the GPUs and the like that are asked for no node has.
func (o *offer) hasGRES(of options) error {
	for _, name := range ofGRES {
		for part := range strings.SplitSeq(of[name], ",") {
			gres := part
			if name != "gres" {
				gres = "gpu:" + part
			}
			if part == "" || part == "none" || strings.HasSuffix(":"+part, ":0") {
				continue
			}
			kind, named, isTyped := sched.GRESType(gres)
			switch kinds := o.site.Setup.GRES; {
			case !slices.Contains(kinds, kind):
				return refused(noGRES, "no node has %s=%s", name, of[name])
			case isTyped && !slices.Contains(kinds, kind+":"+named):
				return refused("Requested node configuration is not available", "no node has %s of type %s", kind, named)
			}
		}
	}
	return nil
}
