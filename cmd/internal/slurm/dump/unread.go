package dump

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/pattern"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/sacct"
)

// form is a form of what a command prints that is not read, and the one that is.
type form struct {
	kind  Kind
	begin pattern.Lazy
	is    string // what it is
	wants string // the command to use instead
}

// String says what it is and what to use instead.
func (f form) String() string { return f.is + "; " + f.wants + " is read" }

// forms are those that people keep: tables in columns of a width, which cuts names off.
var forms = []form{
	{KindQueue, pattern.Of(`^\s*\d+(?:_\S+)? +\S+ +\S[^\n]* (?:PD|R|CG|CF|S) +[\d:-]+ +\d+ +\S`), "what squeue -h prints, without the names of the columns", "squeue with its header"},
	{KindQOS, pattern.Of(`^ *Name +Priority [^|]*\n-+ `), "what sacctmgr show qos prints in columns of a width, which cuts names off", "sacctmgr -P show qos"},
	{KindAssociations, pattern.Of(`^ *Cluster +Account [^|]*\n-+ `), "what sacctmgr show assoc prints in columns of a width, which cuts names off", "sacctmgr -P show assoc"},
	{KindPriorities, pattern.Of(`^\s*JOBID +PARTITION[^|\n]* PRIORITY +(?:SITE +)?AGE [^|\n]*\n\s*\d\S* +\S+ [^\n]*?\b0\.\d{4}`), "what sprio -n prints, whose terms are parts of 1 and no points (the ages alone are taken)", "sprio -l"},
}

// isUnread reports whether a text is in such a form.
func isUnread(head string) bool {
	return slices.ContainsFunc(forms, func(f form) bool { return f.begin().MatchString(head) })
}

// isUnreadSacct reports whether a text that is no table that is read is one of sacct.
func isUnreadSacct(text string) bool {
	return sacct.IsPrinted([]byte(text[:min(len(text), file.MostTelling)]))
}

// ofUnreadSacct says what such a table is.
func ofUnreadSacct(text string) string {
	return parts[KindAccounting] + ", " + sacct.Lacks([]byte(text[:min(len(text), file.MostTelling)]))
}

// instead is which command prints a table that is read, where one of its kind is not.
var instead = map[Kind]string{KindQueue: "; what " + pipedQueue + " prints is read"}

// pipedQueue prints a table of squeue that is read whole.
const pipedQueue = "squeue -a -o '%i|%u|%a|%P|%q|%t|%r|%Q'"

// moreOfQueue are other columns of squeue, none of which is read. Other programs have a JOBID as well.
var moreOfQueue = []string{
	"array_job_id", "array_task_id", "name", "time", "time_left", "start_time", "end_time", "nodes", "cpus", "nodelist", "schednodes", "min_memory", "tres_per_node", "features", "dependency",
	"group", "uid", "gid", "command", "work_dir", "comment", "wckey", "exec_host", "over_subscribe", "req_nodes", "min_cpus", "licenses", "tres_alloc",
}

// isNameless reports whether a text is a table parted by pipes without a line that names its columns: a row has empty cells or
// numbers, and names are words.
func isNameless(head string) bool {
	first, rest, _ := strings.Cut(head, "\n")
	second, _, _ := strings.Cut(rest, "\n")
	const fewest = 4 // pipes
	pipes := strings.Count(first, "|")
	return pipes >= fewest && (rest == "" || strings.Count(second, "|") == pipes) && slices.ContainsFunc(strings.Split(first, "|")[:pipes], func(cell string) bool {
		_, err := strconv.ParseFloat(cell, 64)
		return cell == "" || err == nil
	})
}

// almost returns of which kind a table is that has most of its columns and lacks some by which it is told, and these; nil
// for none.
func almost(first string) (is Kind, lacks []string) {
	const fewest, share = 5, 0.8 // of the columns are of that kind
	header := ColumnsOf(first)
	has := func(name string) bool { return slices.Contains(header, name) }
	isOther := func(name string) bool {
		return copies[KindQueue][name] == slurm.CopyNot && !slices.Contains(moreOfQueue, name)
	}
	if len(header) > 1 && ofQueue().MatchString(first) && !slices.ContainsFunc(header, isOther) {
		if !has("st") && !has("state") {
			lacks = append(lacks, "ST")
		}
		for _, name := range []string{"partition", "priority"} {
			if !has(name) {
				lacks = append(lacks, strings.ToUpper(name))
			}
		}
		return KindQueue, lacks
	}
	if !strings.Contains(first, "|") {
		return KindUnknown, nil
	}
	for _, t := range append(slices.Clip(tables), table{KindAccounting, []string{"jobid", "state", "submit", "start"}}) {
		known := 0
		for _, name := range header {
			if copies[t.kind][name] != slurm.CopyNot || t.kind == KindQueue && slices.Contains(moreOfQueue, name) {
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

// unreadIs returns what a text is that is in a form that is not read.
func unreadIs(text string) string {
	if isUnreadSacct(text) {
		return ofUnreadSacct(text)
	}
	if is, lacks := almost(headerOf(text)); lacks != nil {
		return fmt.Sprintf("%s, without %s%s", parts[is], strings.Join(lacks, ", "), instead[is])
	}
	at := slices.IndexFunc(forms, func(f form) bool { return f.begin().MatchString(text) })
	if at < 0 {
		return ""
	}
	return forms[at].String()
}

// Unread says which parts are in a form that is not read, where no other one tells the same, and what to use instead; and which
// values of others are not.
func (d *Dump) Unread() (remarks []diag.Remark) {
	for _, f := range forms {
		var found *Part
		isTold := false
		for i := range d.Parts {
			p := &d.Parts[i]
			switch head := strings.TrimLeft(p.Text, "\r\n"); {
			case slurm.IsJSON(p.Text):
				isTold = isTold || p.Kind == f.kind
			case f.begin().MatchString(head[:min(len(head), 4096)]):
				found = p
			default:
				isTold = isTold || p.Kind == f.kind && (strings.Contains(p.Text, "|") || f.kind == KindPriorities || f.kind == KindQueue)
			}
		}
		if f.kind == KindQueue {
			isTold = isTold || slices.ContainsFunc(d.Parts, func(p Part) bool { return p.Kind == KindJobs })
		}
		if found != nil && !isTold {
			remarks = append(remarks, diag.Warningf("%s is %s", found.Name, f))
		}
	}
	for _, p := range d.All(KindUnread) {
		if isUnreadSacct(p.Text) && len(d.All(KindAccounting)) == 0 {
			remarks = append(remarks, diag.Warningf("%s is %s", p.Name, ofUnreadSacct(p.Text)))
			continue
		}
		if is, lacks := almost(headerOf(p.Text)); lacks != nil && len(d.All(is)) == 0 {
			remarks = append(remarks, diag.Warningf("%s lacks the columns %s of %s, and is not read%s", p.Name, strings.Join(lacks, ", "), parts[is], instead[is]))
		}
	}
	for _, p := range d.Parts {
		if name := jsonList[p.Kind]; name != "" && name != "jobs" && slurm.IsJSON(p.Text) { // lists of jobs say it where they are read
			if _, err := slurm.ParseObjects(p.Text, name); err != nil {
				remarks = append(remarks, diag.Damagef("%s is not read: %v", p.Name, err))
			}
		}
	}
	for _, p := range d.All(KindNameless) {
		remarks = append(remarks, diag.Damagef("%s is a table without the line that names its columns, and is not read: the command prints it without -h or -n", p.Name))
	}
	return slices.Concat(remarks, d.sayOtherClusters(), d.unreadNumbers())
}
