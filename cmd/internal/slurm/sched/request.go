package sched

import (
	"math"
	"strconv"
	"strings"

	"fairshare/cmd/internal/slurm"
)

// ParseRequest reads what a job asks of the nodes from the options of sbatch, such as
// "-N2 --ntasks-per-node=16 --mem=24000". Options that say something else are passed over.
// What a job does not say of memory, cpuMemory says: MB for each CPU (DefMemPerCPU).
func ParseRequest(options []string, kinds []string, cpuMemory int64) *Request {
	r := &Request{CPUsPerTask: 1, GRES: make([]int32, len(kinds))}
	perCore := int32(0) // tasks
	for _, o := range ReadOptions(options) {
		value := o.Value
		switch o.Name {
		case "N", "nodes":
			low, high, isRange := strings.Cut(value, "-")
			r.MinNodes = number(low)
			r.MaxNodes = r.MinNodes
			if isRange {
				r.MaxNodes = number(high)
			}
		case "n", "ntasks":
			r.Tasks = number(value)
		case "c", "cpus-per-task":
			r.CPUsPerTask = max(1, number(value))
		case "ntasks-per-node":
			r.TasksPerNode = number(value)
		case "switches":
			r.Switches, r.SwitchWait = readSwitches(value)
		case "ntasks-per-socket":
			r.TasksPerSocket = number(value)
		case "mem":
			r.NodeMemory = megabytes(value)
			r.AllMemory = value != "" && r.NodeMemory == 0
		case "mem-per-cpu":
			r.CPUMemory = megabytes(value)
		case "C", "constraint":
			r.Constrain(value)
		case "exclusive":
			r.Exclusive = value == "" // user, mcs and topo share nodes with some jobs
		case "hint":
			if value == "nomultithread" || value == "compute_bound" || value == "memory_bound" {
				r.Threads = 1
			}
		case "threads-per-core":
			r.Threads = number(value)
		case "ntasks-per-core":
			perCore = number(value)
		default:
			r.askForGRES(o, kinds)
		}
	}
	if perCore > 0 && r.CPUsPerTask == 1 && r.Threads == 0 {
		r.Threads = perCore
	}
	if r.AsksNoMemory() {
		r.CPUMemory = cpuMemory
	}
	if r.Tasks > 0 && r.MinNodes > r.Tasks { // sbatch warns that it "can't run 2 processes on 4 nodes, setting nnodes to 2"
		r.MinNodes, r.MaxNodes = r.Tasks, r.Tasks
	}
	if r.Tasks > 0 && r.TasksPerNode > 0 && r.MaxNodes == 0 { // which are the most that a node has
		r.MinNodes = max(r.MinNodes, (r.Tasks+r.TasksPerNode-1)/r.TasksPerNode)
	}
	r.MinNodes = max(1, r.MinNodes)
	if r.Tasks == 0 {
		r.Tasks = int32(min(int64(r.MinNodes)*int64(max(1, r.TasksPerNode)), 1<<30))
	}
	r.CPUs = int32(min(int64(r.Tasks)*int64(r.CPUsPerTask), 1<<30))
	return r
}

// askForGRES reads an option that asks for GRES, and passes over others.
func (r *Request) askForGRES(o Option, kinds []string) {
	switch o.Name {
	case "gpus-per-node":
		addList(r.GRES, "gpu:", o.Value, kinds)
	case "gres":
		addList(r.GRES, "", o.Value, kinds)
	case "G", "gpus":
		r.JobGRES = make([]int32, len(kinds))
		addList(r.JobGRES, "gpu:", o.Value, kinds)
	case "gpus-per-task":
		r.TaskGRES = make([]int32, len(kinds))
		addList(r.TaskGRES, "gpu:", o.Value, kinds)
	}
}

// addList adds what a list asks for, such as a100:2,t4:1 of gpu: or gpu:2,tape:1.
func addList(to []int32, of, list string, kinds []string) {
	for part := range strings.SplitSeq(list, ",") {
		addGRES(to, of+part, kinds)
	}
}

// Constrain lets a job ask for features, and reports whether they can be read and how far what it asks for is modelled:
// a node has one of the lists of features, or all nodes have the same. Where several features have numbers of nodes
// ([a*2&b*1]), it starts nowhere: none of those that were recorded did, though there was room, and slurmctld plans it as
// if each node had one of the features.
func (r *Request) Constrain(text string) (of slurm.Together, ok bool) {
	r.Features, of, ok = slurm.ParseConstraint(text)
	r.Alike = of == slurm.SameOnAll && r.MaxNodes != 1 && len(r.Features) > 1
	r.Counted = of == slurm.Counts
	return of, ok
}

// TRES returns what a job asks for as Slurm counts it, by which its priority grows.
func (r *Request) TRES(kinds []string) map[string]float64 {
	a := r.asks(len(kinds))
	tres := map[string]float64{"cpu": float64(a[amountCPU]), "mem": float64(a[amountMemory]), "node": float64(a[amountNodes]), "billing": float64(a[amountCPU])}
	for i, kind := range kinds {
		if x := a[fixedAmounts+i]; x > 0 {
			tres["gres/"+kind] = float64(x)
		}
	}
	return tres
}

// GRESType returns the kind and the type of gpu:a100:2, and whether it has one.
func GRESType(text string) (kind, named string, isTyped bool) {
	fields := strings.Split(text, ":")
	if len(fields) < 2 {
		return text, "", false
	}
	_, err := strconv.Atoi(fields[1])
	return fields[0], fields[1], err != nil
}

// addGRES adds gpu:2 or gpu:a100:2 to amounts.
func addGRES(to []int32, text string, kinds []string) {
	fields := strings.Split(text, ":")
	count := int32(1)
	if last := len(fields) - 1; last > 0 {
		if n, err := strconv.ParseInt(fields[last], 10, 32); err == nil {
			count, fields = int32(min(max(0, n), 1<<20)), fields[:last]
		}
	}
	for i, kind := range kinds {
		if strings.EqualFold(kind, fields[0]) || strings.EqualFold(kind, strings.Join(fields, ":")) {
			to[i] += count
		}
	}
}

// Option is an option of sbatch, such as N or nodes, and its value.
type Option struct{ Name, Value string }

// SplitOptions parts the options of sbatch into names and values.
func SplitOptions(options []string) (list []Option) {
	for i := 0; i < len(options); i++ {
		name, value, hasValue := SplitOption(options[i])
		if !hasValue && takesValue[name] && i+1 < len(options) {
			i++
			value = options[i]
		}
		list = append(list, Option{name, value})
	}
	return list
}

// takesValue are the options of a letter whose value is the next word if none follows at once.
var takesValue = map[string]bool{"N": true, "n": true, "c": true, "C": true, "nodes": true, "ntasks": true,
	"cpus-per-task": true, "ntasks-per-node": true, "mem": true, "mem-per-cpu": true, "constraint": true, "gres": true, "gpus-per-node": true, "G": true, "gpus": true, "gpus-per-task": true, "ntasks-per-socket": true, "switches": true,
	"t": true, "time": true, "p": true, "partition": true, "A": true, "account": true, "q": true, "qos": true, "L": true, "licenses": true, "a": true, "array": true, "reservation": true,
	"w": true, "nodelist": true, "x": true, "exclude": true, "hint": true, "ntasks-per-core": true, "threads-per-core": true}

// SplitOption returns the name and the value of an option, -N2 or --nodes=2, and whether its word has the value.
func SplitOption(word string) (name, value string, hasValue bool) {
	switch {
	case strings.HasPrefix(word, "--"):
		return cutValue(word[2:])
	case strings.HasPrefix(word, "-") && len(word) > 1:
		return word[1:2], word[2:], len(word) > 2
	}
	return "", "", false
}

func cutValue(word string) (name, value string, hasValue bool) {
	return strings.Cut(word, "=")
}

// readSwitches reads 2 or 1@00:10:00: on how many switches a job wants to run, and for how many seconds it waits for that.
func readSwitches(text string) (n int32, wait int64) {
	count, time, isTimed := strings.Cut(text, "@")
	if minutes, err := slurm.Duration(time); isTimed && err == nil {
		return number(count), int64(min(max(0, minutes), math.MaxInt32))
	}
	return number(count), math.MaxInt32
}

func number(text string) int32 {
	const most = 1 << 20 // so that products of two stay numbers
	n, _ := strconv.ParseInt(text, 10, 64)
	return int32(min(max(0, n), most))
}

// megabytes reads a size such as 2000 (MB), 4G or 1T.
func megabytes(text string) int64 {
	factor := 1.0
	if text != "" {
		switch text[len(text)-1] {
		case 'K', 'k':
			factor = 1.0 / 1024
		case 'M', 'm':
		case 'G', 'g':
			factor = 1024
		case 'T', 't':
			factor = 1024 * 1024
		default:
			text += "M"
		}
		text = text[:len(text)-1]
	}
	x, _ := strconv.ParseFloat(text, 64)
	if !(x >= 0) || x > 1e12 {
		return 0
	}
	return int64(x * factor)
}

// flags are options of sbatch without a value.
var flags = map[string]bool{"parsable": true, "exclusive": true, "hold": true, "wait": true, "requeue": true, "no-requeue": true, "overcommit": true,
	"contiguous": true, "spread-job": true, "reboot": true, "ignore-pbs": true, "oversubscribe": true, "quiet": true, "verbose": true, "use-min-nodes": true,
	"test-only": true, "H": true, "I": true, "k": true, "O": true, "s": true, "Q": true, "v": true, "W": true}

// SubmitOptions returns the options of a line of sbatch, without the script and what follows it.
func SubmitOptions(words []string) []string {
	for i := 0; i < len(words); i++ {
		if !strings.HasPrefix(words[i], "-") {
			return words[:i]
		}
		if name, _, hasValue := SplitOption(words[i]); name == "wrap" {
			return words[:i]
		} else if !hasValue && !flags[name] {
			i++
		}
	}
	return words
}

// AsksNoMemory reports whether a request says nothing of memory.
func (r *Request) AsksNoMemory() bool { return r.NodeMemory == 0 && r.CPUMemory == 0 && !r.AllMemory }
