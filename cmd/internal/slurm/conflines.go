package slurm

import (
	"slices"
	"strings"

	"fairshare/cmd/internal/report"
)

// nodeKeys and the like are all keys of the lines of slurm.conf that begin with one of these names, of Slurm 22.05 to 25.05: those that
// scontrol prints as well, and those of slurm.conf alone.
var (
	nodeKeys = append(NodeAttributes.Names(), "CPUs", "Feature", "Features", "Procs", "SocketsPerBoard", "TRESWeights")

	partitionKeys = append(PartitionAttributes.Names(), "DefCpuPerGPU", "DefMemPerGPU", "Priority", "Shared")

	downKeys     = []string{"DownNodes", "Reason", "State"}
	frontendKeys = []string{"FrontendName", "AllowGroups", "AllowUsers", "DenyGroups", "DenyUsers", "FrontendAddr", "Port", "Reason", "State"}
)

// PreemptModes are all words of PreemptMode.
var PreemptModes = []string{"OFF", "CANCEL", "REQUEUE", "SUSPEND", "GANG", "WITHIN", "PRIORITY", "ON"}

// PartitionStates are all values of State of a partition.
var PartitionStates = []string{"UP", "DOWN", "DRAIN", "INACTIVE"}

// resetPeriods are all values of PriorityUsageResetPeriod.
var resetPeriods = []string{"NONE", "NOW", "DAILY", "WEEKLY", "MONTHLY", "QUARTERLY", "YEARLY"}

// sharingWords are the values of OverSubscribe.
var sharingWords = []string{"NO", "EXCLUSIVE", "YES", "FORCE"}

// partitionValues are the words that keys of partitions may have.
var partitionValues = map[string][]string{
	"preemptmode":   PreemptModes,
	"state":         PartitionStates,
	"oversubscribe": sharingWords,
	"shared":        sharingWords, // as OverSubscribe was called

	"default": yesOrNo, "disablerootjobs": yesOrNo, "exclusivetopo": yesOrNo, "exclusiveuser": yesOrNo, "hidden": yesOrNo, "lln": yesOrNo,
	"powerdownonidle": yesOrNo, "reqresv": yesOrNo, "rootonly": yesOrNo,
}

// nodeValues are the words that keys of nodes may have.
var nodeValues = map[string][]string{"state": {"UNKNOWN", "ALLOCATED", "CLOUD", "DOWN", "DRAIN", "FAIL", "FAILING", "FUTURE", "IDLE"}}

// checkLine takes in which keys of a line on nodes or a partition are not known, and which of their words.
func (p *confParser) checkLine(of string, fields Fields, known []string, values map[string][]string) {
	what := spelledKey(known, fields[0][0]) + "=" + shortened(fields[0][1])
	for _, f := range fields {
		if !IsIn(known, f[0]) {
			p.refuseKey(what, f[0], of, known)
		}
		words := values[strings.ToLower(f[0])]
		if words == nil {
			continue
		}
		for _, word := range UnknownWords(f[1], words) {
			p.refuse(what+": "+spelledKey(known, f[0]), word, words)
		}
	}
}

// UnknownWords returns those of a list of words with commas, each perhaps with a number behind a colon, that are not among the
// known ones, in whatever letters.
func UnknownWords(list string, known []string) (unknown []string) {
	for word := range strings.SplitSeq(list, ",") {
		name, _, _ := strings.Cut(strings.TrimSpace(word), ":")
		if name != "" && !IsIn(known, name) {
			unknown = append(unknown, name)
		}
	}
	return unknown
}

// IsIn reports whether a list has a name, in whatever letters.
func IsIn(list []string, name string) bool { return placeIn(list, name) >= 0 }

// placeIn returns where a list has a name, in whatever letters, -1 for nowhere.
func placeIn(list []string, name string) int {
	return slices.IndexFunc(list, func(x string) bool { return strings.EqualFold(x, name) })
}

// IsPartOfConf reports whether a text is some lines of a slurm.conf, as it begins: KEY=VALUE on each, where Slurm has every key, or one
// that is spelled nearly so.
func IsPartOfConf(begin string) bool {
	const most = 50 // lines that are looked at
	seen, known := 0, 0
	for line := range strings.Lines(begin) {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		fields, err := pairs(strings.TrimSuffix(line, "\\"))
		if seen++; seen > most {
			break
		}
		isFirst := seen == 1
		if err != nil || len(fields) == 0 {
			if isFirst || strings.HasSuffix(begin, line) { // cut off
				return known > 0
			}
			return false
		}
		keys := knownNames()
		switch strings.ToLower(fields[0][0]) {
		case "nodename":
			keys = nodeKeys
		case "partitionname":
			keys = partitionKeys
		case "downnodes", "frontendname", "nodeset":
			known++
			continue
		}
		for _, f := range fields {
			switch {
			case IsIn(keys, f[0]):
				known++
			case report.Nearest(f[0], keys) == "":
				return false
			}
		}
	}
	return known > 0
}
