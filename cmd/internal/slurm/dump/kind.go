package dump

import (
	"bytes"
	"slices"
	"strings"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pattern"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/sacct"
)

// Kind is which of Slurm's commands printed a text.
type Kind int

// The kinds of texts that are something of a site.
const (
	KindUnknown Kind = iota
	KindConf
	KindConfig
	KindJobs
	KindNodes
	KindPartitions
	KindPriorities
	KindShares
	KindQOS
	KindAssociations
	KindQueue
	KindAccounts
	KindManager
	KindAccounting
	KindReservations
	KindLicences
	KindTopology
	KindEvents
	KindPastReservations
	KindDenied
	KindUnread   // in a form that is not read, see Unread
	KindNameless // a table that lacks the names of its columns
)

// parts say what a text of a kind is, where its begin alone tells: the line of a slurm.conf may stand in the
// environment of a job of PBS.
var parts = map[Kind]string{
	KindConfig: "what scontrol show config prints", KindJobs: "what scontrol show job prints", KindNodes: "what scontrol show node prints",
	KindPartitions: "what scontrol show partition prints", KindPriorities: "what sprio prints", KindShares: "what sshare prints", KindQOS: "what sacctmgr show qos prints",
	KindAssociations: "what sacctmgr show assoc prints", KindQueue: "what squeue prints", KindAccounts: "what sacctmgr dump prints", KindManager: "what scontrol show assoc_mgr prints",
	KindAccounting: "what sacct prints", KindReservations: "what scontrol show reservation prints",
	KindLicences: "what scontrol show lic prints", KindTopology: "what scontrol show topology prints, or a topology.conf,", KindEvents: "what sacctmgr show event prints", KindPastReservations: "what sacctmgr show reservation prints",
}

// aConf is what a slurm.conf is called, which no command prints.
const aConf = "a slurm.conf"

// IsEnough reports whether a file of its own is a site, of which little is known: a list of jobs, or a tree of shares.
func IsEnough(t *file.Tree) bool {
	if t.FS != nil || PieceOf(t.First) == "" {
		return false
	}
	k := KindOf(string(t.First))
	return (k == KindQueue || k == KindJobs || k == KindPriorities || k == KindShares) && !isUnread(string(t.First)) || isPasted(t)
}

// Alone returns a *NotSiteError for a file that is one part of a Slurm site and has no list of jobs, and no archive of parts.
func Alone(t *file.Tree) error {
	if t.FS != nil || isPasted(t) || IsEnough(t) && KindOf(string(t.First)) != KindShares || IsConf(t) { // whose lines other texts may have as well
		return nil
	}
	if is := PieceOf(t.First); is != "" {
		return &NotSiteError{t.Name, is}
	}
	return nil
}

// PieceOf returns which part of a Slurm site a file is that begins in some way, "" for none.
func PieceOf(first []byte) string {
	if bytes.IndexByte(first, 0) >= 0 || bytes.HasPrefix(first, []byte("{")) && !ofSlurm().Match(first) {
		return ""
	}
	k := KindOf(string(first))
	if k == KindConf {
		return aConf
	}
	if k == KindUnknown {
		return otherConf(string(first))
	}
	if k == KindUnread || isUnread(string(first)) {
		return unreadIs(string(first))
	}
	return parts[k]
}

// ofSlurm is how the JSON of Slurm's commands begins: other programs have job_id and job_state in theirs as well.
var ofSlurm = pattern.Of(`^\{\s*"(meta|jobs|shares|nodes|partitions|reservations|licenses|qos|associations|last_\w+|warnings|errors)"\s*:`)

// begins are how the texts begin that are no tables.
var begins = []struct {
	kind  Kind
	begin pattern.Lazy
}{
	{KindDenied, pattern.Of(`(?i)^([^{\n][^\n]*)?(access/permission denied|invalid user)`)}, // JSON may be one long line
	{KindConfig, pattern.Of(`^Configuration data as of [^\x00]*\nPriorityType\s*=`)},
	{KindConfig, pattern.Of(`^Configuration data as of [^\n]*(\nAccounting\w+ (=|$)|\n?\w*$)`)}, // cut off before that
	{KindUnknown, pattern.Of(`^Configuration data as of `)},                                     // of slurmdbd
	{KindJobs, pattern.Of(`^(JobId=\d+ |No jobs in the system)`)},
	{KindNodes, pattern.Of(`^NodeName=\S+( Arch=|\s+CoresPerSocket=\d+\s+CPUAlloc=| [^\n]*\n +CPU\w+=)`)},
	{KindPartitions, pattern.Of(`^PartitionName=\S+(\s+AllowGroups=[^\n]*\s+Allow|\s*\n +\w+=)`)},
	{KindReservations, pattern.Of(`^(ReservationName=\S+ +\w+=|\w+=\S+ StartTime=\S+ EndTime=|No reservations in the system)`)},
	{KindTopology, pattern.Of(`^(SwitchName=|No topology information available)`)},
	{KindLicences, pattern.Of(`^(LicenseName=\S+\s+Total=\d+|No licenses configured)`)},
	{KindManager, pattern.Of(`^Current Association Manager state`)},
}

// lines are how a line begins of the texts that may begin with others, such as comments.
var lines = []lineOf{
	{KindAccounts, "c", pattern.Of(`^Cluster - '`)},
	{KindTopology, "s", pattern.Of(`(?i)^\s*SwitchName\s*=`)},
	{KindConf, "cps", pattern.Of(`(?i)^\s*(SlurmctldHost|ControlMachine|ClusterName|Priority\w+|Scheduler(Type|Parameters)|PartitionName)\s*=`)},
}

// lineOf is a line that tells of which kind a text is.
type lineOf struct {
	kind    Kind
	letters string // with one of which it begins behind blanks, in lower case
	begin   pattern.Lazy
}

// is reports whether this is such a line, which is words behind blanks. Most are not by their first letter, which is found out in a small part
// of the time of begin.
func (l *lineOf) is(line, words string) bool {
	const ascii, lower = 0x80, 'a' - 'A'
	if words[0] < ascii && strings.IndexByte(l.letters, words[0]|lower) < 0 {
		return false
	}
	return l.begin().MatchString(line)
}

// kindByLines returns the first kind of lines of which a text has a line, KindUnknown for none.
func kindByLines(text string) (k Kind) {
	among := lines
	for line := range strings.Lines(text) {
		words := strings.TrimLeft(line, " \t\f\r\n")
		if words == "" {
			continue
		}
		if at := slices.IndexFunc(among, func(l lineOf) bool { return l.is(line, words) }); at >= 0 {
			k, among = among[at].kind, among[:at]
		}
	}
	return k
}

// ofOtherLists are columns of sacctmgr show account withassoc and of sacctmgr show user withassoc, in lower case. These
// tell of associations as well, but of old limits alone.
var ofOtherLists = []string{"descr", "admin"}

// table are columns that tell a table of a kind, in lower case.
type table struct {
	kind    Kind
	columns []string
}

// tables are those that are known, the first of several that a header has all columns of.
var tables = []table{
	{KindShares, []string{"account", "user", "rawshares"}},
	{KindQOS, []string{"name", "priority", "usagefactor"}},
	{KindAssociations, []string{"cluster", "account", "user", "share"}},
	{KindQueue, []string{"jobid", "st", "partition"}},
	{KindQueue, []string{"jobid", "state", "partition"}},
	{KindEvents, []string{"nodename", "timestart", "timeend", "state"}},
	{KindEvents, []string{"nodename", "start", "end", "state"}},
	{KindPastReservations, []string{"name", "tres", "timestart", "timeend", "unusedwall"}},
	{KindPastReservations, []string{"name", "timestart", "timeend", "nodenames"}},
	{KindPastReservations, []string{"name", "timestart", "timeend", "nodename"}}, // as Slurm 22.05 calls NodeNames
	{KindPastReservations, []string{"name", "start", "end", "nodes"}},
	{KindPriorities, []string{"jobid", "priority", "age"}},
	{KindPriorities, []string{"jobid", "priority", "fairshare"}},
	{KindPriorities, []string{"jobid", "priority", "jobsize"}},
	{KindPriorities, []string{"jobid", "priority", "partition", "site"}},
	{KindQOS, []string{"name", "priority"}}, // of format=name,priority,…
}

// ofQueue is how squeue calls the number of a job, which is JobID to sacct.
var ofQueue = pattern.Of(`\bJOBID\b`)

// jsonKeys are what the JSON of a command has at its begin.
var jsonKeys = []struct {
	kind Kind
	keys []string
}{
	{KindQueue, []string{`"job_state"`, `"job_id"`}},
	{KindShares, []string{`"shares"`, `"usage_normalized"`}},
	{KindNodes, []string{`"nodes"`, `"real_memory"`, `"architecture"`}},
	{KindPartitions, []string{`"partitions"`, `"job_factor"`}},
	{KindReservations, []string{`"reservations"`, `"node_list"`}},
	{KindLicences, []string{`"licenses"`, `"LicenseName"`}},
	{KindQOS, []string{`"usage_factor"`, `"limits"`}},
	{KindAssociations, []string{`"associations"`, `"shares_raw"`}},
}

// ofScontrol is what the JSON of scontrol show job has, and that of squeue has not.
var ofScontrol = pattern.Of(`"command"\s*:\s*\[\s*"show"`)

// kindOfJSON tells what a text of JSON is.
func kindOfJSON(head, text string) Kind {
	for _, k := range jsonKeys {
		if slices.ContainsFunc(k.keys, func(key string) bool { return !strings.Contains(head, key) }) {
			continue
		}
		if k.kind == KindQueue && ofScontrol().MatchString(text) {
			return KindJobs
		}
		return k.kind
	}
	return KindUnknown
}

// ofJobs are columns of lists of jobs that no table of QOS has, by one of which such a list is told.
var ofJobs = []string{"jobid", "job id", "user", "partition", "st", "state", "time_limit", "reason"}

// KindOf tells what a text is by what is in it.
func KindOf(text string) Kind {
	text = strings.TrimLeft(text, " \t\r\n")
	head := text[:min(len(text), file.MostTelling)]
	if sacct.IsTable([]byte(head)) {
		return KindAccounting
	}
	for _, b := range begins {
		if b.begin().MatchString(head) {
			return b.kind
		}
	}
	if k := belowStrange(head); k != KindUnknown {
		return k
	}
	first := headerOf(head)
	if k := kindOfHeader(first); k != KindUnknown { // below which the lines of other prints may stand
		return k
	}
	if k := kindByLines(head); k != KindUnknown {
		return k
	}
	if strings.HasPrefix(head, "{") {
		return kindOfJSON(head, text)
	}
	if slurm.IsPartOfConf(head) {
		return KindConf
	}
	if _, lacks := almost(first); lacks != nil || isUnread(head) || isUnreadSacct(head) {
		return KindUnread
	}
	if isNameless(head) {
		return KindNameless
	}
	return KindUnknown
}

// kindOfHeader tells of which kind a table is by the line that names its columns, KindUnknown for none.
func kindOfHeader(first string) Kind {
	header := ColumnsOf(first)
	for _, t := range tables {
		if slices.ContainsFunc(t.columns, func(name string) bool { return !slices.Contains(header, name) }) {
			continue
		}
		isOfJobs := slices.ContainsFunc(header, func(name string) bool { return slices.Contains(ofJobs, name) })
		if t.kind == KindQOS && (isOfJobs || !strings.Contains(first, "|")) {
			continue
		}
		if t.kind == KindQueue && !ofQueue().MatchString(first) {
			continue
		}
		if t.kind == KindAssociations && slices.ContainsFunc(ofOtherLists, func(name string) bool { return slices.Contains(header, name) }) {
			continue
		}
		return t.kind
	}
	return KindUnknown
}
