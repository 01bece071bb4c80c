package setup

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/sched"
)

// PreemptTypes are all values of PreemptType.
var PreemptTypes = []string{"preempt/none", "preempt/qos", "preempt/partition_prio"}

// plugins are the settings of slurm.conf that name plugins without one of which a daemon does not start, with the names of Slurm 22.05
// to 25.05.
var plugins = []struct {
	name   string
	values []string
	of     string // the daemon
}{
	{"SchedulerType", []string{"sched/backfill", "sched/builtin"}, slurm.Slurmctld},
	{"SelectType", []string{"select/cons_tres", "select/cons_res", "select/linear", "select/cray_aries"}, slurm.Slurmctld},
	{"PreemptType", PreemptTypes, slurm.Slurmctld},
	{"AccountingStorageType", []string{"accounting_storage/slurmdbd", "accounting_storage/none", "accounting_storage/ctld_relay"}, slurm.Slurmctld},
	{"TopologyPlugin", []string{"topology/default", "topology/flat", "topology/none", "topology/tree", "topology/block", "topology/3d_torus"}, slurm.Slurmctld},
	{"AuthType", []string{"auth/munge", "auth/slurm", "auth/jwt", "auth/none"}, slurm.Slurmctld},
	{"CredType", []string{"cred/munge", "cred/slurm", "cred/none"}, slurm.Slurmctld},
	{"SwitchType", []string{"switch/none", "switch/hpe_slingshot", "switch/nvidia_imex", "switch/cray_aries"}, slurm.Slurmctld},
	{"JobAcctGatherType", []string{"jobacct_gather/linux", "jobacct_gather/cgroup", "jobacct_gather/none"}, slurm.Slurmctld},
	{"ProctrackType", []string{"proctrack/cgroup", "proctrack/linuxproc", "proctrack/pgid", "proctrack/cray_aries"}, slurm.Slurmd},
	{"TaskPlugin", []string{"task/affinity", "task/cgroup", "task/none", "task/cray_aries"}, slurm.Slurmd},
}

// unknownPlugins calls a function with each plugin that there is not. Those of a list have their kind before them, or not.
func unknownPlugins(config func(name string) string, found func(setting, plugin string, known []string, daemon string)) {
	for _, of := range plugins {
		is := config(strings.ToLower(of.name))
		if !isSet(is) {
			continue
		}
		kind, _, _ := strings.Cut(of.values[0], "/")
		for plugin := range strings.SplitSeq(is, ",") {
			if plugin = strings.TrimSpace(plugin); of.name == "TaskPlugin" && !strings.Contains(plugin, "/") {
				plugin = kind + "/" + plugin
			}
			if !slices.Contains(of.values, plugin) {
				found(of.name, plugin, of.values, of.of)
			}
		}
	}
}

// partLimits are the values of EnforcePartLimits, and which of ALL, ANY and NO they are (Slurm's parse_part_enforce_type).
var partLimits = []struct{ value, is string }{
	{"ALL", "ALL"}, {"ANY", "ANY"}, {"NO", "NO"}, {"YES", "ALL"}, {"TRUE", "ALL"}, {"FALSE", "NO"}, {"UP", "ALL"}, {"DOWN", "NO"}, {"1", "ALL"}, {"0", "NO"},
}

// partLimitNames returns all values of EnforcePartLimits.
func partLimitNames() (names []string) {
	for _, of := range partLimits {
		names = append(names, of.value)
	}
	return names
}

// partLimitsOf returns which of ALL, ANY and NO a value of EnforcePartLimits is, "" for none that there is.
func partLimitsOf(value string) string {
	for _, of := range partLimits {
		if strings.EqualFold(of.value, value) {
			return of.is
		}
	}
	return ""
}

// choice is a setting that is one word, or several with commas, of a few.
type choice struct {
	name      string
	known     []string
	isRefused bool // whether slurmctld does not start with other words
}

// choices are all such settings.
var choices = []choice{
	{"PreemptMode", slurm.PreemptModes, true},
	{"EnforcePartLimits", partLimitNames(), true},
	{"AccountingStorageEnforce", []string{"associations", "limits", "nojobs", "nosteps", "qos", "safe", "wckeys", "all", "0", "1", "2"}, true},
	{"ReturnToService", []string{"0", "1", "2"}, false},
}

// words are the settings that are lists of words.
var words = []struct {
	name      string
	known     slurm.Attributes
	isRefused bool // whether slurmctld does not start with other words
}{
	{"SchedulerParameters", slurm.SchedulerWords, false}, {"PreemptParameters", slurm.PreemptWords, false}, {"SelectTypeParameters", slurm.SelectWords, true},
}

// Unknown says which plugins and words of settings of scheduling are not known, first those with which slurmctld does not start,
// and which numbers cannot be read. config returns a setting by its name in lower case, "" for none, and where in which line it
// stands.
func Unknown(config, where func(name string) string) (refused, list []string) {
	say := func(name, text string) { list = append(list, where(strings.ToLower(name))+text) }
	unknown := func(name, word string, known []string, isRefused bool) {
		if isRefused {
			refused = append(refused, where(strings.ToLower(name))+slurm.Refused(name, word, known, slurm.Slurmctld))
		} else {
			say(name, slurm.Unknown(name, word, known))
		}
	}
	unknownPlugins(config, func(name, plugin string, known []string, daemon string) {
		if daemon == slurm.Slurmctld {
			unknown(name, plugin, known, true)
		} else {
			say(name, slurm.Refused(name, plugin, known, daemon))
		}
	})
	unknownChoices(config, func(of choice, word string) { unknown(of.name, word, of.known, of.isRefused) })
	for _, conflict := range []func(config, where func(name string) string) string{preemptionConflict, resourcesConflict} {
		if text := conflict(config, where); text != "" {
			refused = append(refused, text)
		}
	}
	if text, isKnown := removedPlugin(config, where); isKnown {
		refused = append(refused, text)
	}
	dump.UnreadSettings(config, say)
	if is := config("licenses"); isSet(is) {
		if _, isRead := sched.ParseLicences(is); !isRead {
			say("Licenses", "Licenses="+report.Printable(is)+" is not NAME:NUMBER of each: no licence is known here, and jobs do not wait for them")
		}
	}
	backfill := sched.DefaultBackfill()
	trial := &sched.Setup{Backfill: &backfill}
	for _, of := range words {
		list, twice := wordsOf(of.name, config(strings.ToLower(of.name)))
		for _, text := range twice {
			say(of.name, text)
		}
		for _, word := range list {
			name, value, _ := strings.Cut(strings.TrimSpace(word), "=")
			if of.name == "SelectTypeParameters" {
				name = memoryToo().ReplaceAllString(name, "")
			}
			switch {
			case !isSet(name):
			case of.known.Of(name) == nil && of.known.Of(word) == nil:
				unknown(of.name, name, of.known.Names(), of.isRefused)
			case of.name == "SchedulerParameters" && slices.Contains(sched.Parameters(), strings.ToLower(name)):
				if err := trial.Set(strings.ToLower(name), value); err != nil {
					say(of.name, of.name+": "+err.Error()+": the default counts, as in slurmctld")
				}
			case of.known.Of(name) != nil && of.known.Of(name).IsNumber && !isNumber(value):
				say(of.name, fmt.Sprintf("%s: %s needs a whole number, not %q: slurmctld reads none there", of.name, name, value))
			}
		}
	}
	return refused, list
}

// isNumber reports whether a text is a whole number, which may be negative.
func isNumber(text string) bool {
	_, err := strconv.ParseInt(text, 10, 64)
	return err == nil
}

// wordsOf returns the words of a setting that is a list of them, by its text. Of two of a name with values Slurm takes the first, the
// one that it finds; what is said of those is in twice.
func wordsOf(setting, text string) (words, twice []string) {
	values := map[string]string{}
	for word := range strings.SplitSeq(text, ",") {
		name, value, has := strings.Cut(strings.TrimSpace(word), "=")
		name = strings.ToLower(name)
		first, isSecond := values[name]
		if isSecond && has && first != value {
			twice = append(twice, setting+" has "+name+" twice: the first one counts, "+first)
		}
		if has && !isSecond {
			values[name] = value
		}
		if !has || !isSecond {
			words = append(words, word)
		}
	}
	return words, twice
}

// unknownChoices calls a function with each word of a choice that is not known.
func unknownChoices(config func(name string) string, found func(of choice, word string)) {
	for _, of := range choices {
		if is := config(strings.ToLower(of.name)); isSet(is) {
			for _, word := range slurm.UnknownWords(is, of.known) {
				found(of, word)
			}
		}
	}
}

// isSet reports whether the text of a setting is a value.
func isSet(text string) bool {
	return text != "" && !strings.EqualFold(text, "(null)") && !strings.EqualFold(text, "none")
}

// PreemptionConflict says why slurmctld does not start with a PreemptType and a PreemptMode together, "" where it does.
func PreemptionConflict(preemptType, mode string) string {
	config := map[string]string{"preempttype": preemptType, "preemptmode": mode}
	return preemptionConflict(func(name string) string { return config[name] }, func(string) string { return "" })
}

// preemptionConflict says why slurmctld does not start with PreemptType and PreemptMode as they are together, "" where it does
// (Slurm's read_config.c, _validate_and_set_defaults).
func preemptionConflict(config, where func(name string) string) string {
	kind, mode := config("preempttype"), strings.ToUpper(config("preemptmode"))
	preempts := isPreempting(kind)
	words := slices.DeleteFunc(strings.Split(mode, ","), func(word string) bool { return !isSet(word) || word == "OFF" || word == "GANG" })
	switch {
	case isSet(kind) && !slices.Contains(PreemptTypes, kind), slurm.UnknownWords(mode, slurm.PreemptModes) != nil && isSet(mode):
		return "" // which is said
	case countOf(words, "CANCEL", "REQUEUE", "SUSPEND") > 1:
		return where("preemptmode") + "PreemptMode=" + mode + " has several modes: slurmctld takes one of CANCEL, REQUEUE and SUSPEND, and does not start with more"
	case slices.Contains(words, "SUSPEND") && !strings.Contains(mode, "GANG"):
		return where("preemptmode") + "PreemptMode=SUSPEND needs GANG beside it, and slurmctld does not start without"
	case preempts && len(words) == 0:
		return where("preempttype") + "PreemptMode is " + cmp.Or(strings.TrimPrefix(mode, "(NULL)"), "OFF") + " beside PreemptType=" + kind + ", and slurmctld does not start with both"
	case !preempts && len(words) > 0:
		return where("preemptmode") + "PreemptMode is " + mode + " without a PreemptType, and slurmctld does not start with it"
	}
	return ""
}

// countOf returns how many of some words are in a list.
func countOf(list []string, words ...string) (count int) {
	for _, word := range words {
		if slices.Contains(list, word) {
			count++
		}
	}
	return count
}

// resourcesConflict says that SelectTypeParameters has several kinds of what jobs are given, of which slurmctld takes one (Slurm's
// parse_select_type_param); "" where it has not.
func resourcesConflict(config, where func(name string) string) string {
	var kinds []string
	for word := range strings.SplitSeq(config("selecttypeparameters"), ",") {
		switch name := strings.ToLower(memoryToo().ReplaceAllString(strings.TrimSpace(word), "")); name {
		case "cr_cpu", "cr_core", "cr_socket":
			kinds = append(kinds, strings.TrimSpace(word))
		}
	}
	if len(kinds) < 2 {
		return ""
	}
	return where("selecttypeparameters") + "SelectTypeParameters has " + strings.Join(kinds, " and ") + ": slurmctld takes one of CR_CPU, CR_Core and CR_Socket, each with _Memory behind it or without, and does not start with more"
}

// removedPlugin says that slurmctld does not start with SelectType=select/cons_res, which Slurm 23.11 no longer has; "" where it does.
// isKnown is false where nothing tells the version.
func removedPlugin(config, where func(name string) string) (text string, isKnown bool) {
	version, unknown := sched.ParseVersion(config("slurm_version"))
	if config("selecttype") != "select/cons_res" || unknown == nil && slices.Compare(version[:], []int{23, 11}) < 0 {
		return "", false
	}
	const of = "SelectType: Slurm 23.11 and later have no select/cons_res, and slurmctld of them does not start with it; select/cons_tres is in its place"
	return where("selecttype") + of, unknown == nil
}

// Idle says which settings of scheduling have no effect beside others. config and where are those of Unknown.
func Idle(config, where func(name string) string) (list []string) {
	if strings.EqualFold(config("schedulertype"), "sched/builtin") {
		var words []string
		for word := range strings.SplitSeq(config("schedulerparameters"), ",") {
			if name, _, _ := strings.Cut(strings.TrimSpace(word), "="); strings.HasPrefix(name, "bf_") {
				words = append(words, name)
			}
		}
		if len(words) > 0 {
			list = append(list, where("schedulerparameters")+"SchedulerParameters has "+strings.Join(words, ", ")+", and under SchedulerType=sched/builtin there is no backfill")
		}
	}
	return list
}
