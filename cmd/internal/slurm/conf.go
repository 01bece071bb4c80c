// Package slurm reads Slurm's configuration and job lists, and computes its
// multifactor priority.
package slurm

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"fairshare/cmd/internal/file"
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
	NoNormal       map[string]bool // ASSOC, PART, QOS, TRES: raw values count
	DampFactor     float64
	CalcPeriod     float64 // seconds between two times at which all priorities are computed
	HalfLife       float64 // seconds in which usage decays to its half, 0 for never
	ResetPeriod    string  // DAILY or the like: how often usage is set to 0; "" for never
	MaxArraySize   float64 // the number from which on no task of an array is taken, 0 where none is
	Basic          bool    // priority/basic: jobs have the order in which they came
	HasNoAccounts  bool    // no accounting: there are no associations and no QOS, and their factors are 0

	Unknown []string        // names and values that are not known, and have no effect
	Refused []string        // those with which slurmctld does not start
	Passed  []string        // the same, as it is said of them at a site of which slurmctld runs
	Missing []string        // files that a slurm.conf includes and that are not read
	Unread  []*file.Problem // lines that cannot be read
	unread  map[string]bool // the settings of these lines, in lower case, of which nothing is said
	refuses map[string]bool // those that are among Refused by their values, in lower case

	IsFile bool             // whether it is a slurm.conf, and not what slurmctld prints
	places map[string]Place // where its settings stand in it, by their names in lower case

	isWhole   bool // whether a slurm.conf has what only a whole one has
	noneNamed bool // whether its partitions name nodes, and no NodeName line does

	Partitions map[string]*Partition
	Nodes      int
	CPUs       float64
	nodes      map[string]int // by name, the line of nodeLines of each
	nodeLines  []node
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

// AmountsByName returns amounts by the names of their resources.
func AmountsByName(list []Amount) map[string]float64 {
	m := map[string]float64{}
	for _, a := range list {
		m[a.Name] = a.Count
	}
	return m
}

// SumsByName returns the sums of amounts by the names of their resources, of which GRES of several types stand there several times.
func SumsByName(list []Amount) map[string]float64 {
	m := map[string]float64{}
	for _, a := range list {
		m[a.Name] += a.Count
	}
	return m
}

// unlimited is Slurm's INFINITE.
const unlimited = 4294967295

// ParseConf reads slurm.conf, or the lines of it that concern priorities,
// nodes and partitions, with the files beside it that it includes. Problems are lines that were read but cannot be
// followed, such as an Include of a file that is not there. Where lines cannot be read, the error is of the first of them, and the
// configuration is that of all others.
func ParseConf(text string, beside Beside) (*Conf, []string, error) {
	p := newConfParser()
	p.conf.IsFile = true
	for line := range confLines(text, beside) {
		if len(line.Text) > maxLine {
			return nil, nil, &file.Problem{File: line.File, Line: line.Line, Message: fmt.Sprintf("a line of more than %d bytes", maxLine)}
		}
		if p.at = line.Place; line.Left != "" {
			p.conf.Missing = append(p.conf.Missing, p.placed(line.Left))
			continue
		}
		fields, err := pairs(line.Text)
		if err == nil {
			p.sayTwice(fields)
			err = p.line(fields)
		} else {
			p.leaveOut(line.Text)
		}
		if p.unread(line.Place, fields, err); p.isBad() {
			break
		}
	}
	return p.finish()
}

// Fields are a line of slurm.conf: keys with their values.
type Fields [][2]string

// NewConf returns the configuration that the lines of a slurm.conf come to, as ParseConf does.
func NewConf(lines []Fields) (*Conf, []string, error) {
	p := newConfParser()
	for _, fields := range lines {
		if p.unread(Place{}, fields, p.line(fields)); p.isBad() {
			break
		}
	}
	return p.finish()
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
	at       Place            // of the line that is read, the zero Place where lines have none
	set      map[string]setOn // where settings stand, by their names in lower case

	nodes      map[string]int // as those of conf
	members    int
	losesNodes bool // whether a NodeName line could not be read so far that its nodes are known
	sets       map[string]nodeSet
	partitions []partitionLine
	usual      string // the partition of Default=YES, "" for none yet

	nodeDefaults, partitionDefaults map[string]string

	gres []gresKind // those of the nodes of a slurm.conf
}

// NoConf returns the configuration of a site that does not tell it: nothing has a weight.
func NoConf() *Conf { return newConfParser().conf }

func newConfParser() *confParser {
	return &confParser{
		conf: &Conf{
			MaxAge: 7 * 24 * 3600, DampFactor: 1, CalcPeriod: 300, HalfLife: 7 * 24 * 3600, MaxArraySize: 1001, NoNormal: map[string]bool{}, Partitions: map[string]*Partition{},
			unread: map[string]bool{}, refuses: map[string]bool{}, places: map[string]Place{},
		},
		set: map[string]setOn{}, nodes: map[string]int{}, sets: map[string]nodeSet{},
		nodeDefaults: map[string]string{}, partitionDefaults: map[string]string{},
	}
}

// places are the settings with which a line of a node or a partition begins.
var places = []string{"nodename", "partitionname"}

// unread takes in why a line cannot be read, nil for one that was, and each of several errors by itself.
func (p *confParser) unread(at Place, fields Fields, err error) {
	if err == nil {
		return
	}
	if all, isJoined := err.(interface{ Unwrap() []error }); isJoined {
		for _, one := range all.Unwrap() {
			p.unread(at, fields, one)
		}
		return
	}
	p.conf.Unread = append(p.conf.Unread, &file.Problem{File: at.File, Line: at.Line, Message: err.Error()})
	if len(fields) > 0 && slices.Contains(places, strings.ToLower(fields[0][0])) {
		p.conf.unread[strings.ToLower(fields[0][0])] = true
	}
}

// ofWhole are settings that each whole slurm.conf has, one of them at least.
var ofWhole = []string{"ClusterName", "SlurmctldHost", "ControlMachine"}

// setOn is what a setting is on a line.
type setOn struct {
	value string
	at    Place
}

// repeated begin lines of which slurm.conf may have several, and which are of one thing each.
var repeated = []string{"nodename", "partitionname", "nodeset", "downnodes", "frontendname", "switchname"}

// adding are settings that may stand on several lines, all of which count.
var adding = []string{"include", "slurmctldhost", "prolog", "epilog", "prologslurmctld", "epilogslurmctld"}

// sayTwice says what a line sets to another value than it has already, on the line of a node or a partition or before: the last
// one counts.
func (p *confParser) sayTwice(fields Fields) {
	on := map[string]string{}
	isOfPlace := len(fields) > 0 && slices.Contains(repeated, strings.ToLower(fields[0][0]))
	for _, f := range fields {
		key := strings.ToLower(f[0])
		if slices.Contains(adding, key) {
			continue
		}
		before, isOnLine := on[key]
		switch earlier := p.set[key]; {
		case isOnLine && before != f[1]:
			p.problem("%s stands there twice: the last one counts, %s", f[0], shortened(f[1]))
		case !isOnLine && !isOfPlace && earlier.at.Line != 0 && earlier.value != f[1]:
			p.problem("%s is set again, as on %v: the last one counts, %s", f[0], earlier.at, shortened(f[1]))
		}
		on[key] = f[1]
		if !isOfPlace {
			p.set[key] = setOn{f[1], p.at}
			p.conf.places[key] = p.at
		}
	}
}

// leaveOut keeps which settings a line may have set that is no KEY=VALUE: all its words.
func (p *confParser) leaveOut(line string) {
	for _, word := range strings.FieldsFunc(strings.ToLower(line), func(r rune) bool { return r == '=' || unicode.IsSpace(r) }) {
		p.conf.unread[word] = true
	}
	if p.conf.unread["partitionname"] { // of which the factor is not known either
		p.conf.unread["priorityjobfactor"] = true
	}
}

// lacks returns those of some settings of which the values cannot be read.
func (c *Conf) lacks(settings ...string) (list []string) {
	for _, name := range settings {
		if c.unread[strings.ToLower(name)] {
			list = append(list, name)
		}
	}
	return list
}

// problem takes in what is said of the line that is read.
func (p *confParser) problem(format string, args ...any) {
	p.problems = append(p.problems, p.placed(fmt.Sprintf(format, args...)))
}

// placed returns what is said of the line that is read with where it stands, if that is known.
func (p *confParser) placed(text string) string {
	return p.at.Prefix() + text
}

// isBad reports whether so many lines cannot be read that no more are.
func (p *confParser) isBad() bool {
	const most = 100
	return len(p.conf.Unread) >= most
}

// line takes in what a line says.
func (p *confParser) line(fields Fields) error {
	if len(fields) == 0 {
		return nil
	}
	p.conf.isWhole = p.conf.isWhole || IsIn(ofWhole, fields[0][0])
	switch first := fields[0]; strings.ToLower(first[0]) {
	case "nodename":
		p.checkLine("of NodeName", fields, nodeKeys, nodeValues)
		return p.nodeLine(first[1], lookup(p.readable(fields, nodeKinds, nodeKeys)))
	case "partitionname":
		p.checkLine("of PartitionName", fields, partitionKeys, partitionValues)
		return p.partitionLine(first[1], lookup(p.readable(fields, partitionKinds, partitionKeys)))
	case "downnodes":
		p.checkLine("of DownNodes", fields, downKeys, nil)
		return nil
	case "frontendname":
		p.checkLine("of FrontendName", fields, frontendKeys, nil)
		return nil
	case "nodeset":
		of := lookup(fields)
		set := nodeSet{nodes: of["nodes"], feature: of["feature"]}
		if set.nodes == "" && set.feature == "" {
			p.problem("NodeSet %s has no Nodes and no Feature, and is taken for empty", first[1])
		}
		p.sets[first[1]] = set
		return nil
	case "include": // of another form, which confLines does not follow
		p.conf.Missing = append(p.conf.Missing, p.placed("Include="+first[1]+" is not followed: Slurm has Include and a name behind a blank"))
		return nil
	}
	var wrong []error
	for _, field := range fields {
		if err := p.setting(field[0], field[1]); err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %w", spelledKey(knownNames(), field[0]), err))
			p.conf.unread[strings.ToLower(field[0])] = true
		}
	}
	return errors.Join(wrong...)
}

// pairs splits a line into keys and values, which may be quoted.
func pairs(line string) (Fields, error) {
	var fields Fields
	rest := strings.TrimSpace(line)
	for rest != "" {
		end := strings.IndexAny(rest, "= \t")
		if end < 0 {
			return nil, fmt.Errorf("%s is not KEY=VALUE", quoted(rest))
		}
		key := rest[:end]
		after := strings.TrimLeft(rest[end:], " \t") // blanks may stand around the =
		if after == "" || after[0] != '=' {
			return nil, fmt.Errorf("%s is not KEY=VALUE", quoted(rest[:end]))
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

// quoted returns a text in quotes, cut off if it is very long.
func quoted(text string) string { return strconv.Quote(shortened(text)) }

// shortened returns a text, cut off if it is very long.
func shortened(text string) string {
	const most = 60
	if len(text) > most {
		text = text[:most] + "…"
	}
	return text
}

// lookup returns the values by their keys in lower case.
func lookup(fields Fields) map[string]string {
	m := map[string]string{}
	for _, f := range fields {
		m[strings.ToLower(f[0])] = f[1]
	}
	return m
}
