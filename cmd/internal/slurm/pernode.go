package slurm

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// NodeShare is what a job has of a node.
type NodeShare struct {
	Name   string
	CPUs   int32
	Memory int64              // MB
	GRES   map[string]float64 // such as gres/gpu and gres/gpu:a100; nil where nothing tells it
}

// ofEachNode is the field with what a job has of each node, which scontrol -d prints in lines of their own:
// Nodes=c[01-02] CPU_IDs=0-3 Mem=4000 GRES=gpu:a100:1(IDX:0).
const ofEachNode = "Nodes"

// IsPerNode reports whether a field of a job stands in each of those lines, and so several times.
func IsPerNode(key string) bool {
	return key == ofEachNode || key == "CPU_IDs" || key == "Mem" || key == "GRES"
}

// sharesOf reads what a job has of each of its nodes, nil where that is not all that it has.
func (n *ListedJob) sharesOf(text string) (shares []NodeShare) {
	sum, isOf := 0, map[string]bool{}
	for line := range strings.SplitSeq(" "+text, " "+ofEachNode+"=") {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		values := map[string]string{}
		for _, word := range words[1:] {
			key, value, _ := strings.Cut(word, "=")
			values[key] = value
		}
		names, err := Hostlist(words[0])
		cpus, wrong := numbersIn(values["CPU_IDs"])
		memory, odd := strconv.ParseInt(values["Mem"], 10, 64)
		if err != nil || wrong != nil || odd != nil || memory < 0 {
			return nil
		}
		x := NodeShare{CPUs: int32(cpus), Memory: memory}
		if list, err := ParseGRES(values["GRES"]); err == nil {
			x.GRES = SumsByName(list)
		}
		for _, x.Name = range names {
			sum += cpus
			shares, isOf[x.Name] = append(shares, x), true
		}
	}
	if sum != int(n.CPUs) || len(shares) != len(n.Nodes) || slices.ContainsFunc(n.Nodes, func(name string) bool { return !isOf[name] }) {
		return nil
	}
	return shares
}

// perNodeOfJSON returns the lines of scontrol -d of a job of JSON, "" where it does not have all of them.
func perNodeOfJSON(o Object) string {
	list, isNew := o.At("job_resources/nodes/allocation").([]any)
	name, amount := "name", "memory/allocated"
	if !isNew {
		list, _ = o.At("job_resources/allocated_nodes").([]any)
		name, amount = "nodename", "memory_allocated"
	}
	cores := make([]int, len(list))
	all := 0
	for i, x := range list {
		of, _ := x.(map[string]any)
		cores[i] = coresOf(Object(of))
		all += cores[i]
	}
	each, isWhole := 0, false // CPUs of a core, of versions that count cores alone
	if x, isSet, _ := o.Number("job_resources/allocated_cores"); isSet && all > 0 {
		each, isWhole = int(x)/all, int(x)%all == 0
	}
	gres, _ := o.At("gres_detail").([]any)
	var lines []string
	for i, x := range list {
		of, _ := x.(map[string]any)
		node := Object(of)
		cpus, isSet, _ := node.Number("cpus/count")
		if !isNew {
			cpus, isSet = float64(cores[i]*each), isWhole
		}
		memory, hasMemory, _ := node.Number(amount)
		const most = 1 << 20
		if !isSet || cpus < 1 || cpus > most || !hasMemory || strings.ContainsAny(node.Text(name), " =") {
			return ""
		}
		line := fmt.Sprintf("%s=%s CPU_IDs=0-%d Mem=%.0f", ofEachNode, node.Text(name), int(cpus)-1, memory)
		switch {
		case len(gres) == len(list):
			text, _ := gres[i].(string)
			line += " GRES=" + strings.Join(strings.Fields(text), "")
		case len(gres) == 0:
			line += " GRES="
		default:
			line += " GRES=:" // which of them is of which node, nothing tells
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, " ")
}

// coresOf returns how many cores of a node of the JSON of older versions a job has.
func coresOf(node Object) (n int) {
	sockets, _ := node.At("sockets").(map[string]any)
	for _, x := range sockets {
		socket, _ := x.(map[string]any)
		cores, _ := Object(socket).At("cores").(map[string]any)
		for _, state := range cores {
			if text, _ := state.(string); strings.Contains(text, "allocated") && text != "unallocated" {
				n++
			}
		}
	}
	return n
}
