package slurm

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"fairshare/cmd/internal/report"
)

// Partition is a queue of Slurm.
type Partition struct {
	Name       string
	JobFactor  float64
	Tier       float64   // jobs of a higher one come first, whatever their priority
	Threads    float64   // the most threads that a core of its nodes has
	HasBilling bool      // whether TRESBillingWeights are set
	Billed     []Amount  // what they make of a unit of each resource, of memory of a MB; nil where they cannot be read
	MaxTime    float64   // minutes, unlimited as Slurm's 4294967295
	Guests     []Setting // the lists of whom it lets in and whom not, and its own QOS
	At         Place     // the line of a slurm.conf that it is defined on
	Nodes      int
	TRES       map[string]float64
	Printed    map[string]string // its settings as scontrol prints them, by their keys in lower case
	sizes      []float64         // the CPUs that its nodes have, each number once, in ascending order
}

// SumsOfNodes returns how many CPUs some of the partition's nodes may have together, where they are of up to two sizes.
func (p *Partition) SumsOfNodes(n int) (list []float64) {
	for _, a := range p.sizes {
		for _, b := range p.sizes {
			for of := range min(n, 1000) {
				if sum := a*float64(n-of) + b*float64(of); !slices.Contains(list, sum) {
					list = append(list, sum)
				}
			}
		}
	}
	return list
}

// node is what is known of one node.
type node struct {
	cpus, memory, threads, cores float64 // memory in MB; the threads of a core, and the cores of a socket
	weight                       float64 // the smaller, the sooner jobs are given it
	spared                       float64 // MB that no job gets (MemSpecLimit)
	gres                         []Amount
	features                     []string
}

// nodeSet is a NodeSet: some nodes, and all those with a feature.
type nodeSet struct{ nodes, feature string }

// partitionLine is kept until all nodes are known.
type partitionLine struct {
	*Partition
	nodes, alternate string
}

// nodeLine reads a NodeName line.
func (p *confParser) nodeLine(names string, fields map[string]string) error {
	if strings.EqualFold(names, "DEFAULT") {
		maps.Copy(p.nodeDefaults, fields)
		return nil
	}
	get := func(key string) string {
		if value, ok := fields[key]; ok {
			return value
		}
		return p.nodeDefaults[key]
	}
	number := func(key string, missing float64) (float64, error) {
		if get(key) == "" {
			return missing, nil
		}
		n, err := amount(get(key))
		if err != nil {
			return 0, fmt.Errorf("NodeName=%s: %s: %w", shortened(names), spelledKey(nodeKeys, key), err)
		}
		return n, nil
	}
	n := &node{}
	var err error
	lost := p.losesNodes
	p.losesNodes = true // until its names are known
	if n.threads, err = number("threadspercore", 1); err != nil {
		return err
	}
	product, cores := 1.0, 1.0
	for _, key := range []string{"boards", "socketsperboard", "sockets", "corespersocket", "threadspercore"} {
		if key == "boards" && get("sockets") != "" {
			continue // Sockets are those of all boards
		}
		x, err := number(key, 1)
		if err != nil {
			return err
		}
		if product *= x; key == "corespersocket" {
			cores = x
		}
	}
	n.cores = cores
	if n.weight, err = number("weight", 1); err != nil {
		return err
	}
	if n.spared, err = number("memspeclimit", 0); err != nil {
		return err
	}
	if n.cpus, err = number("cpus", product); err != nil {
		return err
	}
	isOfSockets := get("sockets") != "" || get("socketsperboard") != ""
	if sockets := product / cmp.Or(n.threads, 1) / cmp.Or(cores, 1); isOfSockets && !slices.Contains([]float64{sockets, sockets * cores, product}, n.cpus) {
		p.problem("NodeName=%s: CPUs=%v is neither the number of sockets, nor that of cores, nor that of threads: slurmctld takes the last one, %v", shortened(names), n.cpus, product)
		n.cpus = product
	}
	n.cpus -= reservedCPUs(get("corespeccount"), get("cpuspeclist"), n.threads)
	if n.memory, err = number("realmemory", 1); err != nil {
		return err
	}
	n.features = strings.Split(cmp.Or(get("features"), get("feature")), ",")
	p.checkGRES(names, get("gres"))
	if n.gres, err = ParseGRES(get("gres")); err == nil && len(n.gres) > maxTRES {
		err = fmt.Errorf("gres: more than %d kinds", maxTRES)
	}
	if err != nil {
		return err
	}
	list, err := Hostlist(names)
	if err != nil {
		return err
	}
	if p.conf.Nodes += len(list); p.conf.Nodes > maxHosts {
		return fmt.Errorf("more than %d nodes", maxHosts)
	}
	p.losesNodes = lost
	for _, name := range list {
		if _, twice := p.nodes[name]; twice {
			return fmt.Errorf("node %s is defined on two lines, with which slurmctld does not start", name)
		}
		p.nodes[name] = len(p.conf.nodeLines)
		p.conf.CPUs += n.cpus
	}
	p.conf.nodeLines = append(p.conf.nodeLines, *n)
	return nil
}

// reservedCPUs returns how many CPUs of a node are for the system alone: Slurm counts the others (CPUEfctv).
func reservedCPUs(cores, list string, threads float64) float64 {
	if n, err := count(cores); err == nil && n > 0 {
		return n * threads
	}
	if list == "" {
		return 0
	}
	n, err := numbersIn(list)
	if err != nil {
		return 0
	}
	return float64(n)
}

// numbersIn returns how many numbers are in a list of them, such as 0-3,8.
func numbersIn(list string) (int, error) {
	numbers, err := Hostlist("c[" + list + "]")
	return len(numbers), err
}

// ParseGRES reads gpu:2,gpu:tesla:4(S:0-1).
func ParseGRES(value string) ([]Amount, error) {
	var gres []Amount
	if value == "" || value == "(null)" {
		return nil, nil
	}
	for _, part := range splitOutside(value) {
		part, _, _ = strings.Cut(part, "(")
		fields := strings.Split(part, ":")
		n, last := 1.0, len(fields)-1
		if x, isNumber := gresCount(fields[last]); isNumber && last > 0 {
			n = x
			fields = fields[:last]
		}
		if fields[0] == "" {
			return nil, fmt.Errorf("gres %q has no name", part)
		}
		name := "gres/" + strings.ToLower(fields[0])
		gres = append(gres, Amount{name, n})
		if len(fields) > 1 {
			gres = append(gres, Amount{name + ":" + strings.ToLower(fields[1]), n})
		}
	}
	return gres, nil
}

// partitionLine reads a PartitionName line.
func (p *confParser) partitionLine(name string, fields map[string]string) error {
	if strings.EqualFold(name, "DEFAULT") {
		maps.Copy(p.partitionDefaults, fields)
		return nil
	}
	part := &Partition{Name: name, At: p.at, JobFactor: 1, Tier: 1, MaxTime: unlimited, TRES: map[string]float64{}}
	get := func(key string) string {
		if value, ok := fields[key]; ok {
			return value
		}
		return p.partitionDefaults[key]
	}
	var wrong []error
	for _, setting := range []struct {
		key  string
		into []*float64
	}{{"priority", []*float64{&part.JobFactor, &part.Tier}}, {"priorityjobfactor", []*float64{&part.JobFactor}}, {"prioritytier", []*float64{&part.Tier}}} {
		value := get(setting.key)
		if value == "" {
			continue
		}
		x, err := amount(value)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("PartitionName=%s: %s: %w", shortened(name), spelledKey(partitionKeys, setting.key), err))
			p.conf.unread[setting.key] = true
		}
		for _, into := range setting.into {
			*into = x
		}
	}
	for _, key := range []string{"AllowAccounts", "DenyAccounts", "AllowQos", "DenyQos", "QOS"} {
		if value := get(strings.ToLower(key)); value != "" {
			part.Guests = append(part.Guests, Setting{key, value})
		}
	}
	p.checkPartition(name, get)
	part.Printed = p.printed(part, fields)
	part.HasBilling = get("tresbillingweights") != ""
	if weights, err := parseWeights(get("tresbillingweights")); err == nil {
		part.Billed, _ = lastOfEach(weights)
	}
	if isDefault, _ := yes(get("default")); isDefault {
		if p.usual != "" {
			p.problem("Default=%s of partition %s takes that of partition %s: the last one counts", get("default"), name, p.usual)
		}
		p.usual = name
	}
	if seconds, err := Duration(get("maxtime")); err == nil {
		part.UseMaxTime(seconds)
	}
	if first := p.conf.Partitions[name]; first != nil {
		first.HasBilling = first.HasBilling || part.HasBilling
		return errors.Join(append(wrong, fmt.Errorf("partition %s is defined on two lines, with which slurmctld does not start", name))...)
	}
	p.partitions = append(p.partitions, partitionLine{part, get("nodes"), get("alternate")})
	p.conf.Partitions[name] = part
	return errors.Join(wrong...)
}

// Billing returns what a second of a job is charged that has amounts of resources: among these stands billing, which Slurm prints without the
// fraction that it counts. That is the sum by TRESBillingWeights, where it comes to what is printed.
func (p *Partition) Billing(given map[string]float64) float64 {
	printed, sum := given["billing"], 0.
	if p == nil || printed == 0 {
		return printed
	}
	for _, a := range p.Billed {
		sum += a.Count * given[a.Name]
	}
	if math.Trunc(sum) == printed {
		return sum
	}
	return printed
}

// UseMaxTime makes the longest time limit of its jobs one of so many seconds.
func (p *Partition) UseMaxTime(seconds float64) { p.MaxTime = min(unlimited, math.Ceil(seconds/60)) }

// HasMaxTime reports whether the time of its jobs is limited.
func (p *Partition) HasMaxTime() bool { return p.MaxTime < unlimited }

// Total returns how much of a resource the cluster has.
func (c *Conf) Total(tres string) float64 { return c.all.TRES[tres] }

// ErrNoNodes says that the configuration has no nodes, on which factors depend.
var ErrNoNodes = errors.New("there is no NodeName line with CPUs: job size and TRES are parts of the cluster")

// NoWeights says that nothing counts.
const NoWeights = "no PriorityWeight is set: every priority is 1"

// finish adds up what partitions have, and returns the configuration.
func (p *confParser) finish() (*Conf, []string, error) {
	w := p.conf.Weights
	if w.sum() == 0 && len(w.TRES) == 0 && p.conf.lacks(weightSettings...) == nil {
		p.problems = append(p.problems, NoWeights)
	}
	p.conf.all.TRES = map[string]float64{}
	for _, line := range p.nodes {
		n := &p.conf.nodeLines[line]
		p.conf.all.add(n)
	}
	p.sayNoGresTypes()
	p.conf.nodes = p.nodes
	p.conf.isWhole = p.conf.isWhole || len(p.nodes) > 0 && len(p.partitions) > 0
	areNamed := len(p.nodes) > 0 || !p.conf.IsFile || p.conf.lacks("NodeName") != nil
	for _, part := range p.partitions {
		if p.isBad() {
			break
		}
		err := p.join(part)
		if unknown := (*unknownNodes)(nil); errors.As(err, &unknown) && (!areNamed || p.losesNodes) { // a line that cannot be read may name them
			p.conf.noneNamed, err = p.conf.noneNamed || !areNamed, nil
		}
		p.unread(part.At, Fields{{"PartitionName", part.Name}}, err)
		if other := part.alternate; other != "" && p.conf.Partitions[other] == nil {
			p.at = part.At
			p.problem("PartitionName=%s: Alternate: there is no partition %s, so that its jobs go nowhere else while it is not UP", shortened(part.Name), shortened(other))
		}
	}
	if first := p.conf.Unread; first != nil {
		return p.conf, p.problems, first[0]
	}
	if p.conf.noneNamed || p.conf.CPUs == 0 && (w.JobSize > 0 || len(w.TRES) > 0) {
		return p.conf, p.problems, ErrNoNodes
	}
	return p.conf, p.problems, nil
}

// join adds a partition's nodes to it.
func (p *confParser) join(part partitionLine) error {
	names := p.withoutSets(part.nodes)
	if part.Printed["nodes"] = names; strings.EqualFold(names, "ALL") {
		part.Printed["nodes"] = strings.Join(slices.Sorted(maps.Keys(p.nodes)), ",")
		part.Nodes, part.TRES, part.Threads, part.sizes = p.conf.all.Nodes, p.conf.all.TRES, p.conf.all.Threads, p.conf.all.sizes
		return nil
	}
	list, err := Hostlist(names)
	if err != nil {
		return fmt.Errorf("PartitionName=%s: Nodes: %w", shortened(part.Name), err)
	}
	if p.members += len(list); p.members > maxMembers {
		return fmt.Errorf("the partitions have more than %d nodes together", maxMembers)
	}
	seen := map[string]bool{}
	var unknown []string
	for _, name := range list {
		line, ok := p.nodes[name]
		if !ok {
			unknown = append(unknown, name)
			continue
		}
		if !seen[name] {
			seen[name] = true
			part.add(&p.conf.nodeLines[line])
		}
	}
	if unknown != nil {
		return &unknownNodes{part.Name, unknown}
	}
	return nil
}

// unknownNodes says that a partition has nodes that no NodeName line names.
type unknownNodes struct {
	partition string
	names     []string
}

func (e *unknownNodes) Error() string {
	return fmt.Sprintf("PartitionName=%s: there is no node %s", shortened(e.partition), report.First(e.names))
}

// withoutSets puts the nodes of a NodeSet in its place.
func (p *confParser) withoutSets(names string) string {
	parts := splitOutside(names)
	for i, part := range parts {
		set, ok := p.sets[part]
		if !ok {
			continue
		}
		var names []string
		if set.nodes != "" {
			names = append(names, set.nodes)
		}
		for _, name := range slices.Sorted(maps.Keys(p.nodes)) {
			if set.feature != "" && slices.Contains(p.conf.nodeLines[p.nodes[name]].features, set.feature) {
				names = append(names, name)
			}
		}
		parts[i] = strings.Join(names, ",")
	}
	return strings.Join(parts, ",")
}

func (p *Partition) add(n *node) {
	p.Nodes++
	if at, isKnown := slices.BinarySearch(p.sizes, n.cpus); !isKnown {
		p.sizes = slices.Insert(p.sizes, at, n.cpus)
	}
	p.Threads = max(p.Threads, n.threads)
	p.TRES["cpu"] += n.cpus
	p.TRES["billing"] += n.cpus
	p.TRES["mem"] += n.memory
	p.TRES["node"]++
	for _, g := range n.gres {
		p.TRES[g.Name] += g.Count
	}
}
