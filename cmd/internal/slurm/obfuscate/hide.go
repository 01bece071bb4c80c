// Package obfuscate copies what a Slurm site prints without the names of people, hosts and the like.
package obfuscate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/obfuscate"
	"fairshare/cmd/internal/pattern"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
)

// Copy returns a copy in which users, accounts, groups, partitions, QOS, nodes, reservations,
// licences, features, names of jobs and kinds of gres have other names, the same ones throughout. What readers take is
// kept, and nothing else: no paths, comments or addresses. Times and numbers of jobs are moved by a shift.
func Copy(d *dump.Dump, shift obfuscate.Shift) (*dump.Dump, error) {
	h := newHider(shift)
	if len(d.All(dump.KindConfig)) == 0 || len(d.All(dump.KindNodes)) == 0 || len(d.All(dump.KindPartitions)) == 0 {
		return nil, &dump.MissingError{Name: d.Name, What: "scontrol show config, node and partition, from which a copy without names is made"}
	}
	if err := d.CutConfig(); err != nil { // which nobody could tell of the copy
		return nil, err
	}
	h.nameNodes(d)
	jobs, _, _ := d.Jobs()
	for i := range jobs {
		h.listed[jobs[i].ID] = &jobs[i]
	}
	taken := d.Moment()
	hidden := d.EmptyAt(shift.Move(taken))
	names := fileNames(d)
	var left []string
	for i, p := range d.Parts {
		text := h.part(d, p)
		if text == "" && p.Kind != dump.KindUnknown {
			left = append(left, p.File())
		}
		if text == "" {
			continue
		}
		if err := shift.Check(p.Name, text, taken, h.amounts); err != nil {
			return nil, err
		}
		hidden.Set(names[i], text)
	}
	if h.rows > 0 {
		hidden.Remarks = append(hidden.Remarks, diag.Warningf("left out: %s whose columns cannot be told apart", report.Count(h.rows, "row")))
	}
	if h.strange > 0 {
		hidden.Remarks = append(hidden.Remarks, diag.Warningf("left out: %s where Slurm prints numbers, times or words of its own, and that are none", report.Count(h.strange, "value")))
	}
	if len(left) > 0 {
		hidden.Remarks = append(hidden.Remarks, diag.Notef("left out, since nothing in them is needed: %s", strings.Join(left, ", ")))
	}
	return hidden, nil
}

// fileNames returns the names that the parts of a site have in a copy: their own, or numbers where one of their kind is not
// called after a command, so that its name may tell something, or as another one. Those of a kind stay in their order, by
// which one of several is read.
func fileNames(d *dump.Dump) []string {
	kind := func(p dump.Part) dump.Kind {
		if p.Kind == dump.KindQueue { // which as JSON becomes a list of jobs
			return dump.KindJobs
		}
		return p.Kind
	}
	counts, areNumbers := map[string]int{}, map[dump.Kind]bool{}
	for _, p := range d.Parts {
		counts[p.File()]++
	}
	for _, p := range d.Parts {
		if counts[p.File()] > 1 || !dump.IsOwnName(p.File()) {
			areNumbers[kind(p)] = true
		}
	}
	names := make([]string, len(d.Parts))
	for i, p := range d.Parts {
		names[i] = p.File()
		switch {
		case !areNumbers[kind(p)]:
		case strings.Contains(names[i], ".json"): // by which a copy of JSON, which is text, is told from what was text before
			names[i] = fmt.Sprintf("part-%03d.json", i+1)
		default:
			names[i] = fmt.Sprintf("part-%03d.txt", i+1)
		}
	}
	return names
}

// part returns a part of a site without names, "" for one that is left out.
func (h *hider) part(d *dump.Dump, p dump.Part) string {
	isJSON := slurm.IsJSON(p.Text)
	if isJSON && p.Kind != dump.KindAccounting {
		return h.json(d, p)
	}
	switch p.Kind {
	case dump.KindConfig:
		return h.config(p.Text, d.MoreSettings())
	case dump.KindJobs:
		return h.records(p.Text, "jobid", "No jobs in the system", slurm.JobCopy)
	case dump.KindNodes:
		return h.records(dump.ReasonTime().ReplaceAllString(p.Text, "Reason=hidden[user@$1]"), "nodename", "", of(p.Kind))
	case dump.KindReservations:
		return h.records(p.Text, "reservationname", "No reservations in the system", of(p.Kind))
	case dump.KindPartitions:
		return h.records(p.Text, "partitionname", "", of(p.Kind))
	case dump.KindLicences:
		return h.records(p.Text, "licensename", "No licenses configured in Slurm.", of(p.Kind))
	case dump.KindTopology:
		return h.records(p.Text, "switchname", "", of(p.Kind))
	case dump.KindManager:
		return h.manager(p.Text)
	case dump.KindDenied:
		return "Access/permission denied\n"
	case dump.KindAccounting:
		if isJSON {
			return h.accountingOfJSON(p.Text)
		}
		return h.accounting(p.Text)
	case dump.KindQueue, dump.KindShares, dump.KindQOS, dump.KindAssociations, dump.KindEvents, dump.KindPastReservations, dump.KindPriorities:
	default:
		return ""
	}
	if !strings.Contains(p.Text, "|") && p.Kind == dump.KindQueue {
		return h.table(strings.Join(dump.Piped(p.Text), "\n"), p.Kind)
	}
	if !strings.Contains(p.Text, "|") && p.Kind != dump.KindPriorities {
		return "" // whose columns have a width, which cuts names off: it is not read either
	}
	return h.table(p.Text, p.Kind)
}

// of returns how a copy keeps the fields of a kind of records.
func of(k dump.Kind) func(name string) slurm.Copy {
	return func(name string) slurm.Copy { return dump.CopyOf(k, strings.ToLower(name)) }
}

// nameNodes gives nodes names that sort as theirs do, since Slurm takes nodes in that order.
func (h *hider) nameNodes(d *dump.Dump) {
	list := d.Records(dump.KindNodes)
	slices.SortFunc(list, dump.CompareNodes)
	for _, n := range list {
		h.names.Name("host", n["nodename"])
		h.hosts[n["nodename"]] = true
	}
}

// hider gives names other names.
type hider struct {
	names   *obfuscate.Names
	shift   obfuscate.Shift
	amounts map[string]bool             // those of the copy that may be as large as a time
	rows    int                         // that are left out
	strange int                         // values that are none of Slurm's
	hosts   map[string]bool             // of the site
	listed  map[string]*slurm.ListedJob // the jobs of the list, by their numbers
}

func newHider(shift obfuscate.Shift) *hider {
	return &hider{names: obfuscate.NewNames(), shift: shift, amounts: map[string]bool{}, hosts: map[string]bool{}, listed: map[string]*slurm.ListedJob{}}
}

// isSetting finds the settings in what scontrol show config prints.
var isSetting = pattern.Of(`^\s*(\w+)\s*=\s?(.*?)\s*$`)

// config keeps what scontrol prints of the settings that are read, and more of them that slurm.conf has.
func (h *hider) config(text string, more map[string]string) string {
	first, _, _ := strings.Cut(strings.TrimLeft(text, " \t\r\n"), "\n")
	var b strings.Builder
	b.WriteString(h.moved(asOf().FindString(first)) + "\n")
	write := func(name, value string) {
		if how := dump.CopyOf(dump.KindConfig, strings.ToLower(name)); how != slurm.CopyNot {
			b.WriteString(name + " = " + h.rewritten(how, value) + "\n")
		}
	}
	for line := range strings.Lines(text) {
		if m := isSetting().FindStringSubmatch(strings.TrimRight(line, "\r\n")); m != nil {
			write(m[1], m[2])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(more)) {
		write(name, more[name])
	}
	return b.String()
}

var asOf = pattern.Of(`^Configuration data as of [0-9T:-]*`)
