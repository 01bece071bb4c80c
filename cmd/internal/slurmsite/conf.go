package slurmsite

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/slurm"
)

// readConf returns the configuration in force: that which scontrol prints where it prints all of
// it, else slurm.conf with the partitions as scontrol prints them.
func (s *Site) readConf(f *folder) error {
	configs, nodes, partitions := f.all(isConfig), records(f.all(isNodes), "NodeName"), records(f.all(isPartitions), "PartitionName")
	confs := f.all(isConf)
	var from, text string
	switch {
	case len(configs) > 0 && len(nodes) > 0 && len(partitions) > 0:
		from, text = configs[0].Name, asConf(configs[0].text, nodes, partitions)
		s.sayIncomplete(configs[0], nodes, partitions)
	case len(confs) > 0:
		from, text = confs[0].Name, confs[0].text
		for _, p := range confs[1:] {
			if p.text != text && strings.Contains(strings.ToLower(p.text), "priorityweight") {
				s.say(diag.Notef("%s is left out: %s is the configuration", p.Name, from))
			}
		}
	default:
		return &MissingError{s.Name, "the configuration: slurm.conf, or scontrol show config, node and partition"}
	}
	conf, problems, err := slurm.ParseConf(text)
	for _, problem := range problems {
		s.say(diag.Warningf("%s: %s", from, problem))
	}
	var wrong *file.Problem
	if errors.As(err, &wrong) && len(configs) > 0 && from == configs[0].Name { // whose lines are made here
		return fmt.Errorf("%s: what scontrol show config, node and partition print cannot be read together (one may be cut off, or of another site): %s", s.Name, wrong.Message)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	for _, p := range partitions { // which may have been changed since slurm.conf was read
		if part := conf.Partitions[p["partitionname"]]; part != nil {
			part.Tier, part.JobFactor = number(p["prioritytier"], part.Tier), number(p["priorityjobfactor"], part.JobFactor)
		}
	}
	s.Conf = conf
	return nil
}

// record is what scontrol prints of a node or a partition, by its keys in lower case.
type record map[string]string

// records reads what scontrol show node or partition prints, with -o or without. Of several lists
// the first one counts.
func records(parts []part, first string) []record {
	if len(parts) == 0 {
		return nil
	}
	var list []record
	for word := range strings.FieldsSeq(parts[0].text) {
		key, value, ok := strings.Cut(word, "=")
		if !ok {
			continue
		}
		if key == first {
			list = append(list, record{})
		}
		if len(list) > 0 {
			if key = strings.ToLower(key); list[len(list)-1][key] == "" {
				list[len(list)-1][key] = value
			}
		}
	}
	return list
}

// settingLine is a line of scontrol show config.
var settingLine = regexp.MustCompile(`^(Priority\w+|FairShareDampeningFactor)\s*= ?(.*)$`)

// asConf returns the lines of slurm.conf that lead to what scontrol prints.
func asConf(config string, nodes, partitions []record) string {
	var b strings.Builder
	for line := range strings.Lines(config) {
		m := settingLine.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil || m[2] == "" || m[2] == "(null)" {
			continue
		}
		fmt.Fprintf(&b, "%s=%s\n", m[1], m[2])
	}
	for _, n := range nodes {
		fmt.Fprintf(&b, "NodeName=%s CPUs=%s RealMemory=%s ThreadsPerCore=%s", n["nodename"], n["cputot"], n["realmemory"], n["threadspercore"])
		if gres := n["gres"]; gres != "" && gres != "(null)" {
			fmt.Fprintf(&b, " Gres=%s", gres)
		}
		b.WriteByte('\n')
	}
	for _, p := range partitions {
		fmt.Fprintf(&b, "PartitionName=%s PriorityJobFactor=%s PriorityTier=%s MaxTime=%s", p["partitionname"], p["priorityjobfactor"], p["prioritytier"], p["maxtime"])
		if weights := p["tresbillingweights"]; weights != "" && weights != "(null)" {
			fmt.Fprintf(&b, " TRESBillingWeights=%s", weights)
		}
		if names := p["nodes"]; names != "" && names != "(null)" {
			fmt.Fprintf(&b, " Nodes=%s", names)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// sayIncomplete says what scontrol prints of every site and is not there.
func (s *Site) sayIncomplete(config part, nodes, partitions []record) {
	const last = "PriorityWeightTRES" // of the settings, which are in alphabetical order
	if !strings.Contains(config.text, "\n"+last) {
		s.say(diag.Damagef("%s has no %s, so that it is cut off: settings that are missing are taken for unset", config.Name, last))
	}
	known := map[string]bool{}
	for _, p := range partitions {
		known[p["partitionname"]] = true
		if p["state"] == "" || p["prioritytier"] == "" {
			s.say(diag.Damagef("scontrol show partition is cut off in partition %s", p["partitionname"]))
		}
	}
	missing := map[string]bool{}
	for _, n := range nodes {
		for name := range strings.SplitSeq(n["partitions"], ",") {
			if name != "" && !known[name] && !missing[name] {
				missing[name] = true
				s.say(diag.Damagef("scontrol show partition does not have partition %s of node %s", name, n["nodename"]))
			}
		}
	}
}
