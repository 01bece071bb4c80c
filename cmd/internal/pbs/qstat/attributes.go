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
argument_list array array_id array_index array_indices array_indices_remaining array_indices_submitted
array_state_count block comment create_resv_from_job cred_id cred_validity credential ctime depend egroup eligible_time
eligible_time_old estimated etime euser exec_host exec_host2 exec_vnode executable forward_x11_cookie
forward_x11_port group_list hashname history_timestamp interactive job_kill_delay job_state jobdir
jobtype max_run_subjobs mtime no_stdio_sockets node_set obittime outofband project pset qtime queue queue_rank
queue_type release_nodes_on_stageout reserve_ID reserve_Tag resources_released resource_released_list run_count run_version
sandbox sched_preempted schedselect security server session_id stagein stageout stime substate
tolerate_node_failures topjob topjob_ineligible umask`)

// torqueAttributes are those that a job has in TORQUE and not in PBS.
var torqueAttributes = strings.Fields(`
Reservation_Id checkpoint_dir checkpoint_name checkpoint_restart_status checkpoint_time comp_time
copy_on_rerun cpuset_string epilogue exec_devices exec_gpus exec_mics exec_port exit_status
external_nodes fault_tolerant forward_x11 idle_slot_limit init_work_dir job_array_id
job_array_request job_id job_radix job_slot_limit login_node_id login_prop memset_string nppcu
prologue proxy_user reservation_id start_count start_time submit_args submit_host
system_start_time total_runtime user_kill_delay x`)

// attributePrefixes begin the names of attributes that have parts.
var attributePrefixes = []string{resourcePrefix, "resources_used.", "Variable_List.", "estimated.", "resources_released.", "resource_released_list.", "Walltime.", "req_information."}

// attributeWholes are what JSON has in place of attributes that have parts.
var attributeWholes = []string{"Resource_List", "resources_used", "Walltime", "req_information"}

// isKnown reports whether a column is an attribute of PBS's or TORQUE's, or of this program's
// own output.
func isKnown(name string) bool {
	_, isAlias := aliases[name]
	isOwn := isAlias || name == "entity" || slices.Contains(ownColumns, name) || slices.Contains(idNames, name)
	isPart := func() bool {
		return slices.ContainsFunc(attributePrefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
	}
	return isOwn || slices.Contains(pbsAttributes, name) || slices.Contains(torqueAttributes, name) || slices.Contains(attributeWholes, name) || isPart()
}

// strangers counts, of a list's attributes, those that are not known here. Each name is looked up once where jobs have theirs
// in one order.
type strangers struct {
	met []metName // in that order
	at  int       // where the next one of the job is expected
}

// metName is a name that no schema asks for.
type metName struct {
	text      string
	isUnknown bool
}

// Having says who has an attribute.
type Having struct {
	First string // the ID of a job, "" where it is not known
	Jobs  int
}

// meet counts an attribute that the schema does not ask for, if it is not known here.
func (b *Batch) meet(name []byte) {
	s := &b.strangers
	if s.at >= len(s.met) || s.met[s.at].text != string(name) {
		b.find(name)
	}
	if s.at++; s.met[s.at-1].isUnknown {
		b.countUnknown(s.met[s.at-1].text)
	}
}

// find expects a name next that came elsewhere, or never before.
func (b *Batch) find(name []byte) {
	s := &b.strangers
	for i := range s.met {
		if at := (s.at + i) % len(s.met); s.met[at].text == string(name) {
			s.at = at
			return
		}
	}
	const most = 1000
	if len(s.met) >= most {
		s.met = s.met[:0]
	}
	s.at = min(s.at, len(s.met))
	s.met = slices.Insert(s.met, s.at, metName{string(name), !isKnown(string(name))})
}

// countUnknown counts that the record begun last has an attribute that is not known here.
func (b *Batch) countUnknown(name string) {
	if b.Unknown == nil {
		b.Unknown = map[string]Having{}
	}
	n := b.Unknown[name]
	n.Jobs++
	if n.First == "" { // an object may have its ID behind it
		n.First = string(b.Records[len(b.Records)-1].ID)
	}
	b.Unknown[name] = n
}
