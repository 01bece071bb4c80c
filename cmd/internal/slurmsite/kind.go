package slurmsite

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/sacct"
)

// kind is which of Slurm's commands printed a text.
type kind int

// The kinds of texts that are something of a site.
const (
	unknown kind = iota
	isConf
	isConfig
	isJobs
	isNodes
	isPartitions
	isPriorities
	isShares
	isQOS
	isAssociations
	isQueue
	isDump
	isManager
	isAccounting
	isReservations
	isLicences
	isEvents
	isBooked
	isDenied
)

// parts say what a text of a kind is, where its begin alone tells: the line of a slurm.conf may stand in the
// environment of a job of PBS.
var parts = map[kind]string{
	isConfig: "what scontrol show config prints", isJobs: "what scontrol show job prints", isNodes: "what scontrol show node prints",
	isPartitions: "what scontrol show partition prints", isPriorities: "what sprio prints", isShares: "what sshare prints", isQOS: "what sacctmgr show qos prints",
	isAssociations: "what sacctmgr show assoc prints", isQueue: "what squeue prints", isDump: "what sacctmgr dump prints", isManager: "what scontrol show assoc_mgr prints",
	isAccounting: "what sacct prints", isReservations: "what scontrol show reservation prints",
	isLicences: "what scontrol show lic prints", isEvents: "what sacctmgr show event prints", isBooked: "what sacctmgr show reservation prints",
}

// Alone returns a *NotSiteError for a file that is one part of a Slurm site, and no archive of parts.
func Alone(t *file.Tree) error {
	if t.FS != nil {
		return nil
	}
	if is := aloneIs(t.First); is != "" {
		return &NotSiteError{t.Name, is}
	}
	return nil
}

// aloneIs returns which part of a Slurm site a file is that begins in some way, "" for none.
func aloneIs(first []byte) string {
	if bytes.IndexByte(first, 0) >= 0 || bytes.HasPrefix(first, []byte("{")) && !ofSqueue.Match(first) {
		return ""
	}
	return parts[kindOf(string(first))]
}

// ofSqueue is how the JSON of squeue begins: other programs have job_id and job_state in theirs as well.
var ofSqueue = regexp.MustCompile(`^\{\s*"(meta|jobs|last_\w+|warnings|errors)"\s*:`)

// begins are how the texts begin that are no tables.
var begins = []struct {
	kind  kind
	begin *regexp.Regexp
}{
	{isDenied, regexp.MustCompile(`(?i)^[^\n]*(access/permission denied|invalid user)`)},
	{isConfig, regexp.MustCompile(`^Configuration data as of [^\x00]*\nPriorityType\s*=`)},
	{unknown, regexp.MustCompile(`^Configuration data as of `)}, // of slurmdbd
	{isJobs, regexp.MustCompile(`^(JobId=\d+ |No jobs in the system)`)},
	{isNodes, regexp.MustCompile(`^NodeName=\S+ Arch=|^NodeName=\S+\s+CoresPerSocket=\d+\s+CPUAlloc=`)},
	{isPartitions, regexp.MustCompile(`^PartitionName=\S+\s+AllowGroups=[^\n]*\s+Allow`)},
	{isReservations, regexp.MustCompile(`^(ReservationName=\S+ StartTime=|No reservations in the system)`)},
	{isLicences, regexp.MustCompile(`^(LicenseName=\S+\s+Total=\d+|No licenses configured)`)},
	{isManager, regexp.MustCompile(`^Current Association Manager state`)},
}

// lines are how a line begins of the texts that may begin with others, such as comments.
var lines = []struct {
	kind  kind
	begin *regexp.Regexp
}{
	{isDump, regexp.MustCompile(`^Cluster - '`)},
	{isConf, regexp.MustCompile(`(?i)^\s*(SlurmctldHost|ControlMachine|ClusterName|PriorityType|PartitionName)\s*=`)},
}

// ofOtherLists are columns of sacctmgr show account withassoc and of sacctmgr show user withassoc, in lower case. These
// tell of associations as well, but of old limits alone.
var ofOtherLists = []string{"descr", "admin"}

// tables are the columns that tell a table, in lower case.
var tables = []struct {
	kind    kind
	columns []string
}{
	{isShares, []string{"account", "user", "rawshares"}},
	{isQOS, []string{"name", "priority", "usagefactor"}},
	{isAssociations, []string{"cluster", "account", "user", "share"}},
	{isQueue, []string{"jobid", "st", "reason"}},
	{isQueue, []string{"jobid", "state", "reason", "partition"}},
	{isQueue, []string{"jobid", "st", "nodelist(reason)"}},
	{isEvents, []string{"nodename", "timestart", "timeend", "state"}},
	{isEvents, []string{"nodename", "start", "end", "state"}},
	{isBooked, []string{"name", "tres", "timestart", "timeend", "unusedwall"}},
	{isBooked, []string{"name", "timestart", "timeend", "nodenames"}},
	{isBooked, []string{"name", "timestart", "timeend", "nodename"}}, // as Slurm 22.05 calls NodeNames
	{isBooked, []string{"name", "start", "end", "nodes"}},
	{isPriorities, []string{"jobid", "priority", "age"}},
	{isPriorities, []string{"jobid", "priority", "fairshare"}},
	{isPriorities, []string{"jobid", "priority", "jobsize"}},
	{isPriorities, []string{"jobid", "priority", "partition", "site"}},
}

// mostTelling is how many bytes of a text tell what it is.
const mostTelling = 64 << 10

// kindOf tells what a text is by what is in it.
func kindOf(text string) kind {
	text = strings.TrimLeft(text, " \t\r\n")
	head := text[:min(len(text), mostTelling)]
	if sacct.IsTable([]byte(head)) {
		return isAccounting
	}
	for _, b := range begins {
		if b.begin.MatchString(head) {
			return b.kind
		}
	}
	for _, l := range lines {
		for line := range strings.Lines(head) { // most of which fail at their first byte
			if l.begin.MatchString(line) {
				return l.kind
			}
		}
	}
	if strings.HasPrefix(head, "{") {
		if strings.Contains(head, `"job_state"`) && strings.Contains(head, `"job_id"`) {
			return isQueue
		}
		return unknown
	}
	first, _, _ := strings.Cut(clusterLine.ReplaceAllString(head, ""), "\n")
	header := columnsOf(first)
	for _, t := range tables {
		if t.kind == isAssociations && slices.ContainsFunc(ofOtherLists, func(name string) bool { return slices.Contains(header, name) }) {
			continue
		}
		if !slices.ContainsFunc(t.columns, func(name string) bool { return !slices.Contains(header, name) }) {
			return t.kind
		}
	}
	return unknown
}
