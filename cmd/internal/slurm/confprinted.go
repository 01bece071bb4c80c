package slurm

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// unlimitedKeys are those of a partition of which scontrol prints UNLIMITED, however slurm.conf has that.
var unlimitedKeys = []string{"MaxNodes", "MaxTime", "DefaultTime", "MaxMemPerCPU", "MaxMemPerNode", "MaxCPUsPerNode", "MaxCPUsPerSocket", "OverTimeLimit"}

// printed returns the settings of a PartitionName line, and those of the lines of DEFAULT before it, as scontrol show partition prints
// them, by their keys in lower case. Those that neither has are not there.
func (p *confParser) printed(part *Partition, fields map[string]string) map[string]string {
	all := maps.Clone(p.partitionDefaults)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, fields)
	if all["oversubscribe"] == "" && all["shared"] != "" { // as OverSubscribe was called
		all["oversubscribe"] = all["shared"]
	}
	for key, value := range all {
		switch {
		case strings.HasPrefix(key, "allow") && strings.EqualFold(value, "ALL"), partitionValues[key] != nil:
			all[key] = strings.ToUpper(value)
		case IsIn(unlimitedKeys, key) && IsUnlimited(value):
			all[key] = "UNLIMITED"
		}
		if is, err := yes(value); err == nil && slices.Equal(partitionValues[key], yesOrNo) {
			all[key] = map[bool]string{true: "YES", false: "NO"}[is]
		}
	}
	number := func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
	all["partitionname"], all["prioritytier"], all["priorityjobfactor"] = part.Name, number(part.Tier), number(part.JobFactor)
	return all
}
