package dump

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/command"
	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/pattern"
)

// question is what is asked of a live site, and the file that keeps the answer.
type question struct {
	name  string
	words []string
}

// What a live site is asked for: how many of the commands.
const (
	ForNow = 13 // what orders and forecasts depend on
	ForAll = math.MaxInt
)

// commands are what a site is asked, what belongs to one moment next to each other. Their columns
// are in all versions of Slurm since 20.11. With -d, scontrol prints what each job has of each of its nodes.
var commands = []question{
	{"config.txt", []string{"scontrol", "show", "config"}},
	{"jobs.txt", []string{"scontrol", "-d", "show", "job"}},
	{"sprio.txt", []string{"sprio", "-o", "%i|%r|%u|%Y|%y|%A|%a|%B|%b|%F|%f|%J|%j|%N|%P|%p|%Q|%q|%S|%T|%t"}},
	{"sprio-l.txt", []string{"sprio", "-l"}},
	{"sshare.txt", []string{"sshare", "-a", "-l", "-P", "-m"}},
	{"partitions.txt", []string{"scontrol", "show", "partition"}},
	{"nodes.txt", []string{"scontrol", "show", "node"}},
	{"qos.txt", []string{"sacctmgr", "-P", "show", "qos", "format=" + QOSColumns}},
	{"assoc.txt", []string{"sacctmgr", "-P", "show", "assoc"}},
	{"reservations.txt", []string{"scontrol", "show", "res"}},
	{"topology.txt", []string{"scontrol", "show", "topology"}},
	{"assoc_mgr.txt", []string{"scontrol", "show", "assoc_mgr"}},
	{"licences.txt", []string{"scontrol", "show", "lic"}},
	{"squeue.txt", []string{"squeue", "-a", "-o", "%i|%u|%a|%P|%q|%t|%r|%Q|%C|%D|%m|%b|%l|%V|%S"}},
	{"events.txt", []string{"sacctmgr", "-P", "show", "event", "all_time"}},
	{sacctName, []string{"sacct", "-a", "-X", "-P", "-D", "--noconvert", "-S", "now-1days", "-o",
		"jobid,user,group,account,partition,qos,state,exitcode,submit,eligible,start,end,elapsedraw,timelimitraw,alloccpus,nnodes,reqmem,reqtres,alloctres,priority,nodelist"}},
	{"sdiag.txt", []string{"sdiag"}},
}

// pastOf returns the command that prints the jobs of some days with all columns and steps, as a replay and reports want them.
func pastOf(days int) question {
	return question{sacctName, []string{"sacct", "-a", "-P", "-D", "--noconvert", "-S", fmt.Sprintf("now-%ddays", days), "--format=ALL"}}
}

// sacctName is the file of what sacct printed.
const sacctName = "sacct.txt"

// QOSColumns are the columns of QOS that are read, some of which sacctmgr prints only where format= names them.
const QOSColumns = "Name,Priority,GraceTime,Preempt,PreemptExemptTime,PreemptMode,Flags,UsageThres,UsageFactor,LimitFactor,GrpTRES,GrpTRESMins,GrpTRESRunMins,GrpJobs,GrpJobsAccrue,GrpSubmit,GrpWall,MaxTRES,MaxTRESPerNode,MaxTRESMins,MaxWall," +
	"MaxTRESPU,MaxTRESRunMinsPU,MaxJobsPU,MaxJobsAccruePU,MaxSubmitPU,MaxTRESPA,MaxTRESRunMinsPA,MaxJobsPA,MaxJobsAccruePA,MaxSubmitPA,MinPrioThres,MinTRES"

// unread are the files of which nothing is read, in whatever form they are.
var unread = []string{"sdiag.txt"}

// isExtra reports whether a word asks a command for more than all sites print: columns that are not known there, or details.
func isExtra(word string) bool { return word == "-d" || strings.HasPrefix(word, "format=") }

// IsOwnName reports whether a file is called after Slurm's commands, as scontrol-show-config.txt or sacct-2.txt: nothing of
// its name says anything of a site.
func IsOwnName(name string) bool {
	for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '-' || r == '.' }) {
		isOwn := isShort().MatchString(word) || word == "txt" || word == "json" || slices.ContainsFunc(commands, func(q question) bool {
			return word == strings.TrimSuffix(q.name, ".txt") || slices.Contains(q.words, word)
		})
		if !isOwn {
			return false
		}
	}
	return true
}

// isShort finds words of names that are a letter or the number of a file, and no date.
var isShort = pattern.Of(`^([a-zA-Z]|[0-9]{1,3})$`)

// commandsName is the file that says when each command was run, and what came of it.
const commandsName = "commands.txt"

// ErrNoSlurm says that there is no live site to ask.
var ErrNoSlurm = errors.New("there is no scontrol on this host")

// Runner runs a command, and returns what it printed.
type Runner func(ctx context.Context, words []string) ([]byte, error)

// Here runs commands of this host, each within a time limit. ok is false where Slurm's are not
// there.
func Here(limit time.Duration) (run Runner, ok bool) {
	if command.Place("scontrol") == "" {
		return nil, false
	}
	return func(ctx context.Context, words []string) ([]byte, error) {
		at := command.Place(words[0])
		if at == "" {
			return nil, &command.Error{Command: strings.Join(words, " "), Err: errors.New("there is no such command")}
		}
		const inC = "LC_ALL=C"
		return command.Run(ctx, at, words, append(os.Environ(), inC, "SLURM_TIME_FORMAT=standard"), limit)
	}, true
}

// Ask asks a live site for some of what it can say (ForAll), one command after the other, and for the jobs of some days, or of
// the last one with fewer columns where these are 0. What a command that fails has
// printed is left out, and the failure is among the remarks, as is output of another kind; one that asks for more than all
// sites print is asked without that where it fails. It is an error if the configuration or all lists of jobs cannot be had.
func Ask(ctx context.Context, run Runner, now func() time.Time, most, days int) (*Dump, error) {
	d := &Dump{Name: "the Slurm site of this host", asked: now()}
	var log strings.Builder
	fmt.Fprintf(&log, "# begin %s\n", d.asked.UTC().Format(time.RFC3339))
	failed := map[string]error{}
	for _, c := range commands[:min(most, len(commands))] {
		if c.name == sacctName && days > 0 {
			c = pastOf(days)
		}
		begin := now()
		text, err := run(ctx, c.words)
		if plain := slices.DeleteFunc(slices.Clone(c.words), isExtra); err != nil && len(plain) < len(c.words) {
			c.words = plain
			text, err = run(ctx, c.words)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		said := "rc=0"
		if err != nil {
			said, failed[c.name], text = fmt.Sprintf("failed: %v", err), err, nil
			d.Remarks = append(d.Remarks, diag.Damagef("%v", err))
		} else if len(bytes.TrimSpace(text)) > 0 && KindOf(string(text)) == KindUnknown && !slices.Contains(unread, c.name) {
			d.Remarks = append(d.Remarks, diag.Damagef("%s printed what it does not print of a Slurm site: it is kept, and nothing is read from it", strings.Join(c.words, " ")))
		}
		const seconds = "%.2f %.2f %s %s: %s\n"
		fmt.Fprintf(&log, seconds, float64(begin.UnixMilli())/1e3, float64(now().UnixMilli())/1e3, said, c.name, strings.Join(c.words, " "))
		if len(text) > 0 {
			d.Set(c.name, string(text))
		}
	}
	for _, name := range []string{"config.txt", "jobs.txt"} {
		err := failed[name]
		if hasQueue := name == "jobs.txt" && d.Text("squeue.txt") != ""; err != nil && !hasQueue { // which says most of the same
			return nil, err
		}
	}
	d.Set(commandsName, log.String())
	return d, nil
}
