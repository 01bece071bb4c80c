package dump

import (
	"encoding/csv"
	"slices"
	"strings"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pattern"
)

// Kind is what a text of a site is.
type Kind int

// The kinds of texts that are something of a site.
const (
	KindUnknown  Kind = iota
	KindJobs          // flux jobs --json
	KindUsers         // flux account list-users or view-user, or the table of associations
	KindBanks         // flux account list-banks or view-bank, or the table of banks
	KindQueues        // flux account list-queues
	KindFactors       // flux account list-factors
	KindConfigs       // flux account list-configs
	KindTree          // flux account view-bank --tree, with --parsable or without
	KindBankInfo      // flux account bank-info, whose numbers are rounded
	KindShares        // shares and usage of a tree in JSON
	KindExport        // export-json: what the priority plugin reads
	KindModules       // flux module list
	KindPlugin        // flux jobtap query mf_priority.so, of which nothing is read
	KindDatabase      // the database itself, which is not read
	KindTable         // flux jobs without --json, which has no priorities
)

// words say what a text of a kind is.
var words = map[Kind]string{
	KindJobs: "what flux jobs --json prints", KindUsers: "what flux account list-users prints", KindBanks: "what flux account list-banks prints",
	KindQueues: "what flux account list-queues prints", KindFactors: "what flux account list-factors prints", KindConfigs: "what flux account list-configs prints",
	KindTree: "what flux account view-bank --tree prints", KindBankInfo: "what flux account bank-info prints", KindShares: "a tree of flux in JSON", KindExport: "what flux account export-json prints",
	KindModules: "what flux module list prints", KindPlugin: "what flux jobtap query prints", KindDatabase: "a database of flux-accounting",
	KindTable: "what flux jobs prints without --json",
}

// objects are how texts in JSON begin that are one object.
var objects = []struct {
	kind  Kind
	begin pattern.Lazy
}{
	{KindPlugin, pattern.Of(`"mf_priority_map"\s*:`)},
	{KindExport, pattern.Of(`^\{\s*"(queues|banks|priority_factors)"\s*:\s*\[`)},
	{KindExport, pattern.Of(`^\{\s*"associations"\s*:\s*\[\s*(\]|\{[^\[\]{}]*"bank"\s*:)`)}, // which Slurm's do not have
	{KindShares, pattern.Of(`^\{\s*"root"\s*:\s*\{\s*"bank"\s*:`)},
	{KindJobs, pattern.Of(`^\{\s*"jobs"\s*:\s*\[\s*\]\s*\}\s*$`)},
	{KindJobs, pattern.Of(`(?s)^\{\s*"jobs"\s*:\s*\[\s*\{.*"urgency"\s*:`)},
	{KindJobs, pattern.Of(`(?s)^\{\s*"(t_depend|t_submit|duration|id|t_priority)"\s*:.*"urgency"\s*:`)},
}

// tables are the columns that tell a table, in lower case.
var tables = []struct {
	kind    Kind
	columns []string
}{
	{KindTree, []string{"bank", "username", "active", "rawshares"}},
	{KindUsers, []string{"username", "bank", "shares", "fairshare"}},
	{KindBanks, []string{"bank", "parent_bank", "shares"}},
	{KindQueues, []string{"queue", "min_nodes_per_job", "priority"}},
	{KindFactors, []string{"factor", "weight"}},
	{KindConfigs, []string{"key", "value"}},
}

var (
	key        = pattern.Of(`"([a-z_]+)"\s*:`)
	ofBankInfo = pattern.Of(`^Name\s+Shares\s+Norm Shares\s+Usage\s+Norm Usage\s+Level FS\s+Type\s*\n`)
	ofTable    = pattern.Of(`^JOBID\s+(QUEUE\s+)?USER\s+NAME\s+ST\s+NTASKS\s+NNODES\s`)
	ofModules  = pattern.Of(`(?m)^(job-manager|sched-[a-z-]+)\s`)
	isModules  = pattern.Of(`^Module\s+Idle\s`)
)

// KindOf tells what a text is by what is in it.
func KindOf(text string) Kind {
	text = strings.TrimLeft(strings.TrimPrefix(text, "\ufeff"), " \t\r\n")
	head := text[:min(len(text), file.MostTelling)]
	switch {
	case strings.HasPrefix(head, "SQLite format 3\x00"):
		return KindDatabase
	case strings.IndexByte(head, 0) >= 0:
		return KindUnknown
	case strings.HasPrefix(head, "{"):
		for _, o := range objects {
			if o.begin().MatchString(head) {
				return o.kind
			}
		}
		return KindUnknown
	case ofTable().MatchString(head):
		return KindTable
	case ofBankInfo().MatchString(head):
		return KindBankInfo
	case isModules().MatchString(head) && ofModules().MatchString(head):
		return KindModules
	}
	header := columnsOf(head)
	if strings.HasPrefix(head, "[") {
		if header = keysOf(head); slices.Contains(header, "urgency") && slices.Contains(header, "id") {
			return KindJobs
		}
	}
	for _, t := range tables {
		if !slices.ContainsFunc(t.columns, func(name string) bool { return !slices.Contains(header, name) }) {
			return t.kind
		}
	}
	return KindUnknown
}

// keysOf returns the keys of the first object of a list in JSON.
func keysOf(text string) (keys []string) {
	first, _, _ := strings.Cut(text, "}")
	for _, m := range key().FindAllStringSubmatch(first, -1) {
		keys = append(keys, m[1])
	}
	return keys
}

// columnsOf returns the names of a table's columns in lower case, of CSV, parted by pipes, or by blanks.
func columnsOf(text string) []string {
	first, _, _ := strings.Cut(text, "\n")
	first = strings.ToLower(strings.TrimRight(first, "\r"))
	cells := strings.Fields(first)
	switch {
	case strings.Contains(first, "|"):
		cells = strings.Split(first, "|")
	case strings.Contains(first, ","):
		r := csv.NewReader(strings.NewReader(first))
		cells, _ = r.Read()
	}
	for i, cell := range cells {
		cells[i] = strings.TrimSpace(cell)
	}
	return cells
}

// isJobs reports whether a file begins as a list of jobs of flux in JSON.
func isJobs(begin []byte) bool { return KindOf(string(begin)) == KindJobs }

// IsOfSite reports whether a place has something that flux's commands print.
func IsOfSite(t *file.Tree) bool {
	if t.FS == nil {
		return KindOf(string(t.First)) != KindUnknown
	}
	_, err := Find(t)
	return err == nil
}

// Alone returns a *NotSiteError for a file that is one part of a site and no list of jobs.
func Alone(t *file.Tree) error {
	if t.FS != nil {
		return nil
	}
	if k := KindOf(string(t.First)); k != KindUnknown && k != KindJobs && k != KindConfigs {
		return &NotSiteError{t.Name, words[k]}
	}
	return nil
}
