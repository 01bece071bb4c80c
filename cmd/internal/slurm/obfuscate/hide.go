// Package obfuscate copies what a Slurm site prints without the names of people, hosts and the like.
package obfuscate

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/obfuscate"
	"fairshare/cmd/internal/report"
	"fairshare/cmd/internal/slurm"
	"fairshare/cmd/internal/slurm/dump"
	"fairshare/cmd/internal/slurm/sched"
)

// Copy returns a copy in which users, accounts, groups, partitions, QOS, nodes, reservations,
// licences, features and kinds of gres have other names, the same ones throughout. Only what orders,
// priorities and replays depend on is kept, and the accounting of jobs: no names of jobs, paths,
// comments or addresses.
func Copy(d *dump.Dump) (*dump.Dump, error) {
	h := hider{names: obfuscate.NewNames()}
	if len(d.All(dump.KindConfig)) == 0 || len(d.All(dump.KindNodes)) == 0 || len(d.All(dump.KindPartitions)) == 0 {
		return nil, &dump.MissingError{Name: d.Name, What: "scontrol show config, node and partition, from which a copy without names is made"}
	}
	h.nameNodes(d)
	hidden := d.Empty()
	var left []string
	for _, p := range d.Parts {
		text := ""
		switch {
		case p.Kind == dump.KindUnknown:
			continue
		case p.Kind == dump.KindConfig:
			text = h.config(p.Text)
		case p.Kind == dump.KindJobs:
			text = h.records(p.Text, "jobid", jobFields)
		case p.Kind == dump.KindNodes:
			text = h.records(dump.ReasonTime.ReplaceAllString(p.Text, "Reason=hidden[user@$1]"), "nodename", nodeFields)
		case p.Kind == dump.KindReservations:
			text = h.records(p.Text, "reservationname", reservationFields)
		case p.Kind == dump.KindPartitions:
			text = h.records(p.Text, "partitionname", partitionFields)
		case strings.HasPrefix(p.Text, "{"): // JSON
		case p.Kind == dump.KindAccounting:
			text = h.accounting(p.Text)
		case hideColumns[p.Kind] != nil && (strings.Contains(p.Text, "|") || p.Kind == dump.KindPriorities):
			text = h.table(p.Text, hideColumns[p.Kind])
		}
		if text == "" {
			left = append(left, p.File())
			continue
		}
		hidden.Set(p.File(), text)
	}
	if h.rows > 0 {
		hidden.Remarks = append(hidden.Remarks, diag.Warningf("left out: %s whose columns cannot be told apart", report.Count(h.rows, "row")))
	}
	if len(left) > 0 {
		hidden.Remarks = append(hidden.Remarks, diag.Notef("left out, since nothing in them is needed: %s", strings.Join(left, ", ")))
	}
	return hidden, nil
}

// nameNodes gives nodes names that sort as theirs do, since Slurm takes nodes in that order.
func (h *hider) nameNodes(d *dump.Dump) {
	list := d.Records(dump.KindNodes)
	slices.SortFunc(list, dump.CompareNodes)
	for _, n := range list {
		h.names.Name("host", n["nodename"])
	}
}

// hider gives names other names.
type hider struct {
	names *obfuscate.Names
	rows  int // that are left out
}

// Kinds of values. keep is for what Slurm itself makes: numbers, times and words of its own.
type value func(h *hider, text string) string

func keep(_ *hider, text string) string {
	if !slurmsOwn.MatchString(text) {
		return ""
	}
	return text
}

// slurmsOwn is a value that says nothing of anybody.
var slurmsOwn = regexp.MustCompile(`^[0-9.,:TKMGPNA/%+_=-]*$|^(UNLIMITED|INFINITE|Unknown|None|YES|NO|OK|UP|DOWN|DRAIN|INACTIVE|EXCLUSIVE|Partition_Limit|parent|inf|nan|x86_64|aarch64|\(null\)|\d+-?[KMGT]?|[0-9.]+[KMGTP]?[nc])$`)

// id keeps the number of a job, of an array's tasks such as 20_[5-20%5], or of a part such as 20+1.
func id(_ *hider, text string) string {
	if !jobNumber.MatchString(text) {
		return ""
	}
	return text
}

var jobNumber = regexp.MustCompile(`^[0-9]+([_+][0-9xA-F\[\],:%.-]+)?$`)

// name returns what replaces the names of a kind.
func name(kind string) value {
	return func(h *hider, text string) string {
		trimmed := strings.TrimLeft(text, " ") // an account of sshare is indented
		if trimmed == "" || strings.HasPrefix(trimmed, "(null") || trimmed == "N/A" {
			return text
		}
		return text[:len(text)-len(trimmed)] + h.names.Name(kind, trimmed)
	}
}

// numbered returns what replaces the names of a kind that have a number behind them: bob(6002).
func numberedName(kind string) value {
	return func(h *hider, text string) string {
		text, _, _ = strings.Cut(text, "(")
		return h.names.Name(kind, text) + "(0)"
	}
}

// nameList returns what replaces the names of a list.
func nameList(kind string) value {
	return func(h *hider, text string) string {
		parts := strings.Split(text, ",")
		for i, part := range parts {
			parts[i] = name(kind)(h, part)
		}
		return strings.Join(parts, ",")
	}
}

// access renames the names of a list of who may use something, of whom those with a minus may not. ALL and (null) stay.
func access(kind string) value {
	return func(h *hider, text string) string {
		if text == "ALL" || text == "(null)" {
			return text
		}
		parts := strings.Split(text, ",")
		for i, part := range parts {
			of := strings.TrimPrefix(part, "-")
			parts[i] = strings.TrimSuffix(part, of) + name(kind)(h, of)
		}
		return strings.Join(parts, ",")
	}
}

// word keeps a word of Slurm's own, such as a state or a reason, without who did it.
func word(_ *hider, text string) string {
	text, _, _ = strings.Cut(text, " by ")
	if !ownWord.MatchString(text) {
		return "Other"
	}
	return text
}

var ownWord = regexp.MustCompile(`^[A-Za-z_+*~#!%$@^-]{0,60}$`)

// tres replaces the names of licences and of kinds of gres: license/matlab=2, gres/gpu:a100=1.
func tres(h *hider, text string) string {
	parts := strings.Split(text, ",")
	for i, part := range parts {
		key, amount, _ := strings.Cut(part, "=")
		if kind, rest, ok := strings.Cut(key, "/"); ok && !strings.EqualFold(rest, "gpu") {
			gpu, model, isModel := strings.Cut(rest, ":")
			switch {
			case isModel && strings.EqualFold(gpu, "gpu"):
				rest = gpu + ":" + h.names.Name("model", strings.ToLower(model))
			case strings.EqualFold(kind, "fs"):
			default:
				rest = h.names.Name("resource", strings.ToLower(rest))
			}
			key = kind + "/" + rest
		}
		if parts[i] = key; strings.Contains(part, "=") {
			parts[i] += "=" + amount
		}
	}
	return strings.Join(parts, ",")
}

// licences replaces the names in a list of licences: matlab:4,ansys. They are those that tres gives.
func licences(h *hider, text string) string {
	list, ok := sched.ParseLicences(text)
	if !ok {
		return "license"
	}
	var kept []string
	for _, l := range list {
		kept = append(kept, fmt.Sprintf("%s:%d", h.names.Name("resource", strings.ToLower(l.Name)), l.Total))
	}
	return cmp.Or(strings.Join(kept, ","), text)
}

// gres replaces the kinds of a node's gres: gpu:a100:4(S:0-1).
func gres(h *hider, text string) string {
	if text == "(null)" {
		return text
	}
	var kept []string
	for _, one := range strings.Split(socket.ReplaceAllString(text, ""), ",") {
		fields := strings.Split(one, ":")
		if fields[0] != "gpu" {
			fields[0] = h.names.Name("resource", strings.ToLower(fields[0]))
		}
		if len(fields) == 3 {
			fields[1] = h.names.Name("model", strings.ToLower(fields[1]))
		}
		kept = append(kept, strings.Join(fields, ":"))
	}
	return strings.Join(kept, ",")
}

var socket = regexp.MustCompile(`\([^)]*\)`)

// nodes replaces a list of nodes.
func nodes(h *hider, text string) string {
	list, err := slurm.Hostlist(text)
	if err != nil {
		return "(null)"
	}
	for i := range list {
		list[i] = h.names.Name("host", list[i])
	}
	return strings.Join(list, ",")
}

// nodesOrNone replaces the nodes that a job had, if it had any.
func nodesOrNone(h *hider, text string) string {
	if text == "" || strings.HasPrefix(text, "None") {
		return text
	}
	return nodes(h, text)
}

// firstCount keeps the first of several counts, such as 16:0:*:*.
func firstCount(h *hider, text string) string {
	first, _, _ := strings.Cut(text, ":")
	return keep(h, first)
}

// words keeps words of Slurm's own with numbers, such as FORCE:4 or DenyOnLimit,OverPartQOS.
func words(_ *hider, text string) string {
	if !ownWords.MatchString(text) {
		return "Other"
	}
	return text
}

var ownWords = regexp.MustCompile(`^[A-Za-z_]*(:[0-9]+)?(,[A-Za-z_]+(:[0-9]+)?)*$`)

// features replaces the features in a list or in an expression such as intel&ib or [rack1*2|rack2*2].
func features(h *hider, text string) string {
	if text == "(null)" {
		return text
	}
	return feature.ReplaceAllStringFunc(text, func(one string) string {
		if one[0] == '*' || one[0] == ':' { // how many nodes of it
			return one
		}
		return h.names.Name("feature", one)
	})
}

var feature = regexp.MustCompile(`[*:][0-9]+|[^\s,&|()\[\]*:!]+`)

// What is kept of each record and table, by lower-case names.
var (
	jobFields = map[string]value{
		"jobid": id, "arrayjobid": keep, "arraytaskid": keep, "userid": numberedName("user"), "groupid": numberedName("group"), "priority": keep, "nice": keep, "account": name("account"), "qos": nameList("qos"),
		"jobstate": word, "reason": word, "timelimit": keep, "submittime": keep, "eligibletime": keep, "accruetime": keep, "starttime": keep, "endtime": keep, "lastschedeval": keep,
		"partition": nameList("partition"), "numnodes": keep, "numcpus": keep, "tres": tres, "reqtres": tres, "oversubscribe": keep, "reservation": name("reservation"), "mcs_label": keep,
		"nodelist": nodesOrNone, "numtasks": keep, "cpus/task": keep, "ntaskspern:b:s:c": firstCount, "minmemorynode": keep, "minmemorycpu": keep, "features": features, "arraytaskthrottle": keep, "licenses": licences,
	}
	reservationFields = map[string]value{"reservationname": name("reservation"), "starttime": keep, "endtime": keep, "nodes": nodes, "nodecnt": keep, "corecnt": keep, "coreids": always("0"), "flags": words, "tres": tres,
		"users": access("user"), "accounts": access("account")}
	nodeFields = map[string]value{
		"nodename": name("host"), "arch": keep, "corespersocket": keep, "cpualloc": keep, "cpuefctv": keep, "cputot": keep, "realmemory": keep, "allocmem": keep, "sockets": keep, "boards": keep,
		"threadspercore": keep, "weight": keep, "gres": gres, "state": word, "activefeatures": features, "partitions": nameList("partition"), "reason": reason,
	}
	partitionFields = map[string]value{
		"partitionname": name("partition"), "allowgroups": always("ALL"), "allowaccounts": access("account"), "allowqos": access("qos"), "denyaccounts": access("account"), "denyqos": access("qos"), "maxtime": keep, "maxnodes": keep, "nodes": nodes,
		"defmempercpu": keep, "qos": name("qos"), "oversubscribe": words, "lln": words, "exclusiveuser": words, "preemptmode": words,
		"priorityjobfactor": keep, "prioritytier": keep, "state": keep, "totalcpus": keep, "totalnodes": keep, "tresbillingweights": tres,
	}
	hideColumns = map[dump.Kind]map[string]value{
		dump.KindPriorities: {
			"jobid": id, "partition": name("partition"), "user": name("user"), "account": name("account"), "qosname": name("qos"), "priority": keep, "site": keep, "age": keep, "assoc": keep,
			"fairshare": keep, "jobsize": keep, "nice": keep, "qos": keep, "tres": tres,
		},
		dump.KindShares: {
			"account": name("account"), "user": name("user"), "partition": name("partition"), "rawshares": keep, "normshares": keep, "rawusage": keep, "normusage": keep, "effectvusage": keep, "fairshare": keep, "levelfs": keep, "grptresmins": tres, "tresrunmins": tres,
		},
		dump.KindQOS: {
			"name": name("qos"), "priority": keep, "usagefactor": keep, "usagethres": keep, "limitfactor": keep, "flags": words, "preempt": nameList("qos"), "grptres": tres, "grptresmins": tres, "grptresrunmins": tres, "grpjobs": keep, "grpwall": keep,
			"maxtres": tres, "maxtrespernode": tres, "maxtresmins": tres, "maxwall": keep, "maxtrespu": tres, "maxjobspu": keep, "maxtrespa": tres, "maxjobspa": keep, "mintres": tres,
			"grpsubmit": keep, "maxsubmitpu": keep, "maxsubmitpa": keep, "grpjobsaccrue": keep, "maxjobsaccruepu": keep, "maxjobsaccruepa": keep, "minpriothres": keep, "maxtresrunminspu": tres, "maxtresrunminspa": tres,
		},
		dump.KindAssociations: {
			"cluster": name("cluster"), "account": name("account"), "user": name("user"), "partition": name("partition"), "share": keep, "priority": keep, "grpjobs": keep, "grptres": tres, "grpwall": keep,
			"grptresmins": tres, "maxjobs": keep, "maxtres": tres, "maxtrespernode": tres, "maxwall": keep, "maxtresmins": tres, "qos": nameList("qos"), "def qos": name("qos"), "grptresrunmins": tres,
			"grpsubmit": keep, "maxsubmit": keep, "grpjobsaccrue": keep, "maxjobsaccrue": keep, "minpriothres": keep,
		},
		dump.KindEvents: {
			"cluster": name("cluster"), "nodename": name("host"), "timestart": keep, "timeend": keep, "start": keep, "end": keep, "state": word,
		},
		dump.KindPastReservations: {
			"cluster": name("cluster"), "name": name("reservation"), "tres": tres, "timestart": keep, "timeend": keep, "start": keep, "end": keep, "unusedwall": keep, "nodenames": nodes, "nodename": nodes, "nodes": nodes, "flags": words,
		},
		dump.KindAccounting: {
			"jobid": id, "jobidraw": id, "user": name("user"), "group": name("group"), "account": name("account"), "partition": nameList("partition"), "qos": name("qos"), "state": word, "exitcode": keep,
			"submit": keep, "eligible": keep, "start": keep, "end": keep, "elapsed": keep, "elapsedraw": keep, "timelimit": keep, "timelimitraw": keep, "alloccpus": keep, "ncpus": keep, "reqcpus": keep,
			"nnodes": keep, "reqmem": keep, "reqtres": tres, "alloctres": tres, "priority": keep, "nodelist": nodesOrNone, "totalcpu": keep, "reqnodes": keep,
			"reservation": name("reservation"), "constraints": features, "licenses": licences, "submitline": submitLine,
		},
	}
)

func always(text string) value { return func(*hider, string) string { return text } }

// reason keeps when the reason of a node was set.
func reason(_ *hider, text string) string {
	if !hiddenReason.MatchString(text) {
		return "hidden"
	}
	return text
}

var hiddenReason = regexp.MustCompile(`^hidden\[user@[0-9T:-]{19}\]$`)

// schedulerSettings are the settings besides those of priorities that are kept.
var schedulerSettings = map[string]value{
	"ClusterName": name("cluster"), "BOOT_TIME": keep, "AccountingStorageEnforce": words, "SchedulerType": plugin, "SelectType": plugin, "PreemptType": plugin, "TopologyPlugin": plugin, "PreemptMode": words,
	"SchedulerParameters": func(_ *hider, text string) string {
		return strings.Join(parameter.FindAllString(text, -1), ",")
	},
	"Licenses": licences,
}

// plugin keeps the name of one of Slurm's plugins.
func plugin(_ *hider, text string) string {
	if !ownPlugin.MatchString(text) {
		return "other"
	}
	return text
}

var (
	ownPlugin = regexp.MustCompile(`^(sched|select|preempt|topology)/[a-z0-9_]+$`)
	parameter = regexp.MustCompile(`\b[a-z_]+(=[0-9]+)?\b`)
)

// config keeps what scontrol prints of priorities and of the scheduler.
func (h *hider) config(text string) string {
	first, _, _ := strings.Cut(text, "\n")
	var b strings.Builder
	b.WriteString(first + "\n")
	for line := range strings.Lines(text) {
		m := dump.SettingLine.FindStringSubmatch(strings.TrimSpace(line))
		key, value, _ := strings.Cut(line, "=")
		if change := schedulerSettings[strings.TrimSpace(key)]; change != nil {
			b.WriteString(strings.TrimSpace(key) + " = " + change(h, strings.TrimSpace(value)) + "\n")
		}
		switch {
		case m == nil || strings.HasPrefix(m[1], "PrioritySite") || m[1] == "PriorityParameters":
		case m[1] == "PriorityWeightTRES":
			b.WriteString(m[1] + " = " + tres(h, m[2]) + "\n")
		default:
			b.WriteString(m[1] + " = " + m[2] + "\n")
		}
	}
	return b.String()
}
