package slurm

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// valueKind is a type that values of slurm.conf have: which ones slurmctld 22.05 starts with.
type valueKind struct {
	isNot string // what any other value is
	takes func(text string) bool
}

// kindsOf are the settings of one line that have a type, by their names in lower case.
type kindsOf map[string]valueKind

// typed returns settings with their types, of which each list has those of one.
func typed(lists map[string]string) kindsOf {
	all := kindsOf{}
	for kind, names := range lists {
		for name := range strings.FieldsSeq(strings.ToLower(names)) {
			all[name] = valueKinds[kind]
		}
	}
	return all
}

// valueKinds are all types by their names: whole numbers by their bits.
var valueKinds = map[string]valueKind{
	"16": wholeNumber(16), "32": wholeNumber(32), "64": wholeNumber(64),
	"tier":    {fmt.Sprintf("not a whole number from 0 to %d", int(MostTier)), wholeNumber(16).takes},
	"switch":  {"neither YES nor NO", func(text string) bool { return IsIn(yesOrNo, text) }},
	"time":    {"not a time", func(text string) bool { _, err := Duration(text); return err == nil }},
	"weights": {"not NAME=NUMBER of resources that Slurm counts", everyOf(isWeight)},
	"tres":    {"not a list of resources that Slurm counts", everyOf(isTRES)},
}

// MostTier is the largest PriorityTier or PriorityJobFactor of a partition: Slurm reads 65534 and 65535 as well, and takes them for none
// that is set.
const MostTier = 65533

// wholeNumber returns the type of whole numbers of so many bits.
func wholeNumber(bits int) valueKind {
	isNot := fmt.Sprintf("neither a whole number from 0 to %d nor UNLIMITED", uint64(math.MaxUint64)>>(64-bits))
	return valueKind{isNot, func(text string) bool {
		_, isNumber := readWhole(text, bits)
		return isNumber || IsUnlimited(text)
	}}
}

// everyOf returns whether each part of a text between commas is of some kind, in lower case.
func everyOf(is func(part string) bool) func(text string) bool {
	return func(text string) bool {
		for part := range strings.SplitSeq(strings.ToLower(text), ",") {
			if !is(strings.TrimSpace(part)) {
				return false
			}
		}
		return true
	}
}

// isWeight reports whether a text is the weight of a resource, which may be negative and have a unit.
func isWeight(text string) bool {
	name, value, _ := strings.Cut(text, "=")
	value = strings.TrimRight(value, strings.ToLower(units))
	_, err := strconv.ParseFloat(value, 64)
	return err == nil && isTRES(name)
}

// isTRES reports whether a name in lower case is one of the resources that Slurm counts, as far as that is the same at every site.
func isTRES(name string) bool {
	kind, of, isOfKind := strings.Cut(name, "/")
	if isOfKind {
		return slices.Contains([]string{"gres", "license", "bb", "fs", "ic"}, kind) && of != ""
	}
	return slices.Contains(everyTRES, name)
}

// everyTRES are the resources that every site counts.
var everyTRES = []string{"cpu", "mem", "energy", "node", "billing", "vmem", "pages", "fs/disk"}

// EveryTRES returns the resources that every site counts.
func EveryTRES() []string { return slices.Clone(everyTRES) }

// IsEveryTRES reports whether every site counts a resource, of a name in lower case, whatever AccountingStorageTRES says.
func IsEveryTRES(name string) bool { return slices.Contains(everyTRES, name) }

// settingKinds, nodeKinds and partitionKinds are the settings of slurm.conf that have a type, as slurmctld 22.05 takes them. The others
// are texts, paths and names, lists of words (see setup), or are read by setting.
var (
	settingKinds = typed(map[string]string{
		"16": `AccountingStoragePort AcctGatherNodeFreq BatchStartTimeout CompleteWait EioTimeout ExtSensorsFreq GetEnvTimeout GroupUpdateForce GroupUpdateTime
			HealthCheckInterval InactiveLimit JobFileAppend JobRequeue KillOnBadExit KillWait MaxTasksPerNode MessageTimeout OverTimeLimit PrologEpilogTimeout ResumeRate
			ResumeTimeout ResvOverRun ReturnToService SchedulerTimeSlice SlurmctldTimeout SlurmdTimeout SuspendRate SuspendTimeout TCPTimeout TreeWidth UnkillableStepTimeout
			VSizeFactor WaitTime`,
		"32":     "EpilogMsgTime FirstJobId JobCompPort KeepAliveTime MaxArraySize MaxDBDMsgs MaxJobCount MaxJobId MaxNodeCount MaxStepCount MinJobAge SlurmdPort",
		"64":     "DefCPUPerGPU DefMemPerCPU DefMemPerGPU DefMemPerNode MaxMemPerCPU MaxMemPerNode",
		"switch": "AllowSpecResourcesUsage DisableRootJobs TrackWCKey UsePAM",
		"time":   "PreemptExemptTime",
		"tres":   "AccountingStorageTRES",
	})
	nodeKinds = typed(map[string]string{
		"16":      "Boards CPUs CoreSpecCount CoresPerSocket Procs Sockets SocketsPerBoard ThreadsPerCore",
		"32":      "TmpDisk Weight",
		"64":      "MemSpecLimit RealMemory",
		"weights": "TRESWeights",
	})
	partitionKinds = typed(map[string]string{
		"16":      "ResumeTimeout SuspendTimeout",
		"tier":    "Priority PriorityJobFactor PriorityTier",
		"32":      "GraceTime MaxCPUsPerNode MaxCPUsPerSocket MaxNodes MinNodes",
		"64":      "DefCpuPerGPU DefMemPerGPU DefMemPerCPU DefMemPerNode MaxMemPerCPU MaxMemPerNode",
		"time":    "DefaultTime MaxTime",
		"weights": "TRESBillingWeights",
	})
)

// needed are the settings of nodes and partitions, in lower case, without which nothing can be computed.
var needed = []string{
	"boards", "cpus", "corespersocket", "realmemory", "sockets", "socketsperboard", "threadspercore", "priority", "priorityjobfactor", "prioritytier", "maxtime",
}

// readable returns those fields of a line of nodes or of a partition that have the values that Slurm takes, and takes in what is wrong
// with each of the others.
func (p *confParser) readable(fields Fields, kinds kindsOf, known []string) (kept Fields) {
	what := spelledKey(known, fields[0][0]) + "=" + shortened(fields[0][1]) + ": "
	for i, f := range fields {
		key := strings.ToLower(f[0])
		kind, isTyped := kinds[key]
		name := spelledKey(known, f[0])
		switch {
		case i == 0:
		case isTyped && kind.takes(f[1]):
		case isTyped && slices.Contains(needed, key):
			p.unread(p.at, fields, fmt.Errorf("%s%s: %s is %s", what, name, quoted(f[1]), kind.isNot))
			p.conf.unread[key] = true
			continue
		case isTyped && p.conf.IsFile:
			p.refuseValue(what+name, f[1], kind.isNot)
			p.conf.unread[key] = true
			continue
		case isTyped: // as scontrol prints it
			p.conf.Passed = append(p.conf.Passed, p.placed(fmt.Sprintf("%s%s: %s is %s and has no effect here", what, name, quoted(f[1]), kind.isNot)))
			continue
		case f[1] == "" && p.conf.IsFile:
			p.refuseValue(what+name, f[1], "no value")
			continue
		}
		kept = append(kept, f)
	}
	return kept
}

// refuseValue takes in with which value of a setting of a slurm.conf slurmctld does not start, and what that is.
func (p *confParser) refuseValue(of, value, isNot string) {
	text := fmt.Sprintf("%s: %s is %s", of, quoted(value), isNot)
	p.conf.Refused = append(p.conf.Refused, p.placed(text+", and slurmctld does not start with it"))
	p.conf.Passed = append(p.conf.Passed, p.placed(text+" and has no effect here"))
}

// Refuses reports whether slurmctld does not start with the value that a slurm.conf has for a setting, which is said.
func (c *Conf) Refuses(setting string) bool { return c.refuses[strings.ToLower(setting)] }

// readWhole reads a whole number as C's strtoul does: 8, +8, 010 and 0x8 (Slurm's parse_config.c, s_p_handle_uint32). ok is false for
// one of more bits.
func readWhole(value string, bits int) (n uint64, ok bool) {
	digits := strings.TrimPrefix(strings.ToLower(value), "+")
	n, err := strconv.ParseUint(digits, 0, bits)
	isOfGo := strings.Contains(digits, "_") || strings.HasPrefix(digits, "0b") || strings.HasPrefix(digits, "0o")
	return n, err == nil && !isOfGo
}

// amount reads a number of a node or a partition.
func amount(value string) (float64, error) {
	if n, ok := readWhole(value, 64); ok && n <= 1e15 {
		return float64(n), nil
	}
	return count(value)
}
