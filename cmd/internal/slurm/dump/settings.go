package dump

import (
	"math"
	"strconv"
	"strings"

	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
)

// settingNumbers are the settings of slurmctld that are a number or a time, with what another text is not, and whether one can
// be read.
var settingNumbers = []struct {
	name, isNot string
	isRead      func(text string) bool
}{
	{"DefMemPerCPU", "no number of MB", isMemory},
	{"DefMemPerNode", "no number of MB", isMemory},
	{"MaxMemPerCPU", "no number of MB", isMemory},
	{"MaxMemPerNode", "no number of MB", isMemory},
	{"JobRequeue", "neither 0 nor 1", func(text string) bool { return text == "0" || text == "1" }},
	{"KillWait", "no number of seconds", isTime(InSeconds)},
	{"SuspendTimeout", "no number of seconds", isTime(InSeconds)},
	{"OverTimeLimit", "no number of minutes", isTime(OverTime)},
	{"PreemptExemptTime", "no time", isTime(ExemptTime)},
}

// UnreadSettings says which settings of slurmctld that are a number or a time cannot be read. config returns one by its name in
// lower case, "" for none.
func UnreadSettings(config func(name string) string, say func(name, text string)) {
	for _, of := range settingNumbers {
		if is := config(strings.ToLower(of.name)); isValue(is) && !of.isRead(is) {
			say(of.name, of.name+"="+report.Printable(is)+" is "+of.isNot+": it is taken as if it were not set")
		}
	}
}

// isMemory reports whether a text is an amount of memory.
func isMemory(text string) bool {
	return strings.EqualFold(text, "UNLIMITED") || Number(text, -1) >= 0
}

// isTime returns whether a text is a time that can be read.
func isTime(read func(text string) (seconds int64, ok bool)) func(text string) bool {
	return func(text string) bool { _, ok := read(text); return ok }
}

// InSeconds reads a time as scontrol show config has it, such as 30 sec, and reports whether it is one.
func InSeconds(text string) (seconds int64, ok bool) {
	n, err := strconv.ParseUint(strings.TrimSpace(strings.TrimSuffix(text, "sec")), 10, 16)
	return int64(n), err == nil
}

// Year is what UNLIMITED is of times within which jobs end, in seconds.
const Year = 365 * 86400

// OverTime reads OverTimeLimit, of minutes such as 5 min, and reports whether it is one. UNLIMITED is a Year.
func OverTime(text string) (seconds int64, ok bool) {
	if slurm.IsUnlimited(text) {
		return Year, true
	}
	n, err := strconv.ParseUint(strings.TrimSpace(strings.TrimSuffix(text, "min")), 10, 16)
	return int64(n) * 60, err == nil
}

// ExemptTime reads PreemptExemptTime, of which -1 is as 0, and reports whether it is one.
func ExemptTime(text string) (seconds int64, ok bool) {
	n, err := slurm.Duration(text)
	if n >= math.MaxInt32 {
		n = 0
	}
	return int64(n), err == nil || text == "NONE"
}

// CredentialLife returns cred_expire of AuthInfo, of which slurmctld takes no less than 5 (slurm_cred.c), 0 where it is not set, and a
// value that is none.
func (d *Dump) CredentialLife() (seconds int64, odd string) {
	for word := range strings.SplitSeq(d.Config("authinfo"), ",") {
		value, isIt := strings.CutPrefix(strings.TrimSpace(word), "cred_expire=")
		if !isIt {
			continue
		}
		if n, err := strconv.ParseInt(value, 10, 32); err == nil && n >= 5 {
			seconds = n
		} else {
			odd = value
		}
	}
	return seconds, odd
}
