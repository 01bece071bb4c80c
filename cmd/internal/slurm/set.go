package slurm

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"fairshare/cmd/internal/report"
)

// settingNames are the settings of slurm.conf on which priorities depend.
var settingNames = []string{
	"PriorityWeightAge", "PriorityWeightAssoc", "PriorityWeightFairshare", "PriorityWeightJobSize", "PriorityWeightPartition", "PriorityWeightQOS", "PriorityWeightTRES",
	"PriorityMaxAge", "PriorityDecayHalfLife", "PriorityCalcPeriod", "PriorityFavorSmall", "PriorityFlags", "FairShareDampeningFactor",
}

// ofConfAlone are settings that slurm.conf has and scontrol show config does not print.
var ofConfAlone = []string{"NodeName", "NodeSet", "PartitionName", "PriorityMaxPriority"}

// knownNames are the settings of slurm.conf that are known here.
var knownNames = sync.OnceValue(func() []string {
	return slices.Concat(settingNames, ofConfAlone, ConfigAttributes.Names(), otherKeys)
})

// Setting is a setting of slurm.conf on which priorities depend, as slurm.conf could have it.
type Setting struct{ Name, Value string }

// Settings returns those that Set changes.
func (c *Conf) Settings() (list []Setting) {
	for _, name := range settingNames {
		list = append(list, Setting{name, c.saidAs(name)})
	}
	return list
}

// IsSetting reports whether Set knows a setting.
func IsSetting(name string) bool { return IsIn(settingNames, name) }

// NearestSetting returns the name of a setting that is much like another name, "" for none.
func NearestSetting(name string) string { return report.Nearest(name, settingNames) }

// Clone returns a configuration that can be changed without changing this one.
func (c *Conf) Clone() *Conf {
	clone := *c
	clone.Weights.TRES, clone.NoNormal, clone.Partitions, clone.refuses = slices.Clone(c.Weights.TRES), maps.Clone(c.NoNormal), map[string]*Partition{}, maps.Clone(c.refuses)
	for name, p := range c.Partitions {
		part := *p
		clone.Partitions[name] = &part
	}
	return &clone
}

// Set changes a setting of slurm.conf, and returns what it was, as slurm.conf could have it.
func (c *Conf) Set(name, value string) (was string, err error) {
	i := placeIn(settingNames, name)
	if i < 0 {
		return "", errors.New(report.NoSuch("setting", name, settingNames))
	}
	was = c.saidAs(settingNames[i])
	if settingNames[i] == "PriorityFlags" { // which are all given
		c.AccrueAlways, c.Running, c.DepthOblivious, c.NoFairTree, c.SizeRelative, c.NoNormal = false, false, false, false, false, map[string]bool{}
	}
	p := confParser{conf: c}
	c.Unknown, c.Refused = nil, nil
	if err := p.setting(strings.ToLower(name), value); err != nil {
		return "", err
	}
	if wrong := slices.Concat(p.problems, c.Unknown, c.Refused); len(wrong) > 0 {
		return "", errors.New(strings.Join(wrong, ", "))
	}
	if c.saidAs(settingNames[i]) == was {
		return value, nil // the same in other words
	}
	return was, nil
}

// saidAs returns the value of a setting as slurm.conf could have it.
func (c *Conf) saidAs(name string) string {
	switch name {
	case "PriorityWeightAge":
		return report.Plain(c.Weights.Age)
	case "PriorityWeightAssoc":
		return report.Plain(c.Weights.Assoc)
	case "PriorityWeightFairshare":
		return report.Plain(c.Weights.Fairshare)
	case "PriorityWeightJobSize":
		return report.Plain(c.Weights.JobSize)
	case "PriorityWeightPartition":
		return report.Plain(c.Weights.Partition)
	case "PriorityWeightQOS":
		return report.Plain(c.Weights.QOS)
	case "FairShareDampeningFactor":
		return report.Plain(c.DampFactor)
	case "PriorityWeightTRES":
		var parts []string
		for _, a := range c.Weights.TRES {
			parts = append(parts, a.Name+"="+report.Plain(a.Count))
		}
		return strings.Join(parts, ",")
	case "PriorityMaxAge":
		return durationText(c.MaxAge)
	case "PriorityDecayHalfLife":
		return durationText(c.HalfLife)
	case "PriorityCalcPeriod":
		return durationText(c.CalcPeriod)
	case "PriorityFavorSmall":
		if c.FavorSmall {
			return "YES"
		}
		return "NO"
	}
	var flags []string
	for _, f := range []struct {
		is   bool
		name string
	}{
		{c.AccrueAlways, "ACCRUE_ALWAYS"}, {c.Running, "CALCULATE_RUNNING"}, {c.DepthOblivious, "DEPTH_OBLIVIOUS"}, {c.NoFairTree, "NO_FAIR_TREE"}, {c.SizeRelative, "SMALL_RELATIVE_TO_TIME"},
		{c.NoNormal["ASSOC"], "NO_NORMAL_ASSOC"}, {c.NoNormal["PART"], "NO_NORMAL_PART"}, {c.NoNormal["QOS"], "NO_NORMAL_QOS"}, {c.NoNormal["TRES"], "NO_NORMAL_TRES"},
	} {
		if f.is {
			flags = append(flags, f.name)
		}
	}
	return strings.Join(flags, ",")
}

// durationText returns seconds as DAYS-HOURS:MINUTES:SECONDS.
func durationText(span float64) string {
	seconds := int64(span)
	return fmt.Sprintf("%d-%02d:%02d:%02d", seconds/86400, seconds/3600%24, seconds/60%60, seconds%60)
}
