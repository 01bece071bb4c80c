package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// An order needs this at a site of PBS and at one of Slurm.
const (
	pbsOrder   = "nothing on a host of the complex, else a snapshot (pbs_snapshot, formula collect) or what qstat -f -F json prints, with -f"
	slurmSite  = "nothing on a host of the cluster, else an archive of formula collect --slurm"
	slurmOrder = slurmSite + ", or what squeue -o '%all' or sprio -l prints, or a folder with both"
)

// needs says what a command wants at a site of PBS and at one of Slurm, which its help says first.
var needs = map[string]struct{ pbs, slurm string }{
	"sort":     {pbsOrder, slurmOrder},
	"explain":  {pbsOrder, slurmOrder + "; sshare -al says what fairshare is made of"},
	"compare":  {pbsOrder + "; and the change: -f, --set or --rules", slurmSite + "; and the change: --set or --rules"},
	"shares":   {"sched_priv of a snapshot, with its usage", "what sshare -al prints, or an archive of formula collect --slurm"},
	"history":  {"accounting logs, which root may read (a snapshot or server_priv/accounting), or what qstat -xf prints, which any user may", "what sacct -aPD --format=ALL prints"},
	"usage":    {"accounting logs and sched_priv: a snapshot", "an archive of formula collect --slurm: usage as sshare has it, beside budgets in minutes; with a table of sacct named behind it also what its runs make of the usage"},
	"replay":   {"a snapshot with accounting logs, and usage as it was when they begin (--usage)", "an archive of formula collect --slurm, and what sacct -aPD --format=ALL prints"},
	"witness":  {"a snapshot with accounting logs", "an archive of formula collect --slurm, and what sacct -aPD --format=ALL prints"},
	"when":     {"nothing on a host of the complex, else a snapshot; with accounting logs the forecasts are far better", slurmSite + "; with a table of sacct (--logs) the forecasts are far better"},
	"nodes":    {"nothing on a host of the complex, else a snapshot or what pbsnodes -av prints", slurmSite},
	"lab":      {pbsOrder + "; accounting logs, to replay", slurmSite},
	"metrics":  {pbsOrder, slurmOrder},
	"check":    {"a formula (-f), a snapshot, a sched_priv, one file of it, or commands for qmgr", "slurm.conf, or an archive of formula collect --slurm: settings without effect are named"},
	"eval":     {"a formula (-f) and the values of its names", "there are no formulas; formula priority computes priorities"},
	"test":     {"a file of expectations, which names what it needs", "there are no formulas"},
	"vars":     {"nothing; a snapshot adds the site's own resources", "there are no formulas"},
	"priority": {"this is about Slurm and flux", "an archive of formula collect --slurm, or slurm.conf, scontrol show job and sshare -al"},
	"collect":  {"the name of the file to write, on the host of the server; root gets all, a user less", "--slurm and the name of the file to write, on any host of the cluster; an operator gets all, a user what squeue and sshare show"},
}

// mostUsed are the flags that the help of a command shows, where it has many: those that most questions need. --help-all has all.
var mostUsed = map[string][]string{
	"sort":    {"formula", "jobs", "sched-priv", "set", "now", "why", "all", "top", "user", "output"},
	"explain": {"job", "user", "vs", "formula", "jobs", "sched-priv", "set", "output"},
	"compare": {"formula", "jobs", "sched-priv", "set", "rules", "html", "top", "output"},
	"history": {"by", "from", "to", "user", "group", "budget", "html", "title", "tz", "output"},
	"replay":  {"formula", "set", "policy", "usage", "runs", "why", "fail-if", "vary", "html", "tz"},
	"when":    {"user", "submit", "queue", "try", "by", "set", "logs", "html", "top", "output"},
	"nodes":   {"submit", "queue", "user", "free", "top", "tz", "output"},
	"lab":     {"formula", "jobs", "sched-priv", "set", "logs", "usage", "http", "no-browser", "tz"},
	"metrics": {"formula", "jobs", "sched-priv", "set", "out", "live"},
	"shares":  {"algorithm", "user", "set", "from", "sched-priv", "html", "top", "output"},
	"usage":   {"usage", "under", "at", "write", "force", "fairness", "ahead", "tz", "top", "output"},
	"witness": {"set", "rules", "usage", "jobs", "node-events", "calibrate", "tz", "top", "output"},
	"check":   {"formula", "file", "jobs", "sched-priv", "set", "sched", "queues", "resources", "output"},
}

// needsOf says what a command needs in the words of its help, "" for one that needs no site.
func needsOf(command string) string {
	n, ok := needs[command]
	if !ok {
		return ""
	}
	return fmt.Sprintf("PBS: %s.\n\nSlurm: %s.\n\n", n.pbs, n.slurm)
}

// rare returns the flags of a command that its help does not show.
func rare(command *kong.Node) (flags []*kong.Flag) {
	shown := mostUsed[command.Name]
	if shown == nil {
		return nil
	}
	for _, flag := range command.Flags {
		if !flag.Hidden && !slices.Contains(shown, flag.Name) {
			flags = append(flags, flag)
		}
	}
	return flags
}

// hide hides flags, or shows them again.
func hide(flags []*kong.Flag, isHidden bool) {
	for _, flag := range flags {
		flag.Hidden = isHidden
	}
}

// moreFlags says how to see the flags that are hidden.
func moreFlags(command string, hidden int) string {
	if hidden == 0 {
		return ""
	}
	return fmt.Sprintf("\n%d more flags: formula %s --help-all\n", hidden, strings.TrimSpace(command))
}
