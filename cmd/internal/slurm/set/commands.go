package set

import (
	"fmt"
	"strings"

	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm/order"
	"fairshare/cmd/internal/slurm/setup"
)

// Commands returns how an administrator makes changes of the site true: lines of slurm.conf, and the
// commands of sacctmgr and scontrol. What Slurm cannot do stands in a comment.
func Commands(s *order.Site, changes []Change) string {
	var conf, partitions, commands strings.Builder
	command := func(words ...string) {
		for i, word := range words {
			words[i] = report.Quote(word)
		}
		commands.WriteString(strings.Join(words, " ") + "\n")
	}
	for _, c := range changes {
		x, err := newSetting(c.Name, c.Value)
		if err != nil || c.IsSame {
			continue // which no change is made of
		}
		switch x.kind {
		case ofConf:
			if x.key == "priorityflags" { // some of which no order here depends on, so that they are not known
				conf.WriteString("# these replace all flags: add INCR_ONLY, MAX_TRES or MAX_TRES_GRES where the site has them\n")
			}
			fmt.Fprintf(&conf, "%s=%s\n", c.Name, c.Value)
		case ofScheduler:
			fmt.Fprintf(&conf, "# slurmctld takes another PreemptType once it is restarted, with PreemptMode=OFF beside preempt/none and not beside the others\n%s=%s\n", c.Name, c.Value)
		case ofPartition:
			key := map[string]string{"tier": "PriorityTier", "factor": "PriorityJobFactor"}[x.key]
			if x.field != nil {
				key = x.field.Name
			}
			fmt.Fprintf(&partitions, "# in the line PartitionName=%s: %s=%s\n", x.of, key, c.Value)
		case ofQOS:
			sayLimit(x, command, &commands, "sacctmgr", "modify", "qos", "where", "name="+x.of, "set", x.key)
		case ofJob:
			command("scontrol", "update", "JobId="+x.of, map[string]string{"nice": "Nice", "qos": "QOS"}[x.key]+"="+c.Value)
		case ofTree, ofAssociation:
			sayTreeCommand(s, x, command, &commands)
		}
	}
	var parts []string
	for _, part := range []struct{ says, text string }{
		{"# slurm.conf, after which scontrol reconfigure makes it take effect\n", conf.String() + partitions.String()},
		{"# the database and slurmctld; where several clusters share the database, add cluster=NAME behind each where\n", commands.String()},
	} {
		if part.text != "" {
			parts = append(parts, part.says+part.text)
		}
	}
	if parts == nil {
		return "# nothing is changed\n"
	}
	return strings.Join(parts, "\n")
}

// sayLimit writes the command that sets what its last word names, which is cleared by -1. Of limits of resources, sacctmgr changes those
// that it is given alone.
func sayLimit(x *setting, command func(...string), comments *strings.Builder, words ...string) {
	value := x.value
	switch isOfResources := x.limit != nil && x.limit.Amounts != nil; {
	case isOfResources:
		fmt.Fprintf(comments, "# %s of %s: sacctmgr keeps what the limit has of other resources; RESOURCE=-1 clears one\n", x.limit.Name, x.of)
		if value == "" {
			return
		}
	case value == "" && x.limit != nil:
		value = "-1"
	}
	words[len(words)-1] += "=" + value
	command(words...)
}

// sayTreeCommand writes the command that changes shares, usage or a limit of an association.
func sayTreeCommand(s *order.Site, x *setting, command func(...string), comments *strings.Builder) {
	names := setup.Names(setup.Associations(s.Tree))
	i, err := findAssociation(names, x.of)
	if err != nil {
		return // With has found it
	}
	of := names[i]
	words := []string{"sacctmgr", "modify", "account", "where", "name=" + of.Account}
	if of.User != "" {
		words = []string{"sacctmgr", "modify", "user", "where", "name=" + of.User, "account=" + of.Account}
	}
	if of.Partition != "" {
		words = append(words, "partition="+of.Partition)
	}
	switch {
	case x.kind == ofAssociation:
		sayLimit(x, command, comments, append(words, "set", x.limit.Name)...)
	case x.key == "shares":
		command(append(words, "set", "fairshare="+x.value)...)
	case x.number == 0:
		command(append(words, "set", "RawUsage=0")...)
	default:
		fmt.Fprintf(comments, "# %s: sacctmgr can set usage to 0 only, and not to %s\n", x.of, x.value)
	}
}
