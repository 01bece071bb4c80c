package dump

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/slurm"
)

// nodeName parts a name into letters and a number, by which Slurm sorts nodes.
var nodeName = regexp.MustCompile(`^(.*?)(\d*)$`)

// CompareNodes puts nodes into the order in which Slurm takes them.
func CompareNodes(a, b Row) int {
	x, y := nodeName.FindStringSubmatch(a["nodename"]), nodeName.FindStringSubmatch(b["nodename"])
	m, _ := strconv.ParseInt(x[2], 10, 64)
	n, _ := strconv.ParseInt(y[2], 10, 64)
	return cmp.Or(strings.Compare(x[1], y[1]), cmp.Compare(m, n), strings.Compare(a["nodename"], b["nodename"]))
}

// IsUp reports whether jobs may run on a node in a state, such as IDLE+PLANNED or DOWN*+DRAIN, and whether
// the state is one that Slurm has: the first word, as node_state_base_string names it, with what others
// add to it. A node that does not respond (*) gets no job; one that is switched off to save power is
// switched on for one.
func IsUp(state string) (is, isKnown bool) {
	words := stateWords(state)
	responds := !strings.Contains(state, "*")
	switch words[0] {
	case "DOWN", "UNKNOWN", "ERROR", "FUTURE", "INVAL", "FAIL", "FAILING", "DRAIN", "DRAINED", "DRAINING", "NO_RESPOND", "PERFCTRS":
		return false, true
	case "IDLE", "ALLOCATED", "ALLOC", "MIXED", "COMPLETING", "RESERVED", "MAINT", "PLANNED", "POWERED_DOWN", "POWERING_UP", "POWERING_DOWN", "POWER_DOWN", "REBOOT", "BLOCKED":
	default:
		return false, false
	}
	if slices.Contains(words, "POWERING_UP") { // it does not respond until it has started
		words = slices.DeleteFunc(words, func(word string) bool { return word == "NOT_RESPONDING" })
		responds = true
	}
	return responds && !slices.ContainsFunc(words[1:], func(flag string) bool {
		return slices.Contains([]string{"DRAIN", "DOWN", "FAIL", "NOT_RESPONDING", "INVALID_REG", "INVAL"}, flag)
	}), true
}

// stateWords returns the words of the state of a node in capitals, without the signs behind them.
func stateWords(state string) []string {
	words := strings.Split(strings.ToUpper(state), "+")
	for i, word := range words {
		words[i] = strings.TrimRight(word, "*~#!%$@^-")
	}
	return words
}

// Closing is what keeps jobs from a node that is up just now, and will not for long.
type Closing int

// What may keep jobs from a node for now.
const (
	NotClosing  Closing = iota
	CleansUp            // after a job that has ended
	SwitchesOff         // to save power
)

// ClosingOf returns what keeps jobs from a node in a state, such as MIXED+COMPLETING, just now.
func ClosingOf(state string) Closing {
	words := strings.Split(strings.ToUpper(state), "+")
	switch {
	case slices.Contains(words, "POWERING_DOWN"), strings.Contains(state, "%"):
		return SwitchesOff
	case slices.Contains(words, "COMPLETING"):
		return CleansUp
	}
	return NotClosing
}

// nodeReason finds the names of nodes in what scontrol show node prints, and since when they are down or drained.
var nodeReason = regexp.MustCompile(`\bNodeName=(\S+)|` + ReasonTime.String())

// ReasonTime finds the reason of a node, and when it was set.
var ReasonTime = regexp.MustCompile(`\bReason=[^\n]*\[[^\[\]\n]*@(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\]`)

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
	for _, m := range nodeReason.FindAllStringSubmatch(parts[0].Text, -1) {
		if m[1] != "" {
			name = m[1]
		} else if name != "" {
			since[name] = m[2]
		}
	}
	return since
}
