package set

import (
	"errors"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/order"
	"fairshare/cmd/internal/slurm/sched"
)

// holds reports whether a setting changes what keeps jobs from starting, and no priority.
func (x *setting) holds() bool {
	return x.field != nil || x.limit != nil && x.limit.IsLimit() && !x.limit.Submits || x.isOfNodesNow()
}

// isOfNodesNow reports whether a setting takes nodes away for good, or puts them back.
func (x *setting) isOfNodesNow() bool {
	return x.kind == ofRemoved || x.kind == ofNode && (x.value == always || x.value == never)
}

// isOfState reports whether a setting is of the State of a partition.
func (x *setting) isOfState() bool { return x.field != nil && x.key == "state" }

// isOfStartsAlone reports whether it depends on a setting when jobs start, and neither their order nor what holds them.
func (x *setting) isOfStartsAlone() bool {
	switch x.kind {
	case ofLicence, ofReservation:
		return true
	case ofNode:
		return !x.isOfNodesNow()
	case ofScheduler:
		return !x.isOfPreemption()
	}
	return x.key == "preemptmode" || x.kind == ofQOS && x.key == "usagefactor"
}

// setHolds changes what keeps jobs of a site from starting.
func setHolds(s *order.Site, x *setting) (was string, err error) {
	err = s.ChangeLimits(func(setup *sched.Setup) (err error) {
		switch x.kind {
		case ofQOS:
			was, err = setReplayedQOS(setup, x)
		case ofAssociation:
			was, err = setAssociation(setup, x)
		case ofNode, ofRemoved:
			err = change(setup, func() error { return setWorld(setup, x) })
		default:
			was, err = setPartitionField(setup, x)
		}
		return err
	})
	if part := s.Conf.Partitions[x.of]; err == nil && x.key == "maxtime" && part != nil { // on which priorities of jobs depend that ask for no time
		seconds, _ := slurm.Duration(x.value) // which could be read
		part.UseMaxTime(seconds)
	}
	return was, err
}

// setPartitionField changes what of a partition starts alone depend on.
func setPartitionField(setup *sched.Setup, x *setting) (was string, err error) {
	at := setup.PartitionNamed(x.of)
	if at < 0 {
		return "", errors.New(report.NoSuch("partition", x.of, setup.PartitionNames()))
	}
	err = change(setup, func() (err error) {
		was, err = x.field.Change(setup, at, x.value)
		return err
	})
	if err == nil {
		setup.ChangeRule(at, x.field.Name)
	}
	return was, err
}

// holds reports whether a change is one of what keeps jobs from starting, and of no priority.
func (c Change) holds() bool { return c.is((*setting).holds) }

// StopsSubmissions reports whether a change is of the state of a partition to one in which no job can be submitted to it.
func (c Change) StopsSubmissions() bool {
	return c.is(func(x *setting) bool {
		return x.isOfState() && (&sched.Partition{State: strings.ToUpper(x.value)}).TakesNone()
	})
}

// StatesTried returns the states of partitions that are among some settings, by partition.
func StatesTried(settings []string) map[string]string {
	states := map[string]string{}
	for _, text := range settings {
		if x := settingOf(text); x != nil && x.isOfState() {
			states[x.of] = strings.ToUpper(x.value)
		}
	}
	return states
}

// sayHolds says of which jobs in a changed site, the rows of which are those of one change, something else keeps them from
// starting.
func sayHolds(changed *order.Site, rows []order.Row, c Change) diag.Remark {
	changed.FindLimits(rows)
	var more, fewer, others []string // jobs, each once
	type entry struct {
		list *[]string
		id   string
	}
	has := map[entry]bool{}
	add := func(list *[]string, id string) {
		if of := (entry{list, id}); !has[of] {
			has[of] = true
			*list = append(*list, id)
		}
	}
	for i := range rows {
		r := &rows[i]
		if r.Rank == 0 || r.Was == nil {
			continue
		}
		switch was, is := r.Was.HeldBy(), r.HeldBy(); {
		case was == is:
		case was == "":
			add(&more, r.Job.ID)
		case is == "":
			add(&fewer, r.Job.ID)
		default:
			add(&others, r.Job.ID)
		}
	}
	var said []string
	const most = 10 // that are named
	for _, x := range []struct {
		jobs []string
		what string
	}{{more, "held by it"}, {fewer, "no longer held"}, {others, "held by another limit than before"}} {
		if n := len(x.jobs); n > 0 {
			said = append(said, report.Count(n, "job")+" "+x.what+": "+report.Printable(report.Some(x.jobs, most)))
		}
	}
	moved := 0
	for i := range rows {
		if r := &rows[i]; r.Rank > 0 && r.Was != nil && r.Rank != r.Was.Rank {
			moved++
		}
	}
	if moved > 0 {
		said = append([]string{report.Count(moved, "job") + " moved"}, said...)
		return diag.Notef("%s changes no priority, but places in the order, and what holds jobs: %s (formula sort --set names it under LIMIT); slurmctld's queue has no jobs of a partition that is DOWN or INACTIVE, so that none stands before or behind others for what these preempt", c, strings.Join(said, "; ")).OfAsked()
	}
	switch {
	case said == nil && c.is((*setting).isOfNodesNow):
		return diag.Notef("%s changes neither the order of the jobs that Slurm considers nor whether one of them can start at all: what starts now, formula sort --now says, and when, formula when", c)
	case said == nil:
		return diag.Warningf("%s changes neither the order of the jobs that Slurm considers nor what holds one of them now", c)
	}
	return diag.Notef("%s changes no place in the order, and what holds jobs: %s (formula sort --set names it under LIMIT)", c, strings.Join(said, "; "))
}
