package slurm

import "strings"

// NodeStates are all words of the State of a node of Slurm 22.05 to 25.05, the first one and the flags behind it, as scontrol,
// sinfo and JSON write them (slurm_protocol_defs.c, node_states and node_state_flags). What lacks goes on behind the flag and the
// names of nodes.
var NodeStates = Attributes{
	{Name: "IDLE"}, {Name: "ALLOCATED"}, {Name: "ALLOC"}, {Name: "MIXED"},
	{Name: "COMPLETING"}, {Name: "POWERING_UP"}, {Name: "POWERING_DOWN"}, {Name: "BLOCKED"},
	{Name: "RESERVED"}, {Name: "MAINT"}, {Name: "MAINTENANCE"},

	{Name: "DOWN", TakesNone: true}, {Name: "UNKNOWN", TakesNone: true}, {Name: "ERROR", TakesNone: true}, {Name: "FUTURE", TakesNone: true},
	{Name: "INVAL", TakesNone: true}, {Name: "INVALID", TakesNone: true}, {Name: "INVALID_REG", TakesNone: true},
	{Name: "FAIL", TakesNone: true}, {Name: "FAILING", TakesNone: true},
	{Name: "DRAIN", TakesNone: true}, {Name: "DRAINED", TakesNone: true}, {Name: "DRAINING", TakesNone: true}, {Name: "POWER_DRAIN", TakesNone: true},
	{Name: "NO_RESPOND", TakesNone: true}, {Name: "NOT_RESPONDING", TakesNone: true},
	{Name: "PERFCTRS", TakesNone: true}, {Name: "REBOOT_ISSUED", TakesNone: true},

	{Name: "REBOOT_REQUESTED", Lacks: "which boot once no job runs there, and here do not", On: OnRoom},
	{Name: "REBOOT", Lacks: "which boot once no job runs there, and here do not", On: OnRoom},

	{Name: "PLANNED", Idle: "plans are made anew"},
	{Name: "CLOUD", Idle: "it is about where the node comes from"},
	{Name: "EXTERNAL", Idle: "it is about where the node comes from"},
	{Name: "DYNAMIC_NORM", Idle: "it is about where the node comes from"},
	{Name: "DYNAMIC_FUTURE", Idle: "it is about where the node comes from"},
	{Name: "POWERED_DOWN", Idle: ofPowerSaving}, {Name: "POWER_DOWN", Idle: ofPowerSaving}, {Name: "POWER_UP", Idle: ofPowerSaving},
	{Name: "REBOOT_CANCELED", Idle: "it does not boot"},
	{Name: "RESUME", Idle: "the first word says what became of it"},
	{Name: "UNDRAIN", Idle: "the first word says what became of it"},
}

// ofPowerSaving is why it holds no job that a node is switched off, or is to be.
const ofPowerSaving = "nodes that are switched off get jobs as others"

// NodeStateWords returns the words of the state of a node in capitals, without the signs behind them.
func NodeStateWords(state string) []string {
	words := strings.Split(strings.ToUpper(state), "+")
	for i, word := range words {
		words[i] = strings.TrimRight(word, "*~#!%$@^-")
	}
	return words
}
