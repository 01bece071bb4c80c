package setup

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
)

// effects are all weights of priorities, each with what says that it adds the same to each job by what a site prints, "" where it does
// not or nothing tells; or with why nothing here can.
var effects = []struct {
	setting string
	same    func(d *dump.Dump, conf *slurm.Conf) string
	instead string
}{
	{setting: "PriorityWeightAge", instead: "jobs wait for different times; Conf.Advice looks at PriorityMaxAge"},
	{setting: "PriorityWeightAssoc", same: sameAssociations},
	{setting: "PriorityWeightFairshare", same: noShares},
	{setting: "PriorityWeightJobSize", instead: "jobs ask for different sizes"},
	{setting: "PriorityWeightPartition", instead: "Conf.Advice compares PriorityJobFactor of all partitions"},
	{setting: "PriorityWeightQOS", same: sameQOS},
	{setting: "PriorityWeightTRES", instead: "Conf.Idle and Uncounted look at each resource"},
}

// Effectless says which weights, as they count, and which other settings have no effect by the tables and the other settings of a site.
func Effectless(d *dump.Dump, counting *slurm.Conf) (list []string) {
	say := func(setting, text string) { list = append(list, d.Where(strings.ToLower(setting))+text) }
	if d.Cut() == nil && !counting.Basic { // what is cut off may make the difference
		points := counting.Weights.BySetting()
		for _, of := range effects {
			if of.same == nil || !(points[of.setting] > 0) {
				continue
			}
			if why := of.same(d, counting); why != "" {
				say(of.setting, of.setting+" adds the same to each job: "+why)
			}
		}
	}
	kind := strings.ToLower(d.Config("preempttype"))
	isTold := kind != "" || isWhole(counting)
	if qos, within := preempting(d); d.Cut() == nil && isTold && qos != nil {
		switch names := *qos; {
		case kind == "preempt/qos" && len(names) == 0 && !within:
			say("preempttype", "PreemptType=preempt/qos has no effect: no QOS names others in Preempt")
		case kind != "preempt/qos" && len(names) > 0:
			say("preempttype", fmt.Sprintf("Preempt of QOS %s has no effect: PreemptType is %s, and preempt/qos alone looks at it", report.First(names), cmp.Or(kind, "preempt/none")))
		}
	}
	if text := ofLinear(d.Config); text != "" {
		say("selecttypeparameters", text)
	}
	return slices.Concat(list, noDefault(d, counting), memoryTwice(d, counting), memoryBeyond(d, counting))
}

// ofMemory are settings of slurm.conf and of partitions of which the manual says that they exclude each other.
var ofMemory = [][]string{{"DefMemPerCPU", "DefMemPerGPU", "DefMemPerNode"}, {"MaxMemPerCPU", "MaxMemPerNode"}}

// memoryTwice says where several settings are set that exclude each other.
func memoryTwice(d *dump.Dump, conf *slurm.Conf) (list []string) {
	say := func(place string, get func(name string) string) {
		for _, names := range ofMemory {
			var set []string
			for _, name := range names {
				if value := get(strings.ToLower(name)); dump.Number(value, 0) > 0 {
					set = append(set, name+"="+report.Printable(value))
				}
			}
			if len(set) > 1 {
				list = append(list, fmt.Sprintf("%s%s: they exclude each other (man slurm.conf), and one alone counts", place, report.Listed(set)))
			}
		}
	}
	say(cmp.Or(d.Where("defmempernode"), d.Where("maxmempernode")), d.Config)
	for _, p := range d.Partitions(conf) {
		name := p["partitionname"]
		place := "PartitionName=" + name + ": "
		if part := conf.Partitions[name]; part != nil {
			place = part.At.Prefix() + place
		}
		say(place, func(name string) string { return p[name] })
	}
	return list
}

// isWhole reports whether what a configuration does not set is not set: it is no part of a slurm.conf, nor includes what is not there.
func isWhole(conf *slurm.Conf) bool { return !conf.IsPart() && conf.Missing == nil }

// sameQOS says that all QOS have the same Priority.
func sameQOS(d *dump.Dump, _ *slurm.Conf) string {
	priorities, err := d.QOSPriorities(d.Table(dump.KindQOS))
	if err != nil || len(priorities) == 0 {
		return ""
	}
	first, isFirst := 0., true
	for _, x := range priorities {
		if !isFirst && x != first {
			return ""
		}
		first, isFirst = x, false
	}
	return "all QOS have Priority " + report.Plain(first)
}

// sameAssociations says that no association has a Priority.
func sameAssociations(d *dump.Dump, _ *slurm.Conf) string {
	if own := ReadAssociationPriorities(d); own == nil || own.Most > 0 {
		return ""
	}
	return "no association has a Priority"
}

// noShares says that no association has shares, so that all users have the same factor.
func noShares(d *dump.Dump, conf *slurm.Conf) string {
	tree := d.Shares().Tree
	if tree == nil || tree.Users() < 2 {
		return ""
	}
	for i := range tree.Len() {
		if x := tree.At(i); x.Parent >= 0 && (x.Shares > 0 || x.FromParent) {
			return ""
		}
	}
	return "no association has shares (RawShares is 0 of all)"
}

// preempting returns the QOS that name others in Preempt, nil where no table tells that, and whether jobs preempt others of their own QOS.
func preempting(d *dump.Dump) (qos *[]string, within bool) {
	rows, _ := d.RowsOf(d.Table(dump.KindQOS))
	within = strings.Contains(strings.ToUpper(d.Config("preemptmode")), "WITHIN")
	for _, row := range rows {
		preempts, isTold := row["preempt"]
		if !isTold {
			return nil, within
		}
		if qos == nil {
			qos = &[]string{}
		}
		if len(names(preempts)) > 0 {
			*qos = append(*qos, row["name"])
		}
		within = within || strings.Contains(strings.ToUpper(row["preemptmode"]), "WITHIN")
	}
	return qos, within
}

// ofLinear says which kinds of what jobs are given count for nothing under select/linear, which gives whole nodes.
func ofLinear(config func(name string) string) string {
	if !strings.EqualFold(config("selecttype"), "select/linear") {
		return ""
	}
	var kinds []string
	for word := range strings.SplitSeq(config("selecttypeparameters"), ",") {
		switch kind := memoryToo().ReplaceAllString(strings.TrimSpace(word), ""); strings.ToLower(kind) {
		case "cr_cpu", "cr_core", "cr_socket":
			kinds = append(kinds, strings.TrimSpace(word))
		}
	}
	if kinds == nil {
		return ""
	}
	return fmt.Sprintf("SelectTypeParameters has %s: SelectType=select/linear gives jobs whole nodes all the same", report.Listed(kinds))
}

// noDefault says that no partition takes jobs that name none.
func noDefault(d *dump.Dump, conf *slurm.Conf) []string {
	partitions, isTold := d.Partitions(conf), len(d.All(dump.KindPartitions)) == 0
	if len(partitions) == 0 || !isWhole(conf) || isSet(d.Config("jobsubmitplugins")) {
		return nil
	}
	for _, p := range partitions {
		is := p["default"]
		if is == "YES" {
			return nil
		}
		isTold = isTold || is != ""
	}
	if !isTold {
		return nil
	}
	return []string{"no partition has Default=YES: jobs that name none (-p) are refused"}
}

// memoryBeyond says where the memory that jobs get which ask for none is more than the most.
func memoryBeyond(d *dump.Dump, conf *slurm.Conf) (list []string) {
	r := &reader{dump: d}
	type bounds struct{ usual, most int64 }
	of := func(partition dump.Row) (cpu, node bounds) {
		cpu.usual, node.usual = r.memoryOf(partition, "defmempercpu", "defmempernode")
		cpu.most, node.most = r.memoryOf(partition, "maxmempercpu", "maxmempernode")
		return cpu, node
	}
	say := func(place, per string, b bounds) {
		if 0 < b.most && b.most < b.usual {
			list = append(list, fmt.Sprintf("%sDefMemPer%s is %d, which is more than MaxMemPer%s, %d", place, per, b.usual, per, b.most))
		}
	}
	cpuOfAll, nodeOfAll := of(nil)
	say(d.Where("defmempercpu"), "CPU", cpuOfAll)
	say(d.Where("defmempernode"), "Node", nodeOfAll)
	for _, p := range d.Partitions(conf) {
		name := p["partitionname"]
		place := "PartitionName=" + name + ": "
		if part := conf.Partitions[name]; part != nil {
			place = part.At.Prefix() + place
		}
		cpu, node := of(p)
		if cpu != cpuOfAll {
			say(place, "CPU", cpu)
		}
		if node != nodeOfAll {
			say(place, "Node", node)
		}
	}
	return list
}
