package pbs

import (
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/fstree"
)

// Check returns all that is wrong, or without effect, in the files of the sched_priv of a scheduler that say how jobs are ordered, by
// their lines, and in limits. untold are the resources that it names of which nothing tells whether the site has them.
func (s *Site) Check() (remarks []diag.Remark, untold []string) {
	priv := s.SchedPriv
	if priv == nil {
		return slices.Concat(s.checkOff(), s.checkLimits(), s.checkPartitions(), s.checkSubmissions(), s.checkTogether()), nil
	}
	config, groups := priv.problems()
	guessed, untold := s.guessedResources()
	config = append(config, s.checkConfigLines()...)
	return slices.Concat(config, s.unknownResources(), guessed, s.checkPrefixes(), groups, s.checkShares(), s.checkNumbers(), s.checkOff(), s.checkLimits(), s.checkPartitions(), s.checkSubmissions(), s.checkTogether()), untold
}

// mostLines is how many lines of one setting of sched_config are compared with one another.
const mostLines = 200

// checkConfigLines returns what the lines of sched_config have wrong or do in vain.
func (s *Site) checkConfigLines() (remarks []diag.Remark) {
	ofSetting := map[string][]fstree.ConfigLine{}
	for _, line := range s.SchedPriv.configLines {
		name := nameNow(line.Name)
		before := ofSetting[name]
		if len(before) == mostLines && (SettingOf(OfConfig, line.Name) != nil || fstree.IsOldAttribute(line.Name)) {
			remarks = append(remarks, s.SchedPriv.configRemark(line, "%s stands on more than %d lines, of which the others are not compared", line.Name, mostLines))
		}
		ofSetting[name] = append(before, line)
	}
	position := map[string]int{}
	for _, line := range s.SchedPriv.configLines {
		name := nameNow(line.Name)
		compared := ofSetting[name][:min(mostLines, len(ofSetting[name]))]
		i := min(position[name], len(compared))
		position[name]++
		remarks = append(remarks, s.checkConfigLine(line, compared[:i], compared[min(i+1, len(compared)):])...)
	}
	return remarks
}

// checkOff warns of a scheduler that starts no job.
func (s *Site) checkOff() []diag.Remark {
	if !s.isOff() {
		return nil
	}
	whose := "the server"
	if !IsDefaultScheduler(s.Scheduler.Name) {
		whose = "scheduler " + s.Scheduler.Name
	}
	return []diag.Remark{diag.Warningf("scheduling of %s is off: no job starts until it is on (scheduling = True)", whose).At(whose, 0)}
}

// checkPartitions warns of queues in a partition that no scheduler has, as far as the schedulers are told.
func (s *Site) checkPartitions() (remarks []diag.Remark) {
	if !s.Sched.OfSched {
		return nil
	}
	for _, q := range s.Queues {
		if q.Partition != "" && !q.Routes && s.IsUnplaced(q.Name) {
			remarks = append(remarks, diag.Warningf("queue %s is in partition %s, which no scheduler has: none of its jobs starts", q.Name, q.Partition).At("queue "+q.Name, 0))
		}
	}
	return remarks
}

// checkConfigLine returns what a line of sched_config has wrong or does in vain, besides what reading it tells, and beside the lines
// of the same setting before it and behind it.
func (s *Site) checkConfigLine(line fstree.ConfigLine, before, behind []fstree.ConfigLine) (remarks []diag.Remark) {
	say := func(format string, args ...any) {
		remarks = append(remarks, s.SchedPriv.configRemark(line, format, args...))
	}
	wrong := func(format string, args ...any) {
		say(format, args...)
		remarks[len(remarks)-1].IsWrong = true
	}
	is := SettingOf(OfConfig, line.Name)
	isOld := fstree.IsOldAttribute(line.Name)
	if hasMore(line) && !line.IsSpaced() && (isOld || is != nil && (is.always || is.Acts == 0)) {
		wrong("%s is %s alone, and %s behind it does not count: a value of several words stands in quotes", line.Name, line.Value, line.Period)
	}
	switch {
	case line.Value == "" || line.IsSpaced() || is == nil && !isOld: // which is said
		return nil
	case isOld:
		if err := s.checkOld(line); err != nil {
			remarks = append(remarks, s.SchedPriv.wrongOld(line, err))
		}
		if s.Sched.IsOfAttributes() {
			say("%s does not count here since PBS 19: the scheduler's attribute does (qmgr -c 'set sched %s = …')", line.Name, line.Name)
		}
		return remarks
	case is.isGone:
		say("%s does nothing: %s", line.Name, is.Without)
		return remarks
	}
	if is.check != nil && (is.Acts == 0 || is.IsRead) {
		if err := is.check(line.Value); err != nil {
			wrong("%s: %v", line.Name, err)
		}
	}
	if _, _, err := resourcesOfLine(is, line); err != nil {
		wrong("%s: %q cannot be evaluated: %v", line.Name, line.Value, err)
	}
	if word := strings.ToLower(line.Period); is.always && word != "" && word != "all" && !hasMore(line) {
		say("%s holds at all times: %s behind its value does not count", line.Name, line.Period)
	}
	if key := sortsBy(line); key != "" {
		for _, earlier := range before {
			if line.Name == earlier.Name && key == sortsBy(earlier) && covers(earlier, line) {
				say("%s: %s decides on line %d already, so that this line changes nothing", line.Name, key, earlier.Number)
				break
			}
		}
	}
	for _, later := range behind {
		if supersedes(later, line) {
			say("%s is set again on line %d, so that this line does not count", line.Name, later.Number)
			break
		}
	}
	if line.Name == "resources" || line.Name == "resource_unset_infinite" {
		for part := range strings.SplitSeq(line.Value, ",") {
			if len(strings.Fields(part)) > 1 {
				say("%s: names have commas between them: PBS takes %q for one name, of a resource that it does not have, though they are read as several here", line.Name, strings.TrimSpace(part))
			}
		}
	}
	if text := shortTime(line.Name, line.Value); text != "" {
		say("%s", text)
	}
	if line.Name == "by_queue" && s.inTurn(line) {
		say("by_queue changes nothing where round_robin is true, which has the queues of each priority give one job in turn; set one of the two to false")
	}
	if slices.Contains(idleWhere, line.Name) && is.idle != nil && s.Sched.OfSched == s.Sched.OfServer {
		if changed, _ := fstree.DefaultConfig().With(line.Name, line.Value); valueOf(changed, line.Name) != valueOf(fstree.DefaultConfig(), line.Name) {
			if why := is.idle(s, Change{}, line.Name); why != "" {
				say("%s changes nothing while %s", line.Name, why)
			}
		}
	}
	return remarks
}

// inTurn reports whether a line sets by_queue to true for no time at which round_robin is false.
func (s *Site) inTurn(line fstree.ConfigLine) bool {
	changed, _ := fstree.DefaultConfig().With(line.Name, line.Value)
	isPrime, isNonPrime, _ := fstree.Period(line.Period)
	config := &s.SchedPriv.Config
	return changed.Prime.ByQueue && (isPrime || isNonPrime) && (!isPrime || config.Prime.RoundRobin) && (!isNonPrime || config.NonPrime.RoundRobin)
}

// hasMore reports whether a word behind a value is none of those for prime and non-prime time.
func hasMore(line fstree.ConfigLine) bool {
	_, _, isKnown := fstree.Period(line.Period)
	return !isKnown
}

// idleWhere are the settings of sched_config of which it is said where they change nothing: PBS comes with the others in its own file.
var idleWhere = []string{"max_starve", "prime_spill"}

// valueOf returns the value of a setting of a configuration.
func valueOf(config fstree.Config, name string) string { return config.Setting(nameNow(name)) }

// oldDecayTime is what old versions of PBS call fairshare_decay_time.
const oldDecayTime = "half_life"

// nameNow returns the name that a setting of sched_config has now.
func nameNow(name string) string {
	if name == oldDecayTime {
		return "fairshare_decay_time"
	}
	return name
}

// resourcesOfLine returns the resources that a line of sched_config names, as those of a setting.
func resourcesOfLine(is *Setting, line fstree.ConfigLine) (names, words []string, err error) {
	if is == nil || is.resources == nil || line.Value == "" {
		return nil, nil, nil
	}
	config, _ := fstree.DefaultConfig().With(line.Name, line.Value)
	return is.resources(&config)
}

// sortsBy returns the key by which a line of job_sort_key or node_sort_key sorts, "" for other lines.
func sortsBy(line fstree.ConfigLine) string {
	if line.Name != "job_sort_key" && line.Name != "node_sort_key" {
		return ""
	}
	words := strings.Fields(line.Value)
	if len(words) < 2 {
		return ""
	}
	return strings.Join(slices.Delete(words, 1, 2), " ") // whatever comes first
}

// covers reports whether a line of sched_config holds at all times at which another one does.
func covers(line, other fstree.ConfigLine) bool {
	isPrime, isNonPrime, _ := fstree.Period(line.Period)
	otherPrime, otherNonPrime, _ := fstree.Period(other.Period)
	return (isPrime || !otherPrime) && (isNonPrime || !otherNonPrime)
}

// supersedes reports whether a later line of sched_config takes the value of another one away.
func supersedes(later, line fstree.ConfigLine) bool {
	if nameNow(later.Name) != nameNow(line.Name) || later.Value == "" || !SettingOf(OfConfig, line.Name).always && !covers(later, line) {
		return false
	}
	config, _ := fstree.DefaultConfig().With(line.Name, line.Value)
	changed, _ := config.With(later.Name, later.Value)
	return valueOf(config, line.Name) != valueOf(changed, line.Name)
}

// checkOld returns what is wrong with the value of an attribute that stands in sched_config.
func (s *Site) checkOld(line fstree.ConfigLine) error {
	trial := defaultSched()
	if err := trial.set(line.Name, line.Value); err != nil {
		return err
	}
	if text := textSetting(line.Name); text != nil {
		return text.checkText(line.Name, line.Value)
	}
	return nil
}

// checkPrefixes returns what is wrong with the prefixes of queues that are open at some times alone.
func (s *Site) checkPrefixes() (remarks []diag.Remark) {
	hours := s.SchedPriv.Config.Hours
	prefixes := []struct {
		name, value string
		kind        fstree.HourKind
	}{
		{"dedicated_prefix", hours.DedicatedPrefix, fstree.DedicatedOnly},
		{"primetime_prefix", hours.PrimePrefix, fstree.PrimeOnly},
		{"nonprimetime_prefix", hours.NonPrimePrefix, fstree.NonPrimeOnly},
	}
	for _, p := range prefixes {
		if p.value == "" || hours.KindOf(p.value) == p.kind {
			continue
		}
		for _, line := range s.SchedPriv.configLines {
			if line.Name == p.name && line.Value == p.value {
				remarks = append(remarks, s.SchedPriv.configRemark(line, "%s changes nothing: queues whose names begin with %s are taken by another prefix already", p.name, p.value))
			}
		}
	}
	return remarks
}

// checkLimits returns which limits of the server and of queues cannot be read.
func (s *Site) checkLimits() (remarks []diag.Remark) {
	check := func(queue string, a Attributes) {
		for _, isSoft := range []bool{false, true} {
			if _, err := a.limits(queue, isSoft, s.checks); err != nil {
				remark := diag.Warningf("%v", err).At(strings.Join(s.Sched.Sources, " and "), 0)
				remark.IsWrong = true
				remarks = append(remarks, remark)
			}
		}
	}
	check("", s.Sched.Server)
	for _, q := range s.Queues {
		check(q.Name, q.Attributes)
	}
	return append(remarks, s.checkZeros()...)
}

// checkZeros warns of limits of 0 jobs, or of nothing of a resource, that hold for everybody.
func (s *Site) checkZeros() (remarks []diag.Remark) {
	hard, _ := s.Limits(false) // of which checkLimits says what is wrong
	for _, group := range []struct {
		limits []Limit
		does   string
	}{{hard, "starts"}, {s.QueuedLimits(), "is taken"}} {
		for _, l := range group.limits {
			isMore := func(o Limit) bool {
				return o.Queue == l.Queue && o.Setting == l.Setting && o.Kind == l.Kind && o.Resource == l.Resource && o.Name != l.Name && o.Most > 0
			}
			if l.Most != 0 || l.Name != OverallLimit && (l.Name != GenericLimit || slices.ContainsFunc(group.limits, isMore)) {
				continue
			}
			where, of, none := l.Where(), "jobs", "none"
			if l.Resource != "" {
				of, none = l.Resource, "no job that asks for some"
			}
			remarks = append(remarks, diag.Warningf("%s of %s lets in 0 %s of anybody (%c:%s): %s %s", l.Setting, where, of, l.Kind, l.Name, none, group.does).At(where, 0))
		}
	}
	return remarks
}

// checkShares warns of entities of resource_group without shares, whose jobs do not run.
func (s *Site) checkShares() (remarks []diag.Remark) {
	config := s.SchedPriv.Config
	if !s.HasTree() || !config.EnforceNoShares || !s.ever(func(p fstree.Policy) bool { return p.FairShare }) {
		return nil
	}
	tree, groups := s.SchedPriv.Tree, s.SchedPriv.NameOf(GroupsFile)
	for id := range tree.Preorder() {
		if e := tree.Entity(id); id != fstree.Root && id != fstree.Unknown && e.Shares == 0 {
			whose := "its jobs do"
			if tree.IsGroup(id) {
				whose = "jobs of its entities do"
			}
			remarks = append(remarks, diag.Warningf("%s: %s has no shares: while fair_share is true %s not run", groups, e.Name, whose).At(groups, 0))
		}
	}
	for _, line := range s.SchedPriv.configLines {
		if line.Name == "unknown_shares" && config.UnknownShares == 0 {
			remarks = append(remarks, s.SchedPriv.configRemark(line, "unknown_shares is 0: while fair_share is true, jobs of those whom %s does not have do not run", groups))
		}
	}
	return remarks
}
