package forecast

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/forecast"
	"fairshare/cmd/internal/moment"
	"fairshare/cmd/internal/pattern"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/sched"
)

// options are what is asked for by the long options of sbatch, and cpus: how many in all.
type options map[string]string

// longNames are the long options by others that say the same.
var longNames = map[string]string{"N": "nodes", "n": "ntasks", "c": "cpus-per-task", "C": "constraint", "t": "time", "p": "partition", "A": "account", "q": "qos", "L": "licenses", "w": "nodelist", "x": "exclude", "G": "gpus", "b": "begin", "H": "hold", "F": "nodefile",
	"ncpus": "cpus", "walltime": "time", "queue": "partition"}

var (
	wholeNumber = pattern.Of(`^[1-9]\d{0,5}$`)
	nodeSpan    = pattern.Of(`^[1-9]\d{0,5}(-[1-9]\d{0,5})?$`)
	gpus        = pattern.Of(`^\w[\w.-]*(:\d{1,6})?(,\w[\w.-]*(:\d{1,6})?)*$`)
	memory      = pattern.Of(`^\d{1,12}([KMGTkmgt][Bb]?)?$`)
)

// forms are the options that there are, and how their values look.
var forms = map[string]pattern.Lazy{
	"nodes": nodeSpan, "ntasks": wholeNumber, "cpus": wholeNumber, "cpus-per-task": wholeNumber, "ntasks-per-node": wholeNumber, "mem": memory, "mem-per-cpu": memory,
	"ntasks-per-core": wholeNumber, "ntasks-per-socket": wholeNumber, "threads-per-core": wholeNumber, "nice": pattern.Of(`^(-?\d{1,10})?$`), "hold": pattern.Of(`^$`), "begin": nil, "reservation": nil,
	"constraint": pattern.Of(`^[\w.|&()*\[\]-]+$`), "exclusive": pattern.Of(`^$`), "gres": pattern.Of(`^\w[\w.-]*(:\w[\w.-]*)*(,\w[\w.-]*(:\w[\w.-]*)*)*$`),
	"gpus": gpus, "gpus-per-node": gpus, "gpus-per-task": gpus, "cpus-per-gpu": wholeNumber, "mem-per-gpu": memory, "ntasks-per-gpu": wholeNumber, "switches": pattern.Of(`^[1-9]\d{0,5}(@\d[\d:-]*)?$`),
	"licenses": pattern.Of(`^[\w.@-]+([:=]\d{1,9})?(,[\w.@-]+([:=]\d{1,9})?)*$`), "hint": pattern.Of(`^((no)?multithread|compute_bound|memory_bound)$`), "nodelist": nil, "nodefile": nil, "exclude": nil, "time": nil, "partition": nil, "account": nil, "qos": nil,
}

// ofRequest are the options by which nodes are found.
var ofRequest = []string{"nodes", "ntasks", "cpus-per-task", "ntasks-per-node", "ntasks-per-core", "ntasks-per-socket", "threads-per-core", "mem", "mem-per-cpu", "constraint", "exclusive", "gres", "gpus", "gpus-per-task", "switches", "hint"}

// ofGRES are those that ask for GPUs and the like: of each node, of the job and of each task.
var ofGRES = []string{"gres", "gpus", "gpus-per-task", "gpus-per-node"}

// ofThreads are those on which it depends which threads of a core a job has.
var ofThreads = []string{"hint", "threads-per-core", "ntasks-per-core"}

// ofNodes are all the options on which it depends where a job runs.
var ofNodes = slices.Concat(ofRequest, perGPU, []string{"gpus-per-node", "cpus", "nodelist", "exclude"})

// lists are the options whose values may have commas.
var lists = []string{"partition", "queue", "licenses", "nodelist", "exclude", "gres", "gpus", "gpus-per-node", "gpus-per-task", "reservation"}

// wrong returns what is wrong with what is asked for.
func wrong(format string, args ...any) error { return askError{fmt.Errorf(format, args...)} }

// refused returns that sbatch or slurmctld takes no such job, with its own words.
func refused(words, format string, args ...any) error {
	return wrong("%s (sbatch refuses it: %s)", fmt.Sprintf(format, args...), words)
}

// askError is a forecast.ErrAsk that says by itself what is wrong.
type askError struct{ error }

func (askError) Is(target error) bool { return target == forecast.ErrAsk }

// parse reads what is asked for at a site: options of sbatch, such as "-N2 -n 32 --mem=64G -t 8:00:00", or
// nodes=2,ntasks=32,mem=64G,time=8:00:00. There, a name without a value behind a list is one more value of it, though an option is
// called so, unless that is one that has no value and the site has nothing of that name.
func (s *Site) parse(text string) (options, error) {
	if strings.HasPrefix(strings.TrimSpace(text), "-") {
		list, rest, err := split(text, "sbatch")
		switch {
		case err != nil:
			return nil, err
		case len(rest) > 0:
			return nil, noScriptAlone(rest[0])
		case len(list) == 0:
			return nil, none(text)
		}
		return parseOptions(list, true)
	}
	var list []sched.Option // names with commas between them
	for part := range strings.SplitSeq(text, ",") {
		name, value, isGiven := strings.Cut(strings.TrimSpace(part), "=")
		last := len(list) - 1
		begins := isOption(name) && (isGiven || !hasValue(name) && (last < 0 || !s.hasCalled(list[last].Name, name)))
		followsList := last >= 0 && slices.Contains(lists, list[last].Name) && !isGiven && name != "" && !begins
		followsText := last >= 0 && isText(list[last]) && !begins
		if followsList || followsText {
			list[last].Value += "," + strings.TrimSpace(part)
			continue
		}
		if name == "" {
			return nil, none(text)
		}
		if word, _, _ := strings.Cut(name, " "); !isGiven && strings.ContainsAny(word, "./") && !isOption(name) { // as the names of scripts have and no option
			return nil, noScriptAlone(word)
		}
		list = append(list, sched.Option{Name: name, Value: value})
	}
	return parseOptions(list, false)
}

// hasCalled reports whether a site has something of a name that a list of an option may name.
func (s *Site) hasCalled(option, name string) bool {
	switch cmp.Or(longNames[option], option) {
	case "partition":
		return s.Setup.PartitionNamed(name) >= 0
	case "nodelist", "exclude":
		return s.maker.Nodes.Has(name)
	case "licenses":
		return slices.ContainsFunc(s.Setup.Licences, func(l sched.Licence) bool { return l.Name == name })
	case "reservation":
		return slices.ContainsFunc(s.Setup.Reservations, func(r sched.Reservation) bool { return r.Name == name })
	case "gres":
		return slices.Contains(s.Setup.GRES, name)
	}
	return false
}

// parseOptions reads what is asked for by options. Those of words may be letters behind a hyphen, and the last of several counts, as
// sbatch reads them.
func parseOptions(list []sched.Option, isOfWords bool) (options, error) {
	o := options{}
	for _, x := range list {
		name := cmp.Or(longNames[x.Name], x.Name)
		other := otherOption(name)
		if of := otherOption(name + "=" + x.Value); of != nil { // a value that is not read
			other, x.Value = of, ""
		}
		form, isKnown := forms[name]
		_, isTwice := o[name]
		switch {
		case !isOfWords && len(x.Name) == 1: // a letter is an option behind a hyphen alone
			return nil, none(x.Name)
		case other != nil && other.lacks == ofUser:
			return nil, wrong("%s is not read: %s", other.long, other.lacks)
		case other != nil && other.lacks != "":
			return nil, wrong("%s is not modelled here: %s", other.long, other.lacks)
		case other != nil && other.assumes != "":
			if name = other.long; other.also != "" {
				o[other.also] = ""
			}
		case other != nil: // nothing of it changes when the job starts
			continue
		case !isKnown && isOfSrunAlone(x):
			return nil, wrong("%q is an option of srun or salloc, and none of sbatch (sbatch refuses it)", x.Name)
		case !isKnown:
			return nil, none(x.Name)
		case isTwice && !isOfWords:
			return nil, wrong("%s is asked for twice", name)
		case form == nil && (x.Value == "" || len(x.Value) > 256):
			return nil, wrong("%s has no value (sbatch refuses it)", name)
		case form != nil && !form().MatchString(x.Value):
			return nil, wrong("%q is no value of %s (sbatch refuses it)", x.Value, name)
		}
		if name == "nodefile" {
			names, err := nodesOfFile(x.Value)
			if err != nil {
				return nil, err
			}
			name, x.Value = "nodelist", names
		}
		o[name] = strings.TrimRight(x.Value, ",")
	}
	return o, o.check()
}

// none returns that a word is no option.
func none(word string) error {
	const least, short = 3, 4 // letters, and of a short word the first one is right
	names := slices.DeleteFunc(slices.AppendSeq(longOptions(), maps.Keys(longNames)), func(name string) bool { return len(name) < least })
	if near := report.Typo(word, names); near != "" && len(word) >= least && (len(word) > short || near[0] == word[0]) {
		return wrong("%q is no option of sbatch%s", word, report.Meant(near))
	}
	return wrong("%q is none of %s", word, strings.Join(slices.Sorted(maps.Keys(forms)), ", "))
}

// noScriptAlone returns that a script stands where an option is expected.
func noScriptAlone(word string) error {
	return wrong("%q is no option: a line that names a script begins with sbatch", word)
}

// isText reports whether an option is one without effect whose value is any text.
func isText(x sched.Option) bool {
	other := otherOption(x.Name)
	return other != nil && other.lacks == "" && !other.isFlag && len(x.Name) > 1 // a list of jobs, of tasks or of features, too
}

// isOption reports whether a word is the name of an option, in full.
func isOption(name string) bool {
	_, isKnown := forms[name]
	return len(name) > 1 && (isKnown || longNames[name] != "" || otherOption(name) != nil)
}

// check returns which options do not go together.
func (o options) check() error {
	var byWhich []string
	for _, name := range ofMemory {
		if _, isAsked := o[name]; isAsked {
			byWhich = append(byWhich, name)
		}
	}
	if len(byWhich) > 1 {
		return refused("--mem, --mem-per-cpu, and --mem-per-gpu are mutually exclusive.", "%s and %s cannot both be asked for", byWhich[0], byWhich[1])
	}
	_, hasTasks := o["ntasks"]
	if _, hasCPUs := o["cpus"]; hasTasks && hasCPUs {
		return wrong("cpus are ntasks times cpus-per-task: ntasks cannot be asked for as well")
	}
	if text, ok := o["time"]; ok {
		if _, ok := limitOf(text); !ok {
			return refused("Invalid --time specification", "%q is no time limit: a number of minutes, HH:MM:SS, D-HH:MM:SS, or UNLIMITED%s", text, report.Meant(moment.AsClock(text)))
		}
	}
	if least, most := o.nodes(); 0 < most && most < least {
		return refused(fmt.Sprintf("Maximum node count %d is less than minimum node count %d", most, least), "nodes=%s ends before it begins", o["nodes"])
	}
	return nil
}

// limitOf reads a time limit, in seconds of whole minutes as Slurm rounds it up: sched.Endless for 0 and UNLIMITED, which
// are more than any MaxTime of a partition.
func limitOf(text string) (seconds int64, ok bool) {
	x, err := slurm.Duration(text)
	if err != nil {
		return 0, false
	}
	const minute = 60
	minutes := math.Ceil(x / minute)
	if minutes == 0 || minutes >= sched.Endless*10/minute {
		return sched.Endless, true
	}
	return int64(minutes) * minute, true
}

// resize makes options ask for another number of cpus: on as many nodes as leave each node what it has,
// where that divides.
func resize(o, changes options, was *sched.Request) {
	cpus := changes.number("cpus")
	if _, isSaid := changes["nodes"]; !isSaid && was.MinNodes > 1 {
		nodes := int(was.MinNodes)
		if each := max(1, int(was.CPUs)/nodes); cpus%each == 0 {
			nodes = cpus / each
		}
		o["nodes"] = strconv.Itoa(min(nodes, cpus))
	}
	delete(o, "ntasks")
	delete(o, "ntasks-per-node")
}

// optionsOf returns what asks for a request.
func optionsOf(r *sched.Request, kinds []string) options {
	o := options{"ntasks": strconv.Itoa(int(r.Tasks))}
	if r.Tasks*r.CPUsPerTask != r.CPUs {
		o["ntasks"] = strconv.Itoa(int(max(1, r.CPUs/r.CPUsPerTask)))
	}
	switch {
	case r.MaxNodes == r.MinNodes:
		o["nodes"] = strconv.Itoa(int(r.MinNodes))
	case r.MaxNodes > 0 || r.MinNodes > 1:
		o["nodes"] = fmt.Sprintf("%d-%d", r.MinNodes, cmp.Or(r.MaxNodes, 999_999))
	}
	for name, n := range map[string]int64{"cpus-per-task": int64(r.CPUsPerTask), "ntasks-per-node": int64(r.TasksPerNode), "mem": r.NodeMemory, "mem-per-cpu": r.CPUMemory} {
		if n > 0 {
			o[name] = strconv.FormatInt(n, 10)
		}
	}
	if r.AllMemory {
		o["mem"] = "0"
	}
	if len(r.Features) > 0 {
		o["constraint"] = r.Features.String()
	}
	if r.Exclusive {
		o["exclusive"] = ""
	}
	for i, kind := range kinds {
		if !strings.Contains(kind, ":") && r.GRES[i] > 0 {
			o["gres"] = fmt.Sprintf("%s:%d", kind, r.GRES[i])
		}
	}
	return o
}

// request returns what is asked of the nodes, with what an earlier request leaves as it is, and what a job gets in a partition
// that asks for no memory.
func (o *offer) request(was *sched.Request, partition int) (*sched.Request, error) {
	c := o.site.Setup
	kinds := c.GRES
	of := options{}
	if was != nil {
		of = optionsOf(was, kinds)
		if _, ok := o.asked["cpus"]; ok {
			resize(of, o.asked, was)
		}
		of.forget(ofMemory, o.asked)
		of.forget(ofGRES, o.asked)
		if o.asked["cpus-per-gpu"] != "" {
			delete(of, "cpus-per-task")
		}
	}
	maps.Copy(of, o.asked)
	if err := o.hasGRES(of); err != nil {
		return nil, err
	}
	if _, ok := of["cpus"]; ok {
		cpus, each := of.number("cpus"), max(1, of.number("cpus-per-task"))
		if cpus%each != 0 {
			return nil, wrong("cpus=%d is no multiple of cpus-per-task=%d", cpus, each)
		}
		of["ntasks"] = strconv.Itoa(cpus / each)
	}
	if was == nil && of["ntasks"] == "" && of["nodes"] == "" && of["ntasks-per-node"] == "" { // a task for each node that is named
		if wanted, _ := slurm.Hostlist(of["nodelist"]); len(wanted) > 1 {
			of["ntasks"] = strconv.Itoa(len(wanted))
		}
	}
	if was == nil && c.GPUDefaults != nil {
		of, _ = of.withUsualCPUs(c.GPUDefaults[partition])
	}
	if err := of.share(); err != nil {
		return nil, err
	}
	var words []string
	for _, name := range ofRequest {
		if value, ok := of[name]; ok {
			words = append(words, "--"+name+"="+value)
		}
	}
	r := sched.ParseRequest(words, kinds, c.UsualCPUMemory[partition])
	if was == nil && r.AsksNoMemory() {
		r.NodeMemory, r.AllMemory = c.UsualNodeMemory[partition], c.UsualNodeMemory[partition] == 0 && !c.HasNoMemory
	}
	if err := o.keepGRES(r, was); err != nil {
		return nil, err
	}
	for _, feature := range r.Features.Names() {
		if !slices.ContainsFunc(c.Nodes, func(n sched.Node) bool { return slices.Contains(n.Features, feature) }) {
			return nil, refused("Invalid feature specification", "no node has the feature %s", feature)
		}
	}
	if text := of["constraint"]; text != "" && r.Features == nil {
		return nil, refused("Invalid feature specification", "constraint=%s cannot be read", text)
	}
	if err := o.keep(r, was); err != nil {
		return nil, err
	}
	o.spread(r, partition)
	return r, nil
}

// keepGRES lets a request have the GPUs and the like of an earlier one where none are asked for, and switches.
func (o *offer) keepGRES(r, was *sched.Request) error {
	if _, isAsked := o.asked["switches"]; isAsked && o.site.Setup.Switches == nil {
		return wrong("switches=%s changes nothing: the site has no topology/tree", o.asked["switches"])
	} else if was != nil && !isAsked {
		r.Switches, r.SwitchWait = was.Switches, was.SwitchWait
	}
	if was != nil && !o.asked.hasAny(ofGRES) {
		r.GRES, r.JobGRES, r.TaskGRES = was.GRES, was.JobGRES, was.TaskGRES
	}
	return nil
}

// keep lets a request have the nodes and the threads that are asked for, or those of an earlier one.
func (o *offer) keep(r, was *sched.Request) error {
	if was != nil && !o.asked.hasAny(ofThreads) {
		r.Threads = was.Threads
	}
	list, isAsked := o.asked["nodelist"]
	wanted, wrongly := slurm.Hostlist(list)
	unwanted, err := slurm.Hostlist(o.asked["exclude"])
	switch {
	case wrongly != nil:
		return wrong("nodelist: %w", wrongly)
	case err != nil:
		return wrong("exclude: %w", err)
	}
	for _, name := range slices.Concat(wanted, unwanted) {
		if !o.site.maker.Nodes.Has(name) {
			return refused("Invalid node name specified", "the site has no node %s", name)
		}
	}
	if isAsked && r.MaxNodes > 0 && len(wanted) > int(r.MaxNodes) {
		return refused(fmt.Sprintf("invalid number of nodes (-N %d-%d)", len(wanted), r.MaxNodes), "nodelist=%s has %d nodes, and the job asks for %d", list, len(wanted), r.MaxNodes)
	}
	if n := len(wanted); was == nil && n > 1 && o.asked["nodes"] == "" { // sbatch asks for as many nodes, but no more than tasks
		n = min(n, int(r.Tasks))
		wanted, r.MinNodes = wanted[:n], max(r.MinNodes, int32(n))
	}
	for _, name := range wanted {
		if slices.Contains(unwanted, name) {
			return refused("Invalid node name specified", "node %s stands in nodelist and in exclude", name)
		}
	}
	if was != nil && !isAsked {
		r.KeepAs(was)
	}
	if len(wanted)+len(unwanted) > 0 && !o.site.maker.Nodes.KeepTo(r, wanted, unwanted) {
		return wrong("nodelist=%s: these have too little for the job, which may have no others", list)
	}
	return nil
}
