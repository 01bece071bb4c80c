package setup

import (
	"fmt"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/sched"
)

// secondsOf reads a time such as 00:05:00 or a number of seconds, 0 for none.
func secondsOf(text string) int64 {
	if seconds, err := slurm.Duration(text); err == nil && strings.Contains(text, ":") && seconds > 0 && seconds < 1e9 {
		return int64(seconds)
	}
	return int64(max(0, min(dump.Number(text, 0), 1e9)))
}

// readQOSPreemption reads how jobs of a QOS are preempted, and says where they preempt each other.
func (r *reader) readQOSPreemption(row dump.Row, q *sched.QOS, of sched.Scope) {
	if strings.EqualFold(r.dump.Config("preempttype"), "preempt/qos") && sched.IsWithin(row["preemptmode"]) {
		r.ignore(slurm.OnQueue, of, "that jobs of QOS %s preempt others of it (PreemptMode=WITHIN)", q.Name)
	}
	q.PreemptMode = r.preemptMode(row["preemptmode"], "preempt/qos", fmt.Sprintf("PreemptMode=%s of QOS %s", row["preemptmode"], q.Name), of)
	q.PreemptExempt, q.Grace = secondsOf(row["preemptexempttime"]), secondsOf(row["gracetime"])
}

// preemptMode reads a PreemptMode, and where it counts by the PreemptType of the site, it says what of it is not known or not
// modelled.
func (r *reader) preemptMode(text, kind, name string, of sched.Scope) sched.PreemptMode {
	mode, isKnown := sched.ParsePreemptMode(text)
	if !isKnown && strings.EqualFold(r.dump.Config("preempttype"), kind) {
		r.ignore(slurm.OnStarts, of, "%s, of which a word is not known here, so that it counts for nothing,", name)
	}
	return mode
}

// suspendsByTier reports whether jobs are suspended for those of higher tiers at a site.
func (r *reader) suspendsByTier() bool {
	mode, _ := sched.ParsePreemptMode(r.dump.Config("preemptmode"))
	return mode == sched.ModeSuspend && strings.EqualFold(r.dump.Config("preempttype"), "preempt/partition_prio")
}

// isAlone reports whether OverSubscribe of a partition lets no two of its jobs have the same cores, as it does where jobs are
// suspended for others.
func (r *reader) isAlone(oversubscribe string) bool {
	return oversubscribe == "FORCE:1" && r.suspendsByTier()
}

// readPreemption reads how jobs are preempted at a site, and says what of it is not modelled.
func (r *reader) readPreemption() {
	s, x := r.setup, &r.setup.Preemption
	kind := strings.ToLower(s.PreemptType)
	if kind == "" || kind == "(null)" || kind == "none" || kind == "preempt/none" {
		return
	}
	x.Mode = r.preemptMode(r.dump.Config("preemptmode"), kind, "PreemptMode="+r.dump.Config("preemptmode"), sched.Everybody)
	x.Exempt, _ = dump.ExemptTime(r.dump.Config("preemptexempttime"))
	for _, word := range r.wordsOf("PreemptParameters") {
		name, value, _ := strings.Cut(strings.ToLower(word), "=")
		switch of := slurm.PreemptWords.Of(name); {
		case of == nil && word != "" && word != "(null)":
			r.ignore(slurm.OnStarts, sched.Everybody, "%s of PreemptParameters, which is not known here,", word)
		case of == nil || of.Idle != "":
		case of.Lacks != "":
			r.ignore(of.On, sched.Everybody, "%s of PreemptParameters (here %s)", word, of.Lacks)
		default:
			if err := s.Set("preempt_"+name, value); err != nil {
				r.say(diag.Warningf("PreemptParameters: %v", err))
			}
		}
	}
	if !isPreempting(kind) {
		r.ignore(slurm.OnQueue, sched.Everybody, "preemption (PreemptType=%s)", s.PreemptType)
		return
	}
	for i, q := range s.QOS {
		if mode := q.PreemptMode; kind == "preempt/qos" && (mode == sched.ModeSuspend || mode <= sched.ModeOff && x.Mode == sched.ModeSuspend) && s.IsPreempted(i) {
			of := sched.Everybody
			of.QOS = i
			r.ignore(slurm.OnStarts, of, "that jobs of QOS %s are suspended for those that may preempt them (PreemptMode=SUSPEND), which wait for them here,", q.Name)
		}
	}
	if kind == "preempt/qos" && sched.IsWithin(r.dump.Config("preemptmode")) {
		r.ignore(slurm.OnQueue, sched.Everybody, "that jobs preempt others of their own QOS (PreemptMode=WITHIN)")
	}
}

// isPreempting reports whether jobs preempt others under a PreemptType in small letters.
func isPreempting(kind string) bool { return kind == "preempt/qos" || kind == "preempt/partition_prio" }
