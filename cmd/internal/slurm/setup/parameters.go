package setup

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pattern"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/sched"
)

// readParameters reads SchedulerType, SchedulerParameters and SelectTypeParameters.
func (r *reader) readParameters() {
	config := r.dump.Config
	s := r.setup
	s.Booted, s.ClusterName, s.PreemptType = config("boot_time"), config("clustername"), config("preempttype")
	s.UseDefaults()
	s.SwitchWait = 300
	s.NoRequeue = config("jobrequeue") == "0"
	r.readCredentialLife()
	s.KillWait = killWait(config("killwait"), config("overtimelimit"))
	kind := config("schedulertype")
	if !strings.EqualFold(kind, "sched/builtin") {
		b := sched.DefaultBackfill()
		b.IsBySpan = s.IsBySpan()
		s.Backfill = &b
		if kind != "" && !strings.EqualFold(kind, "sched/backfill") {
			r.ignore(slurm.OnStarts, sched.Everybody, "SchedulerType=%s, which is not known here (here sched/backfill)", report.Printable(kind))
		}
	}
	for _, word := range r.wordsOf("SchedulerParameters") {
		if word != "" && word != "(null)" {
			r.readSchedulerWord(word)
		}
	}
	for word := range strings.SplitSeq(config("selecttypeparameters"), ",") {
		name := word
		if !strings.EqualFold(word, "CR_Memory") {
			name = memoryToo().ReplaceAllString(word, "")
		}
		switch of := slurm.SelectWords.Of(name); {
		case of != nil && of.Lacks != "":
			r.ignore(of.On, sched.Everybody, "%s of SelectTypeParameters (here %s)", word, of.Lacks)
		case of == nil && word != "" && word != "NONE" && word != "(null)":
			r.ignore(slurm.OnRoom, sched.Everybody, "%s of SelectTypeParameters, which is not known here,", word)
		}
	}
	for i := range slurm.ConfigAttributes {
		x := &slurm.ConfigAttributes[i]
		if value := config(strings.ToLower(x.Name)); x.Matters(value) {
			r.ignore(x.On, sched.Everybody, "%s=%s (here %s)", x.Name, value, x.Lacks)
		}
	}
	unknownChoices(config, func(of choice, word string) {
		if of.name != "PreemptMode" { // which readPreemption asks
			r.say(diag.Warningf("%s", slurm.Unknown(of.name, word, of.known)))
		}
	})
	r.readTopology()
	r.readPreemption()
	for flag := range strings.SplitSeq(strings.ToUpper(config("priorityflags")), ",") {
		if flag == "INCR_ONLY" {
			r.ignore(slurm.OnQueue, sched.Everybody, "%s of PriorityFlags, so that priorities fall as well as they rise,", flag)
		}
	}
	r.readLicences()
}

// wordsOf returns the words of a setting that is a list of them, and says which have a name that stands there twice.
func (r *reader) wordsOf(setting string) []string {
	words, twice := wordsOf(setting, r.dump.Config(strings.ToLower(setting)))
	for _, text := range twice {
		r.say(diag.Warningf("%s", text))
	}
	return words
}

// memoryToo is what stands behind a word of SelectTypeParameters under which memory is given as well.
var memoryToo = pattern.Of(`(?i)_Memory$`)

// readSchedulerWord reads a word of SchedulerParameters, such as bf_window=2880.
func (r *reader) readSchedulerWord(word string) {
	s := r.setup
	name, value, _ := strings.Cut(word, "=")
	name = strings.ToLower(name)
	isBackfill := strings.HasPrefix(name, "bf_")
	switch of := slurm.SchedulerWords.Of(name); {
	case of == nil:
		r.ignore(slurm.OnQueue|slurm.OnRoom, sched.Everybody, "%s of SchedulerParameters, which is not known here,", word)
	case of.Idle != "" || of.Lacks != "" && isBackfill && s.Backfill == nil:
	case name == "bf_licenses":
		r.ignore(of.On, licensed, "bf_licenses, so that %s,", of.Lacks)
	case of.Lacks != "":
		if value == "" || of.Matters(value) {
			r.ignore(of.On, sched.Everybody, "%s of SchedulerParameters (here %s)", word, of.Lacks)
		}
	case name == "max_switch_wait":
		s.SwitchWait = secondsOr(value, s.SwitchWait)
	case word == "sched_interval=-1":
		r.ignore(slurm.OnStarts, sched.Everybody, "%s of SchedulerParameters (here a pass over the full queue begins every %d s)", word, s.Interval)
	default:
		switch err := s.Set(name, value); {
		case err != nil && (s.Backfill != nil || !isBackfill):
			r.say(diag.Warningf("SchedulerParameters: %v: the default counts, as in slurmctld", err))
		case err != nil:
			r.say(diag.Notef("SchedulerParameters: %v", err))
		}
	}
}

// killWait returns how many seconds after their time limits slurmctld expects jobs to be over: KillWait, and
// OverTimeLimit before that.
func killWait(wait, over string) int64 {
	const usual = 30
	more, _ := dump.OverTime(over)
	if more >= dump.Year {
		return more
	}
	return configSeconds(wait, usual) + more
}

// configSeconds reads a time as scontrol show config has it, such as 30 sec, and returns the usual one where it is none.
func configSeconds(text string, usual int64) int64 {
	if n, ok := dump.InSeconds(text); ok {
		return n
	}
	return usual
}

// readCredentialLife reads cred_expire of AuthInfo.
func (r *reader) readCredentialLife() {
	var odd string
	if r.setup.CredentialLife, odd = r.dump.CredentialLife(); odd != "" {
		r.say(diag.Warningf("AuthInfo: cred_expire=%s is no number of seconds from 5 on: the default counts", odd))
	}
}

// licensed is what concerns all jobs that ask for licences.
var licensed = sched.Scope{Partition: -1, QOS: -1, Account: -1, IsLicensed: true}

// readLicences reads how many licences of each name the cluster has: from scontrol show lic, which has those
// of other servers as well, or else from scontrol show config.
func (r *reader) readLicences() {
	s := r.setup
	var reserved []string
	for _, l := range r.dump.Records(dump.KindLicences) {
		total, n := dump.Number(l["total"], 0), dump.Number(l["reserved"], 0)
		used := max(dump.Number(l["used"], 0)+dump.Number(l["lastdeficit"], 0), total-n-dump.Number(l["free"], total-n))
		s.Licences = append(s.Licences, sched.Licence{Name: l["licensename"], Total: int64(min(total, math.MaxInt32)), InUse: int64(min(used, math.MaxInt32))})
		if n > 0 {
			reserved = append(reserved, fmt.Sprintf("%s:%s", l["licensename"], report.Plain(n)))
		}
	}
	if len(reserved) > 0 {
		r.ignore(slurm.OnStarts, licensed, "that reservations keep licences (%s), which all jobs get here,", report.First(reserved))
	}
	if s.Licences != nil {
		return
	}
	var ok bool
	if s.Licences, ok = sched.ParseLicences(r.dump.Config("licenses")); !ok {
		r.say(diag.Warningf("the licences of the site cannot be read (%s): jobs do not wait for them", r.dump.Config("licenses")))
	}
	for _, k := range r.dump.Records(dump.KindReservations) { // which scontrol show lic would tell
		if kept := k["licenses"]; kept != "" && kept != "(null)" {
			r.ignore(slurm.OnStarts, licensed, "that reservation %s keeps licences (%s), which all jobs get here,", k["reservationname"], kept)
		}
	}
}

// secondsOr reads a number of seconds, and returns another one where it is none.
func secondsOr(text string, other int64) int64 {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && n >= 0 {
		return n
	}
	return other
}
