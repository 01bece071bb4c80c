package file

import (
	"bytes"
	"regexp"
	"strings"
	"unicode/utf8"
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
	begin *regexp.Regexp
}{
	{"a usage database", regexp.MustCompile(`^PBS_MAG!`)},
	{"a picture", regexp.MustCompile(`^GIF8`)},
	{"a PDF", regexp.MustCompile(`^%PDF`)},
	{"a program", regexp.MustCompile(`^(\x7fELF|#!)`)},
	{"a page in HTML", regexp.MustCompile(`(?i)^\s*<(!doctype|html)`)},
	{AccountingLog, regexp.MustCompile(`^\d\d/\d\d/\d{4} \d\d:\d\d:\d\d;[A-Za-z];`)},
	{DaemonLog, regexp.MustCompile(`^\d\d/\d\d/\d{4} \d\d:\d\d:\d\d(\.\d+)?;[0-9a-f]{4};`)},
	{Trace, regexp.MustCompile(`^\s*;\s*\w+:`)},
	{JobsJSON, regexp.MustCompile(`(?s)^\s*\{.*"Jobs"\s*:`)},
	{NodesJSON, regexp.MustCompile(`(?s)^\s*\{.*"pbs_version"\s*:.*"nodes"\s*:`)},
	{QueuesJSON, regexp.MustCompile(`(?s)^\s*\{.*"Queue"\s*:`)},
	{ServerJSON, regexp.MustCompile(`(?s)^\s*\{.*"Server"\s*:`)},
	{Asked, regexp.MustCompile(`^# [^\n]*\bbegin \d[^\n]*\n\d+\.\d+ \d+\.\d+ (rc=\d+|failed)`)},
	{Statistics, regexp.MustCompile(`^\**\s*sdiag output at `)},
	{"what qstat prints without -f", regexp.MustCompile(`(?m)^Job [iI][dD] +\S`)},
	{"JSON", regexp.MustCompile(`^\s*[{\[]`)},
	{JobsText, regexp.MustCompile(`^\s*Job( Id)?:`)},
	{QueuesText, regexp.MustCompile(`^\s*Queue:`)},
	{ServerText, regexp.MustCompile(`^\s*Server:`)},
	{QmgrText, regexp.MustCompile(`(?m)^\s*(#\n)*((create|set|Set)\s+\w+|(Server|Sched|Queue|Resource) +\S+ *$)`)},
	{NodesDSV, regexp.MustCompile(`^Name=[^|\n]*\|`)},
	{NodesText, regexp.MustCompile(`^\S+\n\s+(Mom|ntype|state) = `)},
	{SchedConfig, regexp.MustCompile(`(?m)^(round_robin|by_queue|strict_ordering|fair_share|fairshare_\w+|job_sort_key|resources)\s*:`)},
	{"a resource_group", regexp.MustCompile(`^([#*].*\n|\s*\n)*\s*\S+\s+\d+\s+\S+\s+\d+\s*(\n|$)`)},
	{"what sshare prints, which formula shares reads", regexp.MustCompile(`^\s*Account[ |][^\n]*\bRawShares\b`)},
	{CSV, regexp.MustCompile(`^[^\n]*,[^\n]*,[^\n]*\n`)},
}

// KindOf says what a file is that begins in some way, "" if it is nothing that is known.
func KindOf(first []byte) string {
	if bytes.HasPrefix(first, []byte("\xff\xd8\xff")) || bytes.HasPrefix(first, []byte("\x89PNG")) {
		return "a picture" // whose first byte is no character, as an expression would have it
	}
	text := strings.TrimPrefix(string(first), "\ufeff")
	for _, k := range kinds {
		if k.begin.MatchString(text) {
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
