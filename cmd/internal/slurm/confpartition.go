package slurm

import "strings"

// yesOrNo are the words of a key that is a switch, as Slurm's s_p_handle_boolean takes them.
var yesOrNo = []string{"YES", "NO", "UP", "DOWN", "TRUE", "FALSE", "1", "0"}

// checkPartition takes in which settings of a partition do not count beside others. get returns
// a setting by its key in lower case.
func (p *confParser) checkPartition(name string, get func(key string) string) {
	what := "PartitionName=" + shortened(name) + ": "
	for _, of := range []string{"Accounts", "Qos"} {
		if denied := get(strings.ToLower("Deny" + of)); strings.EqualFold(denied, "ALL") {
			p.problem("%sDeny%s=%s keeps nobody out: it is taken for a name, and Allow%[2]s or State=INACTIVE keep out all", what, of, denied)
			continue
		}
		if allowed := get(strings.ToLower("Allow" + of)); allowed != "" && !strings.EqualFold(allowed, "ALL") && get(strings.ToLower("Deny"+of)) != "" {
			p.problem("%sDeny%s does not count beside Allow%s", what, of, of)
		}
	}
	if most, err := amount(get("maxnodes")); err == nil && most == 0 {
		p.problem("%sMaxNodes is 0, so that no job may run there", what)
	}
	if least, err := amount(get("minnodes")); err == nil {
		if most, err := amount(get("maxnodes")); err == nil && least > most {
			p.problem("%sMinNodes is %v and MaxNodes %v, so that no job may run there", what, least, most)
		}
	}
	for _, key := range []string{"Priority", "PriorityJobFactor", "PriorityTier"} {
		if x, err := amount(get(strings.ToLower(key))); err == nil && x > MostTier {
			p.problem("%s%s is %v, and %d is the largest: Slurm takes those beyond it for none that is set", what, key, x, int(MostTier))
		}
	}
	usual, longest := get("defaulttime"), get("maxtime")
	if seconds, err := Duration(usual); err == nil && !IsUnlimited(usual) {
		if most, err := Duration(longest); err == nil && seconds > most {
			p.problem("%sDefaultTime is %s, which is more than MaxTime, %s", what, usual, longest)
		}
	}
}

// spelledKey returns a key in whatever letters as a list has it.
func spelledKey(known []string, key string) string {
	if at := placeIn(known, key); at >= 0 {
		return known[at]
	}
	return key
}
