// Package obfuscate copies what a Slurm site prints without the names of people, hosts and the like.
package obfuscate

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/obfuscate"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
)

// Copy returns a copy in which users, accounts, groups, partitions, QOS, nodes, reservations,
// licences, features, names of jobs and kinds of gres have other names, the same ones throughout. What readers take is
// kept, and nothing else: no paths, comments or addresses.
func Copy(d *dump.Dump) (*dump.Dump, error) {
	h := newHider()
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
	hidden := d.Empty()
	var left []string
	for _, p := range d.Parts {
		text := h.part(d, p)
		if text == "" && p.Kind != dump.KindUnknown {
			left = append(left, p.File())
		}
		if text != "" {
			hidden.Set(p.File(), text)
		}
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
		return h.records(dump.ReasonTime.ReplaceAllString(p.Text, "Reason=hidden[user@$1]"), "nodename", "", of(p.Kind))
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
	rows    int                         // that are left out
	strange int                         // values that are none of Slurm's
	hosts   map[string]bool             // of the site
	listed  map[string]*slurm.ListedJob // the jobs of the list, by their numbers
}

func newHider() *hider {
	return &hider{names: obfuscate.NewNames(), hosts: map[string]bool{}, listed: map[string]*slurm.ListedJob{}}
}

// isSetting finds the settings in what scontrol show config prints.
var isSetting = regexp.MustCompile(`^\s*(\w+)\s*=\s?(.*?)\s*$`)

// config keeps what scontrol prints of the settings that are read, and more of them that slurm.conf has.
func (h *hider) config(text string, more map[string]string) string {
	first, _, _ := strings.Cut(strings.TrimLeft(text, " \t\r\n"), "\n")
	var b strings.Builder
	b.WriteString(asOf.FindString(first) + "\n")
	write := func(name, value string) {
		if how := dump.CopyOf(dump.KindConfig, strings.ToLower(name)); how != slurm.CopyNot {
			b.WriteString(name + " = " + h.rewritten(how, value) + "\n")
		}
	}
	for line := range strings.Lines(text) {
		if m := isSetting.FindStringSubmatch(strings.TrimRight(line, "\r\n")); m != nil {
			write(m[1], m[2])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(more)) {
		write(name, more[name])
	}
	return b.String()
}

var asOf = regexp.MustCompile(`^Configuration data as of [0-9T:-]*`)
