package file

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"fairshare/cmd/internal/pattern"
)

// The kinds of what PBS's commands print of a site.
const (
	JobsJSON   = "a list of jobs in JSON"
	JobsText   = "a list of jobs, as qstat -f prints it"
	NodesJSON  = "what pbsnodes prints, in JSON"
	NodesText  = "what pbsnodes prints"
	NodesDSV   = "what pbsnodes prints, in lines of DSV"
	QueuesJSON = "what qstat -Qf prints, in JSON"
	QueuesText = "a list of queues, as qstat -Qf prints it"
	ServerText = "what qstat -Bf prints"
	ServerJSON = "what qstat -Bf prints, in JSON"
	QmgrText   = "what qmgr prints"

	SchedConfig = "a sched_config"
)

// Kinds that no scheduler's commands print.
const (
	Empty         = "empty" // but for white space
	CSV           = "a table in CSV"
	AccountingLog = "an accounting log"
	DaemonLog     = "a log of a PBS daemon"
	Trace         = "a trace in the Standard Workload Format"
	Asked         = "a list of what collect asked a Slurm site"
	Statistics    = "what sdiag prints"
)

// kinds are what files that people mistake for others begin with.
var kinds = []struct {
	what  string
	begin pattern.Lazy
}{
	{"a usage database", pattern.Of(`^PBS_MAG!`)},
	{"a picture", pattern.Of(`^GIF8`)},
	{"a PDF", pattern.Of(`^%PDF`)},
	{"a program", pattern.Of(`^(\x7fELF|#!)`)},
	{"a page in HTML", pattern.Of(`(?i)^\s*<(!doctype|html)`)},
	{AccountingLog, pattern.Of(`^\d\d/\d\d/\d{4} \d\d:\d\d:\d\d;[A-Za-z];`)},
	{DaemonLog, pattern.Of(`^\d\d/\d\d/\d{4} \d\d:\d\d:\d\d(\.\d+)?;[0-9a-f]{4};`)},
	{Trace, pattern.Of(`^\s*;\s*\w+:`)},
	{JobsJSON, pattern.Of(`(?s)^\s*\{.*"Jobs"\s*:`)},
	{NodesJSON, pattern.Of(`(?s)^\s*\{.*"pbs_version"\s*:.*"nodes"\s*:`)},
	{QueuesJSON, pattern.Of(`(?s)^\s*\{.*"Queue"\s*:`)},
	{ServerJSON, pattern.Of(`(?s)^\s*\{.*"Server"\s*:`)},
	{Asked, pattern.Of(`^# [^\n]*\bbegin \d[^\n]*\n\d+\.\d+ \d+\.\d+ (rc=\d+|failed)`)},
	{Statistics, pattern.Of(`^\**\s*sdiag output at `)},
	{"what qstat prints without -f", pattern.Of(`(?m)^Job [iI][dD] +\S`)},
	{"JSON", pattern.Of(`^\s*[{\[]`)},
	{JobsText, pattern.Of(`^\s*Job( Id)?:`)},
	{QueuesText, pattern.Of(`^\s*Queue:`)},
	{ServerText, pattern.Of(`^\s*Server:`)},
	{QmgrText, pattern.Of(`(?m)^\s*(#\n)*((create|set|Set)\s+\w+|(Server|Sched|Queue|Resource) +\S+ *$)`)},
	{NodesDSV, pattern.Of(`^Name=[^|\n]*\|`)},
	{NodesText, pattern.Of(`^\S+\n\s+(Mom|ntype|state) = `)},
	{SchedConfig, pattern.Of(`(?m)^(round_robin|by_queue|strict_ordering|fair_share|fairshare_\w+|job_sort_key|resources)\s*:`)},
	{"a resource_group", pattern.Of(`^([#*].*\n|\s*\n)*\s*\S+\s+\d+\s+\S+\s+\d+\s*(\n|$)`)},
	{"what sshare prints, which formula shares reads", pattern.Of(`^\s*Account[ |][^\n]*\bRawShares\b`)},
	{CSV, pattern.Of(`^[^\n]*,[^\n]*,[^\n]*\n`)},
}

// KindOf says what a file is that begins in some way, "" if it is nothing that is known.
func KindOf(first []byte) string {
	if bytes.HasPrefix(first, []byte("\xff\xd8\xff")) || bytes.HasPrefix(first, []byte("\x89PNG")) {
		return "a picture" // whose first byte is no character, as an expression would have it
	}
	text := strings.TrimPrefix(string(first), "\ufeff")
	for _, k := range kinds {
		if k.begin().MatchString(text) {
			return k.what
		}
	}
	switch {
	case strings.TrimSpace(text) == "":
		return Empty
	case bytes.IndexByte(first, 0) >= 0 || !utf8.Valid(first[:min(len(first), utf8.UTFMax*64)]):
		return "no text"
	}
	return ""
}
