package setup

import (
	"slices"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/sched"
)

// usualSuspendTimeout is the SuspendTimeout of slurm.conf where none is set, in seconds.
const usualSuspendTimeout = 30

// CloseNodes keeps jobs from nodes that take none just now, and will again by themselves: those that clean up after a job
// (COMPLETING) for as long again as they have until now, since nothing tells how long that takes, those that are being
// switched off (POWERING_DOWN) until SuspendTimeout is over, and those that a job with a part of the topology for itself
// blocks (BLOCKED) until the last such job is to end. It returns remarks on them.
func (n *Site) CloseNodes() (remarks []diag.Remark) {
	ended := map[string]int64{} // by node, when the first job ended after which it cleans up
	for i := range n.Queue {
		if n.Queue[i].State != "COMPLETING" {
			continue
		}
		for _, name := range n.Queue[i].Nodes {
			if at := n.Queue[i].Ends; !at.IsZero() && (ended[name] == 0 || at.Unix() < ended[name]) {
				ended[name] = at.Unix()
			}
		}
	}
	off := configSeconds(n.World.Config("suspendtimeout"), usualSuspendTimeout)
	places := map[string]int{}
	for i := range n.Setup.Nodes {
		places[n.Setup.Nodes[i].Name] = i
	}
	last := n.At + 1 // when the last of them is clean
	free := n.blockedUntil()
	var cleaning, closing, blocked []string
	for _, row := range n.World.Records(dump.KindNodes) {
		name := row["nodename"]
		node, isThere := places[name]
		switch is := dump.ClosingOf(row["state"]); {
		case !isThere:
		case is == dump.CleansUp:
			to := n.At + 1
			if at := ended[name]; at > 0 {
				to = max(to, n.At+(n.At-at))
			}
			last, cleaning = max(last, to), append(cleaning, name)
			n.Setup.Outages = append(n.Setup.Outages, sched.Outage{Node: node, From: n.At, To: to, IsCleaning: true})
		case is == dump.SwitchesOff:
			closing = append(closing, name)
			n.Setup.Outages = append(n.Setup.Outages, sched.Outage{Node: node, From: n.At, To: n.At + off})
		case is == dump.Blocked:
			blocked = append(blocked, name)
			n.Setup.Outages = append(n.Setup.Outages, sched.Outage{Node: node, From: n.At, To: free, IsCleaning: true})
		}
	}
	if cleaning != nil {
		until := time.Unix(last, 0).In(n.Setup.Zone).Format("15:04:05")
		remarks = append(remarks, diag.Notef("no job starts on nodes that clean up after one that has ended (COMPLETING): %s; taken to do so for as long again as they have until now, until %s at the latest", report.First(cleaning), until))
	}
	if closing != nil {
		remarks = append(remarks, diag.Notef("no job starts on nodes that are being switched off (POWERING_DOWN) before SuspendTimeout, %d seconds, is over: %s", off, report.First(closing)))
	}
	switch {
	case blocked == nil:
	case free == sched.ForGood:
		remarks = append(remarks, diag.Warningf("no job starts on nodes that a job blocks which has its part of the topology alone (BLOCKED), and no job that runs is known to (--exclusive=topo, or ExclusiveTopo of its partition): %s", report.First(blocked)))
	default:
		until := time.Unix(free, 0).In(n.Setup.Zone).Format(time.DateTime)
		remarks = append(remarks, diag.Notef("no job starts on nodes that a job blocks which has its part of the topology alone (BLOCKED): %s; taken to be so until %s, when the last such job that runs is to end", report.First(blocked), until))
	}
	return remarks
}

// blockedUntil returns when the last job is to end that runs and has a part of the topology for itself, ForGood where none is
// known.
func (n *Site) blockedUntil() int64 {
	isAlone := map[string]bool{} // partitions
	for i, is := range n.Setup.ExclusiveTopology {
		isAlone[n.Setup.Partitions[i].Name] = is
	}
	until := int64(0)
	for i := range n.Queue {
		if q := &n.Queue[i]; q.State == "RUNNING" && (q.ExclusiveTopology || slices.ContainsFunc(q.Partitions, func(name string) bool { return isAlone[name] })) {
			until = max(until, q.Ends.Unix())
		}
	}
	if until <= n.At {
		return sched.ForGood
	}
	return until
}
