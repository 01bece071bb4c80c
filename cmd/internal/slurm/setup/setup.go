// Package setup makes what a Slurm site prints the set-up of its scheduler: nodes, partitions, limits, accounts and
// parameters, and the jobs of a list as the scheduler knows them.
package setup

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/sched"
	"fairshare/fstree"
)

// Open returns a site as its scheduler knows it: nodes, partitions, limits, the tree with
// its usage, and how it is configured. What the site has that is not modelled is in the remarks.
func Open(name string) (*sched.Setup, []diag.Remark, error) {
	past, remarks, err := OpenPast(name)
	if err != nil {
		return nil, remarks, err
	}
	return past.Setup, remarks, nil
}

// OpenPast opens what a site prints, and returns what Past does.
func OpenPast(name string) (*Site, []diag.Remark, error) {
	d, err := dump.Open(name)
	if err != nil {
		return nil, d.Remarks, err
	}
	return Past(d)
}

// Past returns a site of which the past is asked: how its scheduler is configured, and the cluster.
func Past(d *dump.Dump) (*Site, []diag.Remark, error) {
	conf, said, err := d.Conf()
	remarks := slices.Concat(d.Remarks, said)
	if err != nil {
		return nil, remarks, err
	}
	shares := d.Shares()
	remarks = slices.Concat(remarks, d.Cut(), d.Unread(), shares.Remarks, shares.Lacks(d.Name, conf, false, false), Lost(d, shares.Tree, nil))
	setup, said, err := New(d, conf, shares.Tree, false)
	if remarks = append(remarks, said...); err != nil {
		return nil, remarks, fmt.Errorf("%s: %w", d.Name, err)
	}
	return &Site{Name: d.Name, Setup: setup, World: d.Only(WorldKinds...), Parents: Parents(d)}, remarks, nil
}

// New returns a site as its scheduler knows it, of a configuration and a tree that are its. isNow tells whether a
// forecast goes on from there, and no record is replayed.
func New(d *dump.Dump, conf *slurm.Conf, tree *fstree.Associations, isNow bool) (*sched.Setup, []diag.Remark, error) {
	r := &reader{dump: d, tree: tree, setup: &sched.Setup{Conf: conf}, isNow: isNow}
	err := r.read()
	return r.setup, r.remarks, err
}

// Nodes returns a site of which nothing is known but its nodes, for what is asked of these alone.
func Nodes(d *dump.Dump) (*sched.Setup, []diag.Remark, error) {
	r := &reader{dump: d, setup: &sched.Setup{ClusterName: d.Config("clustername")}}
	err := r.readNodes(d.Records(dump.KindNodes))
	return r.setup, r.remarks, err
}

type reader struct {
	dump    *dump.Dump
	tree    *fstree.Associations // nil where there is none
	setup   *sched.Setup
	remarks []diag.Remark
	users   map[string]int
	isNow   bool // whether a forecast goes on from there

	hasAssociations bool // whether sacctmgr printed any

	isPartial bool     // whether what is not there or cannot be read is left out, for limits alone
	readsAll  bool     // whether limits are read though nothing says that they are enforced
	unused    []string // whose limits are of what is used, which nothing tells

	partitionQOS []string // the names, by partition
	usedBy       map[sched.AccountName]managerUsage
	usedQOS      map[string]managerUsage
}

func (r *reader) say(remark diag.Remark) { r.remarks = append(r.remarks, remark) }

// ignore notes what is not modelled, which answers depend on it beside those on when jobs start, and whose jobs it concerns.
func (r *reader) ignore(on slurm.Answers, whose sched.Scope, format string, args ...any) {
	r.setup.Omissions = append(r.setup.Omissions, sched.Omission{What: fmt.Sprintf(format, args...), On: on, Scope: whose})
}

// Missing returns the commands whose prints a site lacks and without which nothing is replayed or forecast.
func Missing(d *dump.Dump) (commands []string) {
	for kind, command := range map[dump.Kind]string{dump.KindNodes: "scontrol show node", dump.KindPartitions: "scontrol show partition"} {
		if len(d.Records(kind)) == 0 {
			commands = append(commands, command)
		}
	}
	slices.Sort(commands)
	if conf, _, err := d.Conf(); d.Shares().Tree == nil && (err != nil || !conf.HasNoAccounts) {
		commands = append(commands, "sshare -a -l -P")
	}
	if d.Taken().IsZero() {
		commands = append(commands, "scontrol show config")
	}
	return commands
}

func (r *reader) read() error {
	nodes, partitions := r.dump.Records(dump.KindNodes), r.dump.Records(dump.KindPartitions)
	switch {
	case len(nodes) == 0 && len(partitions) == 0:
		return &dump.MissingError{Name: r.dump.Name, What: "scontrol show node and scontrol show partition: replays and forecasts need them"}
	case len(nodes) == 0:
		return &dump.MissingError{Name: r.dump.Name, What: "scontrol show node: replays and forecasts need it"}
	case len(partitions) == 0:
		return &dump.MissingError{Name: r.dump.Name, What: "scontrol show partition: replays and forecasts need it"}
	}
	if r.tree == nil && !r.setup.HasNoAccounts() {
		if _, _, err := r.dump.WholeTree(); err != nil {
			return fmt.Errorf("%w: replays and forecasts need it", err)
		}
	}
	if err := r.readNodes(nodes); err != nil {
		return err
	}
	if err := r.readPartitions(partitions); err != nil {
		return err
	}
	r.readRules()
	if err := r.readQOS(); err != nil {
		return err
	}
	if err := r.readAccounts(); err != nil {
		return err
	}
	r.readParameters()
	r.sayLackingColumns()
	r.sayUnknownTRES()
	r.say(r.setup.Rules())
	return nil
}

// readRules reads which limits are enforced and how, and what has been used of them.
func (r *reader) readRules() {
	r.usedBy, r.usedQOS = managers(r.dump)
	r.setup.UsualAccount = usualAccounts(r.dump)
	r.setup.IsUnlimited = !r.readsAll && !r.enforcesLimits()
	r.setup.IsSafe = isSafe(r.dump)
	r.setup.Enforces = partLimitsOf(r.dump.Config("enforcepartlimits"))
	for _, plugins := range []string{r.dump.Config("jobsubmitplugins"), r.dump.Config("clifilterplugins")} {
		r.setup.IsFiltered = r.setup.IsFiltered || plugins != "" && plugins != "(null)"
	}
	r.setup.Manager, _, _ = strings.Cut(r.dump.Config("slurmuser"), "(")
	r.setup.Version, _ = sched.ParseVersion(r.dump.Config("slurm_version")) // zeros where it tells none
	r.readOthers()
}

func (r *reader) readNodes(nodes []dump.Row) error {
	slices.SortFunc(nodes, dump.CompareNodes)
	c := &sched.Cluster{}
	consumable := strings.ToUpper(r.dump.Config("selecttypeparameters"))
	isByCore := !strings.HasPrefix(consumable, "CR_CPU")
	c.HasNoMemory = consumable != "" && consumable != "NONE" && !strings.Contains(consumable, "MEMORY")
	gone := 0
	var unknown []string // states
	for _, n := range nodes {
		gres, err := slurm.ParseGRES(n["gres"])
		if err != nil {
			return fmt.Errorf("node %s: %w", n["nodename"], err)
		}
		_, isTold := n["gres"]
		c.IsGRESTold = c.IsGRESTold || isTold
		for _, g := range gres {
			if kind := strings.TrimPrefix(g.Name, "gres/"); !slices.Contains(c.GRES, kind) {
				c.GRES = append(c.GRES, kind)
			}
		}
	}
	isTold := toldTRES(nodes)
	for _, n := range nodes {
		node := sched.Node{Name: n["nodename"], Weight: dump.Number(n["weight"], 1), GRES: make([]int32, len(c.GRES))}
		cpus, memory := dump.Number(cmp.Or(n["cpuefctv"], n["cputot"]), 0), dump.Number(n["realmemory"], 1)
		if cpus > math.MaxInt32 || memory > 1e12 {
			return fmt.Errorf("node %s has more CPUs or memory than can be", node.Name)
		}
		node.CPUs, node.Memory = int32(cpus), max(0, int64(memory-dump.Number(n["memspeclimit"], 0)))
		if cores := dump.Number(n["sockets"], 0) * dump.Number(n["corespersocket"], 0); isByCore && cores > 0 && dump.Number(n["cputot"], 0) >= 2*cores {
			node.Threads = int32(min(dump.Number(n["cputot"], 0)/cores, dump.Number(n["threadspercore"], 1)))
		}
		node.Sockets = int32(min(dump.Number(n["sockets"], 0), cpus))
		down := int32(0)
		gres, _ := slurm.ParseGRES(n["gres"])
		for _, g := range gres {
			node.GRES[slices.Index(c.GRES, strings.TrimPrefix(g.Name, "gres/"))] += int32(min(g.Count, math.MaxInt32/2))
		}
		if features := n["activefeatures"]; features != "" && features != "(null)" {
			node.Features = strings.Split(features, ",")
		}
		isUp, isKnown := dump.IsUp(n["state"])
		if !isKnown {
			unknown = append(unknown, node.Name+" ("+n["state"]+")")
		}
		if !isUp {
			down, node.CPUs = node.CPUs, 0
			gone++
		}
		r.setup.Down = append(r.setup.Down, down)
		r.setup.InUse = append(r.setup.InUse, useOf(c.GRES, isTold, n))
		c.Nodes = append(c.Nodes, node)
	}
	if len(unknown) > 0 {
		r.say(diag.Damagef("scontrol show node has states that Slurm does not have, and nothing is taken to run there: %s", report.First(unknown)))
	}
	if gone > 0 && r.isNow { // a replay has the times of that, see record.ReadWorld
		r.say(diag.Generalf("%s down or drained in the site: nothing runs there", report.Count(gone, "node")))
	}
	if slices.Contains(c.GRES, "shard") && slices.Contains(c.GRES, "gpu") {
		r.ignore(slurm.OnRoom, sched.Everybody, "that a GPU in use as shards is none (gres/shard)")
	}
	r.sayNodeLacks(nodes)
	r.sayStateLacks(nodes)
	r.setup.Cluster = c
	return nil
}

func (r *reader) readPartitions(partitions []dump.Row) error {
	c := r.setup.Cluster
	places := map[string]int{}
	for i, n := range c.Nodes {
		places[n.Name] = i
	}
	r.setup.ClusterMemory.CPU, r.setup.ClusterMemory.Node = r.memoryOf(nil, "maxmempercpu", "maxmempernode")
	for _, p := range partitions {
		list, err := slurm.Hostlist(p["nodes"])
		if err != nil && !r.isPartial {
			return fmt.Errorf("partition %s: %w", p["partitionname"], err)
		}
		part := sched.Partition{Name: p["partitionname"], Nodes: sched.NewSet(len(c.Nodes)), Tier: dump.Number(p["prioritytier"], 1), JobFactor: dump.Number(p["priorityjobfactor"], 1),
			MinNodes: nodeCount(p["minnodes"]), MaxNodes: mostNodes(p["maxnodes"]), State: r.stateOf(p), IsDefault: p["default"] == "YES"}
		for _, name := range list {
			if i, ok := places[name]; ok {
				part.Nodes.Add(i)
			}
		}
		if seconds, err := slurm.Duration(p["maxtime"]); err == nil && seconds < math.MaxInt32 {
			part.MaxTime = int64(seconds)
		}
		usual := int64(0)
		if seconds, err := slurm.Duration(p["defaulttime"]); err == nil && seconds < math.MaxInt32 {
			usual = int64(seconds)
		}
		r.setup.DefaultTimes = append(r.setup.DefaultTimes, usual)
		r.setup.Access = append(r.setup.Access, sched.Access{
			Accounts: names(p["allowaccounts"]), QOS: names(p["allowqos"]), DeniedAccounts: names(p["denyaccounts"]), DeniedQOS: names(p["denyqos"]),
			Groups: names(p["allowgroups"]), IsOfRoot: p["rootonly"] == "YES", NeedsReservation: p["reqresv"] == "YES",
		})
		usualOfCPU, usualOfNode := r.memoryOf(p, "defmempercpu", "defmempernode")
		r.setup.UsualCPUMemory, r.setup.UsualNodeMemory = append(r.setup.UsualCPUMemory, usualOfCPU), append(r.setup.UsualNodeMemory, usualOfNode)
		mostOfCPU, mostOfNode := r.memoryOf(p, "maxmempercpu", "maxmempernode")
		r.setup.MostMemory, part.NodeMemory = append(r.setup.MostMemory, mostOfCPU), mostOfNode
		r.setup.GPUDefaults = append(r.setup.GPUDefaults, cmp.Or(strings.TrimPrefix(p["jobdefaults"], "(null)"), strings.TrimPrefix(r.dump.Config("jobdefaults"), "(null)")))
		c.Partitions = append(c.Partitions, part)
		r.partitionQOS = append(r.partitionQOS, p["qos"])
		of := sched.Everybody
		of.Partition = len(c.Partitions) - 1
		r.sayLacks(p, of)
		mode := r.preemptMode(p["preemptmode"], "preempt/partition_prio", fmt.Sprintf("PreemptMode=%s of partition %s", p["preemptmode"], part.Name), of)
		r.setup.Preemption.Partitions = append(r.setup.Preemption.Partitions, mode)
		r.setup.Preemption.Grace = append(r.setup.Preemption.Grace, secondsOf(p["gracetime"]))
		r.setup.WholeNodes = append(r.setup.WholeNodes, p["oversubscribe"] == "EXCLUSIVE")
		r.setup.ExclusiveTopology = append(r.setup.ExclusiveTopology, p["exclusivetopo"] == "YES")
	}
	return nil
}

// memoryOf reads two settings of memory, for each CPU and for each node: of a partition, either replaces both of the cluster.
func (r *reader) memoryOf(partition dump.Row, ofCPU, ofNode string) (cpu, node int64) {
	cpu, node = int64(dump.Number(partition[ofCPU], 0)), int64(dump.Number(partition[ofNode], 0))
	if cpu == 0 && node == 0 {
		cpu, node = int64(dump.Number(r.dump.Config(ofCPU), 0)), int64(dump.Number(r.dump.Config(ofNode), 0))
	}
	return cpu, node
}

// nodeCount reads a number of nodes, 0 for UNLIMITED.
func nodeCount(text string) int32 { return int32(min(dump.Number(text, 0), math.MaxInt32)) }

// mostNodes reads MaxNodes of a partition: 0 for UNLIMITED, and negative for 0, with which no job starts.
func mostNodes(text string) int32 {
	if text == "0" {
		return -1
	}
	return nodeCount(text)
}

// sayLacks notes what of the attributes of a partition is not modelled.
func (r *reader) sayLacks(p dump.Row, of sched.Scope) {
	for i := range slurm.PartitionAttributes {
		x := &slurm.PartitionAttributes[i]
		value := p[strings.ToLower(x.Name)]
		isOfGang := x.Name == "OverSubscribe" && r.isAlone(value) // jobs share no cores but with those of other partitions
		if x.Matters(value) && !isOfGang {
			r.ignore(x.On, of, "%s (%s) of partition %s, %s,", x.Name, value, p["partitionname"], x.Lacks)
		}
	}
}

// sayNodeLacks notes what of the attributes of nodes is not modelled.
func (r *reader) sayNodeLacks(nodes []dump.Row) {
	for i := range slurm.NodeAttributes {
		x := &slurm.NodeAttributes[i]
		var has []string
		for _, n := range nodes {
			if value := n[strings.ToLower(x.Name)]; x.Matters(value) {
				has = append(has, n["nodename"]+" ("+value+")")
			}
		}
		if has != nil {
			r.ignore(x.On, sched.Everybody, "%s of %s, %s,", x.Name, report.First(has), x.Lacks)
		}
	}
}

// sayStateLacks notes what of the words in the states of nodes is not modelled, or not known here.
func (r *reader) sayStateLacks(nodes []dump.Row) {
	has := map[string][]string{} // the nodes, by word
	for _, n := range nodes {
		for i, word := range slurm.NodeStateWords(n["state"]) {
			if of := slurm.NodeStates.Of(word); of == nil && i > 0 || of != nil && of.Lacks != "" {
				has[word] = append(has[word], n["nodename"])
			}
		}
	}
	for _, word := range slices.Sorted(maps.Keys(has)) {
		if of := slurm.NodeStates.Of(word); of != nil {
			r.ignore(of.On, sched.Everybody, "%s of %s, %s,", word, report.First(has[word]), of.Lacks)
		} else {
			r.ignore(slurm.OnRoom, sched.Everybody, "%s in the State of %s, which is not known here,", report.Printable(word), report.First(has[word]))
		}
	}
}

// names returns the names of a list, nil for all or none.
func names(list string) []string {
	if list == "" || list == "ALL" || list == "(null)" || list == "NONE" || list == "N/A" {
		return nil
	}
	return strings.Split(list, ",")
}

// stateOf returns the state of a partition, "" where the site is to be as it was at other times, of which nothing tells it.
func (r *reader) stateOf(p dump.Row) string {
	partition, state := p["partitionname"], strings.ToUpper(p["state"])
	switch {
	case state == "UP" || state == "":
	case !r.isNow:
		r.say(diag.Notef("partition %s is %s in the site: the record is replayed as if it had been UP all the time", partition, state))
		return ""
	default:
		r.say(SayState(partition, state))
	}
	return state
}

// SayState says what becomes of the jobs of a partition that is in a state other than UP.
func SayState(partition, state string) diag.Remark {
	if state == "DRAIN" {
		return diag.Generalf("partition %s is DRAIN: the jobs that wait for it start, and no others come", partition)
	}
	return diag.Warningf("partition %s is %s: its jobs are taken to wait until an administrator puts it up", partition, state)
}

// tableOf reads the table of a part, and says how many of its rows are left out.
func (r *reader) tableOf(p dump.Part) []dump.Row {
	rows, odd := r.dump.RowsOf(p)
	if odd > 0 {
		r.say(diag.Damagef("%s: %s with more or fewer columns than the header, left out", p.Name, report.Count(odd, "row")))
	}
	return rows
}

// rowName returns which association a row of sacctmgr show assoc or sshare is of.
func rowName(row dump.Row) sched.AccountName {
	return sched.AccountName{Account: row["account"], User: row["user"], Partition: row["partition"]}
}
