package dump

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/pattern"
	"fairshare/cmd/internal/slurm"
)

// nodeName parts a name into letters and a number, by which Slurm sorts nodes.
var nodeName = pattern.Of(`^(.*?)(\d*)$`)

// CompareNodes puts nodes into the order in which Slurm takes them.
func CompareNodes(a, b Row) int {
	x, y := nodeName().FindStringSubmatch(a["nodename"]), nodeName().FindStringSubmatch(b["nodename"])
	m, _ := strconv.ParseInt(x[2], 10, 64)
	n, _ := strconv.ParseInt(y[2], 10, 64)
	return cmp.Or(strings.Compare(x[1], y[1]), cmp.Compare(m, n), strings.Compare(a["nodename"], b["nodename"]))
}

// IsUp reports whether jobs may run on a node in a state, such as IDLE+PLANNED or DOWN*+DRAIN, and whether
// the state is one that Slurm has, by its first word. A node that does not respond (*) gets no job; one that is switched
// off to save power is switched on for one.
func IsUp(state string) (is, isKnown bool) {
	words := slurm.NodeStateWords(state)
	if slurm.NodeStates.Of(words[0]) == nil {
		return false, false
	}
	isBooting := slices.Contains(words, "POWERING_UP") // it does not respond until it has started
	for _, word := range words {
		if of := slurm.NodeStates.Of(word); of != nil && of.TakesNone && (word != "NOT_RESPONDING" || !isBooting) {
			return false, true
		}
	}
	return isBooting || !strings.Contains(state, "*"), true
}

// Closing is what keeps jobs from a node that is up just now, and will not for long.
type Closing int

// What may keep jobs from a node for now.
const (
	NotClosing  Closing = iota
	CleansUp            // after a job that has ended
	SwitchesOff         // to save power
	Blocked             // by a job that has its part of the topology alone
)

// ClosingOf returns what keeps jobs from a node in a state, such as MIXED+COMPLETING, just now.
func ClosingOf(state string) Closing {
	words := slurm.NodeStateWords(state)
	switch {
	case slices.Contains(words, "BLOCKED"):
		return Blocked
	case slices.Contains(words, "POWERING_DOWN"), strings.Contains(state, "%"):
		return SwitchesOff
	case slices.Contains(words, "COMPLETING"):
		return CleansUp
	}
	return NotClosing
}

// nodeReason finds the names of nodes in what scontrol show node prints, and since when they are down or drained.
var nodeReason = pattern.Of(`\bNodeName=(\S+)|` + reasonTime)

// ReasonTime finds the reason of a node, and when it was set.
var ReasonTime = pattern.Of(reasonTime)

const reasonTime = `\bReason=[^\n]*\[[^\[\]\n]*@(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\]`

// nodeReasonText finds the names of nodes in what scontrol show node prints, and their reasons.
var nodeReasonText = pattern.Of(`(?m)\bNodeName=(\S+)|\bReason=([^\n]*?\[[^\[\]\n]*@\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\])|^[ \t]+Reason=([^\n\r]+)`)

// Reasons returns the Reason of each node that has one, with who set it and when, as scontrol show node prints it.
func (d *Dump) Reasons() map[string]string {
	of := map[string]string{}
	parts := d.All(KindNodes)
	if len(parts) == 0 {
		return of
	}
	if slurm.IsJSON(parts[0].Text) {
		objects, _ := slurm.ParseObjects(parts[0].Text, jsonList[KindNodes])
		for _, o := range objects {
			if text := o.Text("reason"); text != "" {
				of[o.Text("name")] = fmt.Sprintf("%s [%s@%s]", text, o.Text("reason_set_by_user"), timeOf(o, "reason_changed_at", d.Zone()))
			}
		}
		return of
	}
	name := ""
	for _, m := range nodeReasonText().FindAllStringSubmatch(parts[0].Text, -1) {
		if m[1] != "" {
			name = m[1]
		} else if name != "" {
			of[name] = m[2] + m[3]
		}
	}
	return of
}

// ReasonTimes returns when the Reason of each node was set that has one.
func (d *Dump) ReasonTimes() map[string]string {
	since := map[string]string{}
	parts := d.All(KindNodes)
	if len(parts) == 0 {
		return since
	}
	if slurm.IsJSON(parts[0].Text) {
		rows, _ := jsonRows(KindNodes, parts[0].Text, d.Zone())
		for _, row := range rows {
			if row["reason"] != "" {
				since[row["nodename"]] = row["reason"]
			}
		}
		return since
	}
	name := ""
	for _, m := range nodeReason().FindAllStringSubmatch(parts[0].Text, -1) {
		if m[1] != "" {
			name = m[1]
		} else if name != "" {
			since[name] = m[2]
		}
	}
	return since
}
