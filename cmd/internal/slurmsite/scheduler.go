package slurmsite

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurmsched"
)

// OpenScheduler returns a site as its scheduler knows it: nodes, partitions, limits, the tree with
// its usage, and how it is configured. What the site has that is not modelled is in the remarks.
func OpenScheduler(name string) (*slurmsched.Setup, []diag.Remark, error) {
	past, remarks, err := OpenPast(name)
	if err != nil {
		return nil, remarks, err
	}
	return past.Setup, remarks, nil
}

// OpenPast returns what Past does of the origin of a name.
func OpenPast(name string) (*Now, []diag.Remark, error) {
	o, err := OpenOrigin(name)
	if err != nil {
		return nil, o.Remarks, err
	}
	return o.Past()
}

// Past returns a site of which the past is asked: how its scheduler is configured, and the cluster. It is not
// for the site of this host.
func (o *Origin) Past() (*Now, []diag.Remark, error) {
	s, f := &Site{Name: o.Name, Remarks: o.Remarks}, o.folder
	if err := s.readConf(f); err != nil {
		return nil, s.Remarks, err
	}
	s.sayCut(f)
	s.sayTree(s.readTree(f))
	s.sayTables(f)
	r := &schedulerReader{site: s, folder: f, setup: &slurmsched.Setup{Conf: s.Conf}}
	if err := r.read(); err != nil {
		return nil, s.Remarks, fmt.Errorf("%s: %w", o.Name, err)
	}
	return &Now{Site: s, Setup: r.setup, world: f.only(ofWorld)}, s.Remarks, nil
}

type schedulerReader struct {
	site   *Site
	folder *folder
	setup  *slurmsched.Setup
	users  map[string]int
	isNow  bool // whether a forecast goes on from there

	hasAssociations bool // whether sacctmgr printed any

	isPartial bool     // whether what is not there or cannot be read is left out, for limits alone
	relative  []string // QOS whose limits are parts of a hundred
	unused    []string // whose limits are of what is used, which nothing tells

	partitionQOS []string // the names, by partition
	usedBy       map[slurmsched.AccountName]managed
	usedQOS      map[string]managed
}

// ignore notes what is not modelled, and whose jobs it concerns.
func (r *schedulerReader) ignore(whose slurmsched.Whose, format string, args ...any) {
	r.setup.Ignored = append(r.setup.Ignored, slurmsched.Ignored{What: fmt.Sprintf(format, args...), Whose: whose})
}

func (r *schedulerReader) read() error {
	nodes, partitions := records(r.folder.all(isNodes), "NodeName"), records(r.folder.all(isPartitions), "PartitionName")
	switch {
	case len(nodes) == 0 && len(partitions) == 0:
		return &MissingError{r.site.Name, "scontrol show node and scontrol show partition: replays and forecasts need them"}
	case len(nodes) == 0:
		return &MissingError{r.site.Name, "scontrol show node: replays and forecasts need it"}
	case len(partitions) == 0:
		return &MissingError{r.site.Name, "scontrol show partition: replays and forecasts need it"}
	}
	if r.site.Tree == nil {
		return &MissingError{r.site.Name, "sshare -a -l -P: replays and forecasts need the tree"}
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
	return nil
}

// readRules reads which limits are enforced and how, and what has been used of them.
func (r *schedulerReader) readRules() {
	r.usedBy, r.usedQOS = managers(r.folder)
	if r.setup.IsUnlimited = !isEnforced(r.folder); r.setup.IsUnlimited {
		r.site.say(diag.Notef("AccountingStorageEnforce has no limits: those of QOS and associations keep no job from starting"))
	}
	r.setup.IsSafe = isSafe(r.folder)
	v := &r.setup.Version
	_, _ = fmt.Sscanf(r.folder.config("slurm_version"), "%d.%d", &v[0], &v[1]) // zeros where it tells none
	r.readOthers()
}

// nodeName parts a name into letters and a number, by which Slurm sorts nodes.
var nodeName = regexp.MustCompile(`^(.*?)(\d*)$`)

func compareNodes(a, b record) int {
	x, y := nodeName.FindStringSubmatch(a["nodename"]), nodeName.FindStringSubmatch(b["nodename"])
	m, _ := strconv.ParseInt(x[2], 10, 64)
	n, _ := strconv.ParseInt(y[2], 10, 64)
	return cmp.Or(strings.Compare(x[1], y[1]), cmp.Compare(m, n), strings.Compare(a["nodename"], b["nodename"]))
}

func (r *schedulerReader) readNodes(nodes []record) error {
	slices.SortFunc(nodes, compareNodes)
	c := &slurmsched.Cluster{}
	consumable := strings.ToUpper(r.folder.config("selecttypeparameters"))
	isByCore := !strings.HasPrefix(consumable, "CR_CPU")
	c.HasNoMemory = consumable != "" && consumable != "NONE" && !strings.Contains(consumable, "MEMORY")
	gone := 0
	var unknown []string // states
	for _, n := range nodes {
		gres, err := slurm.ParseGRES(n["gres"])
		if err != nil {
			return fmt.Errorf("node %s: %w", n["nodename"], err)
		}
		for _, g := range gres {
			if kind := strings.TrimPrefix(g.Name, "gres/"); !slices.Contains(c.GRES, kind) {
				c.GRES = append(c.GRES, kind)
			}
		}
	}
	for _, n := range nodes {
		node := slurmsched.Node{Name: n["nodename"], Weight: number(n["weight"], 1), GRES: make([]int32, len(c.GRES))}
		cpus, memory := number(cmp.Or(n["cpuefctv"], n["cputot"]), 0), number(n["realmemory"], 1)
		if cpus > math.MaxInt32 || memory > 1e12 {
			return fmt.Errorf("node %s has more CPUs or memory than can be", node.Name)
		}
		node.CPUs, node.Memory = int32(cpus), max(0, int64(memory-number(n["memspeclimit"], 0)))
		if cores := number(n["sockets"], 0) * number(n["corespersocket"], 0); isByCore && cores > 0 && number(n["cputot"], 0) >= 2*cores {
			node.Threads = int32(min(number(n["cputot"], 0)/cores, number(n["threadspercore"], 1)))
		}
		down := int32(0)
		gres, _ := slurm.ParseGRES(n["gres"])
		for _, g := range gres {
			node.GRES[slices.Index(c.GRES, strings.TrimPrefix(g.Name, "gres/"))] += int32(min(g.Count, math.MaxInt32/2))
		}
		if features := n["activefeatures"]; features != "" && features != "(null)" {
			node.Features = strings.Split(features, ",")
		}
		isUp, isKnown := isUp(n["state"])
		if !isKnown {
			unknown = append(unknown, node.Name+" ("+n["state"]+")")
		}
		if !isUp {
			down, node.CPUs = node.CPUs, 0
			gone++
		}
		r.setup.Down = append(r.setup.Down, down)
		c.Nodes = append(c.Nodes, node)
	}
	if len(unknown) > 0 {
		r.site.say(diag.Damagef("scontrol show node has states that Slurm does not have, and nothing is taken to run there: %s", report.First(unknown)))
	}
	if gone > 0 && r.isNow { // a replay has the times of that, see ReadEvents
		r.site.say(diag.Notef("%s down or drained in the site: nothing runs there", report.Count(gone, "node")))
	}
	if slices.Contains(c.GRES, "shard") && slices.Contains(c.GRES, "gpu") {
		r.ignore(slurmsched.Everybody, "that a GPU in use as shards is none (gres/shard)")
	}
	r.setup.Cluster = c
	return nil
}

// isUp reports whether jobs may run on a node in a state, such as IDLE+PLANNED or DOWN*+DRAIN, and whether
// the state is one that Slurm has: the first word, as node_state_base_string names it, with what others
// add to it. A node that does not respond (*) gets no job; one that is switched off to save power is
// switched on for one.
func isUp(state string) (is, isKnown bool) {
	words := strings.Split(strings.ToUpper(state), "+")
	responds := !strings.Contains(state, "*")
	for i, word := range words {
		words[i] = strings.TrimRight(word, "*~#!%$@^-")
	}
	switch words[0] {
	case "DOWN", "UNKNOWN", "ERROR", "FUTURE", "INVAL", "FAIL", "FAILING", "DRAIN", "DRAINED", "DRAINING", "NO_RESPOND", "PERFCTRS":
		return false, true
	case "IDLE", "ALLOCATED", "ALLOC", "MIXED", "COMPLETING", "RESERVED", "MAINT", "PLANNED", "POWERED_DOWN", "POWERING_UP", "POWERING_DOWN", "POWER_DOWN", "REBOOT", "BLOCKED":
	default:
		return false, false
	}
	if slices.Contains(words, "POWERING_UP") { // it does not respond until it has started
		words = slices.DeleteFunc(words, func(word string) bool { return word == "NOT_RESPONDING" })
		responds = true
	}
	return responds && !slices.ContainsFunc(words[1:], func(flag string) bool {
		return slices.Contains([]string{"DRAIN", "DOWN", "FAIL", "NOT_RESPONDING", "INVALID_REG", "INVAL"}, flag)
	}), true
}

func (r *schedulerReader) readPartitions(partitions []record) error {
	c := r.setup.Cluster
	places := map[string]int{}
	for i, n := range c.Nodes {
		places[n.Name] = i
	}
	for _, p := range partitions {
		list, err := slurm.Hostlist(p["nodes"])
		if err != nil && !r.isPartial {
			return fmt.Errorf("partition %s: %w", p["partitionname"], err)
		}
		starts := r.starts(p["partitionname"], strings.ToUpper(p["state"]))
		part := slurmsched.Partition{Name: p["partitionname"], Nodes: slurmsched.NewSet(len(c.Nodes)), Tier: number(p["prioritytier"], 1), JobFactor: number(p["priorityjobfactor"], 1)}
		for _, name := range list {
			if i, ok := places[name]; ok && starts {
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
		r.setup.MaxNodes = append(r.setup.MaxNodes, int32(min(number(p["maxnodes"], 0), math.MaxInt32)))
		r.setup.Access = append(r.setup.Access, slurmsched.Access{Accounts: names(p["allowaccounts"]), QOS: names(p["allowqos"]), DeniedAccounts: names(p["denyaccounts"]), DeniedQOS: names(p["denyqos"])})
		r.setup.CPUMemory = append(r.setup.CPUMemory, int64(number(p["defmempercpu"], 0)))
		c.Partitions = append(c.Partitions, part)
		r.partitionQOS = append(r.partitionQOS, p["qos"])
		isWhole := false
		of := slurmsched.Everybody
		of.Partition = len(c.Partitions) - 1
		if v := p["maxcpuspernode"]; v != "" && v != "UNLIMITED" {
			r.ignore(of, "MaxCPUsPerNode (%s) of partition %s", v, part.Name)
		}
		if v := p["maxcpuspersocket"]; v != "" && v != "UNLIMITED" {
			r.ignore(of, "MaxCPUsPerSocket (%s) of partition %s", v, part.Name)
		}
		if v := names(p["allowgroups"]); v != nil {
			r.ignore(of, "AllowGroups (%s) of partition %s, for jobs that name other partitions as well", p["allowgroups"], part.Name)
		}
		if v := number(p["minnodes"], 0); v > 1 {
			r.ignore(of, "MinNodes (%s) of partition %s", p["minnodes"], part.Name)
		}
		for _, x := range []struct{ key, none, what string }{{"oversubscribe", "NO", "OverSubscribe"}, {"lln", "NO", "LLN"}, {"exclusiveuser", "NO", "ExclusiveUser"}, {"exclusivetopo", "NO", "ExclusiveTopo"},
			{"selecttypeparameters", "NONE", "SelectTypeParameters"}, {"preemptmode", "OFF", "preemption"}} {
			if v := p[x.key]; x.key == "oversubscribe" && v == "EXCLUSIVE" {
				isWhole = true
			} else if v != "" && v != x.none {
				r.ignore(of, "%s (%s) of partition %s", x.what, v, part.Name)
			}
		}
		r.setup.WholeNodes = append(r.setup.WholeNodes, isWhole)
	}
	return nil
}

// names returns the names of a list, nil for all or none.
func names(list string) []string {
	if list == "" || list == "ALL" || list == "(null)" || list == "NONE" || list == "N/A" {
		return nil
	}
	return strings.Split(list, ",")
}

// starts reports whether jobs start in a partition that is in a state now: those that wait do while it drains. A record
// is of other times, of which nothing tells the states.
func (r *schedulerReader) starts(partition, state string) bool {
	switch {
	case state == "UP" || state == "":
	case !r.isNow:
		r.site.say(diag.Notef("partition %s is %s in the site: the record is replayed as if it had been UP all the time", partition, state))
	case state == "DRAIN":
		r.site.say(diag.Notef("partition %s is DRAIN: the jobs that wait for it start, and no others come", partition))
	default:
		r.site.say(diag.Warningf("partition %s is %s: its jobs are taken never to start", partition, state))
		return false
	}
	return true
}

// table reads a table of sacctmgr or sshare parted by pipes: rows by the names of their columns in
// lower case, and how many are left out since they have more or fewer columns than the header.
func table(text string) (rows []record, odd int) {
	var header []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if strings.TrimSpace(line) == "" {
			continue
		}
		if header == nil {
			header = columnsOf(line)
			continue
		}
		cells := strings.Split(line, "|")
		if n := len(header); len(cells) == n+1 && cells[n] == "" { // of -p, whose lines end with one
			cells = cells[:n]
		}
		if len(cells) != len(header) {
			odd++
			continue
		}
		row := record{}
		for i, cell := range cells {
			if _, isSecond := row[header[i]]; !isSecond {
				row[header[i]] = strings.TrimSpace(cell)
			}
		}
		rows = append(rows, row)
	}
	return rows, odd
}

// tableOf reads the table of a part, and says how many of its rows are left out.
func (s *Site) tableOf(f *folder, p part) []record {
	rows, odd := table(p.text)
	if p.kind == isAssociations {
		rows, odd = associationRows(f, p)
	}
	if odd > 0 {
		s.say(diag.Damagef("%s: %s with more or fewer columns than the header, left out", p.Name, report.Count(odd, "row")))
	}
	return rows
}

// rowName returns which association a row of sacctmgr show assoc or sshare is of.
func rowName(row record) slurmsched.AccountName {
	return slurmsched.AccountName{Account: row["account"], User: row["user"], Partition: row["partition"]}
}

// associationRows returns the rows of sacctmgr show assoc that are of the site's own cluster: a database
// may have several, with the same accounts.
func associationRows(f *folder, p part) (rows []record, odd int) {
	cluster := f.config("clustername")
	rows, odd = table(p.text)
	return slices.DeleteFunc(rows, func(row record) bool { return cluster != "" && row["cluster"] != cluster }), odd
}
