package slurm

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"fairshare/cmd/internal/report"
)

// sayer takes in an advice and the settings that it follows from, of which it stands by the first in a slurm.conf.
type sayer func(of []string, format string, args ...any)

// Advice returns what in a configuration cannot have the effect that it seems to have. None follows from a setting of which
// the value cannot be read.
// associations are how many users' associations there are, 0 where that is not known.
func (c *Conf) Advice(associations int) []string {
	list := c.gone()
	if c.Basic {
		return list // no weight counts, which is said
	}
	say := func(of []string, format string, args ...any) {
		if c.lacks(of...) == nil {
			list = append(list, c.where(of[0])+fmt.Sprintf(format, args...))
		}
	}
	w := c.Weights
	sum := w.sum()
	byName := w.named()
	slices.SortFunc(byName, func(a, b weight) int { return strings.Compare(a.setting, b.setting) })
	for _, weight := range byName {
		const part = 1000
		if weight.points > 0 && sum/weight.points >= part {
			say(append([]string{weight.setting}, weightSettings...), "%s is %v of %v points of all weights together: it decides only between jobs that nearly tie", weight.setting, weight.points, sum)
		}
	}
	if sum > maxPriority {
		say(append([]string{""}, weightSettings...), "the sum of the weights is %v, and a priority is at most %d: beyond it jobs tie", sum, int64(maxPriority))
	}
	if w.Partition > 0 && len(c.Partitions) > 0 && c.hasEqualFactors() {
		say([]string{"PriorityWeightPartition", "PriorityJobFactor", "Priority"}, "PriorityWeightPartition adds the same to each job: all partitions have the same PriorityJobFactor")
	}
	if c.FavorSmall && w.JobSize == 0 {
		say([]string{"PriorityFavorSmall", "PriorityWeightJobSize"}, "PriorityFavorSmall has no effect: PriorityWeightJobSize is 0")
	}
	c.adviseOnAge(say)
	c.adviseOnFairshare(associations, say)
	if billed := c.unbilled(); w.Fairshare > 0 && billed != nil && len(c.Partitions) > 0 && !c.IsPart() {
		say([]string{"PriorityWeightTRES", "TRESBillingWeights"}, "PriorityWeightTRES counts %s, and TRESBillingWeights of no partition does: fairshare charges CPUs alone", strings.Join(billed, ", "))
	}
	return append(list, c.Idle()...)
}

// IsPart reports whether a configuration is some lines of a slurm.conf, of which what they do not set is not known.
func (c *Conf) IsPart() bool { return c.IsFile && !c.isWhole }

// NotChecked says what of a slurm.conf cannot be checked, since it is a part of one.
func (c *Conf) NotChecked() (list []string) {
	if c.noneNamed {
		list = append(list, "no NodeName line names a node, and which nodes there are is not known: Nodes of partitions are not checked")
	}
	if c.IsPart() {
		list = append(list, "without ClusterName and SlurmctldHost, and without NodeName or PartitionName lines, it is taken for a part of a slurm.conf: nothing is said of what it does not set")
	}
	return list
}

// where returns where a slurm.conf has a setting, such as "line 7: ", and "" for one that is not of a slurm.conf.
func (c *Conf) where(setting string) string { return c.places[strings.ToLower(setting)].Prefix() }

// Sets reports whether a slurm.conf sets a setting.
func (c *Conf) Sets(setting string) bool { return c.where(setting) != "" }

// SortedPartitions returns the partitions by their names.
func (c *Conf) SortedPartitions() (list []*Partition) {
	for _, name := range slices.Sorted(maps.Keys(c.Partitions)) {
		list = append(list, c.Partitions[name])
	}
	return list
}

// Idle says which resources PriorityWeightTRES counts that no node has: they add 0 to each priority.
func (c *Conf) Idle() (list []string) {
	for _, t := range c.Weights.TRES {
		if c.Nodes > 0 && c.Total(t.Name) == 0 && t.Name != "billing" && c.lacks("NodeName") == nil && !c.Basic {
			list = append(list, c.where("PriorityWeightTRES")+fmt.Sprintf("PriorityWeightTRES counts %s, and no node has it", t.Name))
		}
	}
	return list
}

// adviseOnAge says what is wrong with how age counts.
func (c *Conf) adviseOnAge(say sayer) {
	switch {
	case c.Weights.Age > 0 && c.MaxAge == 0:
		say([]string{"PriorityMaxAge"}, "PriorityMaxAge is 0: each job has the whole weight of age from its begin on")
	case c.Weights.Age > 0 && c.MaxAge >= unlimited:
		say([]string{"PriorityMaxAge"}, "PriorityMaxAge is unlimited: age hardly grows")
	case c.Weights.Age > 0 && c.Weights.Age*c.CalcPeriod/c.MaxAge < 1:
		say([]string{"PriorityWeightAge", "PriorityMaxAge", "PriorityCalcPeriod"}, "age adds one point in %v seconds, and priorities are computed every %s", math.Round(c.MaxAge/c.Weights.Age), report.Span(c.CalcPeriod))
	case c.Weights.Age == 0 && (!c.IsPart() || c.where("PriorityWeightAge") != ""):
		say([]string{"PriorityWeightAge"}, "PriorityWeightAge is 0: a job that waits does not gain, and may wait for ever")
	}
}

// adviseOnFairshare says what is wrong with how fairshare counts.
func (c *Conf) adviseOnFairshare(associations int, say sayer) {
	w := c.Weights
	if w.Fairshare <= 0 {
		return
	}
	isFairTree := c.Algorithm().ByRank
	if c.DampFactor != 1 && isFairTree {
		say([]string{"FairShareDampeningFactor", "PriorityFlags"}, "FairShareDampeningFactor has no effect: Fair Tree takes the places of users for their factors, and nothing of it is damped")
	}
	if associations > 0 && w.Fairshare < float64(associations) && isFairTree {
		say([]string{"PriorityWeightFairshare", "PriorityFlags"}, "PriorityWeightFairshare is %v for %d associations: Fair Tree ranks them, so that users of neighbouring ranks tie where the weight is below their number", w.Fairshare, associations)
	}
	c.adviseOnSmallFairshare(say)
	if c.HalfLife == 0 && c.ResetPeriod == "" {
		say([]string{"PriorityDecayHalfLife", "PriorityUsageResetPeriod"}, "PriorityDecayHalfLife is 0 and PriorityUsageResetPeriod is NONE: usage is never forgotten")
	}
	if c.HalfLife > 0 && c.ResetPeriod != "" {
		say([]string{"PriorityUsageResetPeriod", "PriorityDecayHalfLife"}, "PriorityUsageResetPeriod throws away what PriorityDecayHalfLife lets decay: Slurm's manual sets the half-life to 0 with it")
	}
}

// adviseOnSmallFairshare says where an hour of waiting, or the next partition, outweighs all that fairshare can make between two jobs.
func (c *Conf) adviseOnSmallFairshare(say sayer) {
	w := c.Weights
	const format = "PriorityWeightFairshare is %v, so much at most between two jobs, and %s makes %s points: fairshare hardly decides who goes first"
	if hour := w.Age * 3600 / c.MaxAge; c.MaxAge > 0 && c.MaxAge < unlimited && hour > w.Fairshare {
		say([]string{"PriorityWeightFairshare", "PriorityWeightAge", "PriorityMaxAge"}, format, w.Fairshare, "an hour of waiting", report.Decimals(hour, 0))
	}
	var factors []float64
	for _, p := range c.Partitions {
		factors = append(factors, p.JobFactor)
	}
	slices.Sort(factors)
	step := math.Inf(1) // from a partition to the next
	for i := range factors {
		if i > 0 && factors[i] > factors[i-1] {
			step = min(step, (factors[i]-factors[i-1])/c.largestPartition()*w.Partition)
		}
	}
	if step > w.Fairshare && !math.IsInf(step, 1) {
		say([]string{"PriorityWeightFairshare", "PriorityWeightPartition", "PriorityJobFactor", "Priority"}, format, w.Fairshare, "the least difference between two partitions", report.Decimals(step, 0))
	}
}

// hasEqualFactors reports whether no partition's PriorityJobFactor is another one's.
func (c *Conf) hasEqualFactors() bool {
	first := math.NaN()
	for _, p := range c.Partitions {
		if !math.IsNaN(first) && p.JobFactor != first {
			return false
		}
		first = p.JobFactor
	}
	return true
}

// unbilled returns the resources that PriorityWeightTRES counts and that nobody is charged for, nil
// where some partition has billing weights.
func (c *Conf) unbilled() []string {
	var names []string
	for _, t := range c.Weights.TRES {
		if t.Name != "cpu" && t.Name != "billing" && t.Name != "node" {
			names = append(names, t.Name)
		}
	}
	for _, p := range c.Partitions {
		if p.HasBilling {
			return nil
		}
	}
	slices.Sort(names)
	return names
}
