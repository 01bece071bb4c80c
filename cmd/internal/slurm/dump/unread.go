package dump

import (
	"regexp"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/slurm"
)

// form is a form of what a command prints that is not read, and the one that is.
type form struct {
	kind  Kind
	begin *regexp.Regexp
	is    string // what it is
	wants string // the command to use instead
}

// forms are those that people keep: tables in columns of a width, which cuts names off.
var forms = []form{
	{KindQueue, regexp.MustCompile(`^(?:\w{3} \w{3} +\d+ [\d:]+ \d{4}\n)?\s*JOBID +PARTITION +[^\n]*\bST(?:ATE)?\b`), "what squeue prints in columns of a width, which cuts names off", "scontrol show job, squeue --json or squeue -a -o '%i|%u|%a|%P|%q|%t|%r|%Q'"},
	{KindQOS, regexp.MustCompile(`^ *Name +Priority [^|]*\n-+ `), "what sacctmgr show qos prints in columns of a width, which cuts names off", "sacctmgr -P show qos"},
	{KindAssociations, regexp.MustCompile(`^ *Cluster +Account [^|]*\n-+ `), "what sacctmgr show assoc prints in columns of a width, which cuts names off", "sacctmgr -P show assoc"},
	{KindPriorities, regexp.MustCompile(`^\s*JOBID +PARTITION[^|\n]* PRIORITY +(?:SITE +)?AGE [^|\n]*\n\s*\d\S* +\S+ [^\n]*?\b0\.\d{4}`), "what sprio -n prints, of which the ages alone are taken: its priorities are parts of 1", "sprio -l"},
}

// isUnread reports whether a text is in such a form.
func isUnread(head string) bool {
	return slices.ContainsFunc(forms, func(f form) bool { return f.begin.MatchString(head) })
}

// almost returns of which kind a table is that has most of its columns and lacks some by which it is told, and these; nil
// for none.
func almost(first string) (is Kind, lacks []string) {
	const fewest, share = 5, 0.8 // of the columns are of that kind
	header := ColumnsOf(first)
	if !strings.Contains(first, "|") {
		return KindUnknown, nil
	}
	for _, t := range append(slices.Clip(tables), table{KindAccounting, []string{"jobid", "state", "submit", "start"}}) {
		known := 0
		for _, name := range header {
			if copies[t.kind][name] != slurm.CopyNot {
				known++
			}
		}
		if known < fewest || float64(known) < share*float64(len(header)) {
			continue
		}
		missing := slices.DeleteFunc(slices.Clone(t.columns), func(name string) bool { return slices.Contains(header, name) })
		if len(missing) == 0 { // it is no such table for another reason
			return KindUnknown, nil
		}
		if lacks == nil || len(missing) < len(lacks) {
			is, lacks = t.kind, missing
		}
	}
	return is, lacks
}

// Unread says which parts are in a form that is not read, where no other one tells the same, and what to use instead.
func (d *Dump) Unread() (remarks []diag.Remark) {
	for _, f := range forms {
		var found *Part
		isTold := false
		for i := range d.Parts {
			p := &d.Parts[i]
			switch head := strings.TrimLeft(p.Text, "\r\n"); {
			case slurm.IsJSON(p.Text):
				isTold = isTold || p.Kind == f.kind
			case f.begin.MatchString(head[:min(len(head), 4096)]):
				found = p
			default:
				isTold = isTold || p.Kind == f.kind && (strings.Contains(p.Text, "|") || f.kind == KindPriorities)
			}
		}
		if f.kind == KindQueue {
			isTold = isTold || slices.ContainsFunc(d.Parts, func(p Part) bool { return p.Kind == KindJobs })
		}
		if found != nil && !isTold {
			remarks = append(remarks, diag.Warningf("%s is %s: %s is read", found.Name, f.is, f.wants))
		}
	}
	for _, p := range d.All(KindUnread) {
		first, _, _ := strings.Cut(strings.TrimLeft(p.Text, "\r\n"), "\n")
		if is, lacks := almost(first); lacks != nil && len(d.All(is)) == 0 {
			remarks = append(remarks, diag.Warningf("%s lacks the columns %s of %s, and is not read", p.Name, strings.Join(lacks, ", "), parts[is]))
		}
	}
	for _, k := range []Kind{KindNodes, KindPartitions} {
		remarks = append(remarks, d.unknown(k)...)
	}
	return remarks
}

// attributes are those that are known of what has a table of them.
var attributes = map[Kind]slurm.Attributes{KindNodes: slurm.NodeAttributes, KindPartitions: slurm.PartitionAttributes}

// unknown says which keys of nodes or partitions no version has that is known here.
func (d *Dump) unknown(k Kind) (remarks []diag.Remark) {
	parts := d.All(k)
	if len(parts) == 0 || slurm.IsJSON(parts[0].Text) {
		return nil
	}
	seen := map[string]bool{}
	var unknown []string
	for line := range strings.Lines(parts[0].Text) {
		for word := range strings.FieldsSeq(line) {
			key, _, isPair := strings.Cut(word, "=")
			if slices.Contains([]string{"OS", "Reason", "Comment", "Extra"}, key) { // behind which anything may stand
				break
			}
			if isPair && !seen[key] && attributes[k].Of(key) == nil {
				unknown = append(unknown, key)
			}
			seen[key] = true
		}
	}
	if unknown != nil {
		remarks = append(remarks, slurm.UnknownFields(parts[0].Name, unknown))
	}
	return remarks
}
