// Package slurm reads Slurm's configuration and job lists, and computes its
// multifactor priority.
package slurm

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"strconv"
	"strings"
)

// Conf is what slurm.conf says about priorities.
type Conf struct {
	Weights Weights
	MaxAge  float64 // seconds after which age counts fully
	// FavorSmall and the flags change how a factor is computed.
	FavorSmall     bool
	SizeRelative   bool // SMALL_RELATIVE_TO_TIME
	AccrueAlways   bool
	Running        bool // CALCULATE_RUNNING
	DepthOblivious bool
	NoFairTree     bool
	NoNormal       map[string]bool // assoc, part, qos, tres: raw values count
	DampFactor     float64

	Partitions map[string]*Partition
	Nodes      int
	CPUs       float64
	all        Partition // of every node
}

// Weights are the factors' weights.
type Weights struct {
	Age, Assoc, Fairshare, JobSize, Partition, QOS float64
	TRES                                           []Amount
}

// Amount is a number of a trackable resource, such as cpu, mem (in MB) or
// gres/gpu.
type Amount struct {
	Name  string
	Count float64
}

// Partition is a queue of Slurm.
type Partition struct {
	Name      string
	JobFactor float64
	MaxTime   float64 // minutes, unlimited as Slurm's 4294967295
	Nodes     int
	TRES      map[string]float64
}

// node is what is known of one node.
type node struct {
	cpus, memory float64
	gres         []Amount
}

// LineError tells which line is wrong.
type LineError struct {
	Line   int
	Detail string
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Detail) }

// unlimited is Slurm's INFINITE.
const unlimited = 4294967295

// ParseConf reads slurm.conf, or the lines of it that concern priorities,
// nodes and partitions. Problems are lines that were read but cannot be
// followed, such as Include.
func ParseConf(text string) (*Conf, []string, error) {
	p := confParser{
		conf: &Conf{
			MaxAge: 7 * 24 * 3600, DampFactor: 1, NoNormal: map[string]bool{}, Partitions: map[string]*Partition{},
		},
		nodes: map[string]*node{}, sets: map[string]string{},
		nodeDefaults: map[string]string{}, partitionDefaults: map[string]string{},
	}
	number, lines := 0, strings.Count(text, "\n")
	if !strings.HasSuffix(text, "\n") {
		lines++
	}
	var continued strings.Builder
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimRight(line, "\r\n")
		if hash := strings.IndexByte(line, '#'); hash >= 0 && (hash == 0 || line[hash-1] != '\\') {
			line = line[:hash]
		}
		before, more := strings.CutSuffix(line, "\\")
		continued.WriteString(before)
		if continued.Len() > maxLine {
			return nil, nil, &LineError{number, fmt.Sprintf("a line of more than %d bytes", maxLine)}
		}
		if more && number < lines {
			continue
		}
		if err := p.line(continued.String(), number); err != nil {
			return nil, nil, &LineError{number, err.Error()}
		}
		continued.Reset()
	}
	if err := p.finish(); err != nil {
		return nil, p.problems, err
	}
	return p.conf, p.problems, nil
}

// Bounds of a configuration.
const (
	maxLine    = 1 << 20
	maxMembers = 1 << 21 // nodes of all partitions together
	maxTRES    = 1000
)

type confParser struct {
	conf     *Conf
	problems []string

	nodes      map[string]*node
	members    int
	sets       map[string]string // NodeSet
	partitions []partitionLine

	nodeDefaults, partitionDefaults map[string]string
}

// partitionLine is kept until all nodes are known.
type partitionLine struct {
	*Partition
	nodes string
	line  int
}

// line reads a line's KEY=VALUE pairs.
func (p *confParser) line(line string, number int) error {
	fields, err := pairs(line)
	if err != nil || len(fields) == 0 {
		return err
	}
	switch first := fields[0]; first[0] {
	case "nodename":
		return p.nodeLine(first[1], lookup(fields))
	case "partitionname":
		return p.partitionLine(first[1], lookup(fields), number)
	case "nodeset":
		nodes := lookup(fields)["nodes"]
		if nodes == "" {
			p.problems = append(p.problems, "NodeSet "+first[1]+" has no Nodes and is taken for empty")
		}
		p.sets[first[1]] = nodes
		return nil
	case "include":
		p.problems = append(p.problems, "Include "+first[1]+" is not followed: give the lines themselves")
		return nil
	}
	for _, field := range fields {
		if err := p.setting(field[0], field[1]); err != nil {
			return fmt.Errorf("%s: %w", field[0], err)
		}
	}
	return nil
}

// pairs splits a line into keys, in small letters, and values, which may be
// quoted.
func pairs(line string) ([][2]string, error) {
	var fields [][2]string
	rest := strings.TrimSpace(line)
	for rest != "" {
		end := strings.IndexAny(rest, "= \t")
		if end < 0 {
			return nil, fmt.Errorf("%q is not KEY=VALUE", rest)
		}
		key := strings.ToLower(rest[:end])
		after := strings.TrimLeft(rest[end:], " \t") // blanks may stand around the =
		if after == "" || after[0] != '=' {
			if key == "include" {
				return append(fields, [2]string{key, after}), nil
			}
			return nil, fmt.Errorf("%q is not KEY=VALUE", rest[:end])
		}
		rest = strings.TrimLeft(after[1:], " \t")
		value := ""
		if strings.HasPrefix(rest, `"`) {
			closing := strings.IndexByte(rest[1:], '"')
			if closing < 0 {
				return nil, fmt.Errorf("the value of %s has no closing quote", key)
			}
			value, rest = rest[1:closing+1], rest[closing+2:]
		} else if end := strings.IndexAny(rest, " \t"); end >= 0 {
			value, rest = rest[:end], rest[end:]
		} else {
			value, rest = rest, ""
		}
		fields = append(fields, [2]string{key, value})
		rest = strings.TrimLeft(rest, " \t")
	}
	return fields, nil
}

func lookup(fields [][2]string) map[string]string {
	m := map[string]string{}
	for _, f := range fields {
		m[f[0]] = f[1]
	}
	return m
}

func (p *confParser) setting(key, value string) error {
	c := p.conf
	weights := map[string]*float64{
		"priorityweightage": &c.Weights.Age, "priorityweightassoc": &c.Weights.Assoc,
		"priorityweightfairshare": &c.Weights.Fairshare, "priorityweightjobsize": &c.Weights.JobSize,
		"priorityweightpartition": &c.Weights.Partition, "priorityweightqos": &c.Weights.QOS,
	}
	var err error
	if weight := weights[key]; weight != nil {
		*weight, err = count(value)
		return err
	}
	switch key {
	case "prioritymaxage":
		c.MaxAge, err = Duration(value)
	case "priorityfavorsmall":
		c.FavorSmall, err = yes(value)
	case "fairsharedampeningfactor":
		if c.DampFactor, err = count(value); err == nil && c.DampFactor < 1 {
			err = fmt.Errorf("%q is not 1 or more", value)
		}
	case "priorityweighttres":
		if c.Weights.TRES, err = ParseWeights(value); len(c.Weights.TRES) > maxTRES {
			err = fmt.Errorf("more than %d resources", maxTRES)
		}
	case "priorityflags":
		for flag := range strings.SplitSeq(strings.ToUpper(value), ",") {
			p.flag(strings.TrimSpace(flag))
		}
	case "prioritydecayhalflife", "priorityusageresetperiod", "prioritycalcperiod", "prioritymaxpriority", "prioritysitefactorplugin",
		"prioritysitefactorparameters", "priorityparameters":
	default:
		if strings.HasPrefix(key, "priority") {
			p.problems = append(p.problems, key+" is unknown and has no effect here")
		}
	case "prioritytype":
		if value != "priority/multifactor" {
			p.problems = append(p.problems, "PriorityType is "+value+", without priority/multifactor Slurm orders by submission")
		}
	}
	return err
}

func (p *confParser) flag(flag string) {
	c := p.conf
	switch flag {
	case "ACCRUE_ALWAYS":
		c.AccrueAlways = true
	case "CALCULATE_RUNNING":
		c.Running = true
	case "DEPTH_OBLIVIOUS":
		c.DepthOblivious = true
	case "NO_FAIR_TREE":
		c.NoFairTree = true
	case "SMALL_RELATIVE_TO_TIME":
		c.SizeRelative = true
	case "NO_NORMAL_ALL":
		for _, what := range []string{"ASSOC", "PART", "QOS", "TRES"} {
			c.NoNormal[what] = true
		}
	case "NO_NORMAL_ASSOC", "NO_NORMAL_PART", "NO_NORMAL_QOS", "NO_NORMAL_TRES":
		c.NoNormal[strings.TrimPrefix(flag, "NO_NORMAL_")] = true
	case "", "FAIR_TREE", "INCR_ONLY", "MAX_TRES", "MAX_TRES_GRES":
	default:
		p.problems = append(p.problems, "PriorityFlags: "+flag+" is unknown and has no effect here")
	}
}

func yes(value string) (bool, error) {
	switch strings.ToLower(value) {
	case "yes", "true", "1", "up", "y":
		return true, nil
	case "no", "false", "0", "down", "n":
		return false, nil
	}
	return false, fmt.Errorf("%q is neither YES nor NO", value)
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
		n, err := count(get(key))
		if err != nil {
			return 0, fmt.Errorf("%s: %w", key, err)
		}
		return n, nil
	}
	n := &node{}
	product := 1.0
	for _, key := range []string{"boards", "socketsperboard", "sockets", "corespersocket", "threadspercore"} {
		if key == "boards" && get("sockets") != "" {
			continue // Sockets are those of all boards
		}
		x, err := number(key, 1)
		if err != nil {
			return err
		}
		product *= x
	}
	var err error
	if n.cpus, err = number("cpus", product); err != nil {
		return err
	}
	if n.memory, err = number("realmemory", 1); err != nil {
		return err
	}
	if n.gres, err = parseGres(get("gres")); err == nil && len(n.gres) > maxTRES {
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
	for _, name := range list {
		if _, twice := p.nodes[name]; twice {
			return fmt.Errorf("node %s stands in two lines", name)
		}
		p.nodes[name] = n
		p.conf.CPUs += n.cpus
	}
	return nil
}

// parseGres reads gpu:2,gpu:tesla:4(S:0-1).
func parseGres(value string) ([]Amount, error) {
	var gres []Amount
	if value == "" || value == "(null)" {
		return nil, nil
	}
	for _, part := range splitOutside(value) {
		part, _, _ = strings.Cut(part, "(")
		fields := strings.Split(part, ":")
		n, last := 1.0, len(fields)-1
		if x, err := count(fields[last]); err == nil && last > 0 {
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
func (p *confParser) partitionLine(name string, fields map[string]string, number int) error {
	if strings.EqualFold(name, "DEFAULT") {
		maps.Copy(p.partitionDefaults, fields)
		return nil
	}
	part := &Partition{Name: name, JobFactor: 1, MaxTime: unlimited, TRES: map[string]float64{}}
	get := func(key string) string {
		if value, ok := fields[key]; ok {
			return value
		}
		return p.partitionDefaults[key]
	}
	var err error
	for _, key := range []string{"priority", "priorityjobfactor"} {
		if value := get(key); value != "" {
			if part.JobFactor, err = count(value); err != nil {
				return fmt.Errorf("%s: %w", key, err)
			}
		}
	}
	if value := get("maxtime"); value != "" {
		seconds, err := Duration(value)
		if err != nil {
			return err
		}
		part.MaxTime = min(unlimited, math.Ceil(seconds/60))
	}
	p.partitions = append(p.partitions, partitionLine{part, get("nodes"), number})
	p.conf.Partitions[name] = part
	return nil
}

// Total is how much of a resource the cluster has.
func (c *Conf) Total(tres string) float64 { return c.all.TRES[tres] }

// finish adds up what partitions have.
func (p *confParser) finish() error {
	w := p.conf.Weights
	if p.conf.CPUs == 0 && (w.JobSize > 0 || len(w.TRES) > 0) {
		return errors.New("there is no NodeName line with CPUs: job size and TRES are parts of the cluster")
	}
	if w.Age+w.Assoc+w.Fairshare+w.JobSize+w.Partition+w.QOS == 0 && len(w.TRES) == 0 {
		p.problems = append(p.problems, "no PriorityWeight is set: every priority is 1")
	}
	p.conf.all.TRES = map[string]float64{}
	for _, n := range p.nodes {
		p.conf.all.add(n)
	}
	for _, part := range p.partitions {
		if err := p.join(part); err != nil {
			return &LineError{part.line, err.Error()}
		}
	}
	return nil
}

// join adds a partition's nodes to it.
func (p *confParser) join(part partitionLine) error {
	names := p.withoutSets(part.nodes)
	if strings.EqualFold(names, "ALL") {
		part.Nodes, part.TRES = p.conf.all.Nodes, p.conf.all.TRES
		return nil
	}
	list, err := Hostlist(names)
	if err != nil {
		return err
	}
	if p.members += len(list); p.members > maxMembers {
		return fmt.Errorf("the partitions have more than %d nodes together", maxMembers)
	}
	seen := map[string]bool{}
	for _, name := range list {
		n, ok := p.nodes[name]
		if !ok {
			return fmt.Errorf("there is no node %s", name)
		}
		if !seen[name] {
			seen[name] = true
			part.add(n)
		}
	}
	return nil
}

// withoutSets puts the nodes of a NodeSet in its place.
func (p *confParser) withoutSets(names string) string {
	parts := splitOutside(names)
	for i, part := range parts {
		if set, ok := p.sets[part]; ok {
			parts[i] = set
		}
	}
	return strings.Join(parts, ",")
}

func (p *Partition) add(n *node) {
	p.Nodes++
	p.TRES["cpu"] += n.cpus
	p.TRES["billing"] += n.cpus
	p.TRES["mem"] += n.memory
	p.TRES["node"]++
	for _, g := range n.gres {
		p.TRES[g.Name] += g.Count
	}
}

// count reads a number from 0.
func count(value string) (float64, error) {
	x, err := strconv.ParseFloat(value, 64)
	if err != nil || !(x >= 0) || x > 1e15 {
		return 0, fmt.Errorf("%q is no number from 0", value)
	}
	return x, nil
}
