package qstat

import (
	"slices"
	"strings"
)

// idNames are what a job's ID may be called where it is a member or a column.
var idNames = []string{"id", "Job Id", "Job_Id", "job_id", "JobID", "jobid", "Job ID", "JobId"}

// aliases are what this program's own output, and people, call attributes in
// columns and in objects that are jobs.
var aliases = map[string]string{"state": "job_state", "user": "euser", "group": "egroup", "priority": "Priority", "job_priority": "Priority"}

// ownMark is a column that only this program's own output has. In it, amounts are
// as PBS prints them into a formula, so that sizes are in kb.
const ownMark = "float32"

// ownColumns are columns of this program's own output that no attribute is.
var ownColumns = []string{"rank", "value", ownMark, "log", "considered", "reason", "error", "decided_by", "subjobs"}

// pbsAttributes are the names of a job's attributes in PBS, but for those that
// have a prefix of their own.
var pbsAttributes = strings.Fields(`
Account_Name Checkpoint Error_Path Execution_Time Exit_status Hold_Types Job_Name Job_Owner Join_Path
Keep_Files Mail_Points Mail_Users Output_Path Priority Remove_Files Rerunable Shell_Path_List
Stageout_status Submit_Host Submit_arguments User_List Variable_List accounting_id accrue_type alt_id
argument_list array array_id array_index array_indices_remaining array_indices_submitted
array_state_count block comment create_resv_from_job credential ctime depend egroup eligible_time
eligible_time_old estimated etime euser exec_host exec_host2 exec_vnode executable forward_x11_cookie
forward_x11_port group_list hashname history_timestamp interactive job_kill_delay job_state jobdir
jobtype max_run_subjobs mtime no_stdio_sockets obittime outofband project pset qtime queue queue_rank
queue_type release_nodes_on_stageout resources_released resource_released_list run_count run_version
sandbox sched_preempted schedselect server session_id stagein stageout stime substate
tolerate_node_failures topjob topjob_ineligible umask`)

// attributePrefixes begin the names of attributes that have parts.
var attributePrefixes = []string{resourcePrefix, "resources_used.", "Variable_List.", "estimated.", "resources_released."}

// isKnown reports whether a column is an attribute of PBS's, or of this program's
// own output.
func isKnown(name string) bool {
	_, isAlias := aliases[name]
	isOwn := isAlias || name == "entity" || slices.Contains(ownColumns, name) || slices.Contains(idNames, name)
	isPart := func() bool {
		return slices.ContainsFunc(attributePrefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
	}
	return isOwn || slices.Contains(pbsAttributes, name) || isPart()
}
