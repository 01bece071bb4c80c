package setup

import (
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/sched"
)

// usualSuspendTimeout is the SuspendTimeout of slurm.conf where none is set, in seconds.
const usualSuspendTimeout = 30

// CloseNodes keeps jobs from nodes that take none just now, and will again by themselves: those that clean up after a job
// (COMPLETING) for as long again as they have until now, since nothing tells how long that takes, and those that are being
// switched off (POWERING_DOWN) until SuspendTimeout is over. It returns remarks on them.
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
	var cleaning, closing []string
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
		}
	}
	if cleaning != nil {
		until := time.Unix(last, 0).In(n.Setup.Zone).Format("15:04:05")
		remarks = append(remarks, diag.Notef("no job starts on nodes that clean up after one that has ended (COMPLETING): %s; taken to do so for as long again as they have until now, until %s at the latest", report.First(cleaning), until))
	}
	if closing != nil {
		remarks = append(remarks, diag.Notef("no job starts on nodes that are being switched off (POWERING_DOWN) before SuspendTimeout, %d seconds, is over: %s", off, report.First(closing)))
	}
	return remarks
}
