package pbs

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/formula"
	"fairshare/fstree"
)

// Settings of which each may be set, and that keep jobs from starting where they stand together.

// checkTogether warns of attributes of the server and of queues that do not fit to each other, or to sched_config.
func (s *Site) checkTogether() []diag.Remark {
	return slices.Concat(s.checkDepth(), s.checkForms(), s.checkRoutes(), s.checkSets(), s.checkGeneric(), s.checkTimesAsked(), s.checkExpress())
}

// checkDepth warns of strict_ordering without any job that is planned.
func (s *Site) checkDepth() []diag.Remark {
	const name = "backfill_depth"
	isDeep := func(q Queue) bool { return q.Attributes.Int(name, 0) > 0 }
	if s.Sched.Server[name] != "0" || slices.ContainsFunc(s.Queues, isDeep) || !s.ever(func(p fstree.Policy) bool { return p.StrictOrdering }) {
		return nil
	}
	return []diag.Remark{diag.Warningf("backfill_depth of the server is 0, and strict_ordering of sched_config is true: once a job does not fit, none behind it starts before it does, whatever is free meanwhile; set backfill_depth to 1 or more, or strict_ordering to false").At("the server", 0)}
}

// checkForms returns an error where limits of the old and of the new form stand beside each other, of whatever PBS refuses the second.
func (s *Site) checkForms() []diag.Remark {
	type limit struct{ name, value, where string }
	var old, now []limit
	find := func(a Attributes, where string) {
		for _, full := range slices.Sorted(maps.Keys(a)) {
			switch is := textSetting(full); {
			case is == nil || is.limit == nil || is.Name == available:
			case is.isOldLimit():
				old = append(old, limit{full, a[full], where})
			default:
				now = append(now, limit{full, a[full], where})
			}
		}
	}
	find(s.Sched.Server, "the server")
	for _, q := range s.Queues {
		find(q.Attributes, "queue "+q.Name)
	}
	if old == nil || now == nil {
		return nil
	}
	first, others := old[0], ""
	if n := len(old) - 1; n > 0 {
		others = fmt.Sprintf(" (and %d more)", n)
	}
	r := diag.Warningf("%s of %s%s is a limit of the old form, and %s of %s one of the new form: PBS takes one form alone, refuses what is set second, and that keeps nobody back; write %s",
		first.name, first.where, others, now[0].name, now[0].where, asNewLimit(first.name, first.value)).At(first.where, 0)
	r.IsWrong = true
	return []diag.Remark{r}
}

// asNewLimit returns a limit of the old form as PBS has it now.
func asNewLimit(full, value string) string {
	is := textSetting(full)
	name := "max_run"
	_, resource, isOfResource := strings.Cut(full, ".")
	if isOfResource {
		name += "_res"
	}
	if is.limit.isSoft {
		name += "_soft"
	}
	if isOfResource {
		name += "." + resource
	}
	return fmt.Sprintf("%s = [%c:%s=%s]", name, is.limit.kind, is.limit.name, value)
}

// checkExpress warns where no queue is an express queue, and the priority of one is just below that from which on queues are.
func (s *Site) checkExpress() []diag.Remark {
	const near = 5
	least, highest := s.Sched.PreemptQueuePrio, Queue{}
	for _, q := range s.Queues {
		if !q.Routes && !q.Deleted && (highest.Name == "" || q.Priority > highest.Priority) {
			highest = q
		}
	}
	if highest.Name == "" || highest.Priority >= least || highest.Priority < least-near || whilePreemptive(s, Change{}, "preempt_queue_prio") != "" {
		return nil
	}
	return []diag.Remark{diag.Warningf("Priority of queue %s, %d, is the highest, and below preempt_queue_prio, %d: no queue is an express queue, whose jobs go before others and preempt them; if it is to be one, set its Priority to %[3]d",
		highest.Name, highest.Priority, least).At("queue "+highest.Name, 0)}
}

// checkRoutes warns of routing queues that hand jobs on, and to nobody or to themselves.
func (s *Site) checkRoutes() (remarks []diag.Remark) {
	for _, q := range s.Queues {
		isItself := func(to string) bool { to, _, _ = strings.Cut(to, "@"); return to == q.Name }
		if q.Routes && !q.Deleted && slices.ContainsFunc(q.Destinations(), isItself) {
			remarks = append(remarks, diag.Warningf("queue %s only hands jobs on, and has itself among its route_destinations: a job that it hands to itself is where it was; take it out of them", q.Name).At("queue "+q.Name, 0))
		}
		if q.Routes && !q.Stopped && !q.Deleted && len(q.Destinations()) == 0 {
			remarks = append(remarks, diag.Warningf("queue %s is started and only hands jobs on, and it has no route_destinations: no job in it ever starts; set them, or queue_type to Execution", q.Name).At("queue "+q.Name, 0))
		}
	}
	return remarks
}

// checkBounds says of which resource a queue, or for one without a name the server, lets no amount in.
func (s *Site) checkBounds(q Queue, where string, say func(where, format string, args ...any)) {
	names := maps.Clone(s.Sched.Server.Of("resources_min"))
	maps.Copy(names, q.Attributes.Of("resources_min"))
	for _, name := range slices.Sorted(maps.Keys(names)) {
		least, of := s.boundOf(q, where, "resources_min", name)
		most, ofMost := s.boundOf(q, where, "resources_max", name)
		if of != where && ofMost != where { // which is said of the server
			continue
		}
		low, isLow := s.amountOf(name, least)
		high, isHigh := s.amountOf(name, most)
		if isLow && isHigh && cmp.Compare(low, high) > 0 {
			say(where, "resources_min.%s of %s, %s, is above resources_max of %s, %s: no job that has %s gets into %s; exchange the two, or unset one", name, of, least, ofMost, most, name, where)
		}
	}
}

// boundOf returns the value of an attribute of a resource that counts for jobs of a queue, and of whom it is: where the queue has none,
// that of the server.
func (s *Site) boundOf(q Queue, where, attribute, resource string) (text, of string) {
	if text = q.Attributes[attribute+"."+resource]; text != "" {
		return text, where
	}
	return s.Sched.Server[attribute+"."+resource], "the server"
}

// amountOf returns an amount of a resource as a number, where it is one.
func (s *Site) amountOf(resource, text string) (float64, bool) {
	value, ok := formula.ParseAmount(text, s.Resources[resource])
	if !ok {
		return 0, false
	}
	return value.Number()
}

// checkNumbers warns of entities of resource_group that have one number.
func (s *Site) checkNumbers() (remarks []diag.Remark) {
	const ofUsage = -1 // of those that the usage database alone has
	if !s.HasTree() || s.SchedPriv.Tree == nil {
		return nil
	}
	tree, groups := s.SchedPriv.Tree, s.SchedPriv.NameOf(GroupsFile)
	having := map[int32][]string{}
	for id := range tree.Preorder() {
		if e := tree.Entity(id); id != fstree.Root && id != fstree.Unknown && e.Cresgroup != ofUsage {
			having[e.Cresgroup] = append(having[e.Cresgroup], e.Name)
		}
	}
	for _, number := range slices.Sorted(maps.Keys(having)) {
		if names := having[number]; len(names) > 1 {
			slices.Sort(names)
			remarks = append(remarks, diag.Warningf("%s: %s have one number, %d, and PBS wants each to have its own: shares and usage are as they would be, since the scheduler goes by names; give each another one", groups, report.First(names), number).At(groups, 0))
		}
	}
	return remarks
}

// checkSets warns of placement sets of which one half is set: the switch, or by what they are made.
func (s *Site) checkSets() []diag.Remark {
	const name = "node_group_key"
	var keyed []string
	if s.Sched.Server[name] != "" {
		keyed = append(keyed, "the server")
	}
	for _, q := range s.Queues {
		if q.Attributes[name] != "" {
			keyed = append(keyed, "queue "+q.Name)
		}
	}
	switch isOn := strings.EqualFold(s.Sched.Server["node_group_enable"], "true"); {
	case isOn && keyed == nil:
		return []diag.Remark{diag.Warningf("node_group_enable of the server is true, and neither the server nor a queue has a %s: there are no placement sets; set it, or node_group_enable to false", name).At("the server", 0)}
	case !isOn && keyed != nil:
		return []diag.Remark{diag.Warningf("%s of %s makes no placement sets, since node_group_enable of the server is not true; set that to true, or unset %[1]s", name, report.Listed(keyed)).At(keyed[0], 0)}
	}
	return nil
}

// checkGeneric warns of limits of somebody whose name is nearly that which stands for everybody.
func (s *Site) checkGeneric() (remarks []diag.Remark) {
	generic, overall := []string{GenericLimit, strings.TrimPrefix(GenericLimit, "PBS_")}, []string{OverallLimit}
	for _, isSoft := range []bool{false, true} {
		limits, _ := s.Limits(isSoft)
		if isSoft {
			limits = append(limits, s.QueuedLimits()...)
		}
		for _, l := range limits {
			isNear := func(names []string) bool {
				return slices.Contains(names[1:], l.Name) || report.Typo(l.Name, names) != "" || strings.EqualFold(l.Name, names[0])
			}
			if l.Kind == 'o' || l.Name == GenericLimit || l.Name == OverallLimit || !isNear(generic) && !isNear(overall) {
				continue
			}
			where := l.Where()
			remarks = append(remarks, diag.Warningf("%s of %s holds %s %s alone; if each %[3]s is meant, write [%[5]c:%[6]s=%[7]s]", l.Setting, where, LimitedKinds[l.Kind], l.Name, l.Kind, GenericLimit, l.Amount).At(where, 0))
		}
	}
	return remarks
}
