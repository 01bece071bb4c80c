package slurm

import (
	"fmt"
	"slices"
	"strings"
)

// yesOrNo are the words of a key that is a switch, as Slurm's s_p_handle_boolean takes them.
var yesOrNo = []string{"YES", "NO", "UP", "DOWN", "TRUE", "FALSE", "1", "0"}

// partitionNumbers are the keys of a partition that are numbers or UNLIMITED.
var partitionNumbers = []string{"MinNodes", "MaxNodes", "MaxCPUsPerNode", "MaxCPUsPerSocket", "DefMemPerCPU", "DefMemPerNode", "MaxMemPerCPU", "MaxMemPerNode"}

// isUnlimited reports whether a text stands for no limit.
func isUnlimited(text string) bool {
	return slices.Contains([]string{"UNLIMITED", "INFINITE", "NONE"}, strings.ToUpper(text))
}

// checkPartition takes in which settings of a partition do not count beside others, and which of a slurm.conf cannot be read. get returns
// a setting by its key in lower case.
func (p *confParser) checkPartition(name string, get func(key string) string) {
	what := "PartitionName=" + shortened(name) + ": "
	for _, of := range []string{"Accounts", "Qos"} {
		if allowed := get(strings.ToLower("Allow" + of)); allowed != "" && !strings.EqualFold(allowed, "ALL") && get(strings.ToLower("Deny"+of)) != "" {
			p.problem("%sDeny%s does not count beside Allow%s", what, of, of)
		}
	}
	if least, err := count(get("minnodes")); err == nil {
		if most, err := count(get("maxnodes")); err == nil && least > most {
			p.problem("%sMinNodes is %v and MaxNodes %v, so that no job may run there", what, least, most)
		}
	}
	usual, longest := get("defaulttime"), get("maxtime")
	if seconds, err := Duration(usual); err == nil && !isUnlimited(usual) {
		if most, err := Duration(longest); err == nil && seconds > most {
			p.problem("%sDefaultTime is %s, which is more than MaxTime, %s", what, usual, longest)
		}
	}
	if !p.conf.IsFile {
		return
	}
	refuse := func(key, why string) {
		text := fmt.Sprintf("%s%s: %s is %s", what, key, quoted(get(strings.ToLower(key))), why)
		p.conf.Refused = append(p.conf.Refused, p.placed(text+", and slurmctld does not start with it"))
		p.conf.Passed = append(p.conf.Passed, p.placed(text+" and has no effect here"))
	}
	for _, key := range partitionNumbers {
		value := get(strings.ToLower(key))
		if _, err := count(value); err != nil && value != "" && !isUnlimited(value) && value != "-1" {
			refuse(key, "neither a number nor UNLIMITED")
		}
	}
	if _, err := Duration(usual); err != nil && usual != "" && !isUnlimited(usual) {
		refuse("DefaultTime", "not a time")
	}
}

// spelledKey returns a key in whatever letters as a list has it.
func spelledKey(known []string, key string) string {
	if at := slices.IndexFunc(known, func(is string) bool { return strings.EqualFold(is, key) }); at >= 0 {
		return known[at]
	}
	return key
}
