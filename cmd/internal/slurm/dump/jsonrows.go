package dump

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairshare/cmd/internal/accounts"
	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/slurm"
)

// jsonList says under which name the JSON of a command has its list.
var jsonList = map[Kind]string{
	KindNodes: "nodes", KindPartitions: "partitions", KindReservations: "reservations", KindLicences: "licenses", KindQOS: "qos", KindAssociations: "associations", KindJobs: "jobs", KindQueue: "jobs",
}

// jsonFields are the fields of JSON, by their paths, that Slurm prints in other forms as they are, by the names of there in
// lower case. Later versions have the first path of several.
var jsonFields = map[Kind]map[string]string{
	KindNodes: {
		"nodename": "name", "arch": "architecture", "corespersocket": "cores", "cpualloc": "alloc_cpus", "cpuefctv": "effective_cpus", "cputot": "cpus", "realmemory": "real_memory", "allocmem": "alloc_memory", "sockets": "sockets",
		"boards": "boards", "threadspercore": "threads", "weight": "weight", "gres": "gres", "gresused": "gres_used", "alloctres": "tres_used", "memspeclimit": "specialized_memory", "corespeccount": "specialized_cores",
		"activefeatures": "active_features", "partitions": "partitions", "owner": "owner", "mcs_label": "mcs_label", "reservationname": "reservation", "rescorespergpu": "res_cores_per_gpu",
	},
	KindPartitions: {
		"partitionname": "name", "allowgroups": "groups/allowed", "allowaccounts": "accounts/allowed", "allowqos": "qos/allowed", "denyaccounts": "accounts/deny", "denyqos": "qos/deny", "qos": "qos/assigned", "nodes": "nodes/configured",
		"totalnodes": "nodes/total", "totalcpus": "cpus/total", "maxnodes": "maximums/nodes", "minnodes": "minimums/nodes", "maxcpuspernode": "maximums/cpus_per_node", "maxcpuspersocket": "maximums/cpus_per_socket",
		"defmempercpu": "defaults/partition_memory_per_cpu", "defmempernode": "defaults/partition_memory_per_node", "jobdefaults": "defaults/job", "maxmempercpu": "maximums/partition_memory_per_cpu", "maxmempernode": "maximums/partition_memory_per_node", "gracetime": "grace_time",
		"priorityjobfactor": "priority/job_factor", "prioritytier": "priority/tier", "state": "partition/state", "tresbillingweights": "tres/billing_weights", "overtimelimit": "maximums/over_time_limit", "selecttypeparameters": "select_type",
		"lln": "lln", "rootonly": "root_only", "reqresv": "req_resv", "exclusiveuser": "exclusive_user", "preemptmode": "preempt_mode",
	},
	KindReservations: {
		"reservationname": "name", "nodes": "node_list", "nodecnt": "node_count", "corecnt": "core_count", "flags": "flags", "tres": "tres", "users": "users", "accounts": "accounts", "groups": "groups",
		"licenses": "licenses", "burstbuffer": "burst_buffer", "maxstartdelay": "max_start_delay",
	},
	KindLicences: {"licensename": "LicenseName", "total": "Total", "used": "Used", "free": "Free", "reserved": "Reserved", "lastdeficit": "LastDeficit"},
	KindQOS: {
		"name": "name", "priority": "priority", "usagefactor": "usage_factor", "usagethres": "usage_threshold", "limitfactor": "limits/factor", "preempt": "preempt/list", "grptres": "limits/max/tres/total",
		"grptresmins": "limits/max/tres/minutes/per/qos", "grptresrunmins": "limits/max/tres/minutes/total", "grpjobs": "limits/max/active_jobs/count", "grpjobsaccrue": "limits/max/active_jobs/accruing", "grpsubmit": "limits/max/jobs/count",
		"maxtres": "limits/max/tres/per/job", "maxtrespernode": "limits/max/tres/per/node", "maxtresmins": "limits/max/tres/minutes/per/job", "maxtrespu": "limits/max/tres/per/user", "maxtrespa": "limits/max/tres/per/account",
		"maxtresrunminspu": "limits/max/tres/minutes/per/user", "maxtresrunminspa": "limits/max/tres/minutes/per/account", "maxjobspu": "limits/max/jobs/active_jobs/per/user", "maxjobspa": "limits/max/jobs/active_jobs/per/account",
		"maxsubmitpu": "limits/max/jobs/per/user", "maxsubmitpa": "limits/max/jobs/per/account", "maxjobsaccruepu": "limits/max/accruing/per/user", "maxjobsaccruepa": "limits/max/accruing/per/account",
		"mintres": "limits/min/tres/per/job", "minpriothres": "limits/min/priority_threshold",
	},
	KindAssociations: {
		"cluster": "cluster", "account": "account", "user": "user", "partition": "partition", "share": "shares_raw", "priority": "priority", "qos": "qos", "def qos": "default/qos", "grpjobs": "max/jobs/per/count",
		"grpjobsaccrue": "max/jobs/per/accruing", "grpsubmit": "max/jobs/per/submitted", "maxjobs": "max/jobs/active", "maxjobsaccrue": "max/jobs/accruing", "maxsubmit": "max/jobs/total", "grptres": "max/tres/total",
		"grptresmins": "max/tres/group/minutes", "grptresrunmins": "max/tres/group/active", "maxtres": "max/tres/per/job", "maxtrespernode": "max/tres/per/node", "maxtresmins": "max/tres/minutes/per/job", "minpriothres": "min/priority_threshold",
	},
}

// noneOfJSON are the words that Slurm prints in other forms where the text is empty that JSON has.
var noneOfJSON = map[Kind]map[string]string{
	KindNodes:        {"gres": "(null)", "activefeatures": "(null)"},
	KindPartitions:   {"allowgroups": "ALL", "allowaccounts": "ALL", "allowqos": "ALL", "qos": "N/A", "nodes": "(null)"},
	KindReservations: {"users": "(null)", "accounts": "(null)", "tres": "(null)"},
}

// jsonSpans are the fields that are spans, which JSON has in minutes.
var jsonSpans = map[Kind]map[string]string{
	KindPartitions:   {"defaulttime": "defaults/time", "maxtime": "maximums/time"},
	KindQOS:          {"maxwall": "limits/max/wall_clock/per/job", "grpwall": "limits/max/wall_clock/per/qos"},
	KindAssociations: {"maxwall": "max/jobs/per/wall_clock", "grpwall": "max/per/account/wall_clock"},
}

// untoldByJSON are settings of partitions that scontrol show partition prints, and its JSON does not have.
var untoldByJSON = []string{"LLN", "RootOnly", "ReqResv", "ExclusiveUser", "ExclusiveTopo", "PreemptMode", "Default"}

// fillUntold takes what JSON does not have of partitions from another print of them.
func (d *Dump) fillUntold(list []Row, others []Part) {
	for _, p := range others {
		if slurm.IsJSON(p.Text) {
			continue
		}
		told := map[string]Row{}
		for _, row := range d.readRecords(KindPartitions, []Part{p}) {
			told[row["partitionname"]] = row
		}
		for _, row := range list {
			for _, name := range untoldByJSON {
				if key := strings.ToLower(name); row[key] == "" && told[row["partitionname"]][key] != "" {
					row[key] = told[row["partitionname"]][key]
				}
			}
		}
	}
}

// untold says that partitions are told by JSON.
func (d *Dump) untold() []diag.Remark {
	isText := func(p Part) bool { return !slurm.IsJSON(p.Text) } // which tells it, see fillUntold
	if parts := d.All(KindPartitions); len(parts) > 0 && slurm.IsJSON(parts[0].Text) && !slices.ContainsFunc(parts, isText) {
		return []diag.Remark{diag.Notef("%s is JSON, which does not tell %s of partitions: scontrol show partition does", parts[0].Name, strings.Join(untoldByJSON, ", "))}
	}
	return nil
}

// qosFlags are the flags of QOS as sacctmgr prints them, by the words of JSON.
var qosFlags = map[string]string{
	"DENY_LIMIT": "DenyOnLimit", "NO_RESERVE": "NoReserve", "NO_DECAY": "NoDecay", "USAGE_FACTOR_SAFE": "UsageFactorSafe", "OVERRIDE_PARTITION_QOS": "OverPartQOS", "PARTITION_MAXIMUM_NODE": "PartitionMaxNodes",
	"PARTITION_MINIMUM_NODE": "PartitionMinNodes", "PARTITION_TIME_LIMIT": "PartitionTimeLimit", "ENFORCE_USAGE_THRESHOLD": "EnforceUsageThreshold", "REQUIRED_RESERVATION": "RequiresReservation", "RELATIVE": "Relative",
}

// jsonRows returns the rows of a text of JSON, with times in a zone, as other forms have them.
func jsonRows(k Kind, text string, zone *time.Location) ([]Row, error) {
	objects, err := slurm.ParseObjects(text, jsonList[k])
	if err != nil {
		return nil, err
	}
	rows := make([]Row, 0, len(objects))
	for _, o := range objects {
		row := Row{}
		for name, path := range jsonFields[k] {
			if o.Has(path) {
				row[name] = cmp.Or(o.Text(path), noneOfJSON[k][name])
			}
			_, isNumber := numbers[k][name]
			if _, _, isInfinite := o.Number(path); isInfinite && !slices.Contains([]string{"name", "account", "user"}, path) {
				row[name] = "UNLIMITED"
			}
			if isNumber && !o.IsScalar(path) {
				row[name] = o.Raw(path)
			}
		}
		for name, path := range jsonSpans[k] {
			if o.Has(path) {
				row[name] = o.Minutes(path)
			}
			if !o.IsScalar(path) {
				row[name] = o.Raw(path)
			}
		}
		switch k {
		case KindNodes:
			nodeOfJSON(o, row, zone)
		case KindPartitions:
			if o.Has("maximums/oversubscribe") {
				row["oversubscribe"] = oversubscription(o)
			}
			if row["selecttypeparameters"] == "" {
				row["selecttypeparameters"] = "NONE"
			}
			for _, name := range []string{"lln", "rootonly", "reqresv", "exclusiveuser"} {
				if row[name] == "1" {
					row[name] = "YES"
				} else {
					delete(row, name)
				}
			}
			if text, has := row["defaulttime"]; has && text == "" {
				row["defaulttime"] = "NONE"
			}
		case KindReservations:
			for name, path := range map[string]string{"starttime": "start_time", "endtime": "end_time"} {
				row[name] = timeOf(o, path, zone)
			}
			if parts, _ := o.At("core_specializations").([]any); len(parts) > 0 {
				row["coreids"] = "some"
			}
		case KindQOS, KindAssociations:
			boundedRow(k, o, row)
		}
		rows = append(rows, row)
	}
	return cut(k, rows), nil
}

// setStates says which reservations last when a site was asked, which JSON does not.
func (d *Dump) setStates(reservations []Row) {
	now := d.Taken().Format(TimeLayout)
	for _, row := range reservations {
		if row["state"] = "INACTIVE"; row["starttime"] <= now && now < row["endtime"] {
			row["state"] = "ACTIVE"
		}
	}
}

// timeOf returns a time as Slurm prints it in a zone, "" for none.
func timeOf(o slurm.Object, path string, zone *time.Location) string {
	x, isSet, _ := o.Number(path)
	if !isSet || x <= 0 {
		return ""
	}
	return time.Unix(int64(x), 0).In(zone).Format(TimeLayout)
}

// nodeOfJSON fills in the state of a node, and since when it has a reason.
func nodeOfJSON(o slurm.Object, row Row, zone *time.Location) {
	state := o.Text("state")
	if flags := o.Text("state_flags"); flags != "" { // of versions in which the state is one word
		state += "," + flags
	}
	row["state"] = strings.ToUpper(strings.ReplaceAll(state, ",", "+"))
	if at := timeOf(o, "resume_after", zone); at != "" {
		row["resumeaftertime"] = at
	}
	if at := timeOf(o, "reason_changed_at", zone); o.Text("reason") != "" && at != "" {
		row["reason"] = at
	}
}

// oversubscription returns OverSubscribe of a partition.
func oversubscription(o slurm.Object) string {
	jobs, isSet, _ := o.Number("maximums/oversubscribe/jobs")
	isForced := strings.Contains(strings.ToUpper(o.Text("maximums/oversubscribe/flags")), "FORCE")
	switch {
	case !isSet:
		return ""
	case jobs == 0:
		return "EXCLUSIVE"
	case isForced:
		return "FORCE:" + strconv.Itoa(int(jobs))
	case jobs == 1:
		return "NO"
	}
	return "YES:" + strconv.Itoa(int(jobs))
}

// boundedRow fills in what a row of sacctmgr has beside its limits, and leaves out limits without a bound.
func boundedRow(k Kind, o slurm.Object, row Row) {
	for name, text := range row {
		if text == "UNLIMITED" {
			row[name] = ""
		}
	}
	if k == KindAssociations {
		if row["share"] == ofParent {
			row["share"] = "parent"
		}
		return
	}
	var flags []string
	for word := range strings.SplitSeq(o.Text("flags"), ",") {
		if known := qosFlags[word]; known != "" {
			word = known
		}
		if word != "NOT_SET" {
			flags = append(flags, word)
		}
	}
	row["flags"] = strings.Join(flags, ",")
	row["preemptmode"] = strings.ToLower(strings.ReplaceAll(o.Text("preempt/mode"), "DISABLED", "cluster"))
	for name, path := range map[string]string{"gracetime": "limits/grace_time", "preemptexempttime": "preempt/exempt_time"} {
		if x, isSet, _ := o.Number(path); isSet && x > 0 {
			row[name] = daysOf(int64(x))
		}
	}
}

// daysOf returns a span of seconds as sacctmgr prints it: 1-02:03:04.
func daysOf(seconds int64) string {
	const day = 24 * 3600
	text := time.Unix(seconds%day, 0).UTC().Format("15:04:05")
	if seconds >= day {
		text = strconv.FormatInt(seconds/day, 10) + "-" + text
	}
	return text
}

// RowsOf returns the rows of a part that is a table or JSON, and how many are left out. Of associations they are those of the
// site's own cluster, see clusters.
func (d *Dump) RowsOf(p Part) (rows []Row, odd int) {
	rows, odd = d.allRowsOf(p)
	if p.Kind == KindAssociations {
		rows = d.ofOwnCluster(rows)
	}
	return rows, odd
}

// allRowsOf returns what RowsOf does, of all clusters.
func (d *Dump) allRowsOf(p Part) (rows []Row, odd int) {
	if !slurm.IsJSON(p.Text) {
		return ReadTable(p.Text)
	}
	rows, _ = jsonRows(p.Kind, p.Text, d.Zone())
	return rows, 0
}

// QOSPriorities returns the priorities of the QOS of a part, by name.
func (d *Dump) QOSPriorities(p Part) (map[string]float64, error) {
	if !slurm.IsJSON(p.Text) {
		return slurm.ParseQOS(p.Text, false) // see numbers
	}
	rows, err := jsonRows(p.Kind, p.Text, d.Zone())
	qos := map[string]float64{}
	for _, row := range rows {
		qos[row["name"]] = Number(row["priority"], 0)
	}
	return qos, err
}

// ShareRows returns the rows of the JSON of sshare, as its table has them, and none of what cannot be read.
func ShareRows(text string) (rows []Row) {
	shares, _ := accounts.ReadShares(text) // whoever reads the tree says what is wrong
	depth := map[string]int{}
	for i := range shares {
		s := &shares[i]
		row := Row{
			"account": s.Name, "user": "", "partition": s.Partition, "rawshares": s.Shares.String(), "normshares": s.NormShares.String(), "rawusage": s.Usage.String(), "normusage": s.NormUsage.String(),
			"effectvusage": s.EffectiveUsage.String(), "fairshare": "", "levelfs": s.Fairshare.Level.String(),
		}
		at, hasParent := depth[s.Parent]
		if hasParent {
			at++
		}
		if s.IsUser() {
			row["account"], row["user"], row["fairshare"] = s.Parent, s.Name, s.Fairshare.Factor.String()
		} else {
			depth[s.Name] = at
		}
		if s.IsFromParent() {
			row["rawshares"] = "parent"
		}
		row["depth"] = strings.Repeat(" ", at)
		rows = append(rows, row)
	}
	return rows
}

// ofParent are the shares of JSON that stand for those of the account.
const ofParent = "2147483647"
