package slurm

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairshare/cmd/internal/file"
)

// IsJSON reports whether a text is JSON, and no text of scontrol.
func IsJSON(text string) bool {
	return strings.HasPrefix(strings.TrimLeft(text, " \t\r\n\xef\xbb\xbf"), "{")
}

// plainFields are the fields of a job in JSON that scontrol show job prints as they are, by its names.
var plainFields = map[string]string{
	"JobId": "job_id", "JobName": "name", "Priority": "priority", "Nice": "nice", "Account": "account", "QOS": "qos", "Partition": "partition", "ReqNodeList": "required_nodes", "ExcNodeList": "excluded_nodes", "NodeList": "nodes",
	"NumTasks": "tasks", "CPUs/Task": "cpus_per_task", "ReqTRES": "tres_req_str", "AllocTRES": "tres_alloc_str", "MinCPUsNode": "minimum_cpus_per_node", "MinTmpDiskNode": "minimum_tmp_disk_per_node", "Features": "features", "Licenses": "licenses",
	"Reservation": "resv_name", "TresPerNode": "tres_per_node", "TresPerJob": "tres_per_job", "TresPerTask": "tres_per_task", "TresPerSocket": "tres_per_socket", "CpusPerTres": "cpus_per_tres", "MemPerTres": "memory_per_tres",
	"Contiguous": "contiguous", "Prefer": "prefer", "Network": "network", "BurstBuffer": "burst_buffer", "FedOrigin": "federation_origin", "Reboot": "reboot", "BatchFeatures": "batch_features", "Dependency": "dependency",
	"MCS_label": "mcs_label", "SegmentSize": "segment_size", "SiteFactor": "site_factor", "Requeue": "requeue", "BatchFlag": "batch_flag", "SecsPreSuspend": "pre_sus_time", "Restarts": "restart_cnt",
}

// timeFields are those that are times, in seconds since 1970.
var timeFields = map[string]string{
	"SubmitTime": "submit_time", "EligibleTime": "eligible_time", "AccrueTime": "accrue_time", "StartTime": "start_time", "EndTime": "end_time", "SuspendTime": "suspend_time", "PreemptTime": "preempt_time", "LastSchedEval": "last_sched_evaluation",
}

// madeOf are the fields without which those of scontrol cannot be made that are made of others.
var madeOf = map[string]string{
	"UserId": "user_id", "GroupId": "group_id", "JobState": "job_state", "Reason": "state_reason", "TimeLimit": "time_limit", "TimeMin": "time_minimum", "Deadline": "deadline", "NumNodes": "node_count", "NumCPUs": "cpus",
	"ReqB:S:C:T": "threads_per_core", "Socks/Node": "sockets_per_node", "NtasksPerN:B:S:C": "tasks_per_node", "CoreSpec": "core_spec", "OverSubscribe": "shared",
}

// otherFields are the fields of a job in JSON that are read with others, or of which no start depends. The rest is said
// not to be known.
var otherFields = strings.Fields(`user_id user_name group_id group_name job_state state_reason state_description time_limit time_minimum deadline node_count max_nodes cpus max_cpus sockets_per_board sockets_per_node
	cores_per_socket threads_per_core tasks_per_node tasks_per_board tasks_per_socket tasks_per_core core_spec thread_spec memory_per_node memory_per_cpu shared exclusive oversubscribe array_job_id array_task_id array_task_string array_max_tasks
	required_switches maximum_switch_wait_time het_job_id het_job_offset

	admin_comment allocating_node association_id batch_host flags burst_buffer_state cluster cluster_features command comment container container_id billable_tres cpu_frequency_minimum cpu_frequency_maximum
	cpu_frequency_governor cron delay_boot derived_exit_code exit_code extra failed_node federation_siblings_active federation_siblings_viable gres_detail het_job_id_set job_resources job_size_str licenses_allocated mail_type mail_user
	tasks_per_tres power preemptable_time hold priority_by_partition profile qos_req required_nodes resize_time scheduled_nodes selinux_context standard_error standard_input
	standard_output stderr_expanded stdin_expanded stdout_expanded step_id submit_line system_comment tres_bind tres_freq tres_alloc_str wckey current_working_directory minimum_switches nodes_required tres_req_str priority_by_partition
	argv script environment show_flags`)

// numberFields are the fields of a job that are numbers.
var numberFields = slices.Sorted(slices.Values(append(slices.Collect(maps.Values(timeFields)), strings.Fields(`job_id priority tasks minimum_cpus_per_node time_minimum node_count max_nodes
	cpus max_cpus sockets_per_board tasks_per_node tasks_per_board array_job_id array_max_tasks required_switches maximum_switch_wait_time het_job_id het_job_offset deadline user_id group_id
	nice cpus_per_task time_limit sockets_per_node cores_per_socket threads_per_core tasks_per_socket tasks_per_core core_spec thread_spec memory_per_node memory_per_cpu array_task_id pre_sus_time`)...)))

// oddNumber returns the first field of a job that is to be a number and is none, "" for none.
func oddNumber(o Object) string {
	for _, name := range numberFields {
		switch at := o[name].(type) {
		case float64:
		case string:
			if x, err := strconv.ParseFloat(at, 64); at != "" && at != complexInfinite && (err != nil || math.IsNaN(x) || math.IsInf(x, 0)) {
				return name
			}
		default:
			if !o.IsScalar(name) {
				return name
			}
		}
	}
	return ""
}

// fieldsOfJSON returns what scontrol show job prints of a job, of the JSON of scontrol and squeue.
func fieldsOfJSON(o Object, zone *time.Location) map[string]string {
	fields := map[string]string{}
	for _, name := range numberFields {
		if o[name] == complexInfinite {
			o[name] = float64(infinite)
		}
	}
	for key, name := range plainFields {
		if o.Has(name) {
			fields[key] = o.Text(name)
		}
	}
	for key, name := range timeFields {
		if x, isSet, _ := o.Number(name); isSet && x > 0 && x < notSet {
			fields[key] = time.Unix(int64(x), 0).In(zone).Format("2006-01-02T15:04:05")
		} else if o.Has(name) {
			fields[key] = "Unknown"
		}
	}
	or := func(path, none string) string {
		switch text := o.Text(path); text {
		case "", "UNLIMITED", "65534", "65535": // as versions write it that have no other word for none
			return none
		default:
			return text
		}
	}
	positive := func(path string) (text string) {
		if x, isSet, _ := o.Number(path); isSet && x > 0 {
			text = o.Text(path)
		}
		return text
	}
	fields["UserId"], fields["GroupId"] = o.Text("user_name")+"("+o.Text("user_id")+")", o.Text("group_name")+"("+o.Text("group_id")+")"
	fields["JobState"] = stateOf(o)
	fields["Reason"] = o.Text("state_reason")
	if text := o.Text("state_description"); text != "" {
		fields["Reason"] = strings.ReplaceAll(text, " ", "_")
	}
	if o.Has("nice") {
		fields["Nice"] = cmp.Or(fields["Nice"], "0")
	}
	fields["TimeLimit"], fields["TimeMin"] = cmp.Or(o.Minutes("time_limit"), "Partition_Limit"), ""
	if positive("time_minimum") != "" {
		fields["TimeMin"] = o.Minutes("time_minimum")
	}
	fields["Deadline"] = positive("deadline")
	fields["NumNodes"], fields["NumCPUs"] = or("node_count", ""), or("cpus", "")
	if fields["JobState"] == "PENDING" {
		for key, path := range map[string]string{"NumNodes": "max_nodes", "NumCPUs": "max_cpus"} {
			if most := positive(path); most != "" {
				fields[key] += "-" + most
			}
		}
	}
	fields["ReqB:S:C:T"] = "0:" + or("sockets_per_board", "0") + ":" + or("cores_per_socket", "*") + ":" + or("threads_per_core", "*")
	fields["Socks/Node"] = or("sockets_per_node", "*")
	fields["NtasksPerN:B:S:C"] = or("tasks_per_node", "0") + ":" + or("tasks_per_board", "0") + ":" + or("tasks_per_socket", "*") + ":" + or("tasks_per_core", "*")
	const noThreads = 32766 // what is left of 65534, with which nothing is left to the system
	switch x, isSet, _ := o.Number("thread_spec"); {
	case isSet && x == noThreads:
		fields["CoreSpec"] = "*"
	case isSet && x > 0:
		fields["ThreadSpec"] = o.Text("thread_spec")
	default:
		fields["CoreSpec"] = or("core_spec", "*")
	}
	if text := o.Text("memory_per_node"); text != "" && text != "UNLIMITED" {
		fields["MinMemoryNode"] = megabytes(text)
	} else if text := o.Text("memory_per_cpu"); text != "" && text != "UNLIMITED" {
		fields["MinMemoryCPU"] = megabytes(text)
	} else if o.Has("memory_per_node") {
		fields["MinMemoryNode"] = "(null)"
	}
	fields["OverSubscribe"] = sharing(strings.ToLower(o.Text("shared")))
	if fields["ArrayJobId"] = positive("array_job_id"); fields["ArrayJobId"] != "" {
		if fields["ArrayTaskId"] = o.Text("array_task_string"); fields["ArrayTaskId"] == "" {
			fields["ArrayTaskId"] = o.Text("array_task_id")
		}
		fields["ArrayTaskThrottle"] = positive("array_max_tasks")
	}
	if switches := positive("required_switches"); switches != "" {
		fields["Switches"] = switches + "@" + or("maximum_switch_wait_time", "0")
	}
	if fields["HetJobId"] = positive("het_job_id"); fields["HetJobId"] == "" {
		delete(fields, "HetJobId")
	}
	if text := perNodeOfJSON(o); text != "" {
		fields[ofEachNode] = text
	}
	for key, path := range madeOf {
		if !o.Has(path) {
			delete(fields, key)
		}
	}
	for key := range o {
		if isNews(o, key) {
			fields[key] = o.Text(key)
		}
	}
	return fields
}

// knownFields are all fields of a job in JSON that are known here.
var knownFields = func() map[string]bool {
	known := map[string]bool{}
	for _, names := range []iter.Seq[string]{maps.Values(plainFields), maps.Values(timeFields), slices.Values(otherFields)} {
		for name := range names {
			known[name] = true
		}
	}
	return known
}()

// isNews reports whether a field is one that no version had which is known here, and says something.
func isNews(o Object, name string) bool {
	if knownFields[name] {
		return false
	}
	text := o.Text(name)
	return text != "" && text != "0" && text != "UNLIMITED"
}

// stateOf returns the state of a job as scontrol prints it.
func stateOf(o Object) string { return ShownState(strings.Split(o.Text("job_state"), ",")) }

// megabytes returns an amount of memory as scontrol prints it.
func megabytes(text string) string {
	if text == "0" {
		return text
	}
	return text + "M"
}

// sharing returns how a job shares its nodes, of the word that JSON has for that.
func sharing(word string) string {
	words := map[string]string{"none": "NO", "user": "USER", "mcs": "MCS", "topo": "TOPO", "oversubscribe": "YES"}
	return cmp.Or(words[word], "OK")
}

// EachFields gives to a function what scontrol show job prints of each job in the JSON of scontrol or squeue, with times
// in a zone, and returns what was wrong with jobs.
func EachFields(text string, zone *time.Location, add func(fields map[string]string) error) (problems []*file.Problem, err error) {
	objects, err := ParseObjects(text, "jobs")
	if err != nil {
		return nil, &file.Problem{Line: 1, Message: err.Error()}
	}
	seen := map[string]bool{}
	for _, o := range objects {
		fields := fieldsOfJSON(o, zone)
		wrong := error(nil)
		id := fields["JobId"]
		switch odd := oddNumber(o); {
		case seen[id]:
			wrong = fmt.Errorf("job %s occurs earlier, and only the first one counts", id)
		case odd != "":
			wrong = fmt.Errorf("%s of job %s is %s, which is no number", odd, id, o.Raw(odd))
		default:
			seen[id] = true
			wrong = add(fields)
		}
		if wrong != nil {
			problems = append(problems, &file.Problem{Line: 1, Message: wrong.Error()})
		}
	}
	return problems, nil
}
