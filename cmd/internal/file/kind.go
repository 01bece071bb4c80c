package file

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"fairshare/cmd/internal/pattern"
)

// anError begins the kinds that are the error of a command.
const anError = "the error of "

// IsError reports whether a kind is the error of a command.
func IsError(kind string) bool { return strings.HasPrefix(kind, anError) }

// The kinds of what PBS's commands print of a site.
const (
	JobsJSON   = "a list of jobs in JSON"
	JobsText   = "a list of jobs, as qstat -f prints it"
	JobsTable  = "what qstat prints without -f"
	NodesJSON  = "what pbsnodes prints, in JSON"
	NodesText  = "what pbsnodes prints"
	NodesDSV   = "what pbsnodes prints, in lines of DSV"
	QueuesJSON = "what qstat -Qf prints, in JSON"
	QueuesText = "a list of queues, as qstat -Qf prints it"
	ServerText = "what qstat -Bf prints"
	ServerJSON = "what qstat -Bf prints, in JSON"
	QmgrText   = "what qmgr prints"
	ResvsText  = "what pbs_rstat -f prints"

	UsageDatabase = "a usage database"
	SchedConfig   = "a sched_config"
	ResourceGroup = "a resource_group"
	Holidays      = "a file of holidays"
	DedicatedTime = "a file of dedicated times"
)

// Kinds that no scheduler's commands print.
const (
	Empty         = "empty" // but for white space
	CSV           = "a table in CSV"
	JSON          = "JSON" // of which nothing else is known
	AccountingLog = "an accounting log"
	DaemonLog     = "a log of a PBS daemon"
	Trace         = "a trace in the Standard Workload Format"
	Asked         = "a list of what collect asked a Slurm site"
	Statistics    = "what sdiag prints"
	Program       = "a program"
	Headless      = "a table without the line that names its columns, which squeue without -h and sacct without -n have"
	Archive       = "an archive"
	NoText        = "no text"
)

// commands are those of schedulers whose prints people paste, as an expression has them.
const commands = "sacct|sacctmgr|scontrol|sdiag|sinfo|sprio|squeue|sreport|sshare|pbs_rstat|pbsfs|pbsnodes|qmgr|qstat|flux"

// beginning is what files of a kind begin with.
type beginning struct {
	what  string
	begin pattern.Lazy

	// Where begin would look through all of a text, what it fits has a line that begins with one of
	// these words behind blanks, or has this key of JSON, which takes a small part of the time to find out.
	lines []string
	key   string

	// What a longer begin fits begins with one of these words behind white space, so that it need not even be compiled for what
	// does not; nil for a text of its own.
	words []string
}

// fits reports whether a text begins so.
func (b *beginning) fits(text string) bool { return b.mayFit(text) && b.begin().MatchString(text) }

// mayFit reports whether a text has what each has that fits.
func (b *beginning) mayFit(text string) bool {
	if len(b.words) > 0 {
		text = strings.TrimLeft(text, " \t\n\f\r")
		return slices.ContainsFunc(b.words, func(word string) bool { return strings.HasPrefix(text, word) })
	}
	if len(b.lines) == 0 {
		return strings.Contains(text, b.key)
	}
	for line := range strings.Lines(text) {
		line = strings.TrimLeft(line, " \t\f\r")
		if slices.ContainsFunc(b.lines, func(word string) bool { return line != "" && line[0] == word[0] && strings.HasPrefix(line, word) }) { // most differ in that
			return true
		}
	}
	return false
}

// kinds are what files that people mistake for others begin with.
var kinds = []beginning{
	{what: UsageDatabase, begin: pattern.Of(`^PBS_MAG!`)},
	{what: "a picture", begin: pattern.Of(`^GIF8`)},
	{what: "a PDF", begin: pattern.Of(`^%PDF`)},
	{what: Program, begin: pattern.Of(`^(\x7fELF|#!)`), words: []string{"\x7fELF", "#!"}},
	{what: "a page in HTML", begin: pattern.Of(`(?i)^\s*<(!doctype|html)`), words: []string{"<"}},
	{what: AccountingLog, begin: pattern.Of(`^\d\d/\d\d/\d{4} \d\d:\d\d:\d\d;[A-Za-z];`)},
	{what: DaemonLog, begin: pattern.Of(`^\d\d/\d\d/\d{4} \d\d:\d\d:\d\d(\.\d+)?;[0-9a-f]{4};`)},
	{what: Trace, begin: pattern.Of(`^\s*;\s*\w+:`), words: []string{";"}},
	{what: JobsJSON, begin: pattern.Of(`(?s)^\s*\{.*"Jobs"\s*:`), key: `"Jobs"`},
	{what: NodesJSON, begin: pattern.Of(`(?s)^\s*\{.*"pbs_version"\s*:.*"nodes"\s*:`), key: `"pbs_version"`},
	{what: QueuesJSON, begin: pattern.Of(`(?s)^\s*\{.*"Queue"\s*:`), key: `"Queue"`},
	{what: ServerJSON, begin: pattern.Of(`(?s)^\s*\{.*"Server"\s*:`), key: `"Server"`},
	{what: Asked, begin: pattern.Of(`^# [^\n]*\bbegin \d[^\n]*\n\d+\.\d+ \d+\.\d+ (rc=\d+|failed)`), words: []string{"# "}},
	{what: Statistics, begin: pattern.Of(`^\**\s*sdiag output at `), words: []string{"*", "sdiag output at "}},
	{what: JobsTable, begin: pattern.Of(`(?m)^[ \t]*Job [iI][dD] +\S`), lines: []string{"Job "}},
	{what: "what qstat -Q or qstat -q prints, of which qstat -Qf has all", begin: pattern.Of(`(?m)^[ \t]*Queue +(Max|Memory) +\S`), lines: []string{"Queue "}},
	{what: "what pbsnodes -aS prints, of which pbsnodes -av has all", begin: pattern.Of(`(?m)^[ \t]*vnode +state +(OS|njobs)\b`), lines: []string{"vnode "}},
	{what: JSON, begin: pattern.Of(`^\s*[{\[]`)},
	{what: JobsText, begin: pattern.Of(`^\s*Job( Id)?:`), words: []string{"Job"}},
	{what: QueuesText, begin: pattern.Of(`^\s*Queue:`), words: []string{"Queue:"}},
	{what: ServerText, begin: pattern.Of(`^\s*Server:`), words: []string{"Server:"}},
	{what: QmgrText, begin: pattern.Of(`(?m)^\s*(#\n)*((create|set|Set)\s+\w+|(Server|Sched|Queue|Resource|Hook) +\S+ *$)`),
		lines: []string{"create", "set", "Set", "Server ", "Sched ", "Queue ", "Resource ", "Hook "}},
	{what: ResvsText, begin: pattern.Of(`^\s*(Resv ID|Name):[ \t]*[A-Z]\d+\S*[ \t]*\r?\n\s*\w[\w.]* = `), words: []string{"Resv ID", "Name:"}},
	{what: "what pbs_rstat prints without -f, of which pbs_rstat -f has all", begin: pattern.Of(`^\s*Resv ID(:| +Queue)`), words: []string{"Resv ID"}},
	{what: NodesDSV, begin: pattern.Of(`^Name=[^|\n]*\|`), words: []string{"Name="}},
	{what: NodesText, begin: pattern.Of(`^\S+\n\s+(Mom|ntype|state) = `)},
	{what: SchedConfig, begin: pattern.Of(`(?m)^(round_robin|by_queue|strict_ordering|fair_share|fairshare_\w+|job_sort_key|node_sort_key|resources|unknown_shares|preempt\w+|backfill_prime|prime_\w+|(non)?primetime_prefix|dedicated_prefix|help_starving_jobs|max_starve|server_dyn_res|smp_cluster_dist|peer_queue)\s*:`),
		lines: []string{"round_robin", "by_queue", "strict_ordering", "fair_share", "fairshare_", "job_sort_key", "node_sort_key", "resources", "unknown_shares", "preempt", "backfill_prime", "prime",
			"nonprimetime_prefix", "dedicated_prefix", "help_starving_jobs", "max_starve", "server_dyn_res", "smp_cluster_dist", "peer_queue"}},
	{what: Holidays, begin: pattern.Of(`(?m)^[ \t]*(YEAR[ \t]+\d|(weekday|monday|tuesday|wednesday|thursday|friday|saturday|sunday)[ \t]+(\d|all\b|none\b))`),
		lines: []string{"YEAR", "weekday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}},
	{what: DedicatedTime, begin: pattern.Of(`^([#*].*\n|\s*\n)*[ \t]*\d{1,2}/\d{1,2}/\d{4}[ \t]+\d{1,2}:\d{2}[ \t]*([ \t]\d|\r?\n|$)`)},
	{what: ResourceGroup, begin: pattern.Of(`^([#*].*\n|\s*\n)*\s*\S+\s+\d+\s+\S+\s+\d+\s*(\n|$)`)},
	{what: "what sshare prints, which formula shares reads", begin: pattern.Of(`^\s*Account[ |][^\n]*\bRawShares\b`), words: []string{"Account"}},
	{what: "what seff prints, which formula history --job ID tells from what sacct -P prints", begin: pattern.Of(`^\s*Job ID: \d+\S*\s*\n(Array Job ID: \S+\s*\n)?(Cluster|User/Group): `), words: []string{"Job ID: "}},
	{what: "what sinfo prints, of which scontrol show node and scontrol show partition have all", begin: pattern.Of(`^[ \t]*(PARTITION +AVAIL|NODELIST +NODES) `), words: []string{"PARTITION", "NODELIST"}},
	{what: Headless, begin: pattern.Of(`^[ \t]*\d+[^\s|]*((\|[^\n|]*){4}| +[^\n|]* (COMPLETED|FAILED|CANCELLED\+?|TIMEOUT|OUT_OF_ME\+|NODE_FAIL|RUNNING|PENDING) [^\n|]*\d+:\d+)`), words: strings.Split("0123456789", "")},
	{what: anError + "a command that nothing answered, as on a host that is none of the cluster", begin: pattern.Of(complaints + `[^\n]*(?i:unable to contact|connection refused|problem talking|could not establish|cannot connect|connect failure|can't connect|timed out)[^\n]*` + furthermore), words: complainers},
	{what: anError + "a shell that did not find a command, as on a host that is none of the cluster", begin: pattern.Of(`^\s*(-?\w*sh|/\S+|\w+sh: line \d+): [^\n]*(not found|No such file)[^\n]*\s*$`)},
	{what: anError + "sacct at a site that keeps no accounting, where squeue and scontrol show job tell of the jobs that are there", begin: pattern.Of(`^\s*(\w+: error: )?Slurm accounting storage is disabled\s*$`)},
	{what: anError + "a command that could not do what it was asked", begin: pattern.Of(complaints + furthermore), words: complainers},
	{what: CSV, begin: pattern.Of(`^([^\n,\x00\x{FFFD}]*,){2}[^\n\x00\x{FFFD}]*\n`)}, // U+FFFD stands for what is no text
}

// complainers are words with one of which each line begins in which a command complains.
var complainers = append(strings.Split(commands, "|"), "slurm_", "sbatch", "srun", "Connection refused", "Invalid ")

// complains begins a line in which one of a scheduler's commands complains, complaints are the lines of such from the begin of a text on, and
// furthermore is what follows to its end.
const (
	complains   = `\s*((` + commands + `|slurm_\w+|sbatch|srun)(: (error|fatal)| error)?: |slurm_\w+ error: |Connection refused|Invalid (user|account|partition|qos|job id)\b)`
	complaints  = `^(` + complains + `[^\n]*\n)*?` + complains
	furthermore = `[^\n]*(\n` + complains + `[^\n]*)*\s*$`
)

// archiveName are the names of archives.
var archiveName = pattern.Of(`\.(tgz|tar(\.\w+)?)$`)

// IsArchiveName reports whether a file is an archive by its name.
func IsArchiveName(name string) bool { return archiveName().MatchString(name) }

// isTar reports whether a file is an archive of tar, unpacked, by its begin: the first header has a magic word.
func isTar(first string) bool {
	const at, magic = 257, "ustar"
	return len(first) >= at+len(magic) && first[at:at+len(magic)] == magic
}

// KindOf says what a file is that begins in some way, "" if it is nothing that is known.
func KindOf(first []byte) string {
	if bytes.HasPrefix(first, []byte("\xff\xd8\xff")) || bytes.HasPrefix(first, []byte("\x89PNG")) {
		return "a picture" // whose first byte is no character, as an expression would have it
	}
	if isTar(string(first)) {
		return Archive
	}
	text := strings.ReplaceAll(strings.TrimPrefix(string(first), "\ufeff"), "\r\n", "\n")
	for _, k := range kinds {
		if k.fits(text) {
			return k.what
		}
	}
	switch {
	case strings.TrimSpace(text) == "":
		return Empty
	case bytes.IndexByte(first, 0) >= 0 || !utf8.Valid(first[:min(len(first), utf8.UTFMax*64)]):
		return NoText
	}
	return ""
}
