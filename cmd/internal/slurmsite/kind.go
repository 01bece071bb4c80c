package slurmsite

import (
	"regexp"
	"slices"
	"strings"

	"fairshare/cmd/internal/trace"
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
	isDenied
)

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
	{isReservations, regexp.MustCompile(`^ReservationName=\S+ StartTime=`)},
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
	if trace.IsSacct([]byte(head)) {
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
		if !slices.ContainsFunc(t.columns, func(name string) bool { return !slices.Contains(header, name) }) {
			return t.kind
		}
	}
	return unknown
}

// columnsOf returns the names of a header's columns in lower case, parted by pipes or by blanks.
func columnsOf(header string) []string {
	cells := strings.Fields(header)
	if strings.Contains(header, "|") {
		cells = strings.Split(header, "|")
	}
	for i, cell := range cells {
		cells[i] = strings.ToLower(strings.TrimSpace(cell))
	}
	return cells
}
