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
	var conf *slurm.Conf
	var from string
	var problems []string
	var err error
	switch {
	case len(configs) > 0 && len(nodes) > 0 && len(partitions) > 0:
		from = configs[0].Name
		conf, problems, err = printedConf(configs[0].text, nodes, partitions)
		s.sayIncomplete(configs[0], nodes, partitions)
		if wrong := (*file.Problem)(nil); errors.As(err, &wrong) {
			err = fmt.Errorf("%s: what scontrol show config, node and partition print cannot be read together (one may be cut off, or of another site): %s", s.Name, wrong.Message)
		} else if err != nil {
			err = fmt.Errorf("%s: %w", from, err)
		}
	case len(confs) > 0:
		from = confs[0].Name
		for _, p := range confs[1:] {
			if p.text != confs[0].text && strings.Contains(strings.ToLower(p.text), "priorityweight") {
				s.say(diag.Notef("%s is left out: %s is the configuration", p.Name, from))
			}
		}
		if conf, problems, err = slurm.ParseConf(confs[0].text); err != nil {
			err = fmt.Errorf("%s: %w", from, err)
		}
	default:
		return &MissingError{s.Name, "the configuration: slurm.conf, or scontrol show config, node and partition"}
	}
	for _, problem := range problems {
		s.say(diag.Warningf("%s: %s", from, problem))
	}
	if err != nil {
		return err
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

// printedConf returns the configuration that leads to what scontrol prints, as slurm.ParseConf does.
func printedConf(config string, nodes, partitions []record) (*slurm.Conf, []string, error) {
	var lines []slurm.Fields
	for line := range strings.Lines(config) {
		if m := settingLine.FindStringSubmatch(strings.TrimSpace(line)); m != nil && isValue(m[2]) {
			lines = append(lines, slurm.Fields{{strings.ToLower(m[1]), m[2]}})
		}
	}
	for of, list := range [][]record{nodes, partitions} {
		for _, r := range list {
			fields, err := r.fields(printedKeys[of])
			if err != nil {
				return nil, nil, err
			}
			lines = append(lines, fields)
		}
	}
	return slurm.NewConf(lines)
}

// printedKey is what a key of slurm.conf is called in what scontrol prints.
type printedKey struct {
	conf, scontrol string
	isAlways       bool // whether scontrol prints it of each
}

// printedKeys are those of a node and of a partition.
var printedKeys = [][]printedKey{
	{{"nodename", "NodeName", true}, {"cpus", "CPUTot", true}, {"realmemory", "RealMemory", true}, {"threadspercore", "ThreadsPerCore", false}, {"gres", "Gres", false}},
	{
		{"partitionname", "PartitionName", true}, {"priorityjobfactor", "PriorityJobFactor", true}, {"prioritytier", "PriorityTier", true},
		{"maxtime", "MaxTime", false}, {"tresbillingweights", "TRESBillingWeights", false}, {"nodes", "Nodes", false},
	},
}

// isValue reports whether scontrol prints a value, and not that there is none.
func isValue(text string) bool { return text != "" && text != "(null)" }

// fields returns a record as a line of slurm.conf has it.
func (r record) fields(keys []printedKey) (fields slurm.Fields, err error) {
	for _, k := range keys {
		switch value := r[strings.ToLower(k.scontrol)]; {
		case isValue(value):
			fields = append(fields, [2]string{k.conf, value})
		case k.isAlways:
			return nil, &file.Problem{Message: fmt.Sprintf("%s=%s has no %s", keys[0].scontrol, r[keys[0].conf], k.scontrol)}
		}
	}
	return fields, nil
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
